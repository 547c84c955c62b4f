package sumsfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// ringOrder returns the order of nodes in which a token goes round a graph. It is by number where each node has an edge to the
// next. Else it follows a directed cycle from node 0, or a cycle without directions from node 0 to its lower neighbour.
func ringOrder(g *graph.Graph) ([]step.NodeID, error) {
	n := g.Len()
	if n < 3 {
		return nil, fault.New(fmt.Sprintf("graph: a ring of %d nodes hides nobody", n), "use at least 3")
	}
	byNumber := true
	for u := range n {
		byNumber = byNumber && g.HasEdge(u, (u+1)%n)
	}
	order := make([]step.NodeID, 0, n)
	if byNumber {
		for u := range n {
			order = append(order, step.NodeID(u))
		}
		return order, nil
	}
	at, seen := 0, make([]bool, n)
	for !seen[at] {
		seen[at] = true
		order = append(order, step.NodeID(at))
		next := -1
		for _, v := range g.Neighbours(at) {
			if !seen[v] && (next < 0 || int(v) < next) {
				next = int(v)
			}
		}
		if next < 0 {
			break
		}
		at = next
	}
	last := int(order[len(order)-1])
	if len(order) < n || !g.HasEdge(last, 0) {
		return nil, fault.New(fmt.Sprintf("graph: %s is no ring: from node %d on the token would not come back to node 0 through all others", g.Name(), last),
			fmt.Sprintf("use ring:%d, a directed cycle, or a graph in which every node has an edge to the next number", n))
	}
	return order, nil
}

// checkTurns refuses rings with more than mostTurns turns.
func checkTurns(s *spec.Spec, nodes int) error {
	if turns := float64(nodes) * float64(KeysOf(s).Rounds); turns > mostTurns {
		return fault.New(fmt.Sprintf("algorithm.rounds: %d rounds over %d nodes", KeysOf(s).Rounds, nodes), fmt.Sprintf("stay below %g turns", float64(mostTurns)))
	}
	return nil
}
