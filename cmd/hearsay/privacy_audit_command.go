package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/pair"
)

func registerPairOfSpec(cmd *cobra.Command, p *pair.Question) {
	namePairOfSpec(cmd, p)
	must(cmd.MarkFlagRequired("about"))
	must(cmd.MarkFlagRequired("observer"))
}

func namePairOfSpec(cmd *cobra.Command, p *pair.Question) {
	settings(cmd, &p.Set)
	registerCache(cmd, &p.Cache)
	cmd.Flags().StringVar(&p.AboutName, "about", "", "node whose data are at stake: its name, or its number from 0")
	cmd.Flags().StringVar(&p.ObserverName, "observer", "", "node that is curious")
}

func newPrivacyAuditCommand() *cobra.Command {
	var f pair.AuditQuestion
	cmd := &cobra.Command{
		Use:   "audit SPEC.yaml [--about U --observer V | --one-run]",
		Short: "Attack a run: what one node is seen to learn about another, at least",
		Long: `Audit runs the spec's algorithm many times in two worlds that differ in all of
node U's data, as far apart as they can be, and tries to tell them apart from
what node V receives and sends: of a walk the path of the token revealed, of
averaging the best combination of all messages. What it proves
is a lower bound with a confidence, beside the accountants' upper bounds. If it
is above a sound bound, something is wrong, and the exit code says so.

With --one-run it runs the spec once. Every node that holds data is given one of
two data sets by a coin, and every node guesses the coins of the others from what
it was sent (Steinke, Nasr and Jagielski 2023; Mahloujifar et al. 2025). What that
proves is a lower bound of the largest loss towards each observer, and of
everybody together; all hold at once with the confidence. Few nodes prove little.`,
		Example: "  hearsay privacy audit spec.yaml --about alice --observer bob --runs 10000\n" +
			"  hearsay privacy audit spec.yaml --one-run --json",
		Args: argument("spec file"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.Ask(askerOf(cmd), args[0]) },
	}
	namePairOfSpec(cmd, &f.Question)
	cmd.Flags().BoolVar(&f.Once, "one-run", false, "audit one run, with a canary at every node and every node an observer")
	cmd.Flags().IntVar(&f.Runs, "runs", 1000, "runs in each of the two worlds")
	cmd.Flags().Float64Var(&f.Confidence, "confidence", 0.99, "with which the lower bounds hold")
	return cmd
}
