package gossipfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
)

// meetings are who exchanges messages with whom in some turn, node by node, ascending:
// the participants of a real run whose graph is drawn anew all derive them from the
// seed of the spec, and dial nobody else. It is nil where the graph stays, whose
// neighbours they are.
func (a *Algorithm) meetings() ([][]int32, error) {
	n, turns := a.Protocol.Nodes, a.Protocol.Turns()
	if !a.Spec.Federated() || a.keys.Redraw == 0 {
		return nil, nil
	}
	if float64(n)*float64(turns) > apartWork {
		return nil, fault.New(fmt.Sprintf("algorithm.redraw: %d turns of %d participants are too many to find out who meets whom", turns, n), "take fewer steps")
	}
	met := make([][]bool, n)
	for v := range met {
		met[v] = make([]bool, n)
	}
	for t := range turns {
		w := a.Weights.Matrix(t)
		for v := range n {
			row, _ := w.Row(v)
			for _, u := range row {
				met[v][u] = true
			}
		}
	}
	all := make([][]int32, n)
	for v := range all {
		for u, yes := range met[v] {
			if yes && u != v {
				all[v] = append(all[v], int32(u))
			}
		}
	}
	return all, nil
}

// Meets implements family.Meeter.
func (a *Algorithm) Meets(u int) []int32 {
	if a.meet == nil {
		return nil
	}
	return a.meet[u]
}
