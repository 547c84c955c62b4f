package gradientinversion

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// With a loss of the margin a run adds only multiples of examples. So every message lies in their span, and the run is the same in
// any orthonormal coordinates of it. A table may have thousands of columns, but the messages of a few nodes have few directions. An
// attack whose work grows with the cube of the width uses as many coordinates as the messages have directions. The constant keeps a
// coordinate of its own.

// A narrow is an orthonormal basis of the messages, one row a direction, without the constant.
type narrow struct {
	features int // columns of the table
	basis    [][]float64
	constant bool
}

const (
	// newDirection is the part of a message from which on it counts as a new direction, because less is rounding. From firmDirection
	// on rounding cannot be mistaken for one.
	newDirection, firmDirection = 1e-14, 1e-12
	// narrowing is the least ratio of columns to directions, and narrowingWork the largest number of multiplications to find the
	// directions.
	narrowing, narrowingWork = 2, 1e10
)

// narrowed returns the attack and the messages in the coordinates of the messages' span. It returns nil if that saves nothing, or if
// nodes add other vectors than multiples of examples.
func (a *Attack) narrowed(seen *Seen) (*Attack, *Seen, *narrow) {
	i, p := a.Inversion, a.knowledge.protocol
	w := &narrow{features: i.Features, constant: seen.Dim == i.Features+1}
	_, margin := i.Model.(model.Linear)
	zero := func(x []float64) bool { return !slices.ContainsFunc(x, func(v float64) bool { return v != 0 }) }
	if !margin || a.Refinements == 0 || !w.constant && seen.Dim != i.Features || !p.Objective.Regulariser.None() || !zero(i.Theta) || !zero(p.Initial) {
		return nil, nil, nil
	}
	if !w.find(seen) {
		return nil, nil, nil
	}
	b, s := *a, &Seen{Dim: len(w.basis), Heard: w.down(seen.Heard, seen.Dim)}
	if w.constant {
		s.Dim++
	}
	for _, own := range seen.Own {
		s.Own = append(s.Own, w.down(own, seen.Dim))
	}
	if firm := s.directions(); firm < a.knowledge.within() {
		return nil, nil, nil // examples of which only a sum is seen would be searched for among its multiples
	}
	b.Inversion.Features, b.Inversion.Theta = len(w.basis), make([]float64, s.Dim)
	return &b, s, w
}

// within returns the number of nodes that affect the messages: attackers, and nodes whose gradients reach them. If each holds one
// example, messages with that many directions span all examples.
func (k *Knowledge) within() (count int) {
	n := k.Len()
	unit := make([]float64, n*n)
	for u := range n {
		unit[u*n+u] = 1
	}
	reached := make([]bool, n)
	for i, x := range k.Matrix(unit, n) {
		reached[i%n] = reached[i%n] || x != 0
	}
	for _, v := range k.attackers {
		reached[v] = true
	}
	for _, r := range reached {
		if r {
			count++
		}
	}
	return count
}

// find computes the directions of the messages. It reports whether there are few enough.
func (w *narrow) find(seen *Seen) bool {
	messages := len(seen.Heard) / seen.Dim
	for _, own := range seen.Own {
		messages += len(own) / seen.Dim
	}
	most := w.features / narrowing
	if most == 0 || 4*float64(messages)*float64(w.features)*float64(min(most, messages)) > narrowingWork {
		return false
	}
	w.basis = seen.span(w.features, most+1, newDirection)
	return len(w.basis) <= most
}

// directions returns the number of directions that the messages have for certain.
func (s *Seen) directions() int { return len(s.span(s.Dim, s.Dim, firmDirection)) }

// span returns the directions of the first numbers coordinates of the messages, one message after the other, by Gram-Schmidt,
// repeated once. It stops at most directions. A rest below least of a message is not new.
func (s *Seen) span(numbers, most int, least float64) (basis [][]float64) {
	rest := make([]float64, numbers)
	for _, all := range append([][]float64{s.Heard}, s.Own...) {
		for ; len(all) > 0 && len(basis) < most; all = all[s.Dim:] {
			copy(rest, all[:numbers])
			size := floats.Norm(rest, 2)
			if size == 0 {
				continue
			}
			scale(rest, 1/size)
			without(rest, basis)
			without(rest, basis)
			left := floats.Norm(rest, 2)
			if left < least {
				continue
			}
			q := slices.Clone(rest)
			scale(q, 1/left)
			without(q, basis) // again, because little was left
			scale(q, 1/floats.Norm(q, 2))
			basis = append(basis, q)
		}
	}
	return basis
}

// without subtracts from x its part along directions.
func without(x []float64, directions [][]float64) {
	for _, q := range directions {
		sparse.Axpy(x, -sparse.Dot(q, x), q)
	}
}

// down returns rows of dim numbers in the coordinates of the basis.
func (w *narrow) down(rows []float64, dim int) (out []float64) {
	for ; len(rows) > 0; rows = rows[dim:] {
		for _, q := range w.basis {
			out = append(out, sparse.Dot(q, rows[:w.features]))
		}
		if w.constant {
			out = append(out, rows[w.features])
		}
	}
	return out
}

// up returns an example, or a gradient, in the columns of the table.
func (w *narrow) up(x []float64) []float64 {
	out := make([]float64, w.features, w.features+1)
	for k, q := range w.basis {
		sparse.Axpy(out, x[k], q)
	}
	return append(out, x[len(w.basis):]...)
}

// widen returns the result in the columns of the table.
func (w *narrow) widen(f *Found, dim int) *Found {
	s := *f.Solution
	s.Dim, s.Gradients = dim, slices.Clone(s.Gradients)
	for u, g := range s.Gradients {
		s.Gradients[u] = w.up(g)
	}
	f.Solution, f.Points = &s, slices.Clone(f.Points)
	for u, p := range f.Points {
		if p != nil {
			wide := *p
			wide.X = w.up(p.X)
			f.Points[u] = &wide
		}
	}
	return f
}
