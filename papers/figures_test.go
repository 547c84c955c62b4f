package papers

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// The geometric graph and the grid take minutes, and quick versions of some studies ten seconds each.
var full = flag.Bool("papers.full", false, "compare all four graphs of 000 Figure 1 with the published curves, and run the quick version of every study")

// The curves as published are those that the papers' code draws on the same
// graphs, from node 0.
func TestFigures1And4AreThoseOfThePublishedCode(t *testing.T) {
	names := []string{"hypercube", "erdos_renyi"}
	if *full {
		names = append(names, "geometric", "grid45")
	}
	for _, name := range names {
		g, err := graphfile.Open(testdata.Shared(t, "golden/figure1/"+name+".edges.gz"), 1)
		if err != nil {
			t.Fatal(err)
		}
		top, err := newTopology(name, g, 1)
		if err != nil {
			t.Fatal(err)
		}
		if name == "grid45" {
			top.nodes = []int{21} // from the middle of a border, not its corner
		}
		golden := goldenCurves(t, name)
		compare(t, name+" hidden", golden["rw_unknown"], must(top.publishedWalk(false))(t))
		compare(t, name+" known", golden["rw_known"], must(top.publishedWalk(true))(t))
		if name == "hypercube" || *full {
			compare(t, name+" gossip", golden["gossip"], must(top.publishedGossip(1, 1))(t))
		}
	}
}

func must(c Curve, err error) func(*testing.T) Curve {
	return func(t *testing.T) Curve {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func goldenCurves(t *testing.T, name string) map[string][]Point {
	file, err := os.Open(testdata.Shared(t, "golden/figure1/"+name+"_curves.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	curves := map[string][]Point{}
	for _, r := range rows[1:] {
		var p Point
		if _, err := fmt.Sscan(strings.Join(r[1:], " "), &p.Distance, &p.Pairs, &p.Mean, &p.Min, &p.Max); err != nil {
			t.Fatal(err)
		}
		if p.Distance > 0 {
			curves[r[0]] = append(curves[r[0]], p)
		}
	}
	return curves
}

func compare(t *testing.T, name string, want []Point, got Curve) {
	t.Helper()
	if len(want) != len(got.Points) || len(want) == 0 {
		t.Fatalf("%s: %d distances, the published curve has %d", name, len(got.Points), len(want))
	}
	for i, w := range want {
		p := got.Points[i]
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*b+1e-12 }
		if p.Distance != w.Distance || p.Pairs != w.Pairs || !near(p.Mean, w.Mean) || !near(p.Min, w.Min) || !near(p.Max, w.Max) {
			t.Errorf("%s: %+v, the published code has %+v", name, p, w)
		}
	}
}

// Figures 1 and 4 on graphs small enough for a test. That gossip protects
// nothing from neighbours holds there too; what they say of the walk needs the
// size.
func TestFigure1SmallVersion(t *testing.T) {
	small := [][2]string{{"exponential", "hypercube:4"}, {"geometric", "geometric:n=20,r=0.5,seed=1,connected"}}
	for _, known := range []bool{false, true} {
		f, err := comparison{small, 3, 1, known}.run(context.Background(), "", func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		checkFindings(t, f)
		for _, c := range f.Checks {
			if strings.Contains(c.Claim, "gossip protects nothing") && !c.Holds {
				t.Errorf("%s, %s: %s", c.Claim, c.Basis, c.Measured)
			}
		}
	}
}

// What is true on both sides: leakage never exceeds 1 and sums to the rank of
// the view; energies grow with closeness on a graph without ties.
func TestTrueCurvesOnAHypercube(t *testing.T) {
	all, err := parsed([][2]string{{"exponential", "hypercube:5"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	top := all[0]
	leakage, epsilon, err := top.exactGossip(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	accountant, err := gossipview.New(top.w, top.rounds())
	if err != nil {
		t.Fatal(err)
	}
	view, err := accountant.View([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	if sum := 1 + leakage.mean()*31; math.Abs(sum-float64(view.Rank())) > 1e-8 {
		t.Errorf("leakage sums to %g, the rank is %d", sum, view.Rank())
	}
	energy, _, err := top.pathLosses(context.Background(), top.drawn([]int{1, 2, 3, 4, 5}, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range energy.Points[1:] {
		if p.Mean >= energy.Points[i].Mean {
			t.Errorf("energy %g at distance %d, %g nearer", p.Mean, p.Distance, energy.Points[i].Mean)
		}
	}
	if near, _ := epsilon.at(1); math.Abs(near.Mean-atDelta.GaussianView(1)) > 1e-9 {
		t.Errorf("epsilon of neighbours is %g, the local one %g", near.Mean, atDelta.GaussianView(1))
	}
}

func TestPairsDrawnHaveTheirDistance(t *testing.T) {
	all, err := parsed([][2]string{{"grid", "grid:6x7"}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	pairs := all[0].drawn([]int{1, 4, 9}, 3)
	if len(pairs) != 9 {
		t.Errorf("%d pairs, asked for 9", len(pairs))
	}
	for _, p := range pairs {
		if d := all[0].hops(p.v)[p.u]; int(d) != p.distance {
			t.Errorf("nodes %d and %d are %d apart, not %d", p.u, p.v, d, p.distance)
		}
	}
}

// The decay of a geometric sequence is its rate.
func TestDecayOfAGeometricSequence(t *testing.T) {
	c := Curve{}
	for d := 1; d <= 9; d++ {
		c.Points = append(c.Points, Point{Distance: d, Mean: math.Pow(0.25, float64(d))})
	}
	if got := decay(c); math.Abs(got-math.Log(4)) > 1e-12 {
		t.Errorf("decay %g, want %g", got, math.Log(4))
	}
}
