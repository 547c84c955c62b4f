package gossipfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
)

// meetings returns the nodes that each node exchanges messages with in some turn, ascending. It serves real runs whose graph is
// redrawn: all participants derive the meetings from the spec's seed and dial nobody else. It returns nil where the graph stays
// the same, because nodes then meet their neighbours.
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
