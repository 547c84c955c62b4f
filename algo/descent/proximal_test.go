package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// drawProximal is a step without noise of a loss with corners or without, and a node's rows.
func drawProximal(t *rapid.T) (*Local, model.Examples) {
	m := rapid.SampledFrom([]model.Model{
		model.Hinge{Intercept: true}, model.Absolute{}, model.Logistic{Intercept: true, Positive: 2}, model.Ridge{},
	}).Draw(t, "model")
	n := rapid.IntRange(1, 6).Draw(t, "rows")
	ex := model.Examples{Features: 2, X: rapid.SliceOfN(rapid.Float64Range(-1, 1), 2*n, 2*n).Draw(t, "x")}
	for range n {
		ex.Y = append(ex.Y, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y"))
	}
	turns := rapid.SampledFrom([]int{1, 100, 100_000}).Draw(t, "turns")
	l := &Local{
		Params: m.Params(2), Objective: model.Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.5, 20}).Draw(t, "l2")},
		Noise:    noise.Gaussian{Clip: rapid.SampledFrom([]float64{0.05, 0.5, 3}).Draw(t, "clip")},
		StepSize: StepSize{Base: rapid.SampledFrom([]float64{0.01, 0.5, 7}).Draw(t, "step")},
		Proximal: true, Fill: rapid.Bool().Draw(t, "fill"), MaxScale: math.Inf(1), Precision: Precise(turns, 1.0/8),
	}
	return l, ex
}

// stepped is where a step leads from x.
func stepped(l *Local, ex model.Examples, x []float64) []float64 {
	y := append([]float64{}, x...)
	NewKernel(l, noise.NewSimulated(1)).Contribute(y, &ex, l.ScaleOf(0, ex), 0, &step.Release{})
	return y
}

func apart(x, y []float64) float64 {
	d := append([]float64{}, x...)
	sparse.Axpy(d, -1, y)
	return sparse.Norm(d)
}

// Whatever the step size, the loss, the scale and the penalty, a step brings no two models
// further apart, but for twice the precision, and a node's data move one by at most the
// clip less what it spares.
func TestProximalStepsAreWhatAccountantsTakeThemFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, ex := drawProximal(t)
		size := rapid.SampledFrom([]float64{0.1, 5}).Draw(t, "size")
		x := rapid.SliceOfN(rapid.Float64Range(-size, size), l.Params, l.Params).Draw(t, "x0")
		y := rapid.SliceOfN(rapid.Float64Range(-size, size), l.Params, l.Params).Draw(t, "y0")
		rounding := 1e-13 * (1 + l.StepSize.Base*l.Objective.Model.Guarantees(2).Bend()*l.ScaleOf(0, ex)) * (1 + size)
		p := l.Precision * l.StepSize.Base * l.Noise.Clip
		if now := apart(stepped(l, ex, x), stepped(l, ex, y)); now > apart(x, y)+2*p+rounding {
			t.Fatalf("%g apart became %g", apart(x, y), now)
		}
		alone := append([]float64{}, x...)
		NewKernel(l, noise.NewSimulated(1)).NoiseOnly(alone, 0, &step.Release{})
		if moved, most := apart(stepped(l, ex, x), alone), l.StepSize.Base*l.LossClip(); moved > most*(1+1e-6)+1e-14*size { // squares of rows of 1e-158 have few digits
			t.Fatalf("data move a model by %g, at most %g is charged", moved, most)
		}
	})
}

// One row of n moves the point by its share of the sensitivity, precision included.
func TestOneRowMovesAProximalPointByItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, ex := drawProximal(t)
		l.Fill = false // its scale follows rows
		other := ex
		other.X, other.Y = append([]float64{}, ex.X...), append([]float64{}, ex.Y...)
		copy(other.X, rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 2).Draw(t, "row"))
		other.Y[0] = -ex.Y[0]
		x := rapid.SliceOfN(rapid.Float64Range(-1, 1), l.Params, l.Params).Draw(t, "x0")
		rounding := 1e-13 * (1 + l.StepSize.Base*l.Objective.Model.Guarantees(2).Bend())
		if moved, most := apart(stepped(l, ex, x), stepped(l, other, x)), l.StepSize.Base*2*l.Noise.Clip/float64(ex.Len()); moved > most+rounding {
			t.Fatalf("one of %d rows moves a point by %g, at most %g is charged", ex.Len(), moved, most)
		}
	})
}

// Over all turns together, with the longest contribution, precision costs no more than
// the part of the norm that is spared: in units of the sensitivity the energy of one
// contribution hidden by l turns is (1 - spare + r)^2/l and r more in each.
func TestPrecisionIsPaidFor(t *testing.T) {
	for _, turns := range []int{1, 2, 10, 1000, 1_000_000} {
		for _, share := range []float64{1, 0.01} {
			r := Precise(turns, share) / share
			for _, l := range []int{1, turns/2 + 1, turns} {
				first := 1 - spare + r
				energy := first*first/float64(l) + 2*r*first + float64(l)*r*r
				if energy > 1/float64(l) {
					t.Errorf("%d turns, %d of them, a share of %g: energy %g", turns, l, share, energy*float64(l))
				}
			}
		}
	}
}

// Values that are no numbers, or huge, are confined before and after a step, and the way
// is as short as ever.
func TestHugeModelsMoveNoFurther(t *testing.T) {
	l := &Local{Params: 3, Objective: model.Objective{Model: model.Hinge{Intercept: true}}, Noise: noise.Gaussian{Clip: 0.5}, StepSize: StepSize{Base: 0.1},
		Proximal: true, Precision: Precise(100, 1)}
	ex := model.Examples{Features: 2, X: []float64{1, -1, 0.3, 0.2}, Y: []float64{1, -1}}
	for _, v := range []float64{1e300, -1e300, math.Inf(1), math.NaN()} {
		x := []float64{v, -v, 1}
		Confine(x, l.Bound(100))
		y := stepped(l, ex, x)
		if moved := apart(x, y); !(moved <= 0.05) {
			t.Errorf("%v: a step of %g", v, moved)
		}
	}
}
