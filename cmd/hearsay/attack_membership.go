package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/spec"
)

// membershipFlags are what `attack membership` is asked.
type membershipFlags struct {
	specAttack
	target    string
	attackers []string
	question  experiment.MembershipQuestion
}

// finalModel is how the attacker is called who receives the final model and nothing else.
const finalModel = "model"

// farthest is how many hops away attackers are looked at if none is named.
const farthest = 6

func newAttackMembershipCommand() *cobra.Command {
	f := &membershipFlags{}
	cmd := &cobra.Command{
		Use:   "membership SPEC.yaml",
		Short: "Membership inference from what nodes see: what it proves beside the sound numbers",
		Long: `Membership asks whether an attacker can tell which data the target holds, from
what its own machine sees of a run: every message that it receives, what it holds
itself, or the final model alone. It runs the spec's own protocol thousands of times
in two worlds that differ as the accountant's neighbouring data sets do: in one
record, or in all of the target's data (privacy.unit).

On shadow runs the attacker fits a likelihood-ratio test; on other runs what the
test proves is measured, by exact binomial intervals: a lower bound of epsilon at
the spec's delta, with a confidence, beside the sound upper bound and the published
number. No attack can prove more than a sound number, but by chance as often as the
confidence says; if one does, the exit code says so. Hundreds of runs prove that
epsilon is not below 2 or 3, thousands some more; a bound of 0 says that so many
runs prove nothing.

An attacker is a node, nodes that pool what they see (Alice+Bob), or ` + finalModel + `:
whoever receives the final model and nothing else. Without --attackers there is one at every
distance up to ` + fmt.Sprint(farthest) + ` hops, and the final model's receiver.

--canary worst gives the target data as far apart as the bounds of the data allow, which is what
accountants promise to hide; --canary real compares its own data with other rows
of the same kind.

--out writes a page with the chart: a file that ends in .html, or a folder, which gets
result.json too.`,
		Example: `  hearsay attack membership spec.yaml
  hearsay attack membership spec.yaml --target Medici --attackers Pazzi,Salviati+Strozzi,model --runs 5000
  hearsay attack membership spec.yaml --canary real --out page.html --json`,
		Args: argument("spec file"),
	}
	var found *membershipAnswer
	attack := attackOn(&f.specAttack, func(s *spec.Spec) (_ *membershipAnswer, err error) {
		found, err = f.attack(s)
		return found, err
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := attack(cmd, args); err != nil {
			return err
		}
		return found.refuted()
	}
	flags := cmd.Flags()
	flags.StringVar(&f.target, "target", "", "node whose data are at stake: its name, or its number from 0; the first that holds any if none is named")
	flags.StringArrayVar(&f.attackers, "attackers", nil, "`names` of who attacks, each by itself, with commas: nodes, nodes joined by + that pool what they see, or "+finalModel+"; repeatable")
	flags.IntVar(&f.question.Runs, "runs", 1000, "runs in each of the two worlds, on which what is proved is measured")
	flags.IntVar(&f.question.Shadows, "shadows", 0, "shadow runs in each world, on which the attack is fitted; as many as --runs if 0")
	flags.Float64Var(&f.question.Confidence, "confidence", 0.99, "with which each attacker's lower bound holds")
	flags.StringVar(&f.question.Canary, "canary", experiment.CanaryWorst, "what the worlds differ in: worst or real")
	flags.IntVar(&f.question.Row, "row", 0, "with --canary real and privacy.unit record: which of the target's rows is at stake, from 0")
	flags.Uint64Var(&f.question.Seed, "seed", 0, "seed of the runs; the spec's if 0")
	f.register(cmd, "")
	return cmd
}

// attack opens the spec and attacks it.
func (f *membershipFlags) attack(s *spec.Spec) (*membershipAnswer, error) {
	if err := f.out.Check(); err != nil {
		return nil, err
	}
	ctx, err := f.cache.Watched(f.cmd.Context(), f.cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	live := terminal.NewLiveLine(f.cmd.ErrOrStderr())
	opened, err := experiment.Open(ctx, s, live.Say)
	if err != nil {
		return nil, err
	}
	if err := f.ask(opened); err != nil {
		return nil, err
	}
	setup, err := opened.PriceForAttack(ctx, live.Say)
	if err != nil {
		return nil, err
	}
	if len(f.question.Attackers) == 0 {
		f.question.Attackers = setup.Nearby(f.question.Target, farthest)
	}
	live.Say("what accountants say of these attackers")
	answer, err := form.Within(ctx, func() (*membershipAnswer, error) { return f.answer(ctx, setup, live) })
	live.Wipe()
	if err != nil {
		return nil, err
	}
	return answer, f.out.Write(ctx, f.say, answer, func(w io.Writer) error { return writeMembershipPage(w, answer) })
}

func (f *membershipFlags) answer(ctx context.Context, setup *experiment.Priced, live *terminal.LiveLine) (*membershipAnswer, error) {
	progress := live.Left("runs")
	found, err := setup.Membership(ctx, f.question, live.Say, progress)
	if err != nil {
		return nil, err
	}
	return &membershipAnswer{found, setup.Spec.Title(), setup.Spec.Algorithm.Kind, setup.Spec.Nodes}, nil
}

// ask completes the question but for attackers whom nobody named, and refuses what cannot be asked before anything is priced.
func (f *membershipFlags) ask(s *experiment.Prepared) (err error) {
	q := &f.question
	q.Workers = form.Workers()
	if q.Shadows == 0 {
		q.Shadows = q.Runs
	}
	if q.Seed == 0 {
		q.Seed = s.Spec.Seed
	}
	if q.Target, err = f.found(s); err != nil {
		return err
	}
	q.Attackers = nil
	known := func(name string) bool { _, err := attackersCalled(s, name); return err == nil }
	for _, name := range terminal.NameList(f.attackers, known) {
		set, err := attackersCalled(s, name)
		if err != nil {
			return fault.Wrap(err, "--attackers", fault.Hint(err))
		}
		q.Attackers = append(q.Attackers, set)
	}
	return s.CheckMembership(q)
}

// found is the target: the node that was named, or the first that holds rows.
func (f *membershipFlags) found(s *experiment.Prepared) (int, error) {
	if f.target != "" {
		u, err := s.Find(f.target)
		if err != nil {
			return 0, fault.Wrap(err, "--target", fault.Hint(err))
		}
		return u, nil
	}
	for u := range s.Spec.Nodes {
		if !s.Public && s.Rows(u) > 0 {
			return u, nil
		}
	}
	return 0, nil
}

// attackersCalled are the nodes of that name, or of several joined by +; none for the final model.
func attackersCalled(s *experiment.Prepared, name string) ([]int, error) {
	one, err := s.Find(name)
	switch {
	case err == nil:
		return []int{one}, nil
	case name == finalModel:
		return nil, nil
	case !strings.Contains(name, "+"):
		return nil, err
	}
	var set []int
	for _, part := range strings.Split(name, "+") {
		v, err := s.Find(part)
		if err != nil {
			return nil, err
		}
		set = append(set, v)
	}
	slices.Sort(set)
	return set, nil
}
