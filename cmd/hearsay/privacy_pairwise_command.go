package main

import (
	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/price"
)

func newPrivacyPairwiseCommand() *cobra.Command {
	f := price.PairwiseQuestion{}
	cmd := &cobra.Command{
		Use:   "pairwise --graph G --rounds T --own A --pair B [--secrets S] [--coalition 1,3 | --any K] [--absent M]",
		Short: "What gossip that learns tells of every node under noise that cancels between partners",
		Long: `Pairwise prices T rounds in which every node adds noise of its own to what it
sends, and for each partner noise that the partner subtracts. Partners share a
secret: the neighbours in the graph, or those that --secrets says. Observers see
every message of the run and know the noise that they share: an outsider has
none, --coalition names who pools it, --any takes the worst so many for each node.
--absent prices runs in which that many nodes may miss a round, and their partners
reveal what they share with them in it; it is what so many more colluders learn.
Energy is mu^2 of the Gaussian that they see, in squared sensitivities; exact for
any gradients and any averaging of what was sent. --eps finds the least own noise.`,
		Example: "  hearsay privacy pairwise --graph hypercube:11 --rounds 50 --own 1.2 --pair 12 --any 1\n" +
			"  hearsay privacy pairwise --graph complete:4 --rounds 100 --eps 1 --ratio 10 --any 2\n" +
			"  hearsay privacy pairwise --graph complete:16 --rounds 50 --eps 1 --any 1 --absent 2\n" +
			"  hearsay privacy pairwise --graph star:20 --secrets regular:4 --rounds 50 --eps 1 --any 1\n" +
			"  hearsay privacy pairwise --graph friends.edges --rounds 20 --own 1 --pair 10 --coalition 0,3 --json",
		Args: cobra.NoArgs,
		RunE: asking(&f.Asker, f.Answer),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Graph, "graph", "", "generator such as hypercube:11, or a graph file: who exchanges messages with whom")
	flags.StringVar(&f.Secrets, "secrets", "edges", "who shares secrets: edges of the graph, regular:D (D partners each, drawn from --seed), complete, or a graph file")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of random graphs")
	flags.IntVar(&f.Rounds, "rounds", 0, "rounds in which a node contributes, T")
	flags.Float64Var(&f.Own, "own", 0, "standard deviation of a node's own noise over the sensitivity")
	flags.Float64Var(&f.Pair, "pair", 0, "standard deviation of the noise that two partners share, over the sensitivity")
	flags.Float64Var(&f.Ratio, "ratio", 10, "with --eps: noise that two partners share, over a node's own")
	flags.StringArrayVar(&f.Pool, "coalition", nil, "`names` of nodes, with commas, that pool what they know; none: an outsider")
	flags.IntVar(&f.Any, "any", 0, "the worst coalition of so many for each node")
	flags.IntVar(&f.Absent, "absent", 0, "how many nodes may miss a round, others in each, without anybody waiting")
	flags.Float64Var(&f.Delta, "delta", 1e-6, "delta of the epsilon")
	flags.Float64Var(&f.Eps, "eps", 0, "find the least own noise at which nobody loses more than this")
	required(cmd, "graph", "rounds")
	return cmd
}
