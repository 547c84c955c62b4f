package prox

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Factor holds the part of one node's least-squares proximal operators that does not depend on the
// point. With slopes z - y of margins z, none of them clipped, the proximal point p of w
// solves (I + c X'X) p = w + c X'y. With fewer rows than parameters the rows are solved
// for, (I + c X X') s = X w - y, p = w - c X's. A Factor does not change once made.
type Factor struct {
	byRows bool
	lower  []float64 // Cholesky's, of order rows or parameters
	pull   []float64 // c X'y; nil by rows
}

// mostFactor is the largest order of a factor, because beyond it 2 MB a node cost more than
// the factor saves.
const mostFactor = 512

// Factor prepares Solve for examples and a weight that will be asked for again. It is
// nil where there is nothing to prepare: losses other than least squares, one row, too
// many rows and parameters.
func (s *Solver) Factor(ex model.Examples, weight float64) *Factor {
	order := min(ex.Len(), s.params)
	if _, squares := s.model.(model.Ridge); !squares || ex.Len() < 2 || order > mostFactor {
		return nil
	}
	q := &s.rows
	q.take(s, ex, weight)
	if ex.Len() <= s.params {
		return s.factorRows(order)
	}
	return s.factorParams(order)
}

func (s *Solver) factorRows(n int) *Factor {
	q, f := &s.rows, &Factor{byRows: true, lower: make([]float64, n*n)}
	for i := range n {
		clear(s.full)
		q.add(s.full, q.c, i)
		for j := range i + 1 {
			if q.norm[i] > 0 && q.norm[j] > 0 {
				f.lower[i*n+j] = q.dot(j, s.full)
			}
		}
		f.lower[i*n+i]++
	}
	cholesky(f.lower, n)
	return f
}

func (s *Solver) factorParams(d int) *Factor {
	q, f := &s.rows, &Factor{pull: make([]float64, d)}
	s.active = s.active[:0]
	for i := range q.norm {
		if q.norm[i] > 0 {
			_, y := q.ex.Row(i)
			q.bent[i] = 1
			s.active = append(s.active, i)
			q.add(f.pull, float64(q.c*y), i)
		}
	}
	s.normal()
	f.lower = append(f.lower, s.system...)
	cholesky(f.lower, d)
	return f
}

// lead moves the solver's point from w to the proximal point; where numbers leave their
// range, it stays.
func (f *Factor) lead(s *Solver, w []float64) {
	if f.move(s); !(sparse.Norm(s.p) <= math.MaxFloat64) {
		copy(s.p, w)
	}
}

func (f *Factor) move(s *Solver) {
	q := &s.rows
	if !f.byRows {
		for j, x := range f.pull {
			s.p[j] += x
		}
		substitute(f.lower, s.p, s.params)
		return
	}
	q.margins(s.p)
	for i := range q.slope {
		if q.slope[i] = 0; q.norm[i] > 0 {
			_, y := q.ex.Row(i)
			q.slope[i] = q.z[i] - y
		}
	}
	substitute(f.lower, q.slope, len(q.slope))
	for i, slope := range q.slope {
		q.add(s.p, -float64(q.c*slope), i)
	}
}
