package graph_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

func gapOf(t testing.TB, g *graph.Graph, rule string) graph.Gap {
	t.Helper()
	w, err := graph.NewTransition(g, rule)
	if err != nil {
		t.Fatal(err)
	}
	gap, err := w.SpectralGap()
	if err != nil {
		t.Fatal(err)
	}
	return gap
}

// Eigenvalues in closed form: hypercube 1 - 2k/(d+1), complete 0, ring
// (1 + 2 cos(2 pi k/n))/3, line (1 + 2 cos(pi k/n))/3, star 1/n and -1/n and
// (n-1)/n; printed weights on the hypercube are periodic.
func TestSpectralGapClosedForms(t *testing.T) {
	tests := []struct {
		expr, rule string
		want       float64
	}{
		{"hypercube:11", "hamilton", 2. / 12},
		{"hypercube:5", "max-degree", 2. / 6},
		{"hypercube:6", "hamilton-printed", 0},
		{"complete:2048", "hamilton", 1},
		{"complete:50", "uniform", 1 - 1./49},
		{"complete:1", "hamilton", 1},
		{"complete:2", "hamilton", 1},
		{"ring:1000", "hamilton", (2 - 2*math.Cos(2*math.Pi/1000)) / 3},
		{"ring:12", "uniform", 0},
		{"ring:9", "uniform", 1 - math.Cos(math.Pi/9)},
		{"line:2048", "hamilton", (2 - 2*math.Cos(math.Pi/2048)) / 3},
		{"star:9", "hamilton", 1. / 9},
		{"star:9", "uniform", 0},
		{"er:5,0", "hamilton", 0},
	}
	for _, test := range tests {
		gap := gapOf(t, mustParse(t, test.expr), test.rule)
		if !gap.Converged || math.Abs(gap.Value-test.want) > 1e-12 {
			t.Errorf("%s %s: gap %+v, want %.15g", test.expr, test.rule, gap, test.want)
		}
	}
}

// On any graph and rule the gap is that of all eigenvalues, computed densely.
func TestSpectralGapAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, true)
		w, _ := drawTransition(t, g)
		gap, err := w.SpectralGap()
		if err != nil {
			t.Fatal(err)
		}
		var eigen mat.Eigen
		if !eigen.Factorize(w.Dense(), mat.EigenNone) {
			t.Fatal("no dense eigenvalues")
		}
		var moduli []float64
		for _, z := range eigen.Values(nil) {
			moduli = append(moduli, math.Abs(real(z)))
		}
		slices.Sort(moduli)
		want := 1.0
		if n := g.Len(); n > 1 {
			want = 1 - moduli[n-2]
		}
		if !gap.Converged || math.Abs(gap.Value-want) > 1e-7 { // double roots cost a non-symmetric solver half its digits
			t.Fatalf("%s: gap %+v, want %g", w.Rule(), gap, want)
		}
	})
}

func TestSpectralGapGolden(t *testing.T) {
	type spectrum struct {
		N     int
		Edges [][2]int
		Gap   float64 `json:"spectral_gap_seeds"`
	}
	cases := map[string]spectrum{}
	for _, file := range testdata.Goldens[map[string]spectrum](t, "walk_published") {
		maps.Copy(cases, file)
	}
	for name, c := range cases {
		g, err := graph.FromEdges(name, c.N, c.Edges)
		if err != nil {
			t.Fatal(err)
		}
		if gap := gapOf(t, g, "hamilton"); !gap.Converged || math.Abs(gap.Value-c.Gap) > 1e-10 {
			t.Errorf("%s: gap %+v, want %.12g", name, gap, c.Gap)
		}
	}
}

// An estimate is never below the gap, and says that it is one.
func TestSpectralGapEstimate(t *testing.T) {
	const n = 5000
	w, err := graph.NewTransition(mustParse(t, "line:5000"), "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	gap, err := w.SpectralGapWithin(1e7)
	if err != nil {
		t.Fatal(err)
	}
	truth := (2 - 2*math.Cos(math.Pi/n)) / 3
	if gap.Converged || gap.Value < truth || gap.Residual <= graph.GapTolerance {
		t.Errorf("gap %+v of a line of %d nodes, whose gap is %g", gap, n, truth)
	}
}

// slowMixing is the definition: powers one by one.
func slowMixing(w *graph.Transition, pi []float64, iota float64) int {
	power := w.Dense()
	for steps := 1; ; steps++ {
		if graph.Farthest(power, pi) <= iota {
			return steps
		}
		var next mat.Dense
		next.Mul(power, w.Dense())
		power = &next
	}
}

func TestMixingTimeAgreesWithPowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, true)
		w, err := graph.NewTransition(g, "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		pi, err := w.Stationary()
		if err != nil {
			t.Fatal(err)
		}
		iota := rapid.Float64Range(0.01, 0.45).Draw(t, "iota")
		gap, err := w.SpectralGap()
		if err != nil {
			t.Fatal(err)
		}
		m, err := w.MixingTime(iota, gap)
		if err != nil {
			t.Fatal(err)
		}
		if g.Len() == 1 {
			return
		}
		// a power that is as far away as iota says may count as either side of it
		least, most := slowMixing(w, pi, iota*(1+1e-9)), slowMixing(w, pi, iota*(1-1e-9))
		if !m.Exact || m.Lower != m.Upper || m.Lower < least || m.Lower > most {
			t.Fatalf("mixing time %+v, want %d to %d", m, least, most)
		}
		if b := graph.MixingFromGap(pi, iota, gap); b.Lower > most || b.Upper < least {
			t.Fatalf("bounds %+v miss %d to %d", b, least, most)
		}
	})
}

func TestMixingTimeDoesNotExist(t *testing.T) {
	for expr, rule := range map[string]string{"ring:8": "uniform", "er:5,0": "hamilton", "hypercube:10": "hamilton-printed",
		"ring:6,directed": "uniform", "ring:600,directed": "uniform"} {
		w, err := graph.NewTransition(mustParse(t, expr), rule)
		if err != nil {
			t.Fatal(err)
		}
		var gap graph.Gap
		if !w.Graph().Directed() {
			gap = gapOf(t, w.Graph(), rule)
		}
		if m, err := w.MixingTime(0.25, gap); err == nil {
			t.Errorf("%s %s mixes: %+v", expr, rule, m)
		}
	}
}

func BenchmarkSpectralGap(b *testing.B) {
	for _, expr := range []string{"hypercube:11", "grid:45x45", "geometric:2048,0.07,seed=1"} {
		b.Run(expr, func(b *testing.B) {
			g := mustParse(b, expr)
			for b.Loop() {
				gapOf(b, g, "hamilton")
			}
		})
	}
}
