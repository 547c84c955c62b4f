package subspace

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Factor is a matrix in a product of changing matrices. Where most of its rows
// are those of the identity, as when one edge wakes, only the others cost
// anything.
type Factor struct {
	M        *sparse.Matrix
	Rows     []int32       // of M, ascending: all that are not the identity's
	Residues []uint64      // of M's entries, for an exact.Echelon
	Entries  []exact.Fixed // of M, for a PreciseSpan
	bound    float64       // of M's norm, at least 1
}

// NewFactor returns the factor of m. It finds the rows that differ from those of the identity.
func NewFactor(m *sparse.Matrix) Factor {
	f := Factor{M: m, bound: max(1, m.NormBound())}
	for i := range m.N {
		columns, values := m.Row(i)
		if len(columns) != 1 || columns[0] != int32(i) || values[0] != 1 {
			f.Rows = append(f.Rows, int32(i))
		}
	}
	return f
}

// Rescale divides the matrix by a number from 1 to 2. Products are scaled accordingly and have other roundings.
func (f *Factor) Rescale(by float64) { f.bound *= by }

// times sets x = x'M for the vectors of a panel, divided by the bound.
func (f *Factor) times(panel, room []float64) {
	for r, i := range f.Rows {
		row := panel[int(i)*tile.Width : (int(i)+1)*tile.Width]
		copy(room[r*tile.Width:], row)
		clear(row)
	}
	for r, i := range f.Rows {
		columns, values := f.M.Row(int(i))
		for k, j := range columns {
			sparse.Axpy(panel[int(j)*tile.Width:(int(j)+1)*tile.Width], values[k], room[r*tile.Width:(r+1)*tile.Width])
		}
	}
	if f.bound > 1 {
		for k := range panel {
			panel[k] /= f.bound
		}
	}
}

// Pullback returns the span of x'M_1 M_2 ... for all x in s, and of the unit
// vectors of the given indices. It is one step of the recursion by which a view
// of products of changing matrices is built from the last matrix to the first,
// always on an orthonormal basis. The result takes over the memory of s, which must not be used any more.
func (s *Span) Pullback(factors []Factor, indices []int) *Span {
	next := NewSpan(s.n)
	next.margin, next.room, next.spare = s.margin, s.room, s.spare
	next.InsertUnits(indices)
	next.room.fit(s.n)
	for p, panel := range s.panels {
		if next.Full() {
			break
		}
		copy(next.room.candidates, panel)
		for k := range factors {
			factors[k].times(next.room.candidates, next.room.source)
		}
		next.accept(min(tile.Width, s.rank-p*tile.Width), 0, 0)
	}
	next.spare = append(next.spare, s.panels...)
	return next
}

// A Stretch holds some factors of a product, and the unit vectors that are added after them.
type Stretch struct {
	Factors []Factor
	Heard   []int // indices
}

// PullbackExactly computes Pullback in exact arithmetic, by the Residues of the factors, through consecutive stretches.
func PullbackExactly(e *exact.Echelon, stretches ...Stretch) *exact.Echelon {
	n, field := e.Len(), e.Field()
	next := exact.NewEchelon(n, field)
	product, room := make([]uint64, n), make([]uint64, n)
	insert := func(x []uint64, through []Stretch) {
		copy(product, x)
		for _, s := range through {
			for k := range s.Factors {
				s.Factors[k].TimesExactly(product, room, field)
			}
		}
		next.Insert(product)
	}
	unit := make([]uint64, n)
	for k := len(stretches) - 1; k >= 0; k-- {
		for _, i := range stretches[k].Heard {
			unit[i] = 1
			insert(unit, stretches[k+1:])
			unit[i] = 0
		}
	}
	for _, row := range e.Rows() {
		insert(row, stretches)
	}
	return next
}

// TimesExactly sets x = x'M over a field, by the Residues. room is as long as x.
func (f *Factor) TimesExactly(x, room []uint64, field exact.Field) {
	for r, i := range f.Rows {
		room[r], x[i] = x[i], 0
	}
	for r, i := range f.Rows {
		for k := f.M.Offsets[i]; room[r] != 0 && k < f.M.Offsets[i+1]; k++ {
			j := f.M.Columns[k]
			x[j] = field.Add(x[j], field.Mul(room[r], f.Residues[k]))
		}
	}
}

// Pullback computes the same in 72 digits, by the Entries of the factors. rank is the known rank of the result.
func (s *PreciseSpan) Pullback(rank int, stretches ...Stretch) *PreciseSpan {
	next := NewPreciseSpan(s.weights)
	next.faintest = s.faintest
	var candidates [][]exact.Fixed
	for _, x := range s.basis {
		candidates = append(candidates, slices.Clone(x.entries))
	}
	room := make([]exact.Fixed, len(s.weights))
	for _, stretch := range stretches {
		for _, x := range candidates {
			for k := range stretch.Factors {
				stretch.Factors[k].timesPrecisely(x, room)
			}
		}
		candidates = append(candidates, units(len(s.weights), s.weights, stretch.Heard)...)
	}
	next.Insert(candidates, rank)
	return next
}

func (f *Factor) timesPrecisely(x, room []exact.Fixed) {
	if f.bound > 1 {
		for i := range x {
			x[i] = x[i].Mul(exact.FixedOf(1 / f.bound))
		}
	}
	for r, i := range f.Rows {
		room[r], x[i] = x[i], exact.Fixed{}
	}
	for r, i := range f.Rows {
		for k := f.M.Offsets[i]; k < f.M.Offsets[i+1]; k++ {
			j := f.M.Columns[k]
			x[j] = x[j].Add(room[r].Mul(f.Entries[k]))
		}
	}
}
