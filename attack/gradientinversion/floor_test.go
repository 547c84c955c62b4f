package gradientinversion

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy/flow"
)

// On a fixed graph with plain steps the knowledge matrix is that of 002, Algorithm 4.2, and the
// covariance that of Algorithm A.1, but that its sum ends where exponents would become negative.
func TestKnowledgeIsThatOfAlgorithms42AndA1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetting(t, model.Objective{Model: tilted{}})
		w, err := graph.NewTransition(s.graph, "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		n, matrix := s.graph.Len(), graph.Fixed(w.Sparse())
		p := &gossip.Protocol{Local: descent.Local{Params: 2, Objective: s.protocol.Objective, StepSize: descent.StepSize{Base: 1}},
			Nodes: n, Rounds: s.protocol.Rounds, TurnsPerRound: 1, Gamma: 1}
		k, err := NewKnowledge(p, matrix, s.attackers)
		if err != nil {
			t.Fatal(err)
		}
		powers := []*mat.Dense{mat.NewDense(n, n, nil)} // of W_TT, and zeros elsewhere
		targets := mat.NewDense(n, n, nil)
		for _, u := range k.Targets() {
			powers[0].Set(u, u, 1)
			for _, v := range k.Targets() {
				targets.Set(u, v, matrix.Matrix(0).At(u, v))
			}
		}
		for range 2 * p.Rounds {
			var next mat.Dense
			next.Mul(powers[len(powers)-1], targets)
			powers = append(powers, &next)
		}
		got := k.Matrix(powers[0].RawMatrix().Data, n)
		solver := Solver{knowledge: k}
		covariance := solver.covariance()
		for i, a := range k.Rows() {
			for u := range n {
				want := 0.0
				for j := range a.Turn + 1 {
					want -= powers[j].At(a.Node, u)
				}
				if math.Abs(got[i*n+u]-want) > 1e-12 {
					t.Fatalf("row %v, node %d: %g, not %g", a, u, got[i*n+u], want)
				}
			}
			for j, b := range k.Rows() {
				want := 0.0
				for l := range min(a.Turn, b.Turn) + 1 {
					want += powers[a.Turn+b.Turn-2*l].At(a.Node, b.Node)
				}
				if math.Abs(covariance.At(i, j)-want) > 1e-12 {
					t.Fatalf("rows %v and %v: %g, not %g", a, b, covariance.At(i, j), want)
				}
			}
		}
	})
}

// Noise moves estimates by as much as Gain says: 4000 numbers a node, so that a right gain is refused
// less than once in 10^6 settings of at most 8 nodes, at 6 standard deviations of a sample variance.
func TestNoiseOfAnEstimateIsItsGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetting(t, model.Objective{Model: tilted{}})
		s.dim = 4000
		s.protocol.Params, s.protocol.Initial = s.dim, nil
		s.values = make([]float64, s.dim*s.protocol.Nodes)
		s.protocol.Noise = noise.Gaussian{Clip: 1, Multiplier: 1}
		method := rapid.SampledFrom([]Method{Ordinary, Generalised}).Draw(t, "method")
		k, seen, solver := s.run(t, method)
		found := solver.Solve(k.Remove(seen), s.dim, 10)
		for u, resolved := range found.Resolved {
			if !resolved || found.Gain[u] > 1e4 {
				continue
			}
			sum := 0.0
			for _, x := range found.Gradients[u] {
				sum += x * x
			}
			std := s.protocol.Noise.Std() * found.Gain[u]
			if ratio := sum / float64(s.dim) / (std * std); math.Abs(ratio-1) > 6*math.Sqrt(2/float64(s.dim)) {
				t.Fatalf("node %d, %s: variance %g times what the gain %g says", u, method, ratio, found.Gain[u])
			}
		}
	})
}

// No estimate is better than the sound accountant allows. Telling two gradients apart that differ by the
// sensitivity is no easier than its energy. So the variance of an unbiased estimate is at least that of a
// draw of noise over the energy. And weighting by the covariance makes no estimate worse.
func TestNoAttackProvesMoreThanTheSoundNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetting(t, model.Objective{Model: tilted{}})
		s.protocol.Noise.Multiplier = 1
		s.values = make([]float64, s.dim*s.protocol.Nodes)
		k, err := NewKnowledge(s.protocol, s.sequence(), s.attackers)
		if err != nil {
			t.Fatal(err)
		}
		accountant, err := flow.Of(s.protocol.Schedule(s.sequence(), model.Objective{Model: model.Logistic{}}.Guarantees(1)))
		if err != nil {
			t.Skip(err)
		}
		gains := map[Method][]float64{}
		for _, m := range []Method{Ordinary, Generalised} {
			solver, err := NewSolver(k, m, s.view(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			gains[m] = make([]float64, s.protocol.Nodes)
			can := solver.judge(solver.inverse(negligible))
			for u, resolved := range can.resolved {
				if !resolved {
					continue
				}
				gains[m][u] = can.gain[u]
				best, err := accountant.Optimal(u, s.attackers...)
				if err != nil {
					t.Fatal(err)
				}
				if proved := 1 / (can.gain[u] * can.gain[u]); proved > best.Energy*(1+1e-6) {
					t.Fatalf("node %d, %s: the estimate proves an energy of %g, and the sound bound is %g", u, m, proved, best.Energy)
				}
			}
		}
		for u, g := range gains[Generalised] {
			if o := gains[Ordinary][u]; g != 0 && o != 0 && g > o*(1+1e-5) {
				t.Fatalf("node %d: gain %g weighted, %g not", u, g, o)
			}
		}
	})
}
