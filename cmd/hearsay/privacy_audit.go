package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// pairOfSpec are the flags of commands about one pair of a spec's nodes.
type pairOfSpec struct {
	set                     []string
	cache                   form.Cache
	aboutName, observerName string
	about, observer         int // see find
}

func (p *pairOfSpec) register(cmd *cobra.Command) {
	settings(cmd, &p.set)
	registerCache(cmd, &p.cache)
	cmd.Flags().StringVar(&p.aboutName, "about", "", "node whose data are at stake: its name, or its number from 0")
	cmd.Flags().StringVar(&p.observerName, "observer", "", "node that is curious")
	must(cmd.MarkFlagRequired("about"))
	must(cmd.MarkFlagRequired("observer"))
}

// find looks the two nodes up.
func (p *pairOfSpec) find(s *experiment.Priced) (err error) {
	if p.about, err = s.Find(p.aboutName); err != nil {
		return fault.Wrap(err, "--about", fault.Hint(err))
	}
	if p.observer, err = s.Find(p.observerName); err != nil {
		return fault.Wrap(err, "--observer", fault.Hint(err))
	}
	return nil
}

// prepared prices the pairs of a spec.
func (p *pairOfSpec) prepared(cmd *cobra.Command, s *spec.Spec) (*experiment.Priced, error) {
	ctx, err := p.cache.Watched(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	return experiment.OpenForPairs(ctx, s, func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) })
}

// auditFlags are what `privacy audit` is asked.
type auditFlags struct {
	pairOfSpec
	runs       int
	confidence float64
}

func newPrivacyAuditCommand() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit SPEC.yaml --about U --observer V",
		Short: "Attack a run: what one node is seen to learn about another, at least",
		Long: `Audit runs the spec's algorithm many times in two worlds that differ in all of
node U's data, as far apart as they can be, and tries to tell them apart from
what node V receives and sends: of a walk the path of the token revealed, of
averaging the best combination of all messages. What it proves
is a lower bound with a confidence, beside the accountants' upper bounds. If it
is above a sound bound, something is wrong, and the exit code says so.`,
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.register(cmd)
	cmd.Flags().IntVar(&f.runs, "runs", 1000, "runs in each of the two worlds")
	cmd.Flags().Float64Var(&f.confidence, "confidence", 0.99, "with which the lower bounds hold")
	return cmd
}

func (f *auditFlags) run(cmd *cobra.Command, path string) error {
	s, err := loadSpec(cmd.Context(), path, f.set...)
	if err != nil {
		return err
	}
	setup, err := f.prepared(cmd, s)
	if err != nil {
		return err
	}
	if err := f.find(setup); err != nil {
		return err
	}
	audit, err := f.audit(cmd.Context(), setup, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := showAudit(cmd, audit); err != nil {
		return err
	}
	if audit.Refuted {
		return fault.New(
			fmt.Sprintf("%s was seen to learn %s about %s, more than the sound %s", audit.ObserverName, form.Loss(audit.Audit.Loss, report.Audit), audit.AboutName,
				form.Loss(audit.Least, report.Sound)),
			fmt.Sprintf("by chance this happens at most once in %.4g audits: repeat it with another seed, and report it if it stays",
				1/(1-f.confidence)))
	}
	return nil
}

func (f *auditFlags) audit(ctx context.Context, setup *experiment.Priced, stderr io.Writer) (*experiment.Audit, error) {
	live := terminal.NewLiveLine(stderr)
	defer live.Wipe()
	return setup.Audit(ctx, f.about, f.observer, f.runs, f.confidence, live.Runs)
}

// auditAnswer is the JSON of `privacy audit`.
type auditAnswer struct {
	*experiment.Audit
	Accountants map[string]any `json:"accountants"`
}

func showAudit(cmd *cobra.Command, a *experiment.Audit) error {
	if !wantJSON(cmd) {
		return printAudit(cmd.OutOrStdout(), a)
	}
	answer := auditAnswer{a, map[string]any{"audit": a.Audit}}
	for _, b := range a.Bounds {
		answer.Accountants[b.Accountant] = b
	}
	return printJSON(cmd, answer)
}

func printAudit(w io.Writer, a *experiment.Audit) error {
	fmt.Fprintf(w, "What %s learns about %s, %s, sigma %.4g\n\n", a.ObserverName, a.AboutName, a.Metric, a.Sigma)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "black box\t(%s)\tat least %s\n", a.Audit.Status, form.Loss(a.Audit.Loss, a.Audit.Status))
	for _, b := range a.Bounds {
		verb := "at most "
		if b.Status != "sound" {
			verb = ""
		}
		fmt.Fprintf(t, "%s\t(%s)\t%s%s\n", b.Accountant, b.Status, verb, form.Loss(b.Loss, b.Status))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nThe black box saw %d runs of each of two worlds; its bound holds with confidence %g.\n", a.Runs, a.Confidence)
	if a.Audit.Loss == 0 && a.Audit.Mu == 0 {
		_, err := fmt.Fprintln(w, "It proved nothing: a loss this small takes more runs to be seen.")
		return err
	}
	_, err := fmt.Fprintf(w, "Its best test finds at least %.3g of one world and mistakes at most %.3g of the other.\n"+
		"A Gaussian view would need a shift over noise of at least %.3g.\n", a.Audit.Power, a.Audit.Size, a.Audit.Mu)
	return err
}
