package walkpath

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/schedule"
)

// On three nodes of which the token forgets all at once, (1/3)^d is the probability
// that u is followed by neither u nor v for d turns, however small.
func TestUntouchedIsNeverTooSmall(t *testing.T) {
	w := Walk{Walk: schedule.Walk{Nodes: 3, Start: AnyStart, Turns: 300, Final: true, Update: amplified}}
	r := w.renewalOf(0, 1)
	for d, p := range r.untouched(1) {
		if truth := math.Pow(1.0/3, float64(d-1)); d > 0 && p < truth*(1-1e-12) {
			t.Fatalf("%d turns: %g, truth %g", d, p, truth)
		}
	}
	leaves, weight := r.leaves(finalRate/300), sum(tilt(r.back, math.Exp(-finalRate/300)))
	if math.Abs(leaves-(1-weight)) > 1e-12 {
		t.Errorf("leaves with %g, 1 less the returns is %g", leaves, 1-weight)
	}
}

// What is left when a passage is followed no longer is small even at the largest
// of the rates: on a triangle with a tail, two nodes of which are alike, the law
// is that of passages that are followed to the end.
func TestTruncationDoesNotShow(t *testing.T) {
	g, err := graphfile.Read(strings.NewReader("0,1\n1,2\n2,0\n2,3\n"), "paw")
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	w := Walk{Walk: schedule.Walk{Nodes: 4, W: transition.Sparse(), Start: AnyStart, Update: amplified}}
	for _, turns := range []int{65, 100, 200} {
		w.Turns = turns
		law, err := w.Law(0, 3)
		if err != nil {
			t.Fatal(err)
		}
		whole := w.boundedLaw(0, 3, w.renewalsOf(w.W.Transpose(), w.startLaw(), []Pair{{0, 3}})[0])
		for _, sigma := range []float64{3, 10, 30} {
			if got, want := law.Epsilon(1e-6, sigma), whole.Epsilon(1e-6, sigma); math.Abs(got-want) > 1e-6*want {
				t.Errorf("%d turns, sigma %g: eps %g, followed to the end %g", turns, sigma, got, want)
			}
		}
	}
}

// ln E exp(rate V) is in proportion to a small rate, down to the smallest.
func TestMomentsOfTinyRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, u, v := drawWalk(t)
		r := w.renewalOf(u, v)
		want := logMoments(1e-9, []*renewal{r})[0] / 1e-9
		for _, rate := range []float64{1e-12, 1e-15, 1e-18, 1e-30} {
			if got := logMoments(rate, []*renewal{r})[0] / rate; !(math.Abs(got-want) <= 1e-6*want) {
				t.Fatalf("rate %g: %g per unit, %g at 1e-9", rate, got, want)
			}
		}
	})
}

// An eps is found only past all coarser ones of the same list, so that no eps that
// paths decide is ever asked about alone.
func TestDescentAsksInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// what passes need not be monotone: that is the point
		holes := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "holes")
		edge, wide := rapid.Float64Range(0, 1).Draw(t, "edge"), rapid.Float64Range(0, 0.2).Draw(t, "width")
		passes := func(eps float64) bool {
			return eps >= edge && !slices.ContainsFunc(holes, func(h float64) bool { return math.Abs(eps-h) < wide })
		}
		eps := descend(1, passes)
		if eps < 1 && !passes(eps) || eps > 1 {
			t.Fatalf("%g does not pass", eps)
		}
		for half := 0.5; half > eps; half /= 2 {
			if !passes(half) {
				t.Fatalf("%g, below %g, which fails", eps, half)
			}
		}
	})
	for _, edge := range []float64{0, 1e-5, 0.01, 0.3, 0.5, 0.77, 0.9999} {
		eps := descend(1, func(eps float64) bool { return eps >= edge })
		if eps < edge || eps > edge*(1+1.1/1024)+1e-12 {
			t.Errorf("%g is found as %g", edge, eps)
		}
	}
}
