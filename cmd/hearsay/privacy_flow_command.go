package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/price"
)

func newPrivacyFlowCommand() *cobra.Command {
	f := price.FlowQuestion{}
	cmd := &cobra.Command{
		Use:   "flow --graph G --rounds T --sigma S [--u U] [--v V]",
		Short: "What gossip that learns tells every node about every other, gradients included",
		Long: `Flow prices T rounds of a local step, noise on every message and averaging with
neighbours (D-GD), where steps may depend on all that was received. The sound
accountant absorbs the difference that a node's data makes in the noise of others
before the observer sees it; energy is mu^2 sigma^2 of the Gaussian that bounds
the view. The audit is what losses attain that are as flat as the Lipschitz
constant allows; of one pair also what curved ones attain at best.

With --v alone it prices everybody towards one observer, with --u alone one node
towards everybody, without either all pairs: near the optimum where that is quick
or the graph is symmetric, elsewhere by a quick plan of each pair, and by one plan
for all where that takes long too; then the pairs that lose most are refined until the
largest losses, of all and beyond neighbours, are near the optimum. Where all pairs would
take long to attack, the one that loses most at each distance is.

With --public it prices what the final models tell somebody who was no node and saw
nothing else: of --u, or of every node.

With --gossip-steps K noise is drawn once a round and averaged on for K turns
(Muffliato-GD); what that hides is dense, so all pairs take hundreds of nodes at most.`,
		Example: "  hearsay privacy flow --graph hypercube:11 --rounds 100 --sigma 6.2 --u 3 --v 0\n" +
			"  hearsay privacy flow --graph hypercube:8 --rounds 50 --sigma 4\n" +
			"  hearsay privacy flow --graph friends.edges --rounds 20 --sigma 4 --v 0\n" +
			"  hearsay privacy flow --graph friends.edges --rounds 20 --every 4 --eps 1\n" +
			"  hearsay privacy flow --graph complete:4 --rounds 20 --sigma 4 --public --u 0",
		Args: cobra.NoArgs,
		RunE: asking(&f.Asker, f.Answer),
	}
	registerGraph(cmd, &f.GraphQuestion)
	registerCache(cmd, &f.Cache)
	flags := cmd.Flags()
	flags.IntVar(&f.Rounds, "rounds", 0, "rounds, T")
	flags.IntVar(&f.Every, "every", 1, "nodes contribute in rounds 0, K, 2K, ..; in others they only add noise and average")
	flags.IntVar(&f.Steps, "gossip-steps", 1, "turns of averaging on one draw of noise, K; with 1 every message has noise of its own")
	flags.StringVar(&f.Acceleration, "acceleration", "none", "with several turns: none or chebyshev")
	flags.Float64Var(&f.Lipschitz, "lipschitz", 1, "Lipschitz constant of a local step; below 1 with an l2 penalty")
	flags.StringVar(&f.Release, "release", "none", "what is public: none, or final (a function of the last round's messages)")
	flags.BoolVar(&f.Public, "public", false, "the public observes: who takes no part and sees the final models alone (has --release final)")
	flags.StringVar(&f.Plan, "plan", "auto", "plan for more than one pair: optimal, aimed (two flows a pair, mostly within 20 % of it), cheap (one plan for all), or auto, the nearest that takes some seconds")
	flags.Float64Var(&f.Sigma, "sigma", 0, "noise of a message over its sensitivity")
	flags.Float64Var(&f.Delta, "delta", 1e-6, "delta of the epsilon")
	flags.Float64Var(&f.Eps, "eps", 0, "find the smallest sigmas for this epsilon")
	between(cmd, &f.Between, "; without --v towards everybody", "one pair: `names` of nodes, with commas, that pool what they see with v")
	flags.BoolVar(&f.ShowPlan, "show-plan", false, "one pair: the plan behind the bound, which anybody can evaluate (docs/FLOW.md)")
	flags.StringVar(&f.Picture, "picture", "", "one pair: a file for a picture of that plan (SVG), turn by turn")
	required(cmd, "rounds")
	return cmd
}
