package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// inTime is the energy of a plan where a node's noise is C^-1 xi, C lower triangular with the coefficients 1, past[0], ..: what a
// node's noise of round t is shifted by moves its fresh noise of later rounds too, by |C| a_j at most.
func inTime(t *testing.T, p Problem, plan Plan, past []float64) (energy float64) {
	absorbed := make([][]float64, p.Rounds)
	err := Follow(p, plan, func(t int, r Round) bool {
		absorbed[t] = append([]float64{}, r.Absorbed...)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for r := range absorbed {
		for j, x := range absorbed[r] {
			for k, c := range past[:min(len(past), r)] {
				x += math.Abs(c) * absorbed[r-1-k][j]
			}
			energy += x * x / (p.Noise.At(r, j) * p.Noise.At(r, j))
		}
	}
	return energy
}

// The proof of the flow accountant holds for noise in time, with the energies of |C| a_j in place of a_j, which docs/FLOW.md
// states and no accountant computes: no explicit attack leaks more, with coefficients of either sign and gradients that
// follow what was received.
func TestNoAttackOnNoiseInTimeLeaksMoreThanItsPlan(t *testing.T) {
	worst, attacked := 0.0, 0
	for i := range *audits {
		r := rand.New(rand.NewPCG(12, uint64(i)))
		d := draw(r)
		a := accountant(t, d.Problem)
		best, err := a.Optimal(d.u, d.coalition...)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if a.noiseless() || math.IsInf(best.Energy, 1) {
			continue
		}
		past, negative := make([]float64, r.IntN(d.Rounds)), r.IntN(2)
		for k := range past {
			past[k] = r.Float64() - float64(negative)*r.Float64()
		}
		inverse := make([][]float64, d.Rounds)
		for at := range inverse {
			inverse[at] = make([]float64, d.Rounds)
			for s := range at + 1 {
				if inverse[at][s] = 0; s == at {
					inverse[at][s] = 1
				}
				for k, c := range past[:min(len(past), at)] {
					inverse[at][s] -= c * inverse[at-1-k][s]
				}
			}
		}
		bound := inTime(t, d.Problem, best.Plan, past)
		for k := range 5 {
			attack := plain(d.Problem, d.u)
			if k > 0 {
				attack = d.attack(r)
			}
			attack.inTime = inverse
			leaks := attack.leaks(t, d.u, d.coalition)
			if leaks > bound*(1+1e-9)+1e-12 {
				t.Errorf("run %d: an attack leaks %.12g, the bound is %.12g", i, leaks, bound)
			}
			if attacked++; bound > 0 {
				worst = max(worst, leaks/bound)
			}
		}
	}
	t.Logf("%d attacks, the worst leaks %.9f of its bound", attacked, worst)
}
