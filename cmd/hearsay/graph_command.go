package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/answer/tables"
)

// newGraphCommand returns `hearsay graph`, which makes and describes graphs.
func newGraphCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Make a communication graph, or describe one",
		Long:  "Make a communication graph, or describe one.\n\nGenerators:\n  " + strings.Join(tables.Generators(), "\n  "),
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGraphMakeCommand(), newGraphInfoCommand())
	return cmd
}

func newGraphMakeCommand() *cobra.Command {
	var q tables.MakeGraphQuestion
	cmd := &cobra.Command{
		Use:     "make EXPR",
		Short:   "Write the edge list of a generated graph",
		Example: "  hearsay graph make hypercube:11 --out cube.edges.gz\n  hearsay graph make er:n=2048,p=0.0045 --seed 7",
		Args:    argument("generator expression"),
		RunE:    func(cmd *cobra.Command, args []string) error { return q.MakeGraph(askerOf(cmd), args) },
	}
	cmd.Flags().Uint64Var(&q.Seed, "seed", 1, "seed of a random graph that names none itself")
	cmd.Flags().StringVar(&q.Out, "out", "", "file to write, compressed if it ends in .gz (default: stdout)")
	return cmd
}

func newGraphInfoCommand() *cobra.Command {
	var q tables.GraphInfoQuestion
	cmd := &cobra.Command{
		Use:     "info EXPR|FILE",
		Short:   "Describe a graph and the walk or gossip on it",
		Example: "  hearsay graph info hypercube:11\n  hearsay graph info friends.edges.gz --weights metropolis --json",
		Args:    argument("generator expression or file"),
		RunE:    func(cmd *cobra.Command, args []string) error { return q.Describe(askerOf(cmd), args) },
	}
	cmd.Flags().Uint64Var(&q.Seed, "seed", 1, "seed of a random graph that names none itself")
	registerDirected(cmd, &q.Directed)
	cmd.Flags().StringVar(&q.Weights, "weights", "",
		"transition matrix: "+strings.Join(tables.Weights(), ", ")+", lazy:P, edges, or the file of a matrix (default hamilton, uniform if directed)")
	return cmd
}
