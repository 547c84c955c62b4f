package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// recorder watches one trial: it has the token scored every so often and averages
// the iterates as the spec says. The last score is of the model that the trial
// ends with, on all rows: it is the result.
type recorder struct {
	scorer   *scorer
	progress func(score)
	points   *curve  // nil: ended
	scores   []score // of the curve, like failure, until it is ended
	glanced  glances
	cores    int       // that the last score may take
	average  []float64 // of the iterates so far, nil when the last one counts
	weight   float64
	own      []score // of the models that nodes keep; nil where none does
	mean     []score // of the mean of these, one
	keeps    bool    // nodes keep models, whose scores the last one is made of
	failure  error
	stop     func()        // ends the trial
	scoring  time.Duration // the time that the trial has waited for scores so far
}

// newRecorder returns a recorder, which the caller must end. Of the trial's cores the first takes its steps. It also scores
// if there is no other.
func newRecorder(s *scorer, cores int, progress func(score), stop func()) *recorder {
	r := &recorder{scorer: s, progress: progress, stop: stop, cores: cores}
	r.points = newCurve(s.local.Params, cores > 1, r.rate)
	if s.Spec.Algorithm.Average != "none" {
		r.average = make([]float64, s.local.Params)
	}
	if !s.OwnValues { // which begins with values of its own
		r.score(0, s.local.Begin(), 0)
	}
	return r
}

// timing adds the time until the returned function is called to scoring.
func (r *recorder) timing() func() {
	began := time.Now()
	return func() { r.scoring += time.Since(began) }
}

// end waits for the scores of all models seen. No more must follow.
func (r *recorder) end() {
	if r.points == nil {
		return
	}
	defer r.timing()()
	r.points.close()
	r.points = nil
}

// run takes the trial.
func (r *recorder) run(ctx context.Context, a family.Algorithm, seed uint64) ([]float64, error) {
	keeper, ok := a.(family.Keeper)
	if !ok || keeper.Kept() == nil {
		return a.Trial(ctx, seed, r.see)
	}
	r.keeps = true
	return keeper.TrialKept(ctx, seed, r.see, func(models []float64) { r.keep(ctx, keeper.Kept(), models) })
}

// keep scores the models that nodes keep. The end of the curve is the mean of these
// scores, and the trial's model is the mean of the models.
func (r *recorder) keep(ctx context.Context, nodes []int, models []float64) {
	r.end()
	defer r.timing()()
	last, d := &r.scores[len(r.scores)-1], r.scorer.local.Params
	for _, v := range nodes {
		if ctx.Err() != nil {
			return
		}
		s := r.scorer.evaluate(models[v*d:(v+1)*d], r.cores)
		s.step, s.apart = last.step, last.apart
		r.own = append(r.own, s)
	}
	r.average = make([]float64, d)
	for i, x := range models {
		r.average[i%d] += x * float64(d) / float64(len(models))
	}
	r.mean = []score{r.scorer.evaluate(r.average, r.cores)}
	mean := func(value func(score) float64) float64 { return float64(spreadOf(r.own, value).Mean) }
	last.trainLoss, last.testLoss = mean(func(s score) float64 { return s.trainLoss }), mean(func(s score) float64 { return s.testLoss })
	last.accuracy, last.objective = mean(func(s score) float64 { return s.accuracy }), mean(func(s score) float64 { return s.objective })
	last.penalty = mean(func(s score) float64 { return s.penalty })
	r.progress(*last)
}

// see takes the model after done steps, and the mean squared distance of the
// nodes' own models from it. Steps before the first, of a burn-in,
// are not looked at, but for the values that nodes begin with.
func (r *recorder) see(done int, model []float64, apart float64) {
	if done < 1 {
		if done == 0 && r.scorer.OwnValues {
			r.score(0, model, apart)
		}
		return
	}
	r.add(done, model)
	if steps := r.scorer.Spec.Algorithm.Steps; done%r.scorer.Spec.Report.Every == 0 || done == steps {
		r.score(done, model, apart)
	}
}

// add takes iterate number done into the average.
func (r *recorder) add(done int, token []float64) {
	var weight float64
	switch r.scorer.Spec.Algorithm.Average {
	case "half":
		if done <= r.scorer.Spec.Algorithm.Steps/2 {
			return
		}
		weight = 1
	case "weighted":
		weight = r.scorer.local.StepSize.At(done - 1)
	default:
		return
	}
	r.weight += weight
	share := weight / r.weight
	for i, x := range token {
		r.average[i] += float64(share * (x - r.average[i]))
	}
}

// score adds a model to the curve. After the last step it adds the model that the trial ends with.
func (r *recorder) score(done int, theta []float64, apart float64) {
	defer r.timing()()
	if done == r.scorer.Spec.Algorithm.Steps {
		theta = r.model(theta)
	}
	r.points.add(waypoint{done, theta, apart})
}

// rate scores points of the curve. It has scores and failure to itself until the curve is closed.
func (r *recorder) rate(points []waypoint) {
	on := points
	if points[len(points)-1].step == r.scorer.Spec.Algorithm.Steps {
		on = points[:len(points)-1]
	}
	for i, s := range r.glanced.of(r.scorer, on) {
		r.rated(points[i], s)
	}
	for _, p := range points[len(on):] {
		r.rated(p, r.scorer.evaluate(p.theta, r.cores))
	}
}

func (r *recorder) rated(p waypoint, s score) {
	s.step = p.step
	r.scorer.spread(&s, p.apart)
	r.scores = append(r.scores, s)
	if last := p.step == r.scorer.Spec.Algorithm.Steps; !last || !r.keeps {
		r.progress(s)
	}
	if err := trouble(r.scorer.Holdings); r.failure == nil && err != nil {
		r.failure = err
		r.stop()
	}
	if r.failure == nil && p.step == 0 && r.scorer.Spec.External() && math.IsNaN(s.trainLoss) {
		r.failure = fault.New("the program says no loss of the model that it begins with: nothing would show whether it learns",
			"have it score: hearsay.trainer.serve(..., score=f), where f(parameters, xs, ys) returns {\"loss\": mean}")
		r.stop()
	}
	if r.failure == nil && (math.IsNaN(s.trainLoss) || math.IsInf(s.trainLoss, 0)) {
		r.failure = fault.New(fmt.Sprintf("the model diverged: the training loss is %g after %d steps", s.trainLoss, p.step),
			"use a smaller step size, or a projection radius")
		r.stop()
	}
}

// model returns the model that the trial ends with: the average if there is one, else last.
func (r *recorder) model(last []float64) []float64 {
	if r.average == nil {
		return last
	}
	return r.average
}
