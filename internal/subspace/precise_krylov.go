package subspace

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// These are the thresholds of partial reorthogonalisation in 72 digits. As in a Krylov, new blocks are made orthogonal to the
// two before them, and to the whole basis once rounding has grown so far.
const (
	preciselyTolerated = 1e-40
	preciselyForeseen  = 1e-43 // above this two steps are made orthogonal to all
	preciseNeedsAll    = 1e-15 // below this length the rest may lie along old directions
)

// PreciseKrylov returns span{ m^t e_w : w in starts, t < len(profile.Powers) } with the unit vectors of extra added. m is given by its
// entries in the order of Values, and must be symmetric in the weighted inner product. The profile gives the number of
// directions that each power adds, and that the extra vectors add.
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

// A preciseWatch measures the lengths of the projections of new directions on the basis, as a watch does.
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

// add includes a new direction in the basis.
func (w *preciseWatch) add(q []exact.Fixed) {
	for _, mixed := range w.mixed {
		exact.AxpyFixed(mixed, exact.FixedOf(math.Sqrt(3)*(float64(2*float64(w.rng.Float64()))-1)), q)
	}
}

// loss returns the approximate length of the projection on the basis of a direction, given as its entries times the weights.
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
