package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/price"
)

func newPrivacyGossipCommand() *cobra.Command {
	var f price.GossipQuestion
	cmd := &cobra.Command{
		Use:   "gossip --graph G --steps T --sigma S --alpha A",
		Short: "What averaging with neighbours tells every node about every other",
		Long: `Gossip prices T rounds of averaging after one draw of noise per node (Muffliato,
plain or accelerated: the messages of both span the same, and show the same). The sound accountant is exact: it takes all messages that
a node receives together. The published one (Cyffers 2024, equation 6.3) adds them up one
by one and is not a bound. Local is what one noisy value costs that all can see.
With --u and --v it prices that pair alone, and with --colluders what these and v
learn together. With --group it prices nodes whose values all change, as of one family,
and says what Theorem C.17 of the same thesis prints. With --secret-graph nobody knows
more of a random graph than its own neighbours: losses are means over its draws.`,
		Example: "  hearsay privacy gossip --graph hypercube:5 --steps 8 --sigma 4\n" +
			"  hearsay privacy gossip --graph friends.edges --steps 20 --sigma 2 --alpha 3 --json\n" +
			"  hearsay privacy gossip --graph ring:12 --steps 4 --sigma 2 --delta 1e-6 --u 0 --v 5 --colluders 4,7\n" +
			"  hearsay privacy gossip --graph ring:12 --steps 4 --sigma 2 --delta 1e-6 --u 0 --group 1,11 --v 5\n" +
			"  hearsay privacy gossip --graph er:n=200,p=0.04 --steps 5 --sigma 4 --secret-graph",
		Args: cobra.NoArgs,
		RunE: asking(&f.Asker, f.Answer),
	}
	registerGraph(cmd, &f.GraphQuestion)
	cmd.Flags().IntVar(&f.Steps, "steps", 0, "rounds of averaging, T")
	cmd.Flags().Float64Var(&f.Sigma, "sigma", 0, "noise multiplier, 0 for none")
	cmd.Flags().Float64Var(&f.Alpha, "alpha", 2, "Renyi order")
	cmd.Flags().Float64Var(&f.Delta, "delta", 0, "epsilon at this delta, in place of --alpha")
	between(cmd, &f.Between, "", "one pair: `names` of nodes, with commas, that pool what they see with v")
	cmd.Flags().StringArrayVar(&f.Group, "group", nil, "one pair: `names` of nodes, with commas, whose values change together with that of u")
	cmd.Flags().BoolVar(&f.Secret, "secret-graph", false, "the graph is drawn in secret, and nodes learn their own neighbours only")
	cmd.Flags().BoolVar(&f.Redrawn, "redrawn", false, "with --secret-graph: a graph of its own for every turn")
	cmd.Flags().IntVar(&f.Observers, "observers", 1, "with --secret-graph: how many nodes pool what they see")
	for _, name := range []string{"steps", "sigma"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}
