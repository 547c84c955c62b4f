package sumsfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/algo/sum"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Trial implements family.Algorithm. It shows the mean of the contributions so far, as a vector or as shares of the values. It
// does so at the steps that are reported, and at the end.
func (a *Algorithm) Trial(ctx context.Context, seed uint64, see family.Seen) ([]float64, error) {
	protocol := *a.protocol
	if !isRing(a.Spec) {
		protocol.Start = walk.StartAt(a.Spec.Nodes, seed, 0)
	}
	run := &sim.Walk{Protocol: &protocol, Holdings: a.Examples, Choose: a.choose(), Seed: seed, Scales: a.scales}
	every, shown := a.Spec.Report.Every, make([]float64, protocol.Params)
	token, err := run.Bulk(ctx, func(r step.Release, token []float64) {
		done := int(r.Turn) + 1
		if done%every == 0 || done == protocol.Steps {
			a.mean(shown, token, done)
			see(done, shown, 0)
		}
	})
	if err != nil {
		return nil, err
	}
	a.mean(shown, token, protocol.Steps)
	return shown, nil
}

// mean sets dst to the mean of done contributions, which token has gathered.
func (a *Algorithm) mean(dst, token []float64, done int) {
	if !isHistogram(a.Spec) {
		for i, x := range token {
			dst[i] = x / float64(done)
		}
		return
	}
	answer := a.answer(a.protocol.Local)
	if done < a.protocol.Steps {
		answer.End = 0
	}
	sum.Answers{Answer: answer}.Debias(dst, token, done)
	for i := range dst {
		dst[i] /= float64(done)
	}
}

// Machine implements family.Algorithm.
func (a *Algorithm) Machine(own family.Participant) family.Machine {
	p := *a.protocol
	p.Announce = true
	m := walk.NewMachine(&p, own.ID, own.Neighbours, own.Examples, walk.NewHopper(&p, own.Noise, walk.Drawn{Choose: a.choose(), Rand: own.Router.Rand}))
	ended := func() []float64 {
		last, _ := m.Ended()
		if last == nil {
			return nil
		}
		mean := make([]float64, p.Params)
		a.mean(mean, last, p.Steps)
		return mean
	}
	over := func() bool {
		_, known := m.Ended()
		return known
	}
	return family.Machine{Durable: m, Model: ended, Contributions: m.Contributions, Over: over, Source: m.Source}
}

// Estimate implements family.Estimator. It compares the estimates of the sum over all nodes to the true one.
func (a *Algorithm) Estimate(means [][]float64) *report.Estimated {
	of := "sum over nodes"
	if isHistogram(a.Spec) {
		of = "nodes by value"
	}
	return estimated(of, a.names(), means, a.truth(), float64(a.Spec.Nodes), a.noiseStd())
}

// estimated compares n times the means to the truth.
func estimated(of string, names []string, means [][]float64, truth []float64, n, std float64) *report.Estimated {
	e := &report.Estimated{Of: of, Names: names, Noise: report.Number(std), Value: make(report.Vector, len(truth)), Truth: truth}
	squares := 0.0
	for _, mean := range means {
		for i, x := range mean {
			e.Value[i] += n * x / float64(len(means))
			squares += float64((float64(n*x) - truth[i]) * (float64(n*x) - truth[i]))
		}
	}
	e.Error = report.Number(math.Sqrt(squares / float64(len(means)*len(truth))))
	return e
}

// names returns the names of the coordinates.
func (a *Algorithm) names() []string {
	if isHistogram(a.Spec) {
		return a.Federation.Classes
	}
	return a.Federation.FeatureNames
}

// truth returns the sum over nodes of each node's mean contribution.
func (a *Algorithm) truth() []float64 {
	all := make([]float64, a.protocol.Params)
	for v := range step.NodeID(a.Spec.Nodes) {
		ex := a.Examples.Examples(v)
		switch {
		case ex.Len() == 0:
		case isHistogram(a.Spec):
			for i := range ex.Len() {
				all[a.class(ex.Y[i])] += 1 / float64(ex.Len())
			}
		default:
			for i, x := range sum.Value(a.Local(), ex, a.scales[v]) {
				all[i] += x
			}
		}
	}
	return all
}

// noiseStd returns the standard deviation of the noise in an estimated sum. For a histogram it is that of the count of a value
// that one of Params nodes has.
func (a *Algorithm) noiseStd() float64 {
	turns := float64(a.Turns())
	scale := float64(a.Spec.Nodes) / turns
	switch a.Spec.Algorithm.Kind {
	case ringSum:
		return scale * a.protocol.Noise.Std() * math.Sqrt(sums.RingOf(a.ring(a.protocol.Local)).NoiseVariance())
	case completeSum:
		return scale * a.protocol.Noise.Std() * math.Sqrt(turns)
	}
	return scale * sum.Answers{Answer: a.answer(a.protocol.Local)}.Std(int(a.Turns()), int(a.Turns())/a.protocol.Params)
}
