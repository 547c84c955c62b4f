package admm

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Nobody sums where a curator has all data: 002 Algorithm 8.2.
const Nobody step.NodeID = -1

// A Protocol is everything about a run in rounds that all nodes agree on: ADMM of a curator
// (002 Algorithm 8.2), or federated (Algorithm 8.3), where in every round some nodes are
// drawn, shown z, and answer by what their variables change by. A turn is a round.
type Protocol struct {
	Local
	Nodes   int
	Rounds  int
	Sampled int         // m: nodes drawn in a round, 1 to Nodes
	Cap     int         // rounds that a node may be drawn in; 0: no cap. Who has reached it is not drawn
	Server  step.NodeID // the one who draws and sums, a node with data like any other; or Nobody
}

// Turns is the number of turns of the whole run.
func (p *Protocol) Turns() step.Turn { return step.Turn(p.Rounds) }

// Contributions is the most that one node makes.
func (p *Protocol) Contributions() int {
	if p.Cap == 0 {
		return p.Rounds
	}
	return min(p.Cap, p.Rounds)
}

// Bound is the half-width of the public box that z and variables are in; see Box.
func (p *Protocol) Bound() float64 { return p.Box(1, p.Rounds) }

// Schedule is what a run of p releases, known before it runs but for who is drawn.
func (p *Protocol) Schedule() schedule.Consensus {
	return schedule.Consensus{
		Nodes: p.Nodes, Rounds: p.Rounds, Sampled: p.Sampled, Cap: p.Cap, Server: p.Server, Sensitivity: p.Noise.Sensitivity(),
		Sensitivities: p.Noise.Sensitivities(), Noise: p.Noise.Std(), Lambda: p.Lambda, Gamma: p.Gamma, Clip: p.Noise.Clip,
		Tolerance: p.Tolerance, Strong: p.Objective.L2,
	}
}

// Chance is where it comes from who is drawn in a turn.
type Chance interface{ At(t step.Turn) *rand.Rand }

// Seeded draws from keyed streams, whoever asks.
type Seeded struct {
	seed   uint64
	stream step.Stream
}

// NewSeeded is the chance of a seed.
func NewSeeded(seed uint64) *Seeded { return &Seeded{seed: seed} }

// At implements Chance.
func (s *Seeded) At(t step.Turn) *rand.Rand { return s.stream.At(s.seed, 0, t, 0, step.Route) }

// Draw appends to dst the nodes of turn t, ascending, drawn uniformly among those that
// may still be, all of them where there are no more than Sampled, and counts them in used.
func (p *Protocol) Draw(dst []step.NodeID, used []int, c Chance, t step.Turn) []step.NodeID {
	begin := len(dst)
	for v, n := range used {
		if p.Cap == 0 || n < p.Cap {
			dst = append(dst, step.NodeID(v))
		}
	}
	if drawn := dst[begin:]; len(drawn) > p.Sampled {
		r := c.At(t)
		for i := range p.Sampled {
			j := i + r.IntN(len(drawn)-i)
			drawn[i], drawn[j] = drawn[j], drawn[i]
		}
		dst = dst[:begin+p.Sampled]
	}
	slices.Sort(dst[begin:])
	for _, v := range dst[begin:] {
		used[v]++
	}
	return dst
}

// Collect adds what one variable changes by to the sum of a round, which goes by rising
// number of the nodes.
func Collect(sum, change []float64) {
	for j, x := range change {
		sum[j] += x
	}
}

// Add adds to zhat the mean of what so many variables change by, of which the sum is
// given, those of the others staying as they are.
func (p *Protocol) Add(zhat, sum []float64) {
	for j, x := range sum {
		zhat[j] += x / float64(p.Nodes)
	}
}
