package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// matching is the weights of a round in which nodes of a random perfect matching
// take their mean.
func matching(t testing.TB, n int, r *rand.Rand) *sparse.Matrix {
	nodes := r.Perm(n)
	var edges [][2]int
	for k := 0; k+1 < n; k += 2 {
		edges = append(edges, [2]int{nodes[k], nodes[k+1]})
	}
	return weightsOf(t, n, edges)
}

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
	r := rand.New(rand.NewPCG(9, 9))
	p := Problem{Rounds: 8}
	for range p.Rounds {
		p.Weights = append(p.Weights, matching(t, 12, r))
	}
	best, err := accountant(t, p).Optimal(0, 1)
	low, err2 := accountant(t, p).Audit(0, 1)
	if err != nil || err2 != nil || low > best.Energy {
		t.Errorf("energy %g, audit %g, %v %v", best.Energy, low, err, err2)
	}
}
