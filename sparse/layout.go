package sparse

import "slices"

// A Layout is a square matrix whose rows, and so the entries of its vectors, are stored in an order in which
// rows that are multiplied together are near each other. A name is an index of the original matrix, a place an
// index in memory. Sums are still taken in the order of names, so that results have the same bits as the
// matrix's own.
type Layout struct {
	placed Matrix  // columns are places, and ascend by name only
	places []int32 // by name
}

// NewLayout computes places for m: breadth first along its entries, then, within stretches of rows, by the
// length of rows. The first step brings neighbours together: in any connected graph all those of a tree. The
// second keeps a loop over entries as long as the one before, which branch predictors handle well (the sorting
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

// stretch is the number of rows that are sorted by length together: few enough that the entries they multiply
// fit into a cache.
const stretch = 1024

// BetterLayout returns NewLayout of m if its products wait for memory clearly less than those of m, else nil.
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

// Place returns the place of name i.
func (l *Layout) Place(i int) int { return int(l.places[i]) }

// ByName sets dst to the block x of cols vectors, with entries in the order of names.
func (l *Layout) ByName(dst, x []float64, cols int) {
	for i, place := range l.places {
		copy(dst[i*cols:(i+1)*cols], x[int(place)*cols:])
	}
}

// ThreeTermRows does as Matrix.ThreeTermRows for places lo..hi-1 of dst. Both blocks must be in the order of
// places.
func (l *Layout) ThreeTermRows(dst, x []float64, cols, lo, hi int, a, b, c float64) {
	l.placed.ThreeTermRows(dst, x, cols, lo, hi, a, b, c)
}

// breadthFirst returns all rows in breadth-first order: the rows that entries of a row lead to, unless they are
// already listed, come after those of earlier rows.
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

// waits estimates how often a product of m waits for memory. It counts entries that lead neither to a place
// where one of the last rows led nor next to it, so that it is in no cache and not prefetched. It counts half
// for each row whose length differs from that of the row before.
func (m *Matrix) waits() float64 {
	const recent = 4096          // rows
	last := make([]int32, m.N+2) // 1 + the last row that led there, shifted by one; 0: none
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

// entries returns the number of entries of row i.
func (m *Matrix) entries(i int32) int { return m.Offsets[i+1] - m.Offsets[i] }
