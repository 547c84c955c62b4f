package flow

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// With one draw it is the Gaussian, with several it lies between them, and an
// impossible one has to be rarer than delta.
func TestRevealedIsAMixture(t *testing.T) {
	const sigma, delta = 2, 1e-6
	one := Revealed{Energies: []float64{3}}
	if got, want := one.Epsilon(delta, sigma), privacy.EpsilonGaussian(math.Sqrt(3)/sigma, delta); math.Abs(got-want) > 1e-9 {
		t.Errorf("one draw: %g, want %g", got, want)
	}
	two := Revealed{[]float64{0, 3}, []float64{0.75, 0.25}}
	if got, want := two.Delta(1, sigma), one.Delta(1, sigma)/4; math.Abs(got-want) > 1e-12*want {
		t.Errorf("delta %g, want %g", got, want)
	}
	if two.Epsilon(delta, sigma) >= one.Epsilon(delta, sigma) {
		t.Error("a draw that leaks nothing changes nothing")
	}
	for share, endless := range map[float64]bool{2e-6: true, 5e-7: false} {
		r := Revealed{[]float64{1, math.Inf(1)}, []float64{1 - share, share}}
		if got := r.Epsilon(delta, sigma); math.IsInf(got, 1) != endless {
			t.Errorf("no bound with probability %g: eps %g", share, got)
		}
	}
	cal, err := two.Sigma(1, delta)
	if err != nil || two.Epsilon(delta, cal.Sigma) > 1 || two.Epsilon(delta, cal.Sigma*0.999) <= 1 {
		t.Errorf("sigma %g for eps 1: %v", cal.Sigma, err)
	}
	for _, r := range []Revealed{{}, {[]float64{1}, []float64{0.5}}, {[]float64{-1}, nil}, {[]float64{1, 2}, []float64{1}}} {
		if r.Check() == nil {
			t.Errorf("%v passes", r)
		}
	}
}

// All draws of a small run: two rounds of one of the three matchings of four
// nodes. Who never meets u is bounded by less than who does.
func TestMatchingsHideWhoMeetsWhom(t *testing.T) {
	var each []*sparse.Matrix
	for _, edges := range [][][2]int{{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}, {{0, 3}, {1, 2}}} {
		each = append(each, weightsOf(t, 4, edges))
	}
	var law Revealed
	for _, first := range each {
		for _, second := range each {
			best, err := accountant(t, Problem{Rounds: 2, Weights: []*sparse.Matrix{first, second}}).Optimal(0, 1)
			if err != nil {
				t.Fatal(err)
			}
			law.Energies = append(law.Energies, best.Energy)
		}
	}
	local := privacy.EpsilonGaussian(math.Sqrt(2)/2, 1e-2)
	if eps := law.Epsilon(1e-2, 2); !(eps > 0) || eps >= local {
		t.Errorf("eps %g, local %g", eps, local)
	}
}

// Pairs drawn by the sequence that nodes derive from the seed are priced as any
// weights are: above the audit, below the local loss unless the two meet in every round.
func TestMatchingsDrawnFromASeedArePriced(t *testing.T) {
	m := graph.NewMatchings(12, 9)
	p := Problem{Rounds: 8, Weights: unrolled(t, m, 8)}
	if len(p.Weights) != 8 {
		t.Fatalf("%d matrices", len(p.Weights))
	}
	a, beyond := accountant(t, p), 0
	for v := 1; v < 12; v++ {
		best, err := a.Optimal(0, v)
		low, err2 := a.Audit(0, v)
		if err != nil || err2 != nil || low > best.Energy || best.Energy > a.Local()*(1+1e-9) {
			t.Errorf("%d: energy %g, audit %g, local %g, %v %v", v, best.Energy, low, a.Local(), err, err2)
		}
		if best.Energy < a.Local()/4 {
			beyond++
		}
	}
	if beyond < 5 {
		t.Errorf("only %d of 11 observers learn less than a quarter", beyond)
	}
}

// A schedule over matchings is that problem.
func TestScheduleOfMatchings(t *testing.T) {
	s := schedule.Gossip{
		Nodes: 12, Weights: graph.NewMatchings(12, 9), Rounds: 8, TurnsPerRound: 1, NoiseAlways: true,
		Update: model.Asserted(1, "test"),
	}
	a, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err1 := a.Optimal(0, 1)
	want, err2 := accountant(t, Problem{Rounds: 8, Weights: unrolled(t, graph.NewMatchings(12, 9), 8)}).Optimal(0, 1)
	if err1 != nil || err2 != nil || got.Energy != want.Energy {
		t.Errorf("energy %g, want %g, %v %v", got.Energy, want.Energy, err1, err2)
	}
}

// unrolled is Unroll, which succeeds.
func unrolled(t testing.TB, w schedule.Weights, rounds int) []*sparse.Matrix {
	t.Helper()
	all, err := Unroll(w, rounds)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Weights that do not change are one matrix, whatever the sequence lends.
func TestUnrolledWeightsThatDoNotChangeAreOne(t *testing.T) {
	w := weightsOf(t, 4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	if got := unrolled(t, graph.Fixed(w), 5); len(got) != 1 || got[0].At(1, 2) != w.At(1, 2) {
		t.Errorf("%d matrices", len(got))
	}
	if got := unrolled(t, graph.NewMatchings(2, 1), 5); len(got) != 1 {
		t.Errorf("the only matching of two nodes is %d matrices", len(got))
	}
}
