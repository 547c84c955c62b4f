package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/price"
)

func newPrivacyWalkCommand() *cobra.Command {
	var f price.WalkQuestion
	cmd := &cobra.Command{
		Use:   "walk --graph G --steps T --sigma S --alpha A",
		Short: "What a random walk of the model tells every node about every other",
		Long: `Walk prices random-walk SGD. The published accountant is Theorem 3 of Cyffers,
Bellet and Upadhyay (2024): eps is contributions times the loss of a single one. The path accountant is sound: it
prices the paths of the token, for one pair given with --u (who leaks) and --v
(who learns), or for all pairs. Its delta holds for any eps,
however small; --paths also simulates paths and gives their confidence bound.
Of a pair it prints what the law of its path says alone and, on graphs of up to
512 nodes without symmetry, what it is charged as one of all pairs: the number
that plan, explain and tables have.
Several tokens share a node's contributions out evenly. A cap per edge and step
sizes that fall are priced by simulated paths only.

With --v alone it bounds everybody towards one observer, with --u alone one node
towards everybody, on graphs of any size: by first passages, which takes a cap of
contributions, and less closely than the law of a pair.`,
		Args: cobra.NoArgs,
		RunE: asking(&f.Asker, f.Answer),
	}
	registerGraph(cmd, &f.GraphQuestion)
	registerCache(cmd, &f.Cache)
	flags := cmd.Flags()
	flags.IntVar(&f.Steps, "steps", 0, "turns that update the token, T")
	flags.Float64Var(&f.Sigma, "sigma", 0, "noise multiplier")
	flags.Float64Var(&f.Alpha, "alpha", 2, "Renyi order")
	flags.Float64Var(&f.Delta, "delta", 0, "epsilon at this delta, in place of --alpha")
	flags.StringVar(&f.Sender, "sender", "hidden", "published: whether a node sees who handed it the token: hidden or known")
	flags.StringVar(&f.Accountant, "accountant", "all", "published, path or all")
	flags.StringVar(&f.Condition, "condition", "weakest", "published: what sigma must satisfy: weakest or printed")
	flags.IntVar(&f.Contributions, "contributions", 0, "cap of a node's contributions (default: published 1, path no cap)")
	flags.StringVar(&f.Start, "start", "uniform", "node that starts, or uniform")
	flags.IntVar(&f.BurnIn, "burn-in", 0, "hops before the first update")
	flags.BoolVar(&f.Final, "final", false, "path: the last token is shown to everybody")
	flags.IntVar(&f.Tokens, "tokens", 1, "tokens that walk at once; a node's cap counts over all of them, and each has an even share")
	flags.Float64Var(&f.Skip, "skip", 0, "path: probability that a holder takes no part in a turn and adds noise only")
	flags.IntVar(&f.EdgeCap, "edge-cap", 0, "path: cap of a node's contributions after receipts from one neighbour (default: none)")
	flags.Float64Var(&f.Power, "step-power", 0, "path: step sizes fall as 1/t^power (default: constant)")
	flags.IntVar(&f.Paths, "paths", 0, "path: simulate so many paths as well")
	between(cmd, &f.Between, "", "path: `names` of nodes, with commas, that follow the protocol but pool what they see with v")
	for _, name := range []string{"steps", "sigma"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}
