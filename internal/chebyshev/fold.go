package chebyshev

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Folded is a symmetric stochastic matrix M restricted to vectors that are constant on classes of twins. Twins are indices
// with equal rows, such as the leaves of one hub; large social graphs are full of them. M maps such vectors to such vectors. In
// the basis of unit vectors of classes M is therefore a smaller symmetric matrix, and f(M) is f of that. An index that is alone
// keeps its own unit vector.
//
// Classes are in order of falling length of their rows, and for equal lengths in breadth-first order from the longest. Products
// then find most of their factors close by in memory.
type Folded struct {
	Matrix *sparse.Matrix
	roots  []float64 // root of the number of indices of each class
	of     []int32   // the class of each index
}

// Fold folds a matrix, with one index alone.
func Fold(m *sparse.Matrix, alone int) *Folded {
	first, of := twins(m, alone)
	order := nearby(m, first, of)
	place := make([]int32, len(first))
	for k, class := range order {
		place[class] = int32(k)
	}
	f := &Folded{roots: make([]float64, len(first)), of: of}
	for i, class := range of {
		of[i] = place[class]
		f.roots[of[i]]++
	}
	for k, size := range f.roots {
		f.roots[k] = math.Sqrt(size)
	}
	f.fold(m, first, order)
	return f
}

// Of returns the class of an index.
func (f *Folded) Of(i int) int { return int(f.of[i]) }

// Unfold sets dst to the vector with coordinates classes in the basis of unit vectors of classes.
func (f *Folded) Unfold(dst, classes []float64) {
	for i, class := range f.of {
		dst[i] = classes[class] / f.roots[class]
	}
}

// twins returns the first index of every class, ascending, and the class of each index.
func twins(m *sparse.Matrix, alone int) (first []int, of []int32) {
	of = make([]int32, m.N)
	known := make(map[uint64]int32, m.N)
	for i := range of {
		class, found := int32(0), false
		key := rowHash(m, i)
		if i != alone {
			class, found = known[key]
		}
		if !found || !sameRow(m, first[class], i) {
			class = int32(len(first))
			first = append(first, i)
			if i != alone {
				known[key] = class
			}
		}
		of[i] = class
	}
	return first, of
}

// rowHash returns a hash that is equal for twins.
func rowHash(m *sparse.Matrix, i int) uint64 {
	columns, values := m.Row(i)
	hash := uint64(len(columns))
	for k, j := range columns {
		column := uint64(j) + 1
		if int(j) == i {
			column = 0
		}
		mixed := (column*0x9e3779b97f4a7c15 ^ math.Float64bits(values[k])) * 0xbf58476d1ce4e5b9
		hash += mixed ^ mixed>>31 // independent of the order
	}
	return hash
}

// sameRow reports whether two rows are equal without their diagonal entries, and these are equal too.
func sameRow(m *sparse.Matrix, a, b int) bool {
	if m.At(a, a) != m.At(b, b) {
		return false
	}
	ca, va := m.Row(a)
	cb, vb := m.Row(b)
	i, j := 0, 0
	for {
		for i < len(ca) && int(ca[i]) == a {
			i++
		}
		for j < len(cb) && int(cb[j]) == b {
			j++
		}
		if i == len(ca) || j == len(cb) {
			return i == len(ca) && j == len(cb)
		}
		if ca[i] != cb[j] || va[i] != vb[j] {
			return false
		}
		i, j = i+1, j+1
	}
}

// nearby orders classes by falling length of the rows of their first indices, and for equal lengths breadth first.
func nearby(m *sparse.Matrix, first []int, of []int32) []int32 {
	length := func(class int32) int { return m.Offsets[first[class]+1] - m.Offsets[first[class]] }
	longest := make([]int32, len(first))
	for k := range longest {
		longest[k] = int32(k)
	}
	slices.SortStableFunc(longest, func(a, b int32) int { return cmp.Compare(length(b), length(a)) })
	seen, order := make([]bool, len(first)), make([]int32, 0, len(first))
	for _, root := range longest {
		if seen[root] {
			continue
		}
		seen[root] = true
		order = append(order, root)
		for next := len(order) - 1; next < len(order); next++ {
			columns, _ := m.Row(first[order[next]])
			for _, j := range columns {
				if class := of[j]; !seen[class] {
					seen[class] = true
					order = append(order, class)
				}
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(length(b), length(a)) })
	return order
}

// fold sums rows of first indices over classes, in the basis of unit vectors.
func (f *Folded) fold(m *sparse.Matrix, first []int, order []int32) {
	f.Matrix = &sparse.Matrix{N: len(order), Offsets: make([]int, 1, len(order)+1)}
	sums := make([]float64, len(order))
	for i, class := range order {
		start := len(f.Matrix.Columns)
		columns, values := m.Row(first[class])
		for k, j := range columns {
			to := f.of[j]
			if sums[to] == 0 && values[k] != 0 {
				f.Matrix.Columns = append(f.Matrix.Columns, to)
			}
			sums[to] += values[k]
		}
		row := f.Matrix.Columns[start:]
		slices.Sort(row)
		for _, to := range row {
			f.Matrix.Values = append(f.Matrix.Values, sums[to]*(f.roots[i]/f.roots[to]))
			sums[to] = 0
		}
		f.Matrix.Offsets = append(f.Matrix.Offsets, len(f.Matrix.Columns))
	}
}

// GapFunction returns the package's GapFunction of M on the classes, for single columns.
func (f *Folded) GapFunction(value func(gap float64) float64, workers int) (*Function, bool) {
	length := 0.0
	for _, root := range f.roots {
		length += float64(root * root)
	}
	constant := make([]float64, len(f.roots))
	for k, root := range f.roots {
		constant[k] = root / math.Sqrt(length)
	}
	known := &eigenpairs{m: f.Matrix, gaps: []float64{0}, vectors: [][]float64{constant}, workers: workers}
	return known.function(value, 1)
}

// rowsAtOnce is the number of rows of a product with one vector that a goroutine takes at a time.
const rowsAtOnce = 1 << 13

// threeTerm computes m.ThreeTerm on workers goroutines.
func threeTerm(m *sparse.Matrix, dst, x []float64, cols, workers int, r recurrence) {
	if workers < 2 || m.N <= rowsAtOnce {
		m.ThreeTerm(dst, x, cols, r.a, r.b, r.c)
		return
	}
	parallel.Each((m.N+rowsAtOnce-1)/rowsAtOnce, workers, func(k int) {
		m.ThreeTermRows(dst, x, cols, k*rowsAtOnce, min(m.N, (k+1)*rowsAtOnce), r.a, r.b, r.c)
	})
}
