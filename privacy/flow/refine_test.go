package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph/gen"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Plans of each pair are no worse than one for all and no better than the optimum, and
// certified: on random problems of every kind.
func TestAimedPlansAreBetweenCheapAndOptimal(t *testing.T) {
	for i := range 60 {
		d := draw(rand.New(rand.NewPCG(61, uint64(i))))
		a := accountant(t, d.Problem)
		cheap, aimed := a.Cheap(1), a.Aimed(2)
		for u := range a.n {
			for v := range a.n {
				if u == v {
					continue
				}
				best, err := a.Optimal(u, v)
				if err != nil {
					t.Fatal(err)
				}
				if e := aimed.At(u, v); e > cheap.At(u, v) || e < best.Floor*(1-1e-9) || math.IsNaN(e) {
					t.Fatalf("run %d, (%d,%d): aimed %g, cheap %g, no less than %g", i, u, v, e, cheap.At(u, v), best.Floor)
				}
			}
		}
	}
}

// The energy of an aimed plan is the one that the checker computes.
func TestAimedPlansPassTheChecker(t *testing.T) {
	checked := 0
	for i := range 200 {
		d := draw(rand.New(rand.NewPCG(67, uint64(i))))
		a := accountant(t, d.Problem)
		stops := a.stops(d.coalition)
		h := a.chances(stops)
		said := a.aimed([]int{d.u}, sight{marks: stops, chances: h})[0]
		f := a.newFunnel([]int{d.u}, stops, h)
		f.run()
		alpha := lessens * f.cost[0] / f.mass[0]
		if !(alpha > 0) || math.IsInf(alpha, 1) || math.IsInf(said, 1) {
			continue
		}
		least := math.Inf(1)
		for _, by := range []float64{0, alpha} {
			plan, rest := Plan{U: d.u, Observers: d.coalition}, make([]float64, a.n)
			for r := range d.Rounds {
				c, b := make([]float64, a.n), Absorption{}
				if r > 0 {
					a.arrive(c, rest, r, 1)
				}
				c[d.u] += a.gives[r].at(d.u)
				for j, x := range c {
					take := min(x, by*h[r][j]*a.variance(r, j))
					if stops[r][j] {
						take = x
					}
					rest[j] = x - take
					if take > 0 { // all of it, even if the checker rounds the arrivals up
						b.Nodes, b.Amounts = append(b.Nodes, int32(j)), append(b.Amounts, take*(1+1e-11))
					}
				}
				plan.Rounds = append(plan.Rounds, b)
			}
			energy, err := a.Check(plan)
			if err != nil {
				t.Fatalf("run %d: %v", i, err)
			}
			least = min(least, energy)
		}
		if checked++; math.Abs(least-said) > 1e-9*said {
			t.Errorf("run %d: said to cost %.12g, the checker says %.12g", i, said, least)
		}
	}
	if checked < 50 {
		t.Errorf("%d plans were checked", checked)
	}
}

// On graphs without symmetry aimed plans are within a quarter of the optimum, half of them
// within 15 %.
func TestAimedPlansAreNearTheOptimum(t *testing.T) {
	for _, expression := range []string{"geometric:n=60,r=0.25,connected", "er:n=60,p=0.08,connected", "ba:n=60,m=2"} {
		g, err := gen.Parse(expression, 4)
		if err != nil {
			t.Fatal(err)
		}
		a := accountant(t, Problem{Rounds: 30, Weights: weightsList(t, g)})
		best, err := a.Towards(7, 2)
		if err != nil {
			t.Fatal(err)
		}
		energies, near := make([]float64, a.n), 0
		a.several(a.others(7), a.aiming([]int{7}), 2, a.aim(), func(int) {}, func(u int, e float64) { energies[u] = e })
		for u, e := range energies {
			if u == 7 {
				continue
			}
			if e > 1.25*best[u] || e < best[u]*(1-1e-3) {
				t.Errorf("%s: from %d %g, the optimum is %g", expression, u, e, best[u])
			}
			if e < 1.15*best[u] {
				near++
			}
		}
		if near < a.n/2 {
			t.Errorf("%s: %d of %d are within 15 %%", expression, near, a.n-1)
		}
	}
}

// Refined energies are no more than before and no less than the optimum, the largest are
// those of the optimum, and neither the number of workers nor that of nodes matters.
func TestRefineFindsTheLargestOfTheOptima(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(4, 7).Draw(r, "n")
		g, err := gen.Parse(fmt.Sprintf("er:n=%d,p=0.35,connected", n), rapid.Uint64Range(1, 1000).Draw(r, "seed"))
		if err != nil {
			r.Skip(err)
		}
		p := Problem{Rounds: rapid.IntRange(2, 5).Draw(r, "rounds"), Weights: []*sparse.Matrix{hamilton(t, g)}, Final: rapid.Bool().Draw(r, "final"),
			Lipschitz: Table{{rapid.SampledFrom([]float64{1, 0.8, 1.1}).Draw(r, "L")}}}
		a := accountant(t, p)
		refined, cheap, best := a.Cheap(1), a.Cheap(1), a.Cheap(1)
		for i := range best.Values {
			if i/n != i%n {
				one, err := a.Optimal(i/n, i%n)
				if err != nil {
					r.Fatal(err)
				}
				best.Values[i] = one.Energy
			}
		}
		a.Refine(refined, 1e12, 1)
		for i, e := range refined.Values {
			if i/n != i%n && (e > cheap.Values[i] || e < best.Values[i]*(1-1e-5)) {
				r.Fatalf("(%d,%d): refined %g, cheap %g, optimum %g", i/n, i%n, e, cheap.Values[i], best.Values[i])
			}
		}
		largest, beyond := a.Worst(refined)
		most, mostBeyond := a.Worst(best)
		if math.Abs(largest-most) > 1e-4*most || math.Abs(beyond-mostBeyond) > 1e-4*mostBeyond {
			r.Fatalf("largest %g and %g, of the optima %g and %g", largest, beyond, most, mostBeyond)
		}
		side := a.Cheap(1)
		if a.Refine(side, 1e12, 3); fmt.Sprint(side.Values) != fmt.Sprint(refined.Values) {
			r.Fatal("three workers find something else")
		}
		move := rapid.Permutation(indicesTo(n)).Draw(r, "move")
		other := accountant(t, renamed(p, move))
		moved := other.Cheap(1)
		other.Refine(moved, 1e12, 1)
		if x, y := other.Worst(moved); math.Abs(x-largest) > 1e-6*largest || math.Abs(y-beyond) > 1e-6*beyond {
			r.Fatalf("other numbers: %g and %g, before %g and %g", x, y, largest, beyond)
		}
	})
}

// Without work to spend nothing changes.
func TestRefineEndsWithItsWork(t *testing.T) {
	g, err := gen.Parse("grid:3x4", 1)
	if err != nil {
		t.Fatal(err)
	}
	a := accountant(t, Problem{Rounds: 6, Weights: weightsList(t, g)})
	before, after := a.Cheap(1), a.Cheap(1)
	if a.Refine(after, 1, 1); fmt.Sprint(before.Values) != fmt.Sprint(after.Values) {
		t.Error("energies changed")
	}
	if a.Refine(after, 1e12, 1); after.At(0, 11) > before.At(0, 11) {
		t.Error("energies grew")
	}
}

func indicesTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// renamed is a problem whose node j is called move[j].
func renamed(p Problem, move []int) Problem {
	w := p.Weights[0]
	dense := make([]float64, w.N*w.N)
	for i := range w.N {
		columns, values := w.Row(i)
		for k, j := range columns {
			dense[move[i]*w.N+move[j]] = values[k]
		}
	}
	p.Weights = []*sparse.Matrix{sparse.FromDense(w.N, dense)}
	return p
}
