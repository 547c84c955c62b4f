package rehearse

import (
	"slices"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Measure is the one number that models are compared by.
type Measure struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`   // "": a share of rows
	Rising bool   `json:"rising"` // more of it is better
	Share  bool   `json:"share"`  // of rows, from 0 to 1
	Counts bool   `json:"counts"` // the error of a sum, a mean or a histogram, which all data together have exactly
}

// counts reports whether a model states what there is, and tells nothing from anything.
func counts(model string) bool { return model == "mean" || model == "histogram" }

// measureOf is that of a spec's model.
func measureOf(p *experiment.Priced) Measure {
	_, estimates := p.Algorithm.(family.Estimator)
	predictor, predicts := p.Objective.Model.(model.Predictor)
	switch name := p.Objective.Model.Name(); {
	case name == "histogram":
		return Measure{Name: "error of the histogram", Unit: "nodes, a class", Counts: true}
	case counts(name) && estimates:
		return Measure{Name: "error of the sum", Unit: "of scaled values, a coordinate", Counts: true}
	case counts(name):
		return Measure{Name: "error of the mean", Unit: "of scaled values, a coordinate", Counts: true}
	case predicts && predictor.Classes() > 0 || p.Guarantees.Classifies():
		return Measure{Name: "accuracy", Rising: true, Share: true}
	case predicts && p.Federation.Label != nil && p.Federation.Target != "":
		return Measure{Name: "error (RMSE)", Unit: "of " + p.Federation.Target}
	}
	return Measure{Name: "error (RMSE)", Unit: "of the label"}
}

// A scorer scores models for participants.
type scorer struct {
	Measure
	run   *experiment.Priced
	tests []model.Examples
	truth []float64 // the mean over participants of their means, where nothing else states the truth
	unit  float64   // of the label, in one of what the model sees
}

// newScorer is of one round.
func newScorer(m Measure, r *round) *scorer {
	s := &scorer{Measure: m, run: r.run, tests: slices.Clone(r.test), unit: 1}
	for v, test := range r.test {
		switch {
		case test.Len() > 0 || m.Counts:
		case r.run.Test.Len() > 0: // of all others: it keeps none itself
			s.tests[v] = r.run.Test
		default:
			s.tests[v] = r.run.Train
		}
	}
	if l := r.run.Federation.Label; l != nil && l.Factor != 0 {
		s.unit = 1 / math.Abs(l.Factor)
	}
	if r.run.Objective.Model.Name() == (model.Mean{}).Name() {
		s.truth = meanOfMeans(r.train)
	}
	return s
}

func meanOfMeans(all []model.Examples) []float64 {
	mean, holders := make([]float64, all[0].Features), 0.0
	for _, ex := range all {
		if ex.Len() > 0 {
			holders++
		}
	}
	for _, ex := range all {
		for i := range ex.Len() {
			x, _ := ex.Row(i)
			sparse.Axpy(mean, 1/(holders*float64(ex.Len())), x)
		}
	}
	return mean
}

// of is the measure of a model for participant v.
func (s *scorer) of(v int, theta []float64) float64 {
	if s.Counts {
		return s.off(theta)
	}
	test := s.tests[v]
	if s.Share {
		_, accuracy := s.run.Objective.Score(theta, test)
		return accuracy
	}
	predictor, ok := s.run.Objective.Model.(model.Predictor)
	if !ok {
		loss, _ := s.run.Objective.Score(theta, test)
		return loss
	}
	return s.unit * model.Residuals(predictor, theta, test).RMSE
}

// off is how far an estimate is from the truth.
func (s *scorer) off(theta []float64) float64 {
	if e, ok := s.run.Algorithm.(family.Estimator); ok {
		if estimate := e.Estimate([][]float64{theta}); estimate != nil {
			return float64(estimate.Error)
		}
	}
	square := 0.0
	for j, x := range s.truth {
		square += float64((theta[j] - x) * (theta[j] - x))
	}
	return math.Sqrt(square / float64(len(s.truth)))
}
