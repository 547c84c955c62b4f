package admm

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Round by round an honest answer is taken as it is, bit for bit, and any other one as
// something that clipped gradients and noise can be.
func TestExaminerBoundsWhatAnAnswerAdds(t *testing.T) {
	wild := []float64{math.NaN(), math.Inf(-1), 1e308, -1e308, 1e200, 3, 0}
	rapid.Check(t, func(t *rapid.T) {
		l := drawLocal(t, 2)
		l.Noise.Multiplier = rapid.SampledFrom([]float64{0, 0.5, 20}).Draw(t, "sigma")
		k := NewKernel(&l, noise.NewSimulated(rapid.Uint64().Draw(t, "seed")))
		ex := rows(t, "rows", rapid.IntRange(0, 3).Draw(t, "n"), 2)
		h, e := k.NewHolder(ex, 1), Examiner{U: l.Begin()}
		for turn := range 4 {
			z, change := vector(t, "z", l.Params, 30), make([]float64, l.Params)
			known := slices.Clone(e.U)
			if honest := rapid.IntRange(0, 3).Draw(t, "honest") > 0; honest {
				k.Answer(change, &h, z, ex, 1, 0)
				sent := slices.Clone(change)
				if e.Confine(&l, change, z); !slices.Equal(sent, change) {
					t.Fatalf("turn %d: an honest %v was taken as %v", turn, sent, change)
				}
				continue
			}
			for j := range change {
				change[j] = rapid.SampledFrom(wild).Draw(t, "number")
			}
			e.Confine(&l, change, z)
			h.U = slices.Clone(e.U) // go on from there
			own, size := make([]float64, len(z)), 1.0
			for j := range z {
				y := (2*z[j] - known[j]) / (1 + l.Gamma*l.Objective.L2)
				own[j] = change[j] - 2*l.Lambda*(y-z[j])
				size = max(size, math.Abs(z[j]), math.Abs(known[j]))
			}
			if length := sparse.Norm(own); !(length <= l.longest()*(1+1e-9)+1e-8*size) {
				t.Fatalf("turn %d: %v was taken, %g long beyond what follows, allowed are %g", turn, change, length, l.longest())
			}
		}
	})
}
