package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/sparse"
)

// averagedAttack is mu^2 of all that a coalition sees when noise is drawn once a
// round, steps are curve[t][j] x, and contributions moves[t].
func averagedAttack(t testing.TB, v Averaged, curve [][]float64, moves []float64, u int, coalition []int) float64 {
	n := v.Weights.N
	p := Problem{Rounds: v.Rounds, Weights: []*sparse.Matrix{v.Weights}, Final: v.Final}
	own := make([]bool, n)
	for _, f := range coalition {
		own[f] = true
	}
	state, shift := make([][]float64, n), make([]float64, n)
	for j := range state {
		state[j] = make([]float64, v.Rounds*n)
	}
	var rows, moved []float64
	for r := range v.Rounds {
		for j := range n {
			for k := range state[j] {
				state[j][k] *= curve[r][j]
			}
			if shift[j] *= curve[r][j]; !own[j] {
				state[j][r*n+j]++
			}
		}
		shift[u] += moves[r]
		for range v.Steps {
			for j, seen := range p.seen(r, coalition) {
				if seen {
					rows, moved = append(rows, state[j]...), append(moved, shift[j])
				}
			}
			state, shift = mixed(p, r, state, shift)
		}
	}
	return quadratic(t, mat.NewDense(len(moved), v.Rounds*n, rows), moved)
}

// No attack on random runs with several averaging steps leaks more than the
// bound; most are reflected, turned or cut short.
func TestNoAttackOnAveragedRoundsLeaksMore(t *testing.T) {
	worst := 0.0
	for i := range *audits / 2 {
		r := rand.New(rand.NewPCG(23, uint64(i)))
		n := 3 + r.IntN(5)
		var edges [][2]int
		for j := 1; j < n; j++ {
			edges = append(edges, [2]int{r.IntN(j), j})
			if r.IntN(2) == 0 {
				edges = append(edges, [2]int{r.IntN(n), j})
			}
		}
		v := Averaged{
			Weights: weightsOf(t, n, edges), Steps: 1 + r.IntN(4), Rounds: 1 + r.IntN(4), Final: r.IntN(4) == 0,
			Lipschitz: []float64{1, 0.7, 1.2}[r.IntN(3)],
		}
		nodes := r.Perm(n)
		u, coalition := nodes[0], nodes[1:2+r.IntN(2)]
		best, err := v.Optimal(u, coalition...)
		if err != nil {
			t.Fatal(err)
		}
		curve, moves := make([][]float64, v.Rounds), make([]float64, v.Rounds)
		for k := range 5 {
			for round := range curve {
				curve[round], moves[round] = make([]float64, n), float64(1-2*r.IntN(min(2, k+1)))
				for j := range n {
					curve[round][j] = v.Lipschitz * []float64{1, float64(1 - 2*r.IntN(2)), 2*r.Float64() - 1}[k%3]
				}
			}
			leaks := averagedAttack(t, v, curve, moves, u, coalition)
			if leaks > best.Energy*(1+1e-6)+1e-8 {
				t.Errorf("run %d: an attack leaks %.10g, the bound is %.10g at q = %g", i, leaks, best.Energy, best.Q)
			}
			worst = max(worst, leaks/best.Energy)
		}
	}
	t.Logf("the worst attack leaks %.6f of its bound", worst)
}

// One round leaks what the exact accountant of averaging says.
func TestOneAveragedRoundIsTheLeakage(t *testing.T) {
	g, err := gen.Parse("hypercube:4", 1)
	if err != nil {
		t.Fatal(err)
	}
	v := Averaged{Weights: hamilton(t, g), Steps: 3, Rounds: 1, Lipschitz: 1}
	exact, err := gossip.New(v.Weights, v.Steps)
	if err != nil {
		t.Fatal(err)
	}
	view, err := exact.View([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	for u := 1; u < 16; u++ {
		best, err := v.Optimal(u, 0)
		if err != nil || math.Abs(best.Energy-view.Leakage(u)) > 1e-9 {
			t.Errorf("node %d: energy %g, leakage %g, %v", u, best.Energy, view.Leakage(u), err)
		}
	}
}

// One averaging step a round is the run that Problem prices: the bound is no
// less than its optimum.
func TestOneStepARoundIsPlainGossip(t *testing.T) {
	g, err := gen.Parse("grid:3x4", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, final := range []bool{false, true} {
		a := accountant(t, Problem{Rounds: 6, Weights: weightsList(t, g), Final: final})
		v := Averaged{Weights: hamilton(t, g), Steps: 1, Rounds: 6, Lipschitz: 1, Final: final}
		for u := 1; u < 12; u++ {
			best, err1 := a.Optimal(u, 0)
			averaged, err2 := v.Optimal(u, 0)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if averaged.Energy < best.Energy || averaged.Energy > 6*(1+1e-6) {
				t.Errorf("node %d: %g, the optimum is %g and the local energy 6", u, averaged.Energy, best.Energy)
			}
		}
	}
}
