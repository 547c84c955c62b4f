package walkpath

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// An Estimate estimates the mean loss of all pairs from a sample of pairs, on a graph without symmetry.
// Each computed loss is a bound; their weighted mean is an estimate.
type Estimate struct {
	*Laws
	weight []float64 // by class, of sum 1
	spread float64   // sum over strata of weight^2/drawn, of those not drawn in full
}

// Estimate weighs the classes of a sample of pairs. stratum[k] is the stratum of class k, size[s] the
// number of ordered pairs in stratum s.
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
	for s, n := range size {
		if drawn[s] > 0 && drawn[s] < n {
			share := float64(n) / float64(total)
			e.spread += share * share / float64(drawn[s])
		}
	}
	e.Assumptions = append(append([]string{}, p.Assumptions...),
		fmt.Sprintf("the mean is estimated from %d pairs, drawn at every distance", len(stratum)))
	return e
}

// Mean estimates the mean loss over all ordered pairs.
func (e *Estimate) Mean(l *Losses) float64 {
	mean := 0.0
	for k, w := range e.weight {
		mean += float64(w * l.class(k))
	}
	return mean
}

// IntervalConfidence is the confidence of Interval.
const IntervalConfidence = 0.95

// Interval returns an interval that contains the mean over all ordered pairs with probability at least
// IntervalConfidence over samples. It uses Hoeffding's inequality for losses between 0 and the local loss,
// in strata that are drawn without replacement.
func (e *Estimate) Interval(l *Losses) (low, high float64) {
	mean, local := e.Mean(l), 0.0
	for _, of := range l.ranks {
		local = max(local, of.rest)
	}
	width := float64(local * math.Sqrt(e.spread*math.Log(2/(1-IntervalConfidence))/2))
	return max(0, mean-width), min(local, mean+width)
}
