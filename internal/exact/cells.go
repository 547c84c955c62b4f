package exact

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Cells is an equitable partition of the indices of a matrix: the rows of a cell have equal sums over each cell. The matrix maps
// a vector constant on cells to another such vector. Twins in a graph share a cell.
type Cells struct {
	Of    []int32 // the cell of each index
	First []int   // an index of each cell
	Size  []int
}

// mixing is the odd constant that spreads cell numbers over 64 bits.
const mixing = 0x9e3779b97f4a7c15

// mostRefinements is the number of refinements after which Equitable gives up. A partition that takes longer to settle, as on a
// long path, tends to end with every index alone.
const mostRefinements = 100

// Equitable returns the coarsest equitable partition of a symmetric matrix in which the given indices are alone. It refines
// colours, and returns the discrete partition if that does not settle soon. m is given by its residues in f, so that sums do
// not depend on their order. No entry off the diagonal is below 0.
func Equitable(m *sparse.Matrix, residues []uint64, f Field, alone []int) *Cells {
	colours, sums := make([]int32, m.N), make([]uint64, m.N)
	waves(colours, sums, m, residues, f, alone)
	c := collect(colours, sums)
	for range mostRefinements {
		if len(c.Size) == m.N {
			return c
		}
		colourSums(sums, m, residues, f, c.Of)
		finer := collect(c.Of, sums)
		if len(finer.Size) == len(c.Size) {
			return c
		}
		c = finer
	}
	return Discrete(m.N)
}

// waves computes the first colours, which are then refined. distance is 1 plus the number of nonzero entries on a shortest path
// from alone, or 0 if there is none. sums is a sum over entries that lead back. Both are constant on a cell, by induction on
// the distance, and together they distinguish most cells.
func waves(distance []int32, sums []uint64, m *sparse.Matrix, residues []uint64, f Field, alone []int) {
	reached := make([]int32, 0, m.N)
	for k, i := range alone {
		distance[i], sums[i] = 1, uint64(k)
		reached = append(reached, int32(i))
	}
	for at := 0; at < len(reached); at++ {
		i := reached[at]
		sum := uint64(0)
		for k := m.Offsets[i]; k < m.Offsets[i+1]; k++ {
			j := m.Columns[k]
			switch {
			case residues[k] == 0:
			case distance[j] == 0:
				distance[j] = distance[i] + 1
				reached = append(reached, j)
			case distance[j] < distance[i]:
				sum = f.Add(sum, f.Mul(residues[k], f.spread(sums[j])))
			}
		}
		if distance[i] > 1 {
			sums[i] = sum
		}
	}
}

// spread maps numbers to unrelated others.
func (f Field) spread(x uint64) uint64 {
	x = (x + 1) * mixing
	return f.reduce(x ^ x>>29)
}

// colourSums sets sums[i] to a hash of the sums of row i over cells. Rows with different sums have different hashes, except for
// coincidences of one in 2^60.
func colourSums(sums []uint64, m *sparse.Matrix, residues []uint64, f Field, cells []int32) {
	spread := make([]uint64, m.N)
	for j := range spread {
		spread[j] = f.spread(uint64(cells[j]))
	}
	for i := range sums {
		sum := uint64(0)
		for k := m.Offsets[i]; k < m.Offsets[i+1]; k++ {
			sum = f.Add(sum, f.Mul(residues[k], spread[m.Columns[k]]))
		}
		sums[i] = sum
	}
}

// collect numbers the distinct pairs of a colour and a sum.
func collect(colours []int32, sums []uint64) *Cells {
	type pair struct {
		colour int32
		sum    uint64
	}
	numbers := make(map[pair]int32, len(sums))
	c := &Cells{Of: make([]int32, len(sums))}
	for i, sum := range sums {
		key := pair{colours[i], sum}
		number, known := numbers[key]
		if !known {
			number = int32(len(c.Size))
			numbers[key] = number
			c.First, c.Size = append(c.First, i), append(c.Size, 0)
		}
		c.Of[i] = number
		c.Size[number]++
	}
	return c
}

// Discrete returns the partition in which every index is alone.
func Discrete(n int) *Cells {
	c := &Cells{Of: make([]int32, n), First: make([]int, n), Size: make([]int, n)}
	for i := range n {
		c.Of[i], c.First[i], c.Size[i] = int32(i), i, 1
	}
	return c
}

// A Quotient is a matrix restricted to vectors that are constant on cells. The columns of its rows are in no particular order:
// At does not apply.
type Quotient struct {
	Matrix *sparse.Matrix // (i, j) is the sum over cell j of a row of cell i
	cells  *Cells
	from   []int // per entry of the rows First: its place in Matrix.Values
}

// NewQuotient folds the columns of one row a cell.
func NewQuotient(m *sparse.Matrix, c *Cells) *Quotient {
	most := 0
	for _, row := range c.First {
		most += m.Offsets[row+1] - m.Offsets[row]
	}
	q := &Quotient{
		Matrix: &sparse.Matrix{N: len(c.Size), Offsets: make([]int, 1, len(c.Size)+1), Columns: make([]int32, 0, most)},
		cells:  c, from: make([]int, 0, most),
	}
	place := make([]int, len(c.Size))
	for k := range place {
		place[k] = -1
	}
	for _, row := range c.First {
		start := len(q.Matrix.Columns)
		columns, _ := m.Row(row)
		for _, j := range columns {
			if cell := c.Of[j]; place[cell] < start {
				place[cell] = len(q.Matrix.Columns)
				q.Matrix.Columns = append(q.Matrix.Columns, cell)
			}
			q.from = append(q.from, place[c.Of[j]])
		}
		q.Matrix.Offsets = append(q.Matrix.Offsets, len(q.Matrix.Columns))
	}
	q.Matrix.Values = fold(q, m, m.Values, func(a, b float64) float64 { return a + b })
	return q
}

// Residues folds the Residues of the matrix.
func (q *Quotient) Residues(m *sparse.Matrix, residues []uint64, f Field) []uint64 {
	return fold(q, m, residues, f.Add)
}

// Fixed folds the entries of the matrix in 72 digits.
func (q *Quotient) Fixed(m *sparse.Matrix, entries []Fixed) []Fixed {
	return fold(q, m, entries, Fixed.Add)
}

// fold adds up the entries that share an entry of the quotient.
func fold[T any](q *Quotient, m *sparse.Matrix, entries []T, add func(a, b T) T) []T {
	folded := make([]T, len(q.Matrix.Columns))
	k := 0
	for _, row := range q.cells.First {
		for at := m.Offsets[row]; at < m.Offsets[row+1]; at++ {
			folded[q.from[k]] = add(folded[q.from[k]], entries[at])
			k++
		}
	}
	return folded
}

// Check reports whether the partition is equitable: every row of the matrix must fold to the row of its cell.
func (q *Quotient) Check(m *sparse.Matrix, residues []uint64, f Field) bool {
	folded := q.Residues(m, residues, f)
	sums := make([]uint64, q.Matrix.N) // 0 between rows
	for i := range m.N {
		if !q.sameRow(sums, i, m, residues, folded, f) {
			return false
		}
	}
	return true
}

func (q *Quotient) sameRow(sums []uint64, i int, m *sparse.Matrix, residues, folded []uint64, f Field) bool {
	cells, columns := q.cells.Of, m.Columns[m.Offsets[i]:m.Offsets[i+1]]
	for k, j := range columns {
		sums[cells[j]] = f.Add(sums[cells[j]], residues[m.Offsets[i]+k])
	}
	same, nonzero := true, 0
	for at := q.Matrix.Offsets[cells[i]]; at < q.Matrix.Offsets[cells[i]+1]; at++ {
		same = same && sums[q.Matrix.Columns[at]] == folded[at]
		if folded[at] != 0 {
			nonzero++
		}
	}
	for _, j := range columns {
		if sums[cells[j]] != 0 {
			nonzero--
		}
		sums[cells[j]] = 0
	}
	return same && nonzero == 0
}

// Balanced returns the quotient of a symmetric matrix in the basis of unit vectors of the cells. It is symmetric again.
func (q *Quotient) Balanced() *sparse.Matrix {
	b := *q.Matrix
	b.Values = make([]float64, len(q.Matrix.Values))
	for i := range b.N {
		for at := b.Offsets[i]; at < b.Offsets[i+1]; at++ {
			ratio := float64(q.cells.Size[i]) / float64(q.cells.Size[b.Columns[at]])
			b.Values[at] = q.Matrix.Values[at] * math.Sqrt(ratio)
		}
	}
	return &b
}
