package sparse

import "slices"

// A Layout is a square matrix whose rows, and with them the entries of its
// vectors, stand in memory in another order than that of their names, one in
// which those that are multiplied together are near each other. Each sum is
// taken in the order of names all the same: results are the matrix's own, bit
// for bit, at other places.
type Layout struct {
	placed Matrix  // columns are places, and ascend by name only
	places []int32 // of every name
}

// NewLayout finds places for m: breadth first along its entries, then, within
// stretches of so many rows, by the length of rows. The first brings neighbours
// together: of any connected graph all of a tree. The second keeps a loop over
// entries as long as the one before, which processors guess right (the sorting
// of SELL-C-sigma, Kreutzer et al. 2014).
func NewLayout(m *Matrix) *Layout {
	names := m.breadthFirst()
	for rest := names; len(rest) > 0; rest = rest[min(stretch, len(rest)):] {
		slices.SortStableFunc(rest[:min(stretch, len(rest))], func(i, j int32) int { return m.entries(i) - m.entries(j) })
	}
	l := &Layout{places: make([]int32, m.N)}
	for place, i := range names {
		l.places[i] = int32(place)
	}
	l.placed = Matrix{
		N: m.N, Offsets: make([]int, m.N+1), Columns: make([]int32, 0, len(m.Columns)), Values: make([]float64, 0, len(m.Values)),
	}
	for place, i := range names {
		columns, values := m.Row(int(i))
		for _, j := range columns {
			l.placed.Columns = append(l.placed.Columns, l.places[j])
		}
		l.placed.Values = append(l.placed.Values, values...)
		l.placed.Offsets[place+1] = len(l.placed.Columns)
	}
	return l
}

// stretch is how many rows are sorted by length: few enough that what they
// multiply fits into a cache.
const stretch = 1024

// BetterLayout is NewLayout of m where its products then wait for memory clearly
// less than as m is, else nil.
func BetterLayout(m *Matrix) *Layout {
	now := m.waits()
	if now < float64(m.N)/4 {
		return nil
	}
	if l := NewLayout(m); l.placed.waits() < 0.9*now {
		return l
	}
	return nil
}

// Place is where i stands.
func (l *Layout) Place(i int) int { return int(l.places[i]) }

// ByName sets dst to the block x of cols vectors with entries where their names
// say.
func (l *Layout) ByName(dst, x []float64, cols int) {
	for i, place := range l.places {
		copy(dst[i*cols:(i+1)*cols], x[int(place)*cols:])
	}
}

// ThreeTermRows is Matrix.ThreeTermRows for places lo..hi-1 of dst: entries of
// both blocks stand at their places.
func (l *Layout) ThreeTermRows(dst, x []float64, cols, lo, hi int, a, b, c float64) {
	l.placed.ThreeTermRows(dst, x, cols, lo, hi, a, b, c)
}

// breadthFirst are all rows: those that entries of a row lead to, unless they
// are there already, after those of earlier rows.
func (m *Matrix) breadthFirst() []int32 {
	order, seen := make([]int32, 0, m.N), make([]bool, m.N)
	for root := range m.N {
		if seen[root] {
			continue
		}
		seen[root] = true
		order = append(order, int32(root))
		for at := len(order) - 1; at < len(order); at++ {
			columns, _ := m.Row(int(order[at]))
			for _, j := range columns {
				if !seen[j] {
					seen[j] = true
					order = append(order, j)
				}
			}
		}
	}
	return order
}

// waits counts what a product of m waits for: entries that lead neither to where
// one of the last rows led nor next to it, so that they are in no cache and no
// processor fetches them unasked; and, half as long, rows of another length than
// the row before.
func (m *Matrix) waits() float64 {
	const recent = 4096          // rows
	last := make([]int32, m.N+2) // 1 + the last row that led there, shifted by one
	count := 0.0
	for i := range int32(m.N) {
		if i > 0 && m.entries(i) != m.entries(i-1) {
			count += 0.5
		}
		columns, _ := m.Row(int(i))
		for _, j := range columns {
			if near := max(last[j], last[j+1], last[j+2]); near == 0 || i+1-near > recent {
				count++
			}
			last[j+1] = i + 1
		}
	}
	return count
}

// entries is the number of entries of row i.
func (m *Matrix) entries(i int32) int { return m.Offsets[i+1] - m.Offsets[i] }
