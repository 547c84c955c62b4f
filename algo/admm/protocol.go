package admm

import (
	"slices"

	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Nobody sums where a curator has all data: 002 Algorithm 8.2.
const Nobody step.NodeID = -1

// A Protocol holds everything about a run in rounds that all nodes agree on: ADMM of a curator
// (002 Algorithm 8.2), or federated (Algorithm 8.3). In every round some nodes are
// drawn, are shown z, and answer with the change of their variables. A turn is a round.
type Protocol struct {
	Local
	Nodes  int
	Rounds int
	Rota   Rota
	Server step.NodeID // the one who draws and sums, a node with data like any other; or Nobody
}

// Turns returns the number of turns of the whole run.
func (p *Protocol) Turns() step.Turn { return step.Turn(p.Rounds) }

// Contributions returns the largest number that one node makes.
func (p *Protocol) Contributions() int { return p.Schedule().Most() }

// Bound returns the half-width of the public box that z and variables are in; see Box.
func (p *Protocol) Bound() float64 { return p.Box(1, p.Rounds) }

// Schedule returns the releases of a run of p, known before it runs.
func (p *Protocol) Schedule() schedule.Consensus {
	return schedule.Consensus{
		Nodes: p.Nodes, Rounds: p.Rounds, Rota: p.Rota, Server: p.Server, Sensitivity: p.Noise.Sensitivity(),
		Sensitivities: p.Noise.Sensitivities(), Noise: p.Noise.Std(), Lambda: p.Lambda, Gamma: p.Gamma, Clip: p.Noise.Clip,
		Tolerance: p.Tolerance, Strong: p.Objective.L2,
	}
}

// A Rota lists, turn by turn, the nodes that are drawn, ascending. nil means all, in every turn. It is public and
// the same for all nodes, so that a participant knows when it is asked in vain, and accountants price the actual run.
type Rota = [][]step.NodeID

// NewRota draws sampled nodes a turn from a public seed, uniformly among those that were drawn less
// than cap times. A cap of 0 means no cap. It draws all of them if there are no more than sampled.
func NewRota(nodes, rounds, sampled, cap int, seed uint64) Rota {
	if sampled >= nodes && (cap == 0 || cap >= rounds) {
		return nil
	}
	var stream step.Stream
	rota, used, left := make(Rota, rounds), make([]int, nodes), make([]step.NodeID, nodes)
	for v := range left {
		left[v] = step.NodeID(v)
	}
	for t := range rota {
		r := stream.At(seed, 0, step.Turn(t), 0, step.Route)
		m := min(sampled, len(left))
		for i := range m {
			j := i + r.IntN(len(left)-i)
			left[i], left[j] = left[j], left[i]
		}
		rota[t] = slices.Clone(left[:m])
		slices.Sort(rota[t])
		for _, v := range rota[t] {
			used[v]++
		}
		if cap > 0 {
			left = slices.DeleteFunc(left, func(v step.NodeID) bool { return used[v] >= cap })
		}
	}
	return rota
}

// Drawn returns the nodes of turn t, ascending. It may overwrite dst.
func (p *Protocol) Drawn(dst []step.NodeID, t step.Turn) []step.NodeID {
	return p.Schedule().Drawn(dst, t)
}

// draws reports whether a node is drawn in turn t.
func (p *Protocol) draws(v step.NodeID, t step.Turn) bool {
	if p.Rota == nil {
		return true
	}
	_, drawn := slices.BinarySearch(p.Rota[t], v)
	return drawn
}

// Collect adds the change of one variable to the sum of a round. Nodes must be added by rising
// number.
func Collect(sum, change []float64) {
	for j, x := range change {
		sum[j] += x
	}
}

// Add adds to zhat the mean change of all variables. sum is the sum of the changes
// of the drawn nodes; the other variables do not change.
func (p *Protocol) Add(zhat, sum []float64) {
	for j, x := range sum {
		zhat[j] += x / float64(p.Nodes)
	}
}
