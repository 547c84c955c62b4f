package admmview

import (
	"slices"
)

// RoundsEnergy plans for rounds that are known beforehand, where only means after rounds are seen. rounds[k] lists who updates in
// round k, and how; its holders are different nodes. It returns the energy about node u of nodes nodes, in the units of Step.
func RoundsEnergy(s Step, nodes, u int, rounds [][]Turn) float64 {
	p := NewPlan(s, nodes, u)
	for _, round := range rounds {
		p.Round(slices.Clone(round))
	}
	return p.Energy()
}
