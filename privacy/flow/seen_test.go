package flow

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/sparse"
)

// rows makes a matrix of rows of entries; -1 stands for an entry of weight 0.
func rows(n int, dense ...float64) *sparse.Matrix {
	m := &sparse.Matrix{N: n, Offsets: make([]int, 1, n+1)}
	for i := range n {
		for j, x := range dense[i*n : (i+1)*n] {
			if x != 0 {
				m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, max(x, 0))
			}
		}
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}

// energyOf is the optimum, and wants the plan to be checked by Energy and the
// audit to be below.
func energyOf(t *testing.T, p Problem, u int, observers ...int) float64 {
	t.Helper()
	a := accountant(t, p)
	best, err := a.Optimal(u, observers...)
	if err != nil {
		t.Fatal(err)
	}
	low, err := a.Audit(u, observers...)
	if err != nil || low > best.Energy {
		t.Fatalf("audit %g above the bound %g, %v", low, best.Energy, err)
	}
	return best.Energy
}

// Who hears whom: the row of a node names those whose messages reach it. Each
// case is worked out by hand.
func TestWhoSeesWhat(t *testing.T) {
	third := 1.0 / 3
	// 0 hears 1, 1 hears 2, 2 hears 0; each keeps half.
	cycle := rows(3, .5, .5, 0, 0, .5, .5, .5, 0, .5)
	// 0 - 1 - 2
	line := rows(3, 2*third, third, 0, third, third, third, 0, third, 2*third)
	apart := rows(3, 1, 0, 0, 0, 1, 0, 0, 0, 1)
	silent := rows(3, 1, 0, -1, 0, 1, 0, 0, 0, 1) // 0 hears 2 and gives it no weight
	expect := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*max(1, want) {
			t.Errorf("%s: energy %.12g, want %.12g", name, got, want)
		}
	}
	one := func(w *sparse.Matrix) Problem { return Problem{Rounds: 1, Weights: []*sparse.Matrix{w}} }
	list := func(ws ...*sparse.Matrix) Problem { return Problem{Rounds: len(ws), Weights: ws} }

	expect("a message arrives", energyOf(t, one(cycle), 1, 0), 1)
	expect("against the arrow nothing does", energyOf(t, one(cycle), 0, 1), 0)
	expect("a message of weight 0 is seen", energyOf(t, one(silent), 2, 0), 1)
	overheard := one(apart)
	overheard.Hears = []*sparse.Matrix{rows(3, 0, 0, -1, 0, 0, 0, 0, 0, 0)}
	expect("so is one that is overheard", energyOf(t, overheard, 2, 0), 1)
	expect("one way only", energyOf(t, overheard, 0, 2), 0)
	public := one(apart)
	public.Final = true
	expect("the end is public", energyOf(t, public, 2, 0), 1)

	// x^2 + ((1-x)/3)^2 is least, 1/10, at x = 1/10.
	expect("two hops", energyOf(t, Problem{Rounds: 2, Weights: []*sparse.Matrix{line}, Contributions: ByRound([]float64{1, 0})}, 0, 2), 0.1)
	expect("too late to arrive", energyOf(t, Problem{Rounds: 2, Weights: []*sparse.Matrix{line}, Contributions: ByRound([]float64{0, 1})}, 0, 2), 0)
	expect("two observers see what either does", energyOf(t, list(line), 0, 1, 2), 1)

	// The weights of round 0 carry the messages seen in round 1. Those of round
	// 1 say who hears, and carry nothing.
	expect("carried, not heard", energyOf(t, list(line, apart), 0, 2), 0)
	expect("heard, not carried", energyOf(t, list(apart, line), 0, 2), 0)
	expect("carried, then heard", energyOf(t, Problem{Rounds: 2, Weights: []*sparse.Matrix{line, line}, Contributions: ByRound([]float64{1, 0})}, 0, 2), 0.1)

	// With noise of half the size at 1, 4 ((1-x)/3)^2 + x^2: 4/13.
	quiet := Problem{Rounds: 2, Weights: []*sparse.Matrix{line}, Contributions: ByRound([]float64{1, 0}), Noise: Table{{1, .5, 1}}}
	expect("less noise at the seen", energyOf(t, quiet, 0, 2), 4.0/13)
	quiet.Noise = Table{{1, 0, 1}}
	expect("none: all is absorbed at once", energyOf(t, quiet, 0, 2), 1)
	quiet.Noise = Table{{0, 0, 1}}
	if e := energyOf(t, quiet, 0, 2); !math.IsInf(e, 1) {
		t.Errorf("none anywhere: energy %g", e)
	}

	// Steps that halve double a difference in the new units; so does L = 2.
	growing := Problem{Rounds: 2, Weights: []*sparse.Matrix{line}, Contributions: ByRound([]float64{1, 0}), Steps: []float64{1, .5}}
	expect("steps fall", energyOf(t, growing, 0, 2), 4.0/13)
	growing.Steps, growing.Lipschitz = nil, Table{{1}, {1, 2, 1}}
	expect("a map expands", energyOf(t, growing, 0, 2), 4.0/13)
	growing.Lipschitz = Table{{2, 1, 2}, {1, 1, 1}}
	expect("not before it is reached", energyOf(t, growing, 0, 2), 0.1)
}
