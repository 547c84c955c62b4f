package descent

import (
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Kernel computes one step. It owns only scratch memory and is not safe for concurrent use.
type Kernel struct {
	p        *Local
	source   noise.Source
	gradient []float64
	update   noise.Update // of the current step
	local    blockGradients
	of       noise.Gradients // local, in the form in which the model computes gradients
	proximal *implicit       // nil: steps are along gradients
	part     *partGradients  // of Within; nil: all parameters
	several  several
}

// NewKernel returns the kernel of p with noise from source.
func NewKernel(p *Local, source noise.Source) *Kernel {
	k := &Kernel{p: p, source: source, gradient: make([]float64, p.Params)}
	k.local = blockGradients{localGradients: newLocalGradients(p), batch: model.NewBatch(p.Objective.Model)}
	k.of = &k.local.localGradients
	external, elsewhere := p.Objective.Model.(model.External)
	switch {
	case elsewhere:
		k.of = &outsideGradients{&k.local.localGradients, external}
	case k.local.batch != nil:
		k.of = &k.local
	case k.local.linear != nil:
		k.of = newRowGradients(&k.local.localGradients)
	}
	if p.Proximal {
		k.proximal = newImplicit(p, &k.local.localGradients)
		k.of = k.proximal
	}
	return k
}

// Contribute takes the step numbered at of a run on ex. r names the node, turn and lane; Contribute fills in the rest
// of the release:
//
//	x <- Proj(x - gamma_at (scale * mean of clipped gradients + L2 x) + gamma_at noise)
//
// A proximal step uses the gradients at its end point, instead of at x. With LocalSteps the clipped sum of their gradients takes
// the place of the mean of clipped ones.
func (k *Kernel) Contribute(x []float64, ex *model.Examples, scale float64, at int, r *step.Release) {
	k.local.at(x, ex)
	if k.proximal != nil {
		k.proximal.solve(x, *ex, k.p.StepSize.At(at), scale)
	}
	k.set(at, scale)
	if k.p.LocalSteps > 1 && ex.Len() > 0 {
		k.contributeSeveral(x, ex, r)
	} else {
		k.p.Noise.Descend(x, k.gradient, k.of, &k.update, k.source, r)
	}
	k.project(x)
}

// ContributeSample does as Contribute on a Poisson sample of a node's rows, whose expected number is expected. It
// uses the sum of their clipped gradients over that number. The sample may be empty.
func (k *Kernel) ContributeSample(x []float64, sample *model.Examples, expected, scale float64, at int, r *step.Release) {
	if k.proximal != nil || k.p.LocalSteps > 1 {
		panic("descent: proximal and local steps are taken on all of a node's rows, or on a batch of them")
	}
	k.local.at(x, sample)
	k.set(at, scale)
	k.update.Expected = expected
	k.p.Noise.Descend(x, k.gradient, k.of, &k.update, k.source, r)
	k.project(x)
}

// Asks reports whether an outside program computes the gradients, so that a machine asks for them.
func (k *Kernel) Asks() bool {
	_, asks := k.of.(*outsideGradients)
	return asks
}

// Take does as Contribute, or as ContributeSample for a sample, with the answer mean to asked. It overwrites mean.
func (k *Kernel) Take(x, mean []float64, asked *step.Ask, r *step.Release) {
	k.set(asked.At, asked.Scale)
	k.update.Expected = asked.Expected
	k.p.Noise.Take(x, mean, &k.update, k.source, r)
	k.project(x)
}

// Answer returns the external program's answer to the question of node v's machine. After an error the answer must not be used.
func (l *Local) Answer(v step.NodeID, asked *step.Ask) ([]float64, error) {
	external := l.Objective.Model.(model.External)
	ex := model.Examples{Features: 1, X: make([]float64, len(asked.Rows)), Y: make([]float64, len(asked.Rows))}
	for i, row := range asked.Rows {
		ex.X[i] = float64(row)
	}
	of := newLocalGradients(l)
	of.at(asked.Theta, &ex)
	mean, from := make([]float64, l.Params), &outsideGradients{&of, external}
	if l.LocalSteps > 1 {
		u := noise.Update{Rate: l.StepSize.At(asked.At), Scale: asked.Scale, Shrink: l.Objective.L2}
		new(several).sum(l, mean, asked.Theta, from, &u, func(y []float64) { of.at(y, &ex) })
		l.Noise.Clipped(v, mean)
		return mean, external.Program.Err()
	}
	l.Noise.Mean(v, mean, from, &noise.Update{Rate: 1, Scale: asked.Scale, Expected: asked.Expected, Inner: l.Importance != nil})
	return mean, external.Program.Err()
}

// NoiseOnly takes the same step without data.
func (k *Kernel) NoiseOnly(x []float64, at int, r *step.Release) {
	k.set(at, 1)
	k.p.Noise.Drift(x, k.gradient, &k.update, k.source, r)
	k.project(x)
}

// Perturb adds the noise of that step to x, and nothing else.
func (k *Kernel) Perturb(x []float64, at int, r *step.Release) {
	k.update = noise.Update{Rate: k.p.StepSize.At(at), Scale: 1}
	k.p.Noise.Drift(x, k.gradient, &k.update, k.source, r)
	k.project(x)
}

// set sets the update to that of the step numbered at.
func (k *Kernel) set(at int, scale float64) {
	u, rate, l2 := &k.update, k.p.StepSize.At(at), k.p.Objective.L2
	u.Rate, u.Scale, u.Shrink, u.Expected, u.Inner = rate, scale, l2, 0, k.p.Importance != nil
	if k.proximal != nil {
		shrink := 1 / (1 + float64(rate*l2))
		u.Scale, u.Shrink, u.Inner = scale*shrink, l2*shrink, false
	}
}

func (k *Kernel) project(x []float64) {
	if k.p.Radius > 0 {
		project(x, k.p.Radius)
	}
}

// project moves x to the nearest point of the ball around 0.
func project(x []float64, radius float64) {
	length := sparse.Norm(x)
	if !(length > radius) {
		return
	}
	factor := radius / length
	for i := range x {
		x[i] *= factor
	}
}
