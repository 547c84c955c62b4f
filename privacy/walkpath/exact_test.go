package walkpath

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// amplified are updates of which everything needed is known.
var amplified = model.Objective{Model: model.Logistic{}}.Guarantees(1).Update(model.Descent{Step: 0.1, Clip: 1})

// simpleLaw enumerates every path of a small walk and returns the law of the
// energy of u towards v: the deliberately simple second implementation.
func simpleLaw(w Walk, u, v int) *Law {
	return enumerated(w, func(path []int) float64 { return pathEnergy(w, path, u, v) })
}

// enumerated is the law of an energy over all paths.
func enumerated(w Walk, energy func(path []int) float64) *Law {
	weight := make(map[float64]float64)
	path := make([]int, 0, w.BurnIn+w.Turns)
	var extend func(p float64)
	extend = func(p float64) {
		if len(path) == cap(path) {
			weight[energy(path[w.BurnIn:])] += p
			return
		}
		for x := range w.Nodes {
			q := 1 / float64(w.Nodes)
			switch {
			case len(path) == 0 && w.Start != AnyStart:
				q = 0
				if x == w.Start {
					q = 1
				}
			case len(path) > 0 && w.W != nil:
				q = w.W.At(path[len(path)-1], x)
			}
			if q > 0 {
				path = append(path, x)
				extend(p * q)
				path = path[:len(path)-1]
			}
		}
	}
	extend(1)
	l := &Law{Most: w.Most(), exact: true}
	for e := range weight {
		l.Energies = append(l.Energies, e)
	}
	slices.Sort(l.Energies)
	for _, e := range l.Energies {
		l.Weights = append(l.Weights, weight[e])
	}
	return l
}

// pathEnergy is the energy of one path, by the simple formula.
func pathEnergy(w Walk, path []int, u, v int) float64 {
	energy, made := 0.0, 0
	var open []bool
	for _, x := range path {
		if x == v {
			energy, open = energy+simpleEnergy(open), nil
			continue
		}
		contributes := x == u && (w.Cap == 0 || made < w.Cap)
		if contributes {
			made++
		}
		open = append(open, contributes)
	}
	if w.Final {
		energy += simpleEnergy(open)
	}
	return math.Round(energy*1e12) / 1e12
}

// transitionOf is hamilton weights on a graph.
func transitionOf(t rapid.TB, expression string) *graph.Transition {
	t.Helper()
	g, err := gen.Parse(expression, 1)
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	return transition
}

// walkOn is the walk with hamilton weights on a graph.
func walkOn(t testing.TB, expression string) (Walk, *graph.Transition) {
	t.Helper()
	transition := transitionOf(t, expression)
	w := transition.Sparse()
	return Walk{Walk: schedule.Walk{Update: amplified, Nodes: w.N, W: w, Start: AnyStart}}, transition
}

// everyLaw calls check with the delta at eps 1 and sigma 2 of every ordered pair, as
// charged and by the pair's own law.
func everyLaw(t *testing.T, w Walk, laws *Laws, check func(u, v int, charged, own float64)) {
	t.Helper()
	for u := range w.Nodes {
		for v := range w.Nodes {
			if u == v {
				continue
			}
			own, err := w.Law(u, v)
			if err != nil {
				t.Fatal(err)
			}
			check(u, v, laws.Law(u, v).Delta(1, 2), own.Delta(1, 2))
		}
	}
}

func TestPathEnumerationGolden(t *testing.T) {
	type enumerated struct {
		Name    string
		N, U, V int
		Edges   [][2]int
		Start   *int
		T, Cap  int
		Sigma2  float64
		MeanV   float64            `json:"mean_V"`
		RDP     map[string]float64 `json:"rdp"`
		Delta   map[string]float64 `json:"delta"`
		LawV    [][2]float64       `json:"law_V"`
	}
	for _, c := range slices.Concat(testdata.Goldens[[]enumerated](t, "walk_path")...) {
		g, err := graph.FromEdges(c.Name, c.N, c.Edges)
		if err != nil {
			t.Fatal(err)
		}
		transition, err := graph.NewTransition(g, "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: c.N, W: transition.Sparse(), Start: AnyStart, Turns: c.T, Cap: c.Cap}}
		if c.Start != nil {
			w.Start = *c.Start
		}
		sigma := math.Sqrt(c.Sigma2)
		exact, err := w.Law(c.U, c.V)
		if err != nil {
			t.Fatal(err)
		}
		bound := w.boundedLaw(c.U, c.V, w.renewalOf(c.U, c.V))
		near := func(what string, got, want float64) {
			if !(math.Abs(got/want-1) <= 1e-8) {
				t.Errorf("%s, %d to %d: %s is %v, want %v", c.Name, c.U, c.V, what, got, want)
			}
		}
		above := func(what string, got, want float64) {
			if !(got >= want*(1-1e-9) && got <= 10*want) {
				t.Errorf("%s, %d to %d: the bound of %s is %v, the truth %v", c.Name, c.U, c.V, what, got, want)
			}
		}
		near("mean energy", exact.Mean(), c.MeanV)
		above("mean energy", bound.Mean(), c.MeanV)
		for _, p := range c.LawV {
			got := 0.0
			for i, e := range exact.Energies {
				if math.Abs(e-p[0]) < 1e-9 {
					got += exact.Weights[i]
				}
			}
			near("weight of energy "+strconv.FormatFloat(p[0], 'g', -1, 64), got, p[1])
		}
		for order, want := range c.RDP {
			alpha, _ := strconv.ParseFloat(order, 64)
			near("RDP "+order, exact.RDP(alpha, sigma), want)
			above("RDP "+order, bound.RDP(alpha, sigma), want)
		}
		for eps, want := range c.Delta {
			e, _ := strconv.ParseFloat(eps, 64)
			near("delta "+eps, exact.Delta(e, sigma), want)
			above("delta "+eps, bound.Delta(e, sigma), want)
		}
	}
}

// drawMatrix is a transition matrix that need not be symmetric.
func drawMatrix(t *rapid.T, n int) *sparse.Matrix {
	w := &sparse.Matrix{N: n, Offsets: []int{0}}
	for range n {
		row, total := make([]int, n), 0
		for j := range row {
			row[j] = rapid.IntRange(0, 3).Draw(t, "weight")
			total += row[j]
		}
		if total == 0 {
			row[0], total = 1, 1
		}
		for j, k := range row {
			if k > 0 {
				w.Columns, w.Values = append(w.Columns, int32(j)), append(w.Values, float64(k)/float64(total))
			}
		}
		w.Offsets = append(w.Offsets, len(w.Columns))
	}
	return w
}

// drawWalk is a walk small enough to enumerate, and a pair.
func drawWalk(t *rapid.T) (w Walk, u, v int) {
	w.Update = amplified
	w.Nodes = rapid.IntRange(2, 4).Draw(t, "nodes")
	w.Turns = rapid.IntRange(1, []int{0, 0, 10, 7, 6}[w.Nodes]).Draw(t, "turns")
	w.Cap = rapid.IntRange(0, 4).Draw(t, "cap")
	w.BurnIn = rapid.IntRange(0, 1).Draw(t, "burn-in")
	w.Start = rapid.IntRange(AnyStart, w.Nodes-1).Draw(t, "start")
	if rapid.Bool().Draw(t, "graph") {
		w.W = drawMatrix(t, w.Nodes)
	}
	u = rapid.IntRange(0, w.Nodes-1).Draw(t, "u")
	return w, u, (u + rapid.IntRange(1, w.Nodes-1).Draw(t, "v-u")) % w.Nodes
}

// Following all paths, states merged, gives the law of the enumeration.
func TestPathLawOfShortRunsIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, u, v := drawWalk(t)
		w.Final = rapid.Bool().Draw(t, "final")
		got, err := w.Law(u, v)
		if err != nil {
			t.Fatal(err)
		}
		want := simpleLaw(w, u, v)
		got.dropLight()
		want.dropLight()
		if !got.exact || len(got.Energies) != len(want.Energies) {
			t.Fatalf("%+v (%d,%d): energies %v, want %v", w, u, v, got.Energies, want.Energies)
		}
		for i, e := range want.Energies {
			if math.Abs(got.Energies[i]-e) > 1e-9 || math.Abs(got.Weights[i]-want.Weights[i]) > 1e-12 {
				t.Fatalf("%+v (%d,%d): %v at %v, want %v at %v", w, u, v, got.Weights[i], got.Energies[i], want.Weights[i], e)
			}
		}
	})
}

// dropLight leaves out energies whose weight is rounding's: of a node that the token is almost never at when the run begins.
func (l *Law) dropLight() {
	kept := 0
	for i, w := range l.Weights {
		if w > 1e-15 {
			l.Energies[kept], l.Weights[kept] = l.Energies[i], w
			kept++
		}
	}
	l.Energies, l.Weights = l.Energies[:kept], l.Weights[:kept]
}

func TestSetsOfTurnsAreOrderedAsTheirLists(t *testing.T) {
	list := func(s turnSet) (turns []int) {
		for turn := range exactTurns {
			if s>>turn&1 == 1 {
				turns = append(turns, turn)
			}
		}
		return turns
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 15), rapid.SampledFrom([]uint64{0, 1, 1 << 63, math.MaxUint64}))
		a, b := turnSet(draw.Draw(t, "a")), turnSet(draw.Draw(t, "b"))
		if got, want := a.compare(b), slices.Compare(list(a), list(b)); got != want {
			t.Errorf("%b beside %b: %d, want %d", a, b, got, want)
		}
	})
}
