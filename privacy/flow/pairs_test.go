package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

// One plan for all pairs is never below the optimum of any, nor above the local
// energy. Solving many sources at once gives the same as one at a time. The
// same holds for lower bounds.
func TestBlocksAndTheCheapPlanAgreeWithPairs(t *testing.T) {
	for i := range 150 {
		d := draw(rand.New(rand.NewPCG(5, uint64(i))))
		a := accountant(t, d.Problem)
		v, cheap := d.coalition[0], a.Cheap(2)
		towards, err1 := a.Towards(v, 2)
		low, err2 := a.AuditTowards(v, 2)
		every, lows := a.Every(nil, 2), a.AuditEvery(nil, 1)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for u := range d.n() {
			if u == v {
				continue
			}
			best, err := a.Optimal(u, v)
			if err != nil {
				t.Fatal(err)
			}
			attack, _ := a.Audit(u, v)
			above := func(name string, e, slack float64) {
				if e < best.Energy*(1-1e-9) || e > best.Energy*slack+1e-9 {
					t.Errorf("run %d, (%d, %d): %s gives %.10g, the optimum is %.10g", i, u, v, name, e, best.Energy)
				}
			}
			above("cheap", cheap.At(u, v), math.Inf(1))
			above("towards", towards[u], 1.001)
			above("every", every.At(u, v), 1.001)
			if cheap.At(u, v) > a.localEnergies()[u] {
				t.Errorf("run %d, (%d, %d): cheap is above local", i, u, v)
			}
			for _, l := range []float64{low[u], lows.At(u, v)} {
				if math.IsInf(best.Energy, 1) { // something is seen bare: any number is a lower bound
					continue
				}
				if l > attack*(1+1e-7)+1e-12 || l < attack*(1-1e-6)-1e-9 {
					t.Errorf("run %d, (%d, %d): in a block an attack attains %.10g, alone %.10g", i, u, v, l, attack)
				}
			}
		}
	}
}

// Where a graph is symmetric one pair is solved for many, and nothing changes.
func TestSymmetryChangesNothing(t *testing.T) {
	for _, expr := range []string{"hypercube:3", "ring:7", "torus:3x4", "torus:3x3", "complete:5"} {
		g, err := gen.Parse(expr, 1)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := g.Symmetry()
		if !ok {
			t.Fatalf("%s has no symmetry", expr)
		}
		a := accountant(t, Problem{Rounds: 5, Weights: weightsList(t, g)})
		movements := Movements(s.Family, s.Sides)
		for _, m := range movements {
			if !a.leaves(m) {
				t.Errorf("%s is moved by %v", expr, m)
			}
		}
		for _, class := range a.pairClasses(movements) {
			if v := int(class) / a.n; v != 0 {
				t.Errorf("%s: pairs that are not like one towards node 0", expr)
				break
			}
		}
		quick, slow := a.Every(movements, 1), a.Every(nil, 2)
		for k, e := range slow.Values {
			if math.Abs(quick.Values[k]-e) > 2e-3*e+1e-12 {
				t.Fatalf("%s: pair %d has energy %g, by symmetry %g", expr, k, e, quick.Values[k])
			}
		}
	}
}

// A movement that does not leave the problem as it is is not believed.
func TestFalseSymmetriesAreNotUsed(t *testing.T) {
	g, err := gen.Parse("ring:6", 1)
	if err != nil {
		t.Fatal(err)
	}
	shift := []int32{1, 2, 3, 4, 5, 0}
	noise := Table{{1, 1, 1, 2, 1, 1}}
	path := weightsOf(t, 6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}})
	overheard := weightsOf(t, 6, [][2]int{{0, 3}})
	p := Problem{Rounds: 3, Weights: weightsList(t, g)}
	if !accountant(t, p).leaves(shift) {
		t.Error("a ring is not left as it is by a shift")
	}
	for name, change := range map[string]func(p *Problem){
		"weights":  func(p *Problem) { p.Weights[0] = path },
		"a round":  func(p *Problem) { w := p.Weights[0]; p.Weights = append(p.Weights, w, path) },
		"noise":    func(p *Problem) { p.Noise = noise },
		"maps":     func(p *Problem) { p.Lipschitz = noise },
		"overhear": func(p *Problem) { p.Hears = append(p.Hears, overheard) },
	} {
		q := Problem{Rounds: 3, Weights: weightsList(t, g)}
		change(&q)
		if accountant(t, q).leaves(shift) {
			t.Errorf("%s differ from node to node and a shift is believed", name)
		}
	}
	if a := accountant(t, p); a.leaves([]int32{0, 0, 1, 2, 3, 4}) || a.leaves([]int32{0, 1}) || a.leaves([]int32{0, 1, 2, 3, 4, 9}) {
		t.Error("what is no permutation is believed")
	}
}

// The table of the hypercube of 2048 nodes in the specification, by distance.
func TestHypercubeOf2048(t *testing.T) {
	g, err := gen.Parse("hypercube:11", 1)
	if err != nil {
		t.Fatal(err)
	}
	a := accountant(t, Problem{Rounds: 20, Weights: weightsList(t, g)})
	for u, want := range map[int]float64{1: 20, 3: 0.391, 7: 0.0315, 15: 0.0059} {
		best, err := a.Optimal(u, 0)
		if err != nil {
			t.Fatal(err)
		}
		if best.Energy > want*1.01 || best.Floor < best.Energy*(1-1e-6) {
			t.Errorf("node %d: energy %g, floor %g, want %g", u, best.Energy, best.Floor, want)
		}
	}
}
