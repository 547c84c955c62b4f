package pairwise

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/sparse"
)

// edgesOf is the matrix of an undirected graph.
func edgesOf(n int, edges [][2]int) *sparse.Matrix {
	dense := make([]float64, n*n)
	for _, e := range edges {
		dense[e[0]*n+e[1]], dense[e[1]*n+e[0]] = 1, 1
	}
	return sparse.FromDense(n, dense)
}

func hypercube(bits int) *sparse.Matrix {
	var edges [][2]int
	for u := range 1 << bits {
		for b := range bits {
			edges = append(edges, [2]int{u, u ^ 1<<b})
		}
	}
	return edgesOf(1<<bits, edges)
}

func accountant(t interface{ Fatal(...any) }, p Problem) *Accountant {
	a, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// inverse is the diagonal of (own^2 I + pair^2 L_H)^-1 in fractions, by Gauss and Jordan;
// nil in the coalition.
func inverse(p *Problem, coalition []int) []*big.Rat {
	var honest []int
	for u := range p.Pairs.N {
		if !slices.Contains(coalition, u) {
			honest = append(honest, u)
		}
	}
	m, own, pair := len(honest), new(big.Rat).SetFloat64(p.Own), new(big.Rat).SetFloat64(p.Pair)
	own.Mul(own, own)
	pair.Mul(pair, pair)
	rows := make([][]*big.Rat, m)
	for i := range rows {
		rows[i] = make([]*big.Rat, 2*m)
		for j := range rows[i] {
			rows[i][j] = new(big.Rat)
		}
		rows[i][i].Set(own)
		rows[i][m+i].SetInt64(1)
	}
	for i, u := range honest {
		for j, v := range honest {
			if p.Pairs.At(u, v) != 0 && u != v {
				rows[i][j].Sub(rows[i][j], pair)
				rows[i][i].Add(rows[i][i], pair)
			}
		}
	}
	scratch := new(big.Rat)
	for k := range rows {
		by := new(big.Rat).Inv(rows[k][k])
		for j := range rows[k] {
			rows[k][j].Mul(rows[k][j], by)
		}
		for i := range rows {
			if i == k {
				continue
			}
			by := new(big.Rat).Set(rows[i][k])
			for j := range rows[i] {
				rows[i][j].Sub(rows[i][j], scratch.Mul(by, rows[k][j]))
			}
		}
	}
	diagonal := make([]*big.Rat, p.Pairs.N)
	for i, u := range honest {
		diagonal[u] = rows[i][m+i]
	}
	return diagonal
}

// problems are small ones of every shape, in several parts too.
func problems(t *rapid.T) (Problem, []int) {
	n := rapid.IntRange(1, 7).Draw(t, "n")
	var edges [][2]int
	for u := range n {
		for v := range u {
			if rapid.Bool().Draw(t, "edge") {
				edges = append(edges, [2]int{u, v})
			}
		}
	}
	var coalition []int
	for u := range n {
		if rapid.IntRange(0, 4).Draw(t, "colludes") == 0 {
			coalition = append(coalition, u)
		}
	}
	own := rapid.SampledFrom([]float64{1, 0.5, 3.7e-3, 1e5}).Draw(t, "own")
	ratio := rapid.SampledFrom([]float64{0, 1e-9, 0.3, 1, 10, 1e3, MostRatio}).Draw(t, "ratio")
	return Problem{Pairs: edgesOf(n, edges), Own: own, Pair: own * ratio, Contributions: 1}, coalition
}

// Both ways of computing energies give upper bounds that are nearly exact, however
// unequal the noise: elimination to 1e-12, flows too unless the equations are so badly
// conditioned that descent stops early, when they are above.
func TestEnergiesAreThoseOfTheDenseInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, coalition := problems(t)
		exact := inverse(&p, coalition)
		view := p.viewOf(coalition)
		for _, part := range view.parts() {
			check := func(how string, tolerance float64) func(int32, float64) {
				return func(u int32, r float64) {
					own := new(big.Rat).SetFloat64(p.Own)
					truth := new(big.Rat).Mul(exact[u], own.Mul(own, own)) // conductances in units of own^2 are rounded
					x, _ := truth.Float64()
					if r < x*(1-1e-15) || r > x*(1+tolerance) {
						t.Fatalf("%s: node %d has %.17g, truth %.17g", how, u, r, x)
					}
				}
			}
			view.densely(part).resistances(1, check("elimination", 1e-12))
			tolerance := 1e-9
			if p.Pair > 1e3*p.Own {
				tolerance = math.Inf(1)
			}
			view.flows(part, part, 1, check("flows", tolerance))
		}
	})
}

// The energy of any flow is an upper bound: whatever potentials drive it.
func TestAnyFlowIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, coalition := problems(t)
		exact, view := inverse(&p, coalition), p.viewOf(coalition)
		for _, part := range view.parts() {
			c := view.circuit(part)
			u := rapid.IntRange(0, len(part)-1).Draw(t, "u")
			for i := range c.x {
				c.x[i] = rapid.Float64Range(-1, 1).Draw(t, "x")
			}
			x, _ := exact[part[u]].Float64()
			if got := c.energy(u) / p.Own / p.Own; got < x*(1-1e-15) {
				t.Fatalf("flow of %g, resistance %g", got, x)
			}
		}
	})
}

// goldenPairwise is one case of the reference file.
type goldenPairwise struct {
	Case      string             `json:"case"`
	N         int                `json:"n"`
	Edges     [][2]int           `json:"edges"`
	Coalition []int              `json:"coalition"`
	Own       float64            `json:"own"`
	Pair      float64            `json:"pair"`
	Energy    map[string]float64 `json:"energy"`
}

func TestGoldenEnergies(t *testing.T) {
	var cases []goldenPairwise
	for _, file := range testdata.Goldens[struct{ Cases []goldenPairwise }](t, "pairwise") {
		cases = append(cases, file.Cases...)
	}
	for _, g := range cases {
		a := accountant(t, Problem{Pairs: edgesOf(g.N, g.Edges), Own: g.Own, Pair: g.Pair, Contributions: 1})
		energies, err := a.Energies(g.Coalition, 2)
		if err != nil {
			t.Fatal(err)
		}
		for u, e := range energies {
			if want, ok := g.Energy[strconv.Itoa(u)]; ok != !math.IsNaN(e) || ok && math.Abs(e/want-1) > 1e-9 {
				t.Errorf("%s, coalition %v: node %d has %g, want %g", g.Case, g.Coalition, u, e, want)
			}
		}
	}
}

// Between all n nodes of a complete graph the matrix has two eigenvalues; a node that
// observes takes one node away.
func TestCompleteGraphInClosedForm(t *testing.T) {
	var edges [][2]int
	const n, own, pair = 40, 0.7, 3.0
	for u := range n {
		for v := range u {
			edges = append(edges, [2]int{u, v})
		}
	}
	a := accountant(t, Problem{Pairs: edgesOf(n, edges), Own: own, Pair: pair, Contributions: 5, Sensitivity: []float64{2}})
	for size, coalition := range [][]int{nil, {3}, {3, 17}} {
		m := float64(n - size)
		want := 5 * 4 * (1/(m*own*own) + (1-1/m)/(own*own+m*pair*pair))
		energies, err := a.Energies(coalition, 1)
		if err != nil {
			t.Fatal(err)
		}
		worst, _, err := a.Worst(size, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []float64{energies[0], worst[3]} {
			if math.Abs(got/want-1) > 1e-10 {
				t.Errorf("%d colluders: %g, want %g", size, got, want)
			}
		}
	}
}

// The noise that 2048 participants on a hypercube need against observers of all messages
// of 50 rounds: everybody at epsilon 1, at delta 1e-6.
func TestHypercubeOf2048(t *testing.T) {
	a := accountant(t, Problem{Pairs: hypercube(11), Own: 1, Pair: 10, Contributions: 50, Class: walkpath.HypercubeClass})
	for size, want := range []float64{1.162, 1.200} {
		found, _, err := a.Calibrate(size, 1, privacy.Metric{Delta: 1e-6}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(found.Sigma-want) > 0.001 {
			t.Errorf("%d colluders: own noise %.4f, want %.3f", size, found.Sigma, want)
		}
	}
}

// Symmetries change nothing but the time it takes.
func TestSymmetriesChangeNothing(t *testing.T) {
	plain := accountant(t, Problem{Pairs: hypercube(4), Own: 2, Pair: 5, Contributions: 3})
	alike := accountant(t, Problem{Pairs: hypercube(4), Own: 2, Pair: 5, Contributions: 3, Class: walkpath.HypercubeClass})
	for _, coalition := range [][]int{nil, {6}, {0, 3}} {
		x, err := plain.Energies(coalition, 1)
		y, err2 := alike.Energies(coalition, 1)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for u := range x {
			if math.IsNaN(x[u]) != math.IsNaN(y[u]) || math.Abs(x[u]/y[u]-1) > 1e-9 {
				t.Errorf("coalition %v, node %d: %g and %g", coalition, u, x[u], y[u])
			}
		}
	}
	x, y := plain.Every(2), alike.Every(2)
	for _, a := range []*Accountant{plain, alike} {
		towards, _, err := a.Towards(5, 2)
		if err != nil {
			t.Fatal(err)
		}
		for v, e := range towards {
			if math.Abs(e/x.At(5, v)-1) > 1e-9 {
				t.Errorf("5 towards %d: %g, of all pairs %g", v, e, x.At(5, v))
			}
		}
	}
	for i := range x.Values {
		if math.Abs(x.Values[i]/y.Values[i]-1) > 1e-9 {
			t.Errorf("pair %d: %g and %g", i, x.Values[i], y.Values[i])
		}
	}
}

// Trying all coalitions is what it says, the bound of trees lies above it and below the
// local loss, and neither falls when there are more colluders.
func TestWorstCoalitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := problems(t)
		p.Contributions = rapid.IntRange(1, 9).Draw(t, "contributions")
		p.Sensitivity = rapid.SliceOfN(rapid.Float64Range(0.1, 3), p.Pairs.N, p.Pairs.N).Draw(t, "sensitivities")
		a := accountant(t, p)
		last := make([]float64, p.Pairs.N)
		for size := range p.Pairs.N {
			worst, _, err := a.Worst(size, 1)
			if err != nil {
				t.Fatal(err)
			}
			most, kept := slices.Clone(worst), a.kept(nil, size)
			clear(most)
			subsets(p.Pairs.N, size, func(c []int) {
				energies, err := a.Energies(c, 1)
				if err != nil {
					t.Fatal(err)
				}
				for u, e := range energies {
					if !slices.Contains(c, u) {
						most[u] = max(most[u], e)
					}
				}
			})
			for u, x := range worst {
				if size > 0 {
					one, members, _, err := a.WorstOf(u, size, 1)
					if err != nil || math.Abs(one/most[u]-1) > 1e-9 || len(members) != size || slices.Contains(members, u) {
						t.Fatalf("%d colluders, node %d: %g towards %v (%v), one by one %g", size, u, one, members, err, most[u])
					}
				}
				if math.Abs(x/most[u]-1) > 1e-9 || x > a.Local(u)*(1+1e-12) || x < last[u]*(1-1e-9) || kept[u]*a.unit(u) < x*(1-1e-12) {
					t.Fatalf("%d colluders, node %d: %g, one by one %g, with fewer %g, bound %g", size, u, x, most[u], last[u], kept[u]*a.unit(u))
				}
			}
			last = worst
		}
	})
}

// subsets calls do with every subset of a size, by counting.
func subsets(n, size int, do func([]int)) {
	for set := range 1 << n {
		var c []int
		for u := range n {
			if set>>u&1 == 1 {
				c = append(c, u)
			}
		}
		if len(c) == size {
			do(c)
		}
	}
}

// What no run is, is refused.
func TestRefusals(t *testing.T) {
	good := Problem{Pairs: hypercube(2), Own: 1, Pair: 1, Contributions: 1}
	oneWay := &sparse.Matrix{N: 2, Offsets: []int{0, 1, 1}, Columns: []int32{1}, Values: []float64{1}}
	for name, spoil := range map[string]func(p *Problem){
		"no own noise":    func(p *Problem) { p.Own = 0 },
		"no number":       func(p *Problem) { p.Pair = math.NaN() },
		"out of reach":    func(p *Problem) { p.Pair = 2e6 },
		"no rounds":       func(p *Problem) { p.Contributions = 0 },
		"sensitivities":   func(p *Problem) { p.Sensitivity = []float64{1, 2} },
		"a negative one":  func(p *Problem) { p.Sensitivity = []float64{-1} },
		"one way only":    func(p *Problem) { p.Pairs = oneWay },
		"nobody at all":   func(p *Problem) { p.Pairs = nil },
		"infinite noise":  func(p *Problem) { p.Own = math.Inf(1) },
		"negative shared": func(p *Problem) { p.Pair = -1 },
	} {
		p := good
		spoil(&p)
		if _, err := New(p); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	a := accountant(t, good)
	if _, err := a.Energies([]int{4}, 1); err == nil {
		t.Error("an observer who is no node is taken")
	}
	if _, _, err := a.Worst(4, 1); err == nil {
		t.Error("a coalition of everybody is taken")
	}
}

func BenchmarkEliminate1000(b *testing.B) {
	var edges [][2]int
	for u := range 1000 {
		for k := range 5 {
			if v := (u*(7+k*13) + k + 1) % 1000; u != v {
				edges = append(edges, [2]int{u, v})
			}
		}
	}
	a := accountant(b, Problem{Pairs: edgesOf(1000, edges), Own: 1, Pair: 10, Contributions: 1})
	for b.Loop() {
		a.resistances(nil, 1)
	}
}
