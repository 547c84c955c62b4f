package prox

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A problem holds a node's rows and the state of the search.
type problem struct {
	ex    model.Examples
	model model.Margined
	tail  bool    // an intercept follows the features
	c     float64 // weight over the number of rows

	norm, limit []float64 // of every row with the intercept's 1; of its slope
	z, turn     []float64 // margins, and their change along a direction
	slope, bent []float64 // of the clipped losses at z, and how fast it changes there
}

// take begins with another node's rows.
func (q *problem) take(s *Solver, ex model.Examples, weight float64) {
	n := ex.Len()
	q.ex, q.model, q.tail, q.c = ex, s.model, s.params > ex.Features, weight/float64(n)
	for _, list := range []*[]float64{&q.norm, &q.limit, &q.z, &q.turn, &q.slope, &q.bent} {
		if cap(*list) < n {
			*list = make([]float64, n)
		}
		*list = (*list)[:n]
	}
	for i := range n {
		x, y := ex.Row(i)
		if ex.Norms != nil {
			q.norm[i] = ex.Norms[i]
		} else {
			q.norm[i] = model.RowNorm(x, q.tail)
		}
		if !(q.norm[i] <= longestRow) || math.IsNaN(y) || math.IsInf(y, 0) {
			q.norm[i] = 0
		}
		if q.limit[i] = 0; q.norm[i] > 0 {
			q.limit[i] = s.clip / q.norm[i]
		}
	}
}

// dot returns the product of row i, with the intercept's 1, and v.
func (q *problem) dot(i int, v []float64) float64 {
	x, _ := q.ex.Row(i)
	sum := sparse.Dot(x, v)
	if q.tail {
		sum += v[len(x)]
	}
	return sum
}

// add adds a times row i to dst.
func (q *problem) add(dst []float64, a float64, i int) {
	if a == 0 || q.norm[i] == 0 {
		return
	}
	x, _ := q.ex.Row(i)
	sparse.Axpy(dst, a, x)
	if q.tail {
		dst[len(x)] += a
	}
}

// margins sets z to the margins at p.
func (q *problem) margins(p []float64) {
	for i := range q.z {
		if q.z[i] = 0; q.norm[i] > 0 {
			q.z[i] = q.dot(i, p)
		}
	}
}

// bend sets slopes and how they change.
func (q *problem) bend() {
	for i, z := range q.z {
		q.slope[i], q.bent[i] = q.bendOf(i, z)
	}
}

// bendOf returns the clipped slope of row i at margin z, and the slope's derivative. Both are 0 if the row or the slope is no number.
func (q *problem) bendOf(i int, z float64) (slope, bend float64) {
	if q.norm[i] == 0 {
		return 0, 0
	}
	_, y := q.ex.Row(i)
	slope, bend = q.model.Bend(z, y)
	switch limit := q.limit[i]; {
	case slope > limit:
		return limit, 0
	case slope < -limit:
		return -limit, 0
	case slope != slope:
		return 0, 0
	}
	return slope, bend
}

// along sets how margins change along a direction.
func (q *problem) along(to []float64) {
	for i := range q.turn {
		if q.turn[i] = 0; q.norm[i] > 0 {
			q.turn[i] = q.dot(i, to)
		}
	}
}

// slopeAlong returns the slope of the sum of losses after t times that direction.
func (q *problem) slopeAlong(t float64) (sum float64) {
	for i, turn := range q.turn {
		if turn != 0 {
			slope, _ := q.bendOf(i, q.z[i]+float64(t*turn))
			sum += float64(slope * turn)
		}
	}
	return sum
}

// move goes t times along to.
func (q *problem) move(p, to []float64, t float64) {
	sparse.Axpy(p, t, to)
	q.margins(p)
}

// unit is the relative error of sums of a few products, and a little more.
const unit = 0x1p-50

// rounding returns the norm below which a residual cannot be expected to fall. Numbers of 53 bits are
// off, and so are margins, which slopes follow.
func (q *problem) rounding(w, p []float64) float64 {
	length := sparse.Norm(p)
	off := sparse.Norm(w) + length
	for i, norm := range q.norm {
		off += float64(float64(q.c*norm) * (math.Abs(q.slope[i]) + float64(float64(q.bent[i]*norm)*length)))
	}
	return float64(unit * off)
}
