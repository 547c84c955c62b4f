// Package subspace represents subspaces of R^n by orthonormal bases: spans of vectors, Krylov spaces of a matrix, and views
// through products of changing matrices, in 16 digits and in 72.
package subspace

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Span is a subspace of R^n with an orthonormal basis. Insert and Grow extend it without changing its basis vectors. Memory
// is n numbers a dimension.
type Span struct {
	n       int
	rank    int
	panels  [][]float64 // basis vector k is column k%16 of panel k/16; the rest is 0
	margin  Margin
	room    workspace
	spare   [][]float64 // panels to use again
	watched *watch      // nil: every new direction is made orthogonal to the whole basis
}

// A Margin says how clear the decisions were that made a Span. Its fields are lengths of the new parts of vectors, relative to
// the vectors offered.
type Margin struct {
	Faintest  float64 // the least that counted as a new direction; 1 if there was none
	Brightest float64 // the largest that counted as rounding; 0 if there was none
}

// NewSpan returns the space {0} in R^n, n >= 0.
func NewSpan(n int) *Span {
	if n < 0 {
		panic("subspace: a span in a space of negative dimension")
	}
	return &Span{n: n, margin: Margin{Faintest: 1}}
}

// Len returns n.
func (s *Span) Len() int { return s.n }

// Rank returns the dimension of the span.
func (s *Span) Rank() int { return s.rank }

// Full reports whether the span is all of R^n.
func (s *Span) Full() bool { return s.rank == s.n }

// Margin returns how clear the decisions about directions were.
func (s *Span) Margin() Margin { return s.margin }

// Energy sets dst[u] = ||P e_u||^2, P the orthogonal projector on the span: in
// [0, 1], and exactly 1 if the span is full. len(dst) is n.
func (s *Span) Energy(dst []float64) {
	if len(dst) != s.n {
		panic("subspace: energies of the wrong length")
	}
	clear(dst)
	for _, panel := range s.panels {
		for u := range dst {
			row := panel[u*tile.Width : (u+1)*tile.Width]
			dst[u] += sparse.Dot(row, row)
		}
	}
	for u, e := range dst {
		dst[u] = min(e, 1)
		if s.Full() {
			dst[u] = 1
		}
	}
}

// Product returns e_u' P e_v, P the orthogonal projector on the span.
func (s *Span) Product(u, v int) float64 {
	if s.Full() {
		if u == v {
			return 1
		}
		return 0
	}
	sum := 0.0
	for _, panel := range s.panels {
		sum += sparse.Dot(panel[u*tile.Width:(u+1)*tile.Width], panel[v*tile.Width:(v+1)*tile.Width])
	}
	return sum
}

// Project sets dst = P x, P the orthogonal projector on the span. Both have
// length n; they may be the same.
func (s *Span) Project(dst, x []float64) {
	if len(dst) != s.n || len(x) != s.n {
		panic("subspace: a vector of the wrong length")
	}
	coefficients := make([]float64, len(s.panels)*tile.Width)
	for p, panel := range s.panels {
		for i, v := range x {
			sparse.Axpy(coefficients[p*tile.Width:(p+1)*tile.Width], v, panel[i*tile.Width:(i+1)*tile.Width])
		}
	}
	clear(dst)
	for p, panel := range s.panels {
		for i := range dst {
			dst[i] += sparse.Dot(coefficients[p*tile.Width:(p+1)*tile.Width], panel[i*tile.Width:(i+1)*tile.Width])
		}
	}
}

// Vector returns a copy of basis vector k.
func (s *Span) Vector(k int) []float64 {
	x := make([]float64, s.n)
	for i := range x {
		x[i] = s.panels[k/tile.Width][i*tile.Width+k%tile.Width]
	}
	return x
}

// columns copies basis vectors first..first+count-1, at most 16, to a panel.
func (s *Span) columns(dst []float64, first, count int) {
	clear(dst)
	for done := 0; done < count; {
		panel, at := (first+done)/tile.Width, (first+done)%tile.Width
		some := min(count-done, tile.Width-at)
		s.copyColumns(dst, done, s.panels[panel], at, some)
		done += some
	}
}

// copyColumns copies count columns that stand side by side from one panel to another.
func (s *Span) copyColumns(dst []float64, to int, src []float64, from, count int) {
	for i := 0; i < s.n*tile.Width; i += tile.Width {
		copy(dst[i+to:i+to+count], src[i+from:i+from+count])
	}
}

// panel returns a panel of zeros.
func (s *Span) panel() []float64 {
	last := len(s.spare) - 1
	if last < 0 {
		return make([]float64, s.n*tile.Width)
	}
	panel := s.spare[last]
	s.spare = s.spare[:last]
	clear(panel)
	return panel
}

// append adds the first count columns of a panel to the basis as they are.
func (s *Span) append(panel []float64, count int) {
	for done := 0; done < count; {
		at := s.rank % tile.Width
		if at == 0 {
			s.panels = append(s.panels, s.panel())
		}
		some := min(count-done, tile.Width-at)
		s.copyColumns(s.panels[s.rank/tile.Width], at, panel, done, some)
		s.rank += some
		done += some
	}
}

// clearFrom removes from the first count columns of a panel of candidates, which must have no others, their parts along the
// basis vectors of panel first and later. This is block modified Gram-Schmidt.
func (s *Span) clearFrom(first int, candidates []float64, count int) {
	tile.Remove(candidates, count, s.panels[first:])
}

// Insert adds vectors to the span, each of length n, and returns the growth of the rank. Vectors may have any norm, 0 included.
// It panics for NaN or Inf.
func (s *Span) Insert(vectors ...[]float64) int {
	before := s.rank
	s.room.fit(s.n)
	for len(vectors) > 0 && !s.Full() {
		count := min(tile.Width, len(vectors))
		s.load(vectors[:count])
		s.accept(count, 0, 0)
		vectors = vectors[count:]
	}
	return s.rank - before
}

// load copies vectors to the panel of candidates, scaled to length 1 where
// they have any.
func (s *Span) load(vectors [][]float64) {
	clear(s.room.candidates)
	for k, x := range vectors {
		if len(x) != s.n {
			panic("subspace: a vector of the wrong length")
		}
		largest := 0.0
		for _, v := range x {
			largest = max(largest, math.Abs(v)) // NaN stays NaN
		}
		if math.IsNaN(largest) || math.IsInf(largest, 0) {
			panic("subspace: a vector that is not finite")
		}
		if largest == 0 {
			continue
		}
		sum := 0.0
		for _, v := range x {
			sum += float64((v / largest) * (v / largest))
		}
		length := math.Sqrt(sum)
		for i, v := range x {
			s.room.candidates[i*tile.Width+k] = v / largest / length
		}
	}
}
