package gradientinversion

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/step"
)

// A judgement describes a solver that leaves out directions below a singular value.
type judgement struct {
	resolved []bool
	gain     []float64
	spread   []float64 // norm of the weights of the messages in a node's estimate
}

// judge finds the nodes whose gradient alone enters its estimate, and the noise of the estimates. Gains are NaN if
// they would take too long.
func (s *Solver) judge(inverse *mat.Dense) judgement {
	k := s.knowledge
	j := judgement{make([]bool, k.Len()), make([]float64, k.Len()), make([]float64, k.Len())}
	if inverse == nil {
		return j
	}
	n, cols := s.basis.Dims()
	weights := mat.DenseCopyOf(inverse.T())
	response := mat.NewDense(n, cols, nil) // weight of each node's gradient in each combination
	k.trace(weights.RawMatrix().Data, cols, func(_ step.Turn, entries []entry, now []float64) {
		for _, e := range entries {
			if e.contributes {
				floats.AddScaled(response.RawRowView(e.node), -e.rate, now[e.node*cols:(e.node+1)*cols])
			}
		}
	})
	var covariance *mat.SymDense
	if float64(k.protocol.Turns())*float64(n)*float64(cols)*float64(cols) <= mostGain {
		covariance = k.noise(weights.RawMatrix().Data, cols)
	}
	for u := range n {
		j.gain[u], j.spread[u] = math.NaN(), math.NaN()
		if !s.known[u] {
			continue
		}
		q := entriesOf(s.basis.RawRowView(u))
		j.resolved[u] = s.tells(u, q, response)
		if covariance != nil {
			sum := 0.0
			for _, a := range q {
				for _, b := range q {
					sum += float64(a.x * b.x * covariance.At(a.at, b.at))
				}
			}
			j.gain[u] = math.Sqrt(max(0, sum))
		}
		j.spread[u] = floats.Norm(combined(weights, q), 2)
	}
	return j
}

// A nonzero is an entry of a sparse vector. A node that is resolved is often itself a vector of the basis.
type nonzero struct {
	at int
	x  float64
}

func entriesOf(v []float64) (some []nonzero) {
	for i, x := range v {
		if x != 0 {
			some = append(some, nonzero{i, x})
		}
	}
	return some
}

// combined returns a times a sparse vector.
func combined(a *mat.Dense, q []nonzero) []float64 {
	rows, _ := a.Dims()
	sum := make([]float64, rows)
	for i := range sum {
		row := a.RawRowView(i)
		for _, e := range q {
			sum[i] += float64(e.x * row[e.at])
		}
	}
	return sum
}

// apart is the largest error of the weights of gradients in an estimate, which should be 1 for u's own and 0 for
// others.
const apart = 1e-6

func (s *Solver) tells(u int, q []nonzero, response *mat.Dense) bool {
	of := combined(response, q)
	of[u]--
	for v, x := range of {
		if math.Abs(x) > apart && !(s.given != nil && s.given[v]) {
			return false
		}
	}
	return true
}
