package path

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/privacy"
)

// An Estimate is of the mean loss of all pairs, from those whose laws were
// computed, where these are a sample: on a graph without symmetry. Each
// computed loss is a bound; their weighted mean is an estimate.
type Estimate struct {
	*Laws
	weight []float64 // by class, of sum 1
}

// Estimate weighs the classes of a sample of pairs: stratum is that of each
// class, size the number of ordered pairs in each stratum.
func (p *Laws) Estimate(stratum []int, size []int) *Estimate {
	drawn, total := make([]int, len(size)), 0
	for _, s := range stratum {
		drawn[s]++
	}
	for s, n := range size {
		if drawn[s] > 0 {
			total += n
		}
	}
	laws := *p
	e := &Estimate{Laws: &laws, weight: make([]float64, len(stratum))}
	for k, s := range stratum {
		e.weight[k] = float64(size[s]) / float64(drawn[s]) / float64(total)
	}
	e.Assumptions = append(append([]string{}, p.Assumptions...),
		fmt.Sprintf("the mean is estimated from %d pairs, drawn at every distance", len(stratum)))
	return e
}

// Mean estimates the mean loss over all ordered pairs.
func (e *Estimate) Mean(l *Losses) float64 {
	mean := 0.0
	for k, w := range e.weight {
		mean += w * l.class(k)
	}
	return mean
}

// CalibrateMean finds the smallest sigma whose estimated mean loss is at most
// target.
func (e *Estimate) CalibrateMean(target float64, m privacy.Metric) (*Losses, privacy.Calibration, error) {
	return e.calibrate(target, m, e.Mean)
}
