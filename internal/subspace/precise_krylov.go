package subspace

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// As of a Krylov in 16 digits, powers of a symmetric matrix are made orthogonal to the two blocks before them, and to all
// where what rounding leaves has grown so far.
const (
	preciselyTolerated = 1e-40
	preciselyForeseen  = 1e-43 // two steps are made orthogonal to all
	preciseNeedsAll    = 1e-15 // below this length old directions may be what is left
)

// PreciseKrylov is span{ m^t e_w : w in starts, t < len(profile) } with the
// unit vectors of extra added, m given by its entries in the order of Values and symmetric in the weighted inner product.
// The profile tells how many directions each power adds, and last how many the
// extra vectors do.
func PreciseKrylov(m *sparse.Matrix, entries []exact.Fixed, weights []float64, starts, extra []int, profile exact.Profile) *PreciseSpan {
	s := NewPreciseSpan(weights)
	s.watched = newPreciseWatch(len(weights))
	block := units(m.N, weights, starts)
	previous, last, due := 0, 0, 0
	for t, count := range profile.Powers {
		if t > 0 {
			block = times(m, entries, block)
		}
		near := previous
		if due > 0 {
			due--
			near = 0
		}
		previous, last = last, s.Rank()
		s.insert(block, count, near)
		if s.watched.most() > preciselyForeseen {
			due = 2
		}
		block = block[:0]
		for _, q := range s.basis[last:] {
			block = append(block, q.entries)
		}
	}
	s.watched = nil
	s.InsertUnits(extra, profile.Extra)
	return s
}

// A preciseWatch measures how long the projections of new directions on the basis are, as a watch does.
type preciseWatch struct {
	mixed [4][]exact.Fixed // the basis times random numbers
	rng   *rand.Rand
	crest
}

func newPreciseWatch(n int) *preciseWatch {
	w := &preciseWatch{rng: rand.New(rand.NewPCG(uint64(n), 3))}
	for k := range w.mixed {
		w.mixed[k] = make([]exact.Fixed, n)
	}
	return w
}

// add is told of a new direction.
func (w *preciseWatch) add(q []exact.Fixed) {
	for _, mixed := range w.mixed {
		exact.AxpyFixed(mixed, exact.FixedOf(math.Sqrt(3)*(float64(2*float64(w.rng.Float64()))-1)), q)
	}
}

// loss is about the length of the projection on the basis of a direction, its entries times the weights.
func (w *preciseWatch) loss(weighted []exact.Fixed) float64 {
	sum := 0.0
	for _, mixed := range w.mixed {
		h := exact.DotFixed(mixed, weighted).Float64()
		sum += float64(h * h)
	}
	loss := math.Sqrt(sum / float64(len(w.mixed)))
	w.note(loss)
	return loss
}

// times returns m times each vector.
func times(m *sparse.Matrix, entries []exact.Fixed, block [][]exact.Fixed) [][]exact.Fixed {
	var products [][]exact.Fixed
	for _, x := range block {
		product := make([]exact.Fixed, m.N)
		for i := range product {
			for k := m.Offsets[i]; k < m.Offsets[i+1]; k++ {
				product[i] = product[i].Add(entries[k].Mul(x[m.Columns[k]]))
			}
		}
		products = append(products, product)
	}
	return products
}
