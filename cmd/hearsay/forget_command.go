package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/price"
)

func newForgetCommand() *cobra.Command {
	f := price.ForgetQuestion{}
	ask := asking(&f.Asker, f.Answer)
	cmd := &cobra.Command{
		Use:   "forget [SPEC.yaml] --contributed R [--after 0,1,5] [--graph G --sigma S] [--u U]",
		Short: "Say what is left of a participant that left, towards whoever comes later",
		Long: `Forget prices gossip that learns (gossip-gd, gossip-sgd). A node contributes in the
first R rounds, and then goes on without its data. Whoever saw nothing of the run
until so many rounds after that, and sees everything from then on, learns at most
what is printed: a newcomer, any number of them, or who is given that round's models.
Means of models over rounds (average: half) tell of earlier messages: they are not covered.
Noise and averaging make it less, and no backward step is needed.

Whoever was sent the node's messages at the time forgets nothing.

It takes a spec, that of a finished run too (spec.yaml in its folder), or a graph.
Walks are refused: no argument is known for contributions that ended.`,
		Example: "  hearsay forget --graph ring:64 --contributed 10 --after 0,1,5,10,70 --sigma 4\n" +
			"  hearsay forget --graph friends.edges --contributed 10 --sigma 4 --lipschitz 0.98 --u 3\n" +
			"  hearsay forget out/spec.yaml --contributed 10",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.Spec = args[0]
			}
			return ask(cmd, args)
		},
	}
	offerGraph(cmd, &f.GraphQuestion)
	registerCache(cmd, &f.Cache)
	flags := cmd.Flags()
	flags.IntVar(&f.Contributed, "contributed", 0, "rounds in which the node contributes, from the first")
	flags.IntSliceVar(&f.After, "after", []int{0, 1, 5, 10, 20, 50, 100}, "how many rounds after the last contribution somebody comes; of a spec those that the run has")
	flags.Float64Var(&f.Lipschitz, "lipschitz", 1, "of a graph: Lipschitz constant of a local step; below 1 with an l2 penalty")
	flags.Float64Var(&f.Sigma, "sigma", 0, "of a graph: noise of a message over its sensitivity")
	flags.Float64Var(&f.Delta, "delta", 1e-6, "of a graph: delta of the epsilon")
	flags.StringVar(&f.Leaves, "u", "", "node that leaves, by its name or number; without, the one of which most is left")
	required(cmd, "contributed")
	return cmd
}
