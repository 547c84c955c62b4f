package pair

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Question names one pair of a spec's nodes.
type Question struct {
	Set                     []string
	Cache                   form.Cache
	AboutName, ObserverName string
	about, observer         int // set by find
}

// find sets the numbers of the two nodes from their names.
func (p *Question) find(s *experiment.Priced) (err error) {
	if p.about, err = s.Find(p.AboutName); err != nil {
		return fault.Wrap(err, "--about", fault.Hint(err))
	}
	if p.observer, err = s.Find(p.ObserverName); err != nil {
		return fault.Wrap(err, "--observer", fault.Hint(err))
	}
	return nil
}

// prepared prices the pairs of a spec.
func (p *Question) prepared(ask form.Asker, s *spec.Spec) (*experiment.Priced, error) {
	ctx, err := p.Cache.Watched(ask.Context, ask.Stderr)
	if err != nil {
		return nil, err
	}
	return experiment.OpenForPairs(ctx, s, func(what string) { fmt.Fprintln(ask.Stderr, what) })
}

// An AuditQuestion holds the settings of `hearsay privacy audit`.
type AuditQuestion struct {
	Question
	Runs       int
	Confidence float64
	Once       bool // audits one run, with all nodes as observers
}

// Ask attacks the run of the spec in the file at path, and shows the proved lower bound. It returns an error if this bound
// exceeds a sound upper bound.
func (f *AuditQuestion) Ask(ask form.Asker, path string) error {
	switch named := f.AboutName != "" && f.ObserverName != ""; {
	case f.Once && (f.AboutName != "" || f.ObserverName != ""):
		return fault.New("--one-run with --about or --observer: in one run everybody guesses about everybody", "leave them out")
	case f.Once:
		return f.askOnce(ask, path)
	case !named:
		return fault.New("--about and --observer name the pair of an audit of many runs", "give both, or --one-run to audit one run")
	}
	s, err := form.LoadSpec(ask.Context, path, f.Set...)
	if err != nil {
		return err
	}
	setup, err := f.prepared(ask, s)
	if err != nil {
		return err
	}
	if err := f.find(setup); err != nil {
		return err
	}
	audit, err := f.audit(ask.Context, setup, ask.Stderr)
	if err != nil {
		return err
	}
	if err := showAudit(ask, audit); err != nil {
		return err
	}
	if audit.Refuted {
		return fault.New(
			fmt.Sprintf("%s was seen to learn %s about %s, more than the sound %s", audit.ObserverName, form.Loss(audit.Audit.Loss, report.Audit), audit.AboutName,
				form.Loss(audit.Least, report.Sound)),
			fmt.Sprintf("by chance this happens at most once in %.4g audits: repeat it with another seed, and report it if it stays",
				1/(1-f.Confidence)))
	}
	return nil
}

func (f *AuditQuestion) audit(ctx context.Context, setup *experiment.Priced, stderr io.Writer) (*experiment.Audit, error) {
	live := terminal.NewLiveLine(stderr)
	defer live.Wipe()
	return setup.Audit(ctx, f.about, f.observer, f.Runs, f.Confidence, live.Runs)
}

// An AuditAnswer is the JSON answer of `hearsay privacy audit`.
type AuditAnswer struct {
	*experiment.Audit
	Accountants map[string]any `json:"accountants"`
}

func showAudit(ask form.Asker, a *experiment.Audit) error {
	if !ask.JSON {
		return printAudit(ask.Stdout, a)
	}
	answer := AuditAnswer{a, map[string]any{"audit": a.Audit}}
	for _, b := range a.Bounds {
		answer.Accountants[b.Accountant] = b
	}
	return ask.Value(answer)
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
