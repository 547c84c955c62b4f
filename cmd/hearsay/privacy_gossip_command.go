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
plain or accelerated). The sound accountant is exact: it takes all messages that
a node receives together. The published one (002, equation 6.3) adds them up one
by one and is not a bound. Local is what one noisy value costs that all can see.`,
		Example: "  hearsay privacy gossip --graph hypercube:5 --steps 8 --sigma 4\n" +
			"  hearsay privacy gossip --graph friends.edges --steps 20 --sigma 2 --alpha 3 --json",
		Args: cobra.NoArgs,
		RunE: asking(&f.Asker, f.Answer),
	}
	registerGraph(cmd, &f.GraphQuestion)
	cmd.Flags().IntVar(&f.Steps, "steps", 0, "rounds of averaging, T")
	cmd.Flags().Float64Var(&f.Sigma, "sigma", 0, "noise multiplier, 0 for none")
	cmd.Flags().Float64Var(&f.Alpha, "alpha", 2, "Renyi order")
	for _, name := range []string{"steps", "sigma"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}
