package sweep

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spread"
	"github.com/hearsay-dp/hearsay/report"
)

// A Spread is how far a number varies, and where the mean of ever more runs is likely to be; NaN where nothing varies.
type Spread struct {
	Std  report.Number `json:"std"` // sample standard deviation
	Low  report.Number `json:"low"` // of Student's interval of the mean, at spread.Confidence
	High report.Number `json:"high"`
}

// Spreads are those of a row's numbers.
type Spreads struct {
	Score     Spread `json:"score"`
	TrainLoss Spread `json:"train_loss"`
	TestLoss  Spread `json:"test_loss"`
	Mean      Spread `json:"mean"`
	Max       Spread `json:"max"`
}

// noSpread is that of a number which there is once.
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

// within is the part of the interval that a number can be in.
func (s Spread) within(low, high float64) Spread {
	s.Low, s.High = max(s.Low, report.Number(low)), min(s.High, report.Number(high))
	return s
}

// confine has intervals of shares within 0 and 1, and those of privacy losses above 0.
func (r *Row) confine() {
	if r.Classifies {
		r.Spread.Score = r.Spread.Score.within(0, 1)
	}
	r.Spread.Mean, r.Spread.Max = r.Spread.Mean.within(0, math.Inf(1)), r.Spread.Max.within(0, math.Inf(1))
}

// spread is how far the scores of trials vary. Their losses are one number.
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
