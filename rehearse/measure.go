package rehearse

import (
	"slices"
	"strconv"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Measure is the number by which models are compared.
type Measure struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`   // "" for a share of rows
	Rising bool   `json:"rising"` // larger is better
	Share  bool   `json:"share"`  // a share of rows, from 0 to 1
	Counts bool   `json:"counts"` // error of a sum, a mean or a histogram, which pooled data give exactly
	// Classes is the number of classes. If it is positive the measure is balanced accuracy, which is 1/Classes for any
	// constant prediction. It is 0 for all other measures.
	Classes int `json:"classes,omitempty"`
	// Blind says that the measure of a constant prediction is not known. The answer is then never yes.
	Blind bool `json:"blind,omitempty"`
}

// counts reports whether a model estimates statistics and predicts nothing.
func counts(model string) bool { return model == "mean" || model == "histogram" }

// measureOf returns the measure of a spec's model.
func measureOf(p *experiment.Priced) Measure {
	_, estimates := p.Algorithm.(family.Estimator)
	predictor, predicts := p.Objective.Model.(model.Predictor)
	if p.Spec.External() {
		return measureOutside(p)
	}
	switch name := p.Objective.Model.Name(); {
	case name == "histogram":
		return Measure{Name: "error of the histogram", Unit: "nodes, a class", Counts: true}
	case counts(name) && estimates:
		return Measure{Name: "error of the sum", Unit: "of scaled values, a coordinate", Counts: true}
	case counts(name):
		return Measure{Name: "error of the mean", Unit: "of scaled values, a coordinate", Counts: true}
	case predicts && predictor.Classes() > 0:
		return Measure{Name: report.BalancedAccuracy, Rising: true, Share: true, Classes: predictor.Classes()}
	case p.Guarantees.Classifies():
		return Measure{Name: "accuracy", Rising: true, Share: true}
	case predicts && p.Federation.Label != nil && p.Federation.Target != "":
		return Measure{Name: "error (RMSE)", Unit: "of " + p.Federation.Target}
	}
	return Measure{Name: "error (RMSE)", Unit: "of the label"}
}

// measureOutside returns the measure of an external program. It asks the program to score its initial model.
func measureOutside(p *experiment.Priced) Measure {
	tested := p.Test
	if tested.Len() == 0 {
		tested = p.Train
	}
	c, told := p.Objective.Classified(p.Algorithm.Local().Begin(), tested)
	switch classifies := p.Guarantees.Classifies(); {
	case classifies && told && !math.IsNaN(c.Balanced()):
		return Measure{Name: report.BalancedAccuracy, Rising: true, Share: true, Classes: len(c.Confusion)}
	case classifies:
		return Measure{Name: "accuracy", Rising: true, Share: true, Blind: true}
	}
	return Measure{Name: "loss", Blind: true}
}

// A scorer scores models for participants.
type scorer struct {
	Measure
	run   *experiment.Priced
	tests []model.Examples
	truth []float64 // mean over participants of their means, if nothing else gives the truth
	unit  float64   // size of one unit of the model's label in the unit of the table
}

// newScorer returns the scorer of one round.
func newScorer(m Measure, r *round) *scorer {
	s := &scorer{Measure: m, run: r.run, tests: slices.Clone(r.test), unit: 1}
	for v, test := range r.test {
		switch {
		case test.Len() > 0 && (m.Classes == 0 || occur(test, m.Classes) || !occur(r.run.Test, m.Classes)) || m.Counts:
		case r.run.Test.Len() > 0: // of all participants: it holds out no rows itself, or none of some class
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

// occur reports whether every class has a row.
func occur(ex model.Examples, classes int) bool {
	seen := make([]bool, classes)
	for _, y := range ex.Y {
		seen[model.ClassOf(y, classes)] = true
	}
	return !slices.Contains(seen, false)
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

// of returns the measure of a model for participant v.
func (s *scorer) of(v int, theta []float64) float64 {
	if s.Counts {
		return s.off(theta)
	}
	test := s.tests[v]
	if s.Classes > 0 {
		c, _ := s.run.Objective.Classified(theta, test)
		return c.Balanced()
	}
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

// nothing returns the measure of a constant prediction for participant v: any class, or the mean label of all training
// rows. It is NaN if the model predicts nothing or the measure is not known.
func (s *scorer) nothing(v int) float64 {
	switch _, predicts := s.run.Objective.Model.(model.Predictor); {
	case s.Classes > 0:
		return 1 / float64(s.Classes)
	case s.Counts || s.Share || !predicts:
		return math.NaN()
	}
	mean, square := 0.0, 0.0
	for _, y := range s.run.Train.Y {
		mean += y / float64(s.run.Train.Len())
	}
	for _, y := range s.tests[v].Y {
		square += float64((y - mean) * (y - mean))
	}
	return s.unit * math.Sqrt(square/float64(s.tests[v].Len()))
}

// A Told holds further scores of a classifier on its test rows.
type Told struct {
	Accuracy report.Number `json:"accuracy"`
	AUC      report.Number `json:"auc"`   // for two classes
	Found    report.Number `json:"found"` // rows of the rarest class that are classified correctly
}

// told returns these scores of a classifier for participant v.
func (s *scorer) told(v int, theta []float64) Told { return s.rare(v, theta).Joined }

// rare returns the scores of a joined classifier on the rarest class in the test rows of participant v.
func (s *scorer) rare(v int, theta []float64) Rare {
	c, told := s.run.Objective.Classified(theta, s.tests[v])
	if !told {
		return Rare{}
	}
	right, all, rarest, rows, most := 0, 0, 0, 0, 0
	for class, row := range c.Confusion {
		n := 0
		for _, k := range row {
			n += k
		}
		if class == 0 || n <= rows {
			rarest, rows = class, n
		}
		right, all, most = right+row[class], all+n, max(most, n)
	}
	r := Rare{Rows: report.Number(rows), Majority: share(most, all)}
	r.Class = strconv.Itoa(rarest)
	if names := s.run.Federation.Classes; rarest < len(names) {
		r.Class = names[rarest]
	}
	r.Joined = Told{share(right, all), report.Number(c.AUC), report.Number(c.Confusion[rarest][rarest])}
	return r
}

func share(part, all int) report.Number { return report.Number(float64(part) / float64(all)) }

// off returns the error of an estimate.
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
