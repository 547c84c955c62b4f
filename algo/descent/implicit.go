package descent

import (
	"github.com/hearsay-dp/hearsay/algo/prox"
	"github.com/hearsay-dp/hearsay/model"
)

// implicit yields the gradients of a node's examples at the proximal point of its loss and penalty instead of at the
// model, so that the step along them leads there:
//
//	prox(x) = y - g' (scale * mean of gradients at prox(x)),   y = x/(1 + g L2),   g' = g/(1 + g L2).
//
// The slopes respect the clip, whatever the solver found: a step moves a model by at most step size x clip.
type implicit struct {
	*localGradients
	p      *Local
	solver *prox.Solver
	begin  []float64
	slopes []float64
}

func newImplicit(p *Local, local *localGradients) *implicit {
	m, ok := p.Objective.Model.(model.Margined)
	if !ok {
		panic("descent: a proximal step of a loss that is no function of a margin")
	}
	return &implicit{localGradients: local, p: p, solver: prox.New(m, p.Params, p.LossClip()), begin: make([]float64, p.Params)}
}

// solve computes the slopes of a step of size size from x.
func (m *implicit) solve(x []float64, ex model.Examples, size, scale float64) {
	shrink := 1 / (1 + float64(size*m.p.Objective.L2))
	for j, v := range x {
		m.begin[j] = float64(v * shrink)
	}
	m.slopes = m.solver.Solve(m.begin, ex, float64(size*shrink)*scale, m.p.Precision*size*m.p.Noise.Clip).Slopes
}

// Gradient implements noise.Gradients.
func (m *implicit) Gradient(i int) (slope, norm float64, direction []float64) {
	direction, norm = m.row(i)
	return m.slopes[i], norm, direction
}
