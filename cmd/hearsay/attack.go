package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hearsay/graph"
	"hearsay/internal/fault"
	gossiploss "hearsay/privacy/gossip"
)

// newAttackCommand is `hearsay attack`: what a set of nodes can reconstruct.
func newAttackCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "attack",
		Short: "Say whose values a set of nodes reconstructs from what it saw",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAttackGossipCommand())
	return cmd
}

// attackFlags are what `attack gossip` is asked.
type attackFlags struct {
	onGraph
	steps     int
	attackers []string
}

func newAttackGossipCommand() *cobra.Command {
	var f attackFlags
	cmd := &cobra.Command{
		Use:   "gossip --graph G --steps T --attackers V,...",
		Short: "Reconstruction from gossip averaging",
		Long: `Gossip says whose values attackers who pool what they receive in T rounds of
averaging can compute (002, chapter 4), and how much of every other value they
hold: with noise, the best estimate of a value has the variance of the noise
divided by its leakage.`,
		Example: "  hearsay attack gossip --graph florentine --steps 15 --attackers 0\n  hearsay attack gossip --graph friends.edges --steps 20 --attackers 0,3 --json",
		Args:    cobra.NoArgs,
		RunE:    answering(f.attack),
	}
	f.register(cmd)
	cmd.Flags().IntVar(&f.steps, "steps", 0, "rounds of averaging, T")
	cmd.Flags().StringSliceVar(&f.attackers, "attackers", nil, "nodes that pool what they receive, by the ids of the graph")
	for _, name := range []string{"steps", "attackers"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// attackAnswer is the JSON of `attack gossip`. Nodes are numbered 0..n-1, in
// the order of their ids.
type attackAnswer struct {
	Reconstructed []int                `json:"reconstructed"`
	Leakage       []float64            `json:"leakage"`
	Rank          int                  `json:"rank"`
	N             int                  `json:"n"`
	Certainty     gossiploss.Certainty `json:"certainty"`        // of the leakages
	Exact         bool                 `json:"exact"`            // rank and reconstructed were decided in exact arithmetic
	Labels        []string             `json:"labels,omitempty"` // of the reconstructed, if ids are not 0..n-1
	graph         *graph.Graph
	attackers     []int
}

// attack answers the question.
func (f *attackFlags) attack() (*attackAnswer, error) {
	w, err := f.open()
	if err != nil {
		return nil, err
	}
	g, err := gossiploss.New(w.Sparse(), f.steps)
	if err != nil {
		return nil, err
	}
	a := &attackAnswer{N: w.Len(), graph: w.Graph()}
	if a.attackers, err = findNodes(w.Graph(), f.attackers); err != nil {
		return nil, err
	}
	view, err := g.View(a.attackers)
	if err != nil {
		return nil, err
	}
	a.Reconstructed, a.Rank, a.Certainty, a.Exact = view.Reconstructed(), view.Rank(), view.Certainty(), view.Exact()
	for u := range a.N {
		a.Leakage = append(a.Leakage, view.Leakage(u))
	}
	for _, u := range a.Reconstructed {
		if a.graph.Label(a.N-1) != fmt.Sprint(a.N-1) {
			a.Labels = append(a.Labels, a.graph.Label(u))
		}
	}
	return a, nil
}

// findNodes looks nodes up by their ids, or by number where the ids are names.
func findNodes(g *graph.Graph, labels []string) ([]int, error) {
	var nodes []int
	for _, label := range labels {
		u, ok := g.Find(strings.TrimSpace(label))
		if number, err := strconv.Atoi(strings.TrimSpace(label)); !ok && err == nil && number >= 0 && number < g.Len() && named(g) {
			u, ok = number, true
		}
		if !ok {
			return nil, fault.New(fmt.Sprintf("attacker %q is not a node of %s", label, g.Name()),
				fmt.Sprintf("name nodes by their ids, such as %s", g.Label(0)))
		}
		nodes = append(nodes, u)
	}
	return nodes, nil
}

// print writes who is reconstructed and who is nearly.
func (a *attackAnswer) print(w io.Writer) error {
	others := len(a.Reconstructed) - len(a.attackers)
	fmt.Fprintf(w, "%s, attackers %s: %d of %d others reconstructed, rank %d of %d (%s)\n",
		a.graph.Name(), a.names(a.attackers), others, a.N-len(a.attackers), a.Rank, a.N, a.Certainty)
	fmt.Fprintf(w, "reconstructed: %s\n", a.names(a.Reconstructed))
	best, at := 0.0, -1
	for u, leakage := range a.Leakage {
		if leakage < 1 && leakage > best {
			best, at = leakage, u
		}
	}
	if at >= 0 {
		fmt.Fprintf(w, "the next most exposed is %s, with leakage %.6g\n", a.graph.Label(at), best)
	}
	if !a.Exact {
		fmt.Fprintln(w, "who is reconstructed was decided in floating point; exact arithmetic would take too long on this graph")
	}
	if a.Certainty == gossiploss.Open {
		fmt.Fprintln(w, "other leakages are too close to call: 1 stands for not known")
	}
	return nil
}

func (a *attackAnswer) names(nodes []int) string {
	var names []string
	for _, u := range nodes {
		names = append(names, a.graph.Label(u))
	}
	return strings.Join(names, " ")
}

// named reports whether the nodes have names, none of which is a number.
func named(g *graph.Graph) bool {
	for u := range g.Len() {
		if _, err := strconv.Atoi(g.Label(u)); err == nil {
			return false
		}
	}
	return true
}
