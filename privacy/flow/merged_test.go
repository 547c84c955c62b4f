package flow

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// someSchedule is a run whose nodes are away at times, contribute a few times only,
// average once or twice a round, and take steps that shrink.
func someSchedule(t *testing.T, r *rand.Rand) schedule.Gossip {
	n := 4 + r.IntN(5)
	w := drawWeights(r, n)
	if !w.Symmetric(1e-12) {
		w = weightsOf(t, n, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}})
	}
	s := schedule.Gossip{
		Nodes: n, Rounds: 3 + r.IntN(12), TurnsPerRound: 1 + r.IntN(2), NoiseAlways: true, NoiseEachTurn: true, Asynchronous: true, Cap: r.IntN(4),
		Update: model.Asserted(1-0.2*r.Float64(), "test"),
	}
	if r.IntN(2) == 0 {
		edges, err := graph.NewActivations(weightsOf(t, n, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}), r.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		s.Weights, s.Rounds = edges, 4*s.Rounds
	} else {
		s.Weights = graph.Dropout(graph.Fixed(w), 0.4, r.Uint64())
	}
	if r.IntN(2) == 0 {
		for i := range s.Rounds {
			s.StepSizes = append(s.StepSizes, 0.7/math.Sqrt(float64(i+1)))
		}
	}
	return s
}

// literally is the schedule turn by turn, a round each, in units of each turn's own
// step size.
func literally(t *testing.T, s schedule.Gossip) Problem {
	weights, err := Unroll(s.Weights, int(s.Turns()))
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Rounds: int(s.Turns()), Weights: weights}
	gives := make([][]float64, s.Nodes)
	for v := range gives {
		gives[v] = s.Contributions(step.NodeID(v))
	}
	for turn := range p.Rounds {
		round, first := turn/s.TurnsPerRound, turn%s.TurnsPerRound == 0
		there := make([]float64, s.Nodes)
		for _, v := range s.Active(step.Turn(turn)) {
			there[v] = 1
		}
		contributions, constants := make([]float64, s.Nodes), make([]float64, s.Nodes)
		for v := range there {
			constants[v] = 1
			if first {
				contributions[v] = gives[v][round]
				if there[v] == 1 {
					constants[v] = s.Update.Lipschitz(1)
				}
			}
		}
		p.Contributions, p.Lipschitz, p.Noise = append(p.Contributions, contributions), append(p.Lipschitz, constants), append(p.Noise, there)
		if s.StepSizes != nil {
			p.Steps = append(p.Steps, s.StepSizes[round])
		}
	}
	return p
}

// Turns of different nodes in one round have the energies that they have one after
// another; the plan of many pairs is above, an attack below, and no loss is above the
// local one.
func TestTurnsOfDifferentNodesAreOneRound(t *testing.T) {
	fewer := 0
	for i := range 60 {
		s := someSchedule(t, rand.New(rand.NewPCG(23, uint64(i))))
		a, err := Of(s)
		if err != nil {
			t.Fatal(err)
		}
		slow := accountant(t, literally(t, s))
		if a.p.Rounds < slow.p.Rounds {
			fewer++
		}
		cheap := a.Cheap(1)
		for v := 1; v < 4; v++ {
			got, err1 := a.Optimal(0, v)
			want, err2 := slow.Optimal(0, v)
			low, err3 := a.Audit(0, v)
			if err1 != nil || err2 != nil || err3 != nil {
				t.Fatal(err1, err2, err3)
			}
			if off := math.Abs(got.Energy - want.Energy); !(off <= 1e-5*want.Energy+1e-12) {
				t.Errorf("run %d: energy %.10g towards %d in %d rounds, %.10g in %d", i, got.Energy, v, a.p.Rounds, want.Energy, slow.p.Rounds)
			}
			if low > got.Energy*(1+1e-9) || cheap.At(0, v) < got.Energy*(1-1e-9) || cheap.At(0, v) > a.p.LocalOf(0)*(1+1e-9) {
				t.Errorf("run %d towards %d: audit %g, energy %g, cheap %g, local %g", i, v, low, got.Energy, cheap.At(0, v), a.p.LocalOf(0))
			}
		}
	}
	if fewer < 20 {
		t.Errorf("only %d of 60 runs took fewer rounds than turns", fewer)
	}
}

// Thousands of turns of one edge each are some hundred rounds, and a run whose
// matrices would fill the memory is refused before they do.
func TestLongRunsFitIntoMemory(t *testing.T) {
	w := weightsOf(t, 40, ringEdges(40))
	edges, err := graph.NewActivations(w, 3)
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.Gossip{
		Nodes: 40, Weights: edges, Rounds: 20_000, TurnsPerRound: 1, NoiseAlways: true, Asynchronous: true, Cap: 3, Update: model.Asserted(1, "test"),
	}
	a, err := Of(s)
	if err != nil || a.p.Rounds > 3000 {
		t.Errorf("%v, %d rounds", err, a.p.Rounds)
	}
	refused := func(err error, why string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), why) || fault.Hint(err) == "" {
			t.Errorf("%v, want %q", err, why)
		}
	}
	_, err = merged(s, 10_000)
	refused(err, "take more memory")
	_, err = unroll(edges, 1<<40, 10_000)
	refused(err, "take more memory")
	s.Rounds = 1 << 40
	_, err = Of(s)
	refused(err, "turns, and")
}

func ringEdges(n int) (edges [][2]int) {
	for v := range n {
		edges = append(edges, [2]int{v, (v + 1) % n})
	}
	return edges
}
