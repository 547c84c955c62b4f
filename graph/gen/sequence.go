package gen

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/sparse"
)

// sequences is the prefix of an expression with a graph for each turn: sequence:ring:8;star:8.
const sequences = "sequence:"

// mostSequence is the largest total number of entries in the matrices of a sequence.
const mostSequence = 1 << 26

// IsSequence reports whether an expression names a sequence of graphs.
func IsSequence(expr string) bool { return strings.HasPrefix(expr, sequences) }

// sequenceOf builds the graphs of a sequence. They must be undirected generators with the same number of nodes.
func sequenceOf(expr string, seed uint64) (all []*graph.Graph, err error) {
	entries := 0
	for _, one := range strings.Split(strings.TrimPrefix(expr, sequences), ";") {
		one = strings.TrimSpace(one)
		if !IsExpression(one) || IsSequence(one) {
			return nil, fault.New(fmt.Sprintf("graph: %q in a sequence is no generator", one), "write generators such as sequence:ring:8;star:8")
		}
		g, err := Parse(one, seed)
		if err != nil {
			return nil, err
		}
		switch entries += 2*g.Edges() + g.Len(); {
		case g.Directed():
			return nil, fault.New(fmt.Sprintf("graph: %s in a sequence is directed, and in gossip neighbours hear each other", one), "use undirected graphs")
		case len(all) > 0 && g.Len() != all[0].Len():
			return nil, fault.New(fmt.Sprintf("graph: %s of a sequence has %d nodes, and %s has %d", all[0].Name(), all[0].Len(), one, g.Len()), "give all graphs the same number of nodes")
		case entries > mostSequence:
			return nil, fault.New(fmt.Sprintf("graph: the matrices of a sequence have more than %d entries up to %s", mostSequence, one), "use fewer or smaller graphs")
		}
		all = append(all, g)
	}
	return all, nil
}

// Union returns the graph of all edges that occur in some graph of a sequence.
func Union(expr string, seed uint64) (*graph.Graph, error) {
	all, err := sequenceOf(expr, seed)
	if err != nil {
		return nil, err
	}
	var edges [][2]int32
	for _, g := range all {
		for u := range g.Len() {
			for _, v := range g.Neighbours(u) {
				if int(v) > u {
					edges = append(edges, [2]int32{int32(u), v})
				}
			}
		}
	}
	return graph.FromPairs(all[0].Len(), edges, false).Named(expr), nil
}

// Sequence returns the weights of a rule on the graphs of a sequence. Turn t uses graph t modulo their number.
// It fails unless columns sum to 1, as rows do.
func Sequence(expr, rule string, seed uint64) (graph.Sequence, error) {
	all, err := sequenceOf(expr, seed)
	if err != nil {
		return nil, err
	}
	matrices := make([]*sparse.Matrix, len(all))
	for i, g := range all {
		t, err := graph.NewTransition(g, rule)
		if err != nil {
			return nil, err
		}
		if !t.DoublyStochastic() {
			return nil, fault.New(fmt.Sprintf("weights: the rows of %s on %s sum to 1, but the columns do not, so gossip would not conserve the mean", rule, g.Name()), "use weights: hamilton or max-degree")
		}
		matrices[i] = t.Sparse()
	}
	return graph.Cycle(matrices), nil
}
