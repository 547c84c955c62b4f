package subspace

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// tolerated is the largest length of the projection of a new direction on those before it. Energies are then off by at most
// about that share. Rounding errors grow by a factor of ten or twenty a step. A step is therefore made orthogonal to all earlier
// directions if the loss of the one before exceeded foreseen times that.
const (
	tolerated = 1e-11
	foreseen  = 1. / 32 // of the tolerated loss
)

// A watch measures the lengths of the projections of new directions on the basis without multiplying by the basis. It uses the
// products of the basis with 16 random vectors. In each of them a projection of length l has a standard deviation of l and a
// density of at most 0.41/l (Ball 1986: slices of the cube). The root of their mean square is therefore at least l/10, except
// with probability 10^-13.
type watch struct {
	mixed   []float64 // a panel: the basis times random numbers
	state   uint64
	allowed float64 // loss
	crest
}

// A crest is the largest of some numbers since the last call of most.
type crest struct{ largest float64 }

func (c *crest) note(x float64) { c.largest = max(c.largest, x) }

// most returns the largest number since its last call.
func (c *crest) most() float64 {
	most := c.largest
	c.largest = 0
	return most
}

// watch starts the measurement.
func (s *Span) watch() {
	s.watched = &watch{mixed: make([]float64, s.n*tile.Width), state: 1, allowed: tolerated}
	for _, panel := range s.panels {
		s.watched.add(panel, tile.Width)
	}
}

// add includes new directions, the first count columns of a panel, in the basis. All other columns must be 0.
func (w *watch) add(panel []float64, count int) {
	var random tile.Tile
	for k := range random {
		w.state = w.state*6364136223846793005 + 1442695040888963407
		random[k] = math.Sqrt(3) * (float64(float64(w.state>>11)*0x1p-52) - 1)
	}
	tile.MinusFirst(w.mixed, panel, &random, count, tile.Width)
}

// loss returns the approximate length of the longest projection on the basis of the first count columns of a panel. All other
// columns must be 0.
func (w *watch) loss(panel []float64, count int) float64 {
	var h tile.Tile
	tile.CrossFirst(&h, w.mixed, panel, count)
	longest := 0.0
	for column := range count {
		sum := 0.0
		for k := column; k < len(h); k += tile.Width {
			sum += float64(h[k] * h[k])
		}
		longest = max(longest, math.Sqrt(sum/tile.Width))
	}
	w.note(longest)
	return longest
}
