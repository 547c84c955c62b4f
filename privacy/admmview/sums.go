package admmview

import (
	"slices"
)

// RoundsEnergy plans for rounds that are known beforehand: who updates in each, and how, where nothing is seen but means after rounds. It is
// what they tell of node u of n, in the units of Step. The holders of a round are different nodes.
func RoundsEnergy(s Step, nodes, u int, rounds [][]Turn) float64 {
	p := NewPlan(s, nodes, u)
	for _, round := range rounds {
		p.Round(slices.Clone(round))
	}
	return p.Energy()
}
