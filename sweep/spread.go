package sweep

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/report"
)

// A Spread measures how much a number varies, with a confidence interval of its mean. All fields are NaN if there is
// one sample only.
type Spread struct {
	Std  report.Number `json:"std"` // sample standard deviation
	Low  report.Number `json:"low"` // lower end of Student's confidence interval of the mean, at spread.Confidence
	High report.Number `json:"high"`
}

// Spreads holds the spreads of a row's numbers.
type Spreads struct {
	Score     Spread `json:"score"`
	TrainLoss Spread `json:"train_loss"`
	TestLoss  Spread `json:"test_loss"`
	Mean      Spread `json:"mean"`
	Max       Spread `json:"max"`
}

// noSpread is the spread of a single number.
var noSpread = Spread{report.Number(math.NaN()), report.Number(math.NaN()), report.Number(math.NaN())}

// over returns the mean and the spread of some numbers.
func over(numbers []float64) (report.Number, Spread) {
	mean, deviation := spread.Moments(numbers)
	if len(numbers) < 2 {
		return report.Number(mean), noSpread
	}
	reach := spread.Reach(deviation, len(numbers))
	return report.Number(mean), Spread{report.Number(deviation), report.Number(mean - reach), report.Number(mean + reach)}
}

// within returns s with its interval cut to the possible values.
func (s Spread) within(low, high float64) Spread {
	s.Low, s.High = max(s.Low, report.Number(low)), min(s.High, report.Number(high))
	return s
}

// confine cuts the intervals of accuracies to 0..1, and those of privacy losses to values above 0.
func (r *Row) confine() {
	if r.Classifies {
		r.Spread.Score = r.Spread.Score.within(0, 1)
	}
	r.Spread.Mean, r.Spread.Max = r.Spread.Mean.within(0, math.Inf(1)), r.Spread.Max.within(0, math.Inf(1))
}

// spread sets the spreads of the scores of trials. The privacy losses do not vary over trials.
func (r *Row) spread(trials []report.Trial) {
	var score, train, test []float64
	for _, t := range trials {
		x := float64(t.Final.TestLoss)
		if r.Classifies && t.Final.TestAccuracy != nil {
			x = *t.Final.TestAccuracy
		}
		score, train, test = append(score, x), append(train, float64(t.Final.TrainLoss)), append(test, float64(t.Final.TestLoss))
	}
	r.Spread = Spreads{Mean: noSpread, Max: noSpread}
	_, r.Spread.Score = over(score)
	_, r.Spread.TrainLoss = over(train)
	_, r.Spread.TestLoss = over(test)
	r.Std = r.Spread.Score.Std
	r.confine()
}
