package gossipview

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/subspace"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

func roundsOn(t testing.TB, w *sparse.Matrix, steps, rounds int, gamma float64) *Rounds {
	t.Helper()
	r, err := NewRounds(w, steps, rounds, gamma)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// simpleRounds follows the state of all nodes as rows over the inputs (t,u) and
// gathers what v receives. keep[w] is what a node's own step leaves of its
// state: 1 for inputs that are fixed, 1 - nu a for the gradient a x - b.
func simpleRounds(w *sparse.Matrix, v, steps, rounds int, gamma float64, keep []float64) *subspace.Span {
	n := w.N
	span := subspace.NewSpan(n * rounds)
	state := make([][]float64, n)
	for i := range state {
		state[i] = make([]float64, n*rounds)
	}
	for t := range rounds {
		for i, row := range state {
			for k := range row {
				row[k] *= keep[i]
			}
			row[t*n+i] = 1
		}
		var before [][]float64
		for k := range steps {
			for i := range n {
				if i != v && w.At(v, i) != 0 {
					span.Insert(state[i])
				}
			}
			factor := gamma
			if k == 0 {
				factor, before = 1, state
			}
			before, state = state, simpleStep(w, state, before, factor)
		}
		span.InsertUnits([]int{t*n + v})
	}
	return span
}

func simpleStep(w *sparse.Matrix, state, before [][]float64, gamma float64) [][]float64 {
	next := make([][]float64, w.N)
	for i := range next {
		next[i] = make([]float64, len(state[i]))
		for k := range next[i] {
			for j := range w.N {
				next[i][k] += gamma * w.At(i, j) * state[j][k]
			}
			next[i][k] += (1 - gamma) * before[i][k]
		}
	}
	return next
}

// worstSigns is the largest s'P s over signs s of u's changes in the rounds.
func worstSigns(span *subspace.Span, n, rounds, u int) float64 {
	worst := 0.0
	for signs := range 1 << rounds {
		sum := 0.0
		for t := range rounds {
			for s := range rounds {
				p := span.Product(t*n+u, s*n+u)
				if signs>>t&1 != signs>>s&1 {
					p = -p
				}
				sum += p
			}
		}
		worst = max(worst, sum)
	}
	return worst
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func TestJointRoundsBoundTheSimpleViewAndStayBelowComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := weightsOf(t, drawGraph(t, 7))
		steps, rounds := rapid.IntRange(1, 3).Draw(t, "K"), rapid.IntRange(1, 3).Draw(t, "T")
		gamma := rapid.SampledFrom([]float64{1, 1.25, 1.75}).Draw(t, "gamma")
		r, err := NewRounds(w, steps, rounds, gamma)
		if err != nil {
			t.Fatal(err)
		}
		joint, composed := r.Joint(1), r.Composed(1)
		for v := range w.N {
			span := simpleRounds(w, v, steps, rounds, gamma, ones(w.N))
			for u := range w.N {
				truth := worstSigns(span, w.N, rounds, u)
				if truth > joint.At(u, v)+1e-9 || truth > composed.At(u, v)+1e-9 {
					t.Fatalf("(%d, %d): truth %v, joint %v, composed %v", u, v, truth, joint.At(u, v), composed.At(u, v))
				}
				if rounds <= 2 && math.Abs(truth-joint.At(u, v)) > 1e-9 {
					t.Fatalf("(%d, %d): truth %v, joint %v", u, v, truth, joint.At(u, v))
				}
			}
		}
	})
}

func TestOneRoundIsGossip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, steps := weightsOf(t, drawGraph(t, 12)), rapid.IntRange(1, 8).Draw(t, "K")
		r, err := NewRounds(w, steps, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		once, err := New(w, steps)
		if err != nil {
			t.Fatal(err)
		}
		want, joint, composed := once.Leakage(1), r.Joint(1), r.Composed(1)
		for k, value := range want.Values {
			if composed.Values[k] != value || joint.Values[k] < value-1e-9 {
				t.Fatalf("leakage %v, composed %v, joint %v", value, composed.Values[k], joint.Values[k])
			}
		}
	})
}

// Gradients of quadratic losses keep the dynamics linear, so the view can be
// had exactly. One node whose step forgets its state, a non-expansive step, is
// enough to break Theorem 6.9 and composition: an observer learns more than
// either charges.
func TestTheorem69IsNotABoundForGradientsThatFollowTheState(t *testing.T) {
	g, err := gen.Parse("er:n=7,p=0.4,seed=3", 1)
	if err != nil {
		t.Fatal(err)
	}
	w := gossipOn(t, g, 1).matrices[0]
	const u, v, steps, rounds = 1, 0, 2, 2
	r := roundsOn(t, w, steps, rounds, 1)
	keep := ones(w.N)
	keep[u] = 0
	truth := worstSigns(simpleRounds(w, v, steps, rounds, 1, keep), w.N, rounds, u)
	for _, p := range []*Pairs{r.Joint(1), r.Composed(1), r.Published(1)} {
		if truth < 1.2*p.At(u, v) {
			t.Errorf("%s charges %v, the truth is %v", p.Accountant, p.At(u, v), truth)
		}
	}
	sound := r.Sound(StateInputs, 1)
	if sound.Status != privacy.Sound || truth > sound.At(u, v) {
		t.Errorf("%v charges %v, the truth is %v", sound.Claim, sound.At(u, v), truth)
	}
}

func TestTheorem69Formula(t *testing.T) {
	w := gossipNamed(t, "grid:2x3", 1).matrices[0]
	published := roundsOn(t, w, 3, 4, 1).Published(1)
	once := gossipNamed(t, "grid:2x3", 3).PublishedSum(1)
	for k, value := range once.Values {
		if published.Values[k] != 16*value {
			t.Fatalf("%v is not 16 times %v", published.Values[k], value)
		}
	}
	if published.Status != privacy.Published {
		t.Errorf("status %v", published.Status)
	}
}

func TestRoundsRefuseWhatMakesNoSense(t *testing.T) {
	w := gossipNamed(t, "ring:4", 1).matrices[0]
	for _, c := range []struct {
		steps, rounds int
		gamma         float64
	}{{0, 1, 1}, {1, 0, 1}, {1, 1, 0.5}, {1, 1, 3}, {1, 1, math.NaN()}} {
		if _, err := NewRounds(w, c.steps, c.rounds, c.gamma); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
