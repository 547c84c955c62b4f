package gossip

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/noise"
)

// The polynomials of an accelerated round are at most 1 on [-1, 1] for every
// gamma from 1 to 2: in Chebyshev's basis their coefficients are a probability.
func TestPolynomialsOfARoundAreMeansOfChebyshevs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gamma, k := rapid.Float64Range(1, 2).Draw(t, "gamma"), rapid.IntRange(1, 60).Draw(t, "k")
		previous, p := make([]float64, k+2), make([]float64, k+2)
		previous[0], p[1] = 1, 1
		for range k - 1 {
			next := make([]float64, k+2)
			for j, c := range p { // 2 z T_j = T_(j+1) + T_|j-1|
				if c == 0 {
					continue
				}
				next[j+1] += gamma / 2 * c
				next[max(j-1, 1-j)] += gamma / 2 * c
			}
			for j, c := range previous {
				next[j] += (1 - gamma) * c
			}
			previous, p = p, next
		}
		sum := 0.0
		for j, c := range p {
			if c < -1e-12 {
				t.Fatalf("gamma %g, k %d: coefficient %d is %g", gamma, k, j, c)
			}
			sum += c
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the coefficients add up to %g", sum)
		}
	})
}

// Only acceleration can leave the box of one step, by sqrt(nodes) at most.
func TestBoxOfGossip(t *testing.T) {
	p := Protocol{
		Local: descent.Local{Noise: noise.Gaussian{Clip: 1, Multiplier: 2}, StepSize: descent.StepSize{Base: 0.5}},
		Nodes: 16, Rounds: 9, TurnsPerRound: 5, Gamma: 1,
	}
	plain := p.Bound()
	if want := 0.5*9 + 16*0.5*4*3; plain < want || plain > want*1.001 {
		t.Errorf("the box ends at %g, want %g", plain, want)
	}
	if p.Gamma = 1.5; p.Bound() != 4*plain {
		t.Errorf("accelerated it ends at %g, want four times %g", p.Bound(), plain)
	}
}
