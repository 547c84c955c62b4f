package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/membership"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/spec"
)

func newAttackMembershipCommand() *cobra.Command {
	f := &membership.Question{}
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

An attacker is a node, nodes that pool what they see (Alice+Bob), or ` + membership.FinalModel + `:
whoever receives the final model and nothing else. Without --attackers there is one at every
distance up to ` + fmt.Sprint(membership.Farthest) + ` hops, and the final model's receiver.

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
	var found *membership.Answer
	attack := onSpec(cmd, &f.SpecQuestion, "", func(s *spec.Spec) (_ *membership.Answer, err error) {
		found, err = f.Answer(s)
		return found, err
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := attack(cmd, args); err != nil {
			return err
		}
		return found.Refuted()
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Target, "target", "", "node whose data are at stake: its name, or its number from 0; the first that holds any if none is named")
	flags.StringArrayVar(&f.Attackers, "attackers", nil, "`names` of who attacks, each by itself, with commas: nodes, nodes joined by + that pool what they see, or "+membership.FinalModel+"; repeatable")
	flags.IntVar(&f.Question.Runs, "runs", 1000, "runs in each of the two worlds, on which what is proved is measured")
	flags.IntVar(&f.Question.Shadows, "shadows", 0, "shadow runs in each world, on which the attack is fitted; as many as --runs if 0")
	flags.Float64Var(&f.Question.Confidence, "confidence", 0.99, "confidence of each attacker's lower bound")
	flags.StringVar(&f.Question.Canary, "canary", experiment.CanaryWorst, "data in which the two worlds differ: worst or real")
	flags.IntVar(&f.Question.Row, "row", 0, "with --canary real and privacy.unit record: which of the target's rows, or persons, is at stake, from 0")
	flags.Uint64Var(&f.Question.Seed, "seed", 0, "seed of the runs; the spec's if 0")
	return cmd
}
