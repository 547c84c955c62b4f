package membership

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Linear statistic is a weighted sum of the view, with a weight for each place.
type Linear struct {
	weights    []float64
	Iterations int // conjugate gradients behind the weights; 0: no weights separate the worlds
}

// mostIterations limits the search for weights.
const mostIterations = 40

// FitLinear returns the weighted sum whose means in the two worlds are farthest apart in standard deviations. Its
// weights are S^-1 (difference of the means), S the covariance of the places: linear discriminants (Fisher 1936).
// Conjugate gradients solve for them, and FitLinear keeps the iterate that separates the runs held apart best, because
// covariances of many places estimated from few runs mislead. Each run is a row of the same length. If runs of the two
// worlds share their noise, the difference of the means is exact.
func FitLinear(fit, held [2][][]float64) Linear {
	centred, difference := standardise(fit)
	places := len(difference.by)
	l := Linear{weights: make([]float64, places)}
	w, r := make([]float64, places), append([]float64{}, difference.of...)
	p, product := append([]float64{}, r...), make([]float64, places)
	best, rr := 0.0, sparse.Dot(r, r)
	for k := 1; k <= min(mostIterations, places) && rr > 1e-20*sparse.Dot(difference.of, difference.of); k++ {
		covariance(product, centred, p)
		curvature := sparse.Dot(p, product)
		if !(curvature > 0) {
			break
		}
		sparse.Axpy(w, rr/curvature, p)
		sparse.Axpy(r, -rr/curvature, product)
		next := sparse.Dot(r, r)
		for j := range p {
			p[j] = r[j] + float64(next/rr*p[j])
		}
		rr = next
		scaled := make([]float64, places)
		for j := range scaled {
			scaled[j] = w[j] / difference.by[j]
		}
		tried := Linear{weights: scaled, Iterations: k}
		if d := separation(tried.all(held)); d > best {
			best, l = d, tried
		}
	}
	return l
}

// Score returns the statistic of a view.
func (l Linear) Score(x []float64) float64 { return sparse.Dot(l.weights, x) }

func (l Linear) all(runs [2][][]float64) (scores [2][]float64) {
	for w := range runs {
		for _, x := range runs[w] {
			scores[w] = append(scores[w], l.Score(x))
		}
	}
	return scores
}

// A gap holds the difference of two worlds' means at every place, in standard deviations, and these.
type gap struct{ of, by []float64 }

// standardise subtracts the means and divides by the standard deviations.
func standardise(fit [2][][]float64) (centred [][]float64, g gap) {
	places := len(fit[0][0])
	var mean [2][]float64
	for w := range fit {
		mean[w] = make([]float64, places)
		for _, x := range fit[w] {
			sparse.Axpy(mean[w], 1/float64(len(fit[w])), x)
		}
		for _, x := range fit[w] {
			row := append([]float64{}, x...)
			sparse.Axpy(row, -1, mean[w])
			centred = append(centred, row)
		}
	}
	g.of, g.by = make([]float64, places), make([]float64, places)
	for j := range places {
		apart := mean[0][j] - mean[1][j]
		for _, row := range centred {
			g.by[j] += row[j] * row[j] / float64(len(centred))
		}
		g.by[j] = math.Sqrt(g.by[j])
		if least := float64(leastStd * (math.Abs(apart) + math.Abs(mean[0][j]))); g.by[j] <= least { // only round-off, no noise
			g.by[j] = max(least, math.SmallestNonzeroFloat64)
			if math.Abs(apart) <= 2*least {
				apart = 0
			}
		}
		g.of[j] = apart / g.by[j]
		for _, row := range centred {
			row[j] /= g.by[j]
		}
	}
	return centred, g
}

// leastStd is the least standard deviation, relative to the means. Anything smaller is rounding and no noise.
const leastStd = 1e-9

// covariance sets dst to the covariance of the rows times x.
func covariance(dst []float64, rows [][]float64, x []float64) {
	clear(dst)
	for _, row := range rows {
		sparse.Axpy(dst, sparse.Dot(row, x)/float64(len(rows)), row)
	}
}
