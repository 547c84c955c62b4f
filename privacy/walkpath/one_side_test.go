package walkpath

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// One node's pairs are never charged less than their laws where all paths were followed,
// whichever of the two it is, however few turns are followed, on directed and weighted
// graphs, from any start.
func TestOneSideBoundsTheLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawConnected(t)
		w.Turns = min(w.Turns, 14)
		node, towards := rapid.IntRange(0, w.Nodes-1).Draw(t, "node"), rapid.Bool().Draw(t, "towards")
		side, err := w.side(node, towards, rapid.IntRange(1, w.Turns).Draw(t, "followed"), 2)
		if err != nil {
			t.Fatal(err)
		}
		m := rapid.SampledFrom([]privacy.Metric{{Delta: 1e-6}, {Delta: 0.01}, {Order: 2}, {Order: 20}}).Draw(t, "metric")
		sigma := rapid.SampledFrom([]float64{0.3, 2, 30}).Draw(t, "sigma")
		losses, err := side.Losses(sigma, m, 1)
		if err != nil {
			t.Fatal(err)
		}
		for other := range w.Nodes {
			if other == node {
				continue
			}
			u, v := node, other
			if towards {
				u, v = other, node
			}
			law, err := w.Law(u, v)
			if err != nil {
				t.Fatal(err)
			}
			if !law.exact { // a bound itself, and rounded
				continue
			}
			if want := law.loss(sigma, m); losses[other] < want*(1-1e-9) {
				t.Fatalf("%d towards %d: bound %g, law %g", u, v, losses[other], want)
			}
			if mean := side.Law(other).Mean(); mean < law.Mean()*(1-1e-9) {
				t.Fatalf("%d towards %d: mean energy %g, law %g", u, v, mean, law.Mean())
			}
		}
	})
}

// Far from the observer, and where all contributions are of one excursion, the bound is
// near the law.
func TestOneSideIsNearTheLawFarAway(t *testing.T) {
	w, _ := walkOn(t, "er:n=60,p=0.1,seed=3,connected=true")
	w.Turns, w.Cap = 600, 3
	side, err := w.SideTowards(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := privacy.Metric{Order: 2}
	losses, err := side.Losses(2, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	far := []int{}
	for u := 1; u < w.Nodes; u++ {
		if w.W.At(u, 0) == 0 {
			far = append(far, u)
		}
	}
	var ratios []float64
	for _, u := range far[:6] {
		law, err := w.Law(u, 0)
		if err != nil {
			t.Fatal(err)
		}
		ratios = append(ratios, losses[u]/law.loss(2, m))
	}
	if worst := slices.Max(ratios); worst > 3 || math.IsNaN(worst) {
		t.Errorf("the bounds are %v times the laws", ratios)
	}
}

// What the argument does not cover is refused.
func TestOneSideRefuses(t *testing.T) {
	good, _ := walkOn(t, "ring:5")
	good.Turns, good.Cap = 20, 2
	if _, err := good.SideFrom(1, 1); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(w *Walk){
		"no cap": func(w *Walk) { w.Cap = 0 }, "final": func(w *Walk) { w.Final = true }, "tokens": func(w *Walk) { w.Tokens = 2 },
		"skip": func(w *Walk) { w.Skip = 0.5 }, "edge cap": func(w *Walk) { w.EdgeCap = 1 }, "power": func(w *Walk) { w.Power = 0.5 },
		"no graph": func(w *Walk) { w.W = nil }, "nobody": func(w *Walk) { w.Nodes = 3 },
	} {
		w := good
		change(&w)
		if _, err := w.SideFrom(1, 1); err == nil {
			t.Errorf("%s: nothing is refused", what)
		}
	}
}

// What a side takes is known before: visits are counted turn by turn where the start is no
// stationary law.
func TestSideTurns(t *testing.T) {
	w, _ := walkOn(t, "ring:9")
	for turns, want := range map[int][2]int{30: {30, 60}, mostSideTurns + 5: {mostSideTurns, 2*mostSideTurns + 5}, mostVisitTurns + 1: {mostSideTurns, mostSideTurns}} {
		w.Turns, w.Start = turns, AnyStart
		anywhere := w.SideTurns()
		if w.Start = 3; anywhere != want[0] || w.SideTurns() != want[1] {
			t.Errorf("%d turns: %d products, %d from node 3, want %v", turns, anywhere, w.SideTurns(), want)
		}
	}
}
