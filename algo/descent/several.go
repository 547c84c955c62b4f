package descent

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// several takes the local steps of a contribution (FedAvg, 002 Algorithm 2.1). It holds scratch memory.
type several struct{ at, mean []float64 }

// unclipped computes means of gradients as they are.
var unclipped = noise.Gaussian{Clip: math.Inf(1), Together: true}

// sum sets dst to the sum of the mean gradients, penalties included, of l.LocalSteps steps that begin at x:
//
//	y_0 = x,  y_(k+1) = y_k - rate (scale * mean gradient at y_k + L2 y_k).
//
// It leaves out the penalty of the first step, which whoever moves x adds. move sets the point of the gradients.
// Only the sum is clipped (noise.Gaussian.Clipped), so that its sensitivity is that of one step's clipped mean.
func (s *several) sum(l *Local, dst, x []float64, of noise.Gradients, u *noise.Update, move func(y []float64)) {
	if s.at == nil {
		s.at, s.mean = make([]float64, len(x)), make([]float64, len(x))
	}
	copy(s.at, x)
	clear(dst)
	for k := range l.LocalSteps {
		move(s.at)
		unclipped.Mean(0, s.mean, of, u)
		if u.Shrink != 0 && k > 0 {
			sparse.Axpy(s.mean, u.Shrink, s.at)
		}
		sparse.Axpy(dst, 1, s.mean)
		if u.Shrink != 0 && k == 0 {
			sparse.Axpy(s.mean, u.Shrink, s.at)
		}
		sparse.Axpy(s.at, -u.Rate, s.mean)
	}
}

// contributeSeveral takes the step of Contribute along the clipped sum of local steps.
func (k *Kernel) contributeSeveral(x []float64, ex *model.Examples, r *step.Release) {
	k.several.sum(k.p, k.gradient, x, k.of, &k.update, func(y []float64) { k.local.at(y, ex) })
	k.p.Noise.Clipped(r.From, k.gradient)
	k.p.Noise.Take(x, k.gradient, &k.update, k.source, r)
}
