package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	graphfile "github.com/hearsay-dp/hearsay/graph/file"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

// newGraphCommand is `hearsay graph`: make topologies and describe them.
func newGraphCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Make a communication graph, or describe one",
		Long:  "Make a communication graph, or describe one.\n\nGenerators:\n  " + strings.Join(gen.Generators(), "\n  "),
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGraphMakeCommand(), newGraphInfoCommand())
	return cmd
}

func newGraphMakeCommand() *cobra.Command {
	var seed uint64
	var out string
	cmd := &cobra.Command{
		Use:     "make EXPR",
		Short:   "Write the edge list of a generated graph",
		Example: "  hearsay graph make hypercube:11 --out cube.edges.gz\n  hearsay graph make er:n=2048,p=0.0045 --seed 7",
		Args:    argument("generator expression"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var g *graph.Graph
			err := experiment.Within(cmd.Context(), func() (err error) {
				g, err = gen.Parse(args[0], seed)
				return err
			})
			if err != nil {
				return err
			}
			return makeGraph(cmd, g, out)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of a random graph that names none itself")
	cmd.Flags().StringVar(&out, "out", "", "file to write, compressed if it ends in .gz (default: stdout)")
	return cmd
}

func makeGraph(cmd *cobra.Command, g *graph.Graph, out string) error {
	switch {
	case out != "":
		if err := graphfile.Save(out, g); err != nil {
			return err
		}
		if wantJSON(cmd) {
			return printJSON(cmd, graphMade{g.Name(), g.Len(), g.Edges(), out})
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d nodes, %d edges written to %s\n", g.Name(), g.Len(), g.Edges(), out)
		return nil
	case wantJSON(cmd):
		return fault.New("graph make --json without --out would mix an edge list into the JSON",
			"name a file with --out, or leave out --json")
	}
	if err := graph.Write(cmd.OutOrStdout(), g); err != nil {
		return fault.Wrap(err, "cannot write the graph to stdout", "name a file with --out")
	}
	return nil
}

type graphMade struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
	Edges int    `json:"edges"`
	Out   string `json:"out"`
}

func newGraphInfoCommand() *cobra.Command {
	var seed uint64
	var weights string
	cmd := &cobra.Command{
		Use:     "info EXPR|FILE",
		Short:   "Describe a graph and the walk or gossip on it",
		Example: "  hearsay graph info hypercube:11\n  hearsay graph info friends.edges.gz --weights metropolis --json",
		Args:    argument("generator expression or file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var info *graphInfo
			err := experiment.Within(cmd.Context(), func() error {
				g, err := graphfile.Open(args[0], seed)
				if err == nil {
					info, err = describeGraph(g, weights)
				}
				return err
			})
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd, info)
			}
			return info.Print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of a random graph that names none itself")
	cmd.Flags().StringVar(&weights, "weights", "",
		"transition matrix: "+strings.Join(graph.Rules(), ", ")+" (default hamilton, uniform if directed)")
	return cmd
}
