package exact

import (
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
)

// An Echelon is a set of independent rows over a Field in echelon form: exact
// elimination, for ranks and reconstructions that rounding cannot decide.
type Echelon struct {
	field  Field
	n      int
	rows   [][]uint64 // row k is 0 before column pivots[k], 1 there
	pivots []int
	at     []int // at[column] is the row with its pivot there, -1 if none
}

// NewEchelon returns an empty set of rows of length n.
func NewEchelon(n int, field Field) *Echelon {
	e := &Echelon{field: field, n: n, at: make([]int, n)}
	for k := range e.at {
		e.at[k] = -1
	}
	return e
}

// Len returns the length of rows.
func (e *Echelon) Len() int { return e.n }

// Field returns the field of the entries.
func (e *Echelon) Field() Field { return e.field }

// Rows returns the rows in the order in which they were added, borrowed.
func (e *Echelon) Rows() [][]uint64 { return e.rows }

// Rank returns the number of independent rows.
func (e *Echelon) Rank() int { return len(e.rows) }

// Insert adds a row, which it copies, and reports whether it is independent of
// those before.
func (e *Echelon) Insert(row []uint64) bool {
	if len(row) != e.n {
		panic("exact: a row of the wrong length")
	}
	if len(e.rows) == e.n {
		return false
	}
	x := slices.Clone(row)
	for column := range x {
		if x[column] == 0 {
			continue
		}
		if k := e.at[column]; k >= 0 {
			e.eliminate(x, column, e.rows[k])
			continue
		}
		e.add(x, column)
		return true
	}
	return false
}

// eliminate subtracts a multiple of row, whose entry in the column is 1, so that x becomes 0 there.
func (e *Echelon) eliminate(x []uint64, column int, row []uint64) {
	f, factor := e.field, e.field.Neg(x[column])
	tail := row[column:]
	for k, v := range x[column:] {
		if tail[k] != 0 {
			x[column+k] = f.Add(v, f.Mul(factor, tail[k]))
		}
	}
}

// add scales x to 1 in its pivot and keeps it.
func (e *Echelon) add(x []uint64, column int) {
	inverse := e.field.Inverse(x[column])
	for k := column; k < len(x); k++ {
		x[k] = e.field.Mul(x[k], inverse)
	}
	e.at[column] = len(e.rows)
	e.rows, e.pivots = append(e.rows, x), append(e.pivots, column)
}

// Units lists in ascending order the columns whose unit vector lies in the
// span of the rows. It brings the rows to reduced form.
func (e *Echelon) Units() []int {
	units := []int{}
	for column := e.n - 1; column >= 0; column-- {
		k := e.at[column]
		if k < 0 {
			continue
		}
		row, single := e.rows[k], true
		for later := column + 1; later < e.n; later++ {
			if row[later] == 0 {
				continue
			}
			if other := e.at[later]; other >= 0 {
				e.eliminate(row, later, e.rows[other])
			} else {
				single = false
			}
		}
		if single {
			units = append(units, column)
		}
	}
	slices.Reverse(units)
	return units
}

// A Profile holds by how much each power, and the extra vectors at the end, raise the rank of a Krylov space.
type Profile struct {
	Powers []int // from the zeroth; cut after the last that raises the rank
	Extra  int
}

// Rank returns the sum.
func (p Profile) Rank() int {
	sum := p.Extra
	for _, count := range p.Powers {
		sum += count
	}
	return sum
}

// Krylov returns the space span{ m^t e_w : w in starts, t < steps } over
// a field, m given by its Residues, with the unit vectors of extra added.
func Krylov(m *sparse.Matrix, residues []uint64, f Field, starts []int, steps int, extra []int) (*Echelon, Profile) {
	e := NewEchelon(m.N, f)
	var chains [][]uint64
	for _, w := range starts {
		chains = append(chains, unitResidue(m.N, w))
	}
	next := make([]uint64, m.N)
	var profile Profile
	for t := 0; t < steps && len(chains) > 0; t++ {
		// A power in the span makes all later ones lie in it too.
		chains = slices.DeleteFunc(chains, func(x []uint64) bool { return !e.Insert(x) })
		for _, x := range chains {
			TimesResidues(next, m, x, residues, f)
			copy(x, next)
		}
		if len(chains) > 0 {
			profile.Powers = append(profile.Powers, len(chains))
		}
	}
	profile.Extra = e.InsertUnits(extra)
	return e, profile
}

// InsertUnits adds the unit vectors of the given indices and returns the growth of the rank.
func (e *Echelon) InsertUnits(indices []int) int {
	before := e.Rank()
	for _, i := range indices {
		e.Insert(unitResidue(e.n, i))
	}
	return e.Rank() - before
}

func unitResidue(n, at int) []uint64 {
	x := make([]uint64, n)
	x[at] = 1
	return x
}

// TimesResidues sets dst = m x over a field, m given by its Residues. The two
// do not overlap.
func TimesResidues(dst []uint64, m *sparse.Matrix, x, residues []uint64, f Field) {
	for i := range dst {
		sum := uint64(0)
		for k := m.Offsets[i]; k < m.Offsets[i+1]; k++ {
			sum = f.Add(sum, f.Mul(residues[k], x[m.Columns[k]]))
		}
		dst[i] = sum
	}
}

// Row returns the row whose first entry that is not 0 stands in the column,
// borrowed, or nil if there is none. That entry is 1; after Units the row is 0
// in the columns where other rows begin.
func (e *Echelon) Row(column int) []uint64 {
	if k := e.at[column]; k >= 0 {
		return e.rows[k]
	}
	return nil
}
