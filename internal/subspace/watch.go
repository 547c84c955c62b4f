package subspace

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// A new direction may have so long a projection on those before it, and energies are then off by about
// that share of them at most. A step is not left as it is where the one before came within foreseen of it:
// what rounding leaves grows by a factor of ten or twenty a step.
const (
	tolerated = 1e-11
	foreseen  = 1. / 32 // of what is tolerated
)

// A watch measures how long the projections of new directions on the basis are, without multiplying by
// the basis: by its products with 16 random vectors. In each of them a projection of length l has a
// standard deviation of l and a density of at most 0.41/l (Ball 1986: slices of the cube). So the root of
// their mean square is l/10 or more, but for a chance below 10^-13.
type watch struct {
	mixed   []float64 // a panel: the basis times random numbers
	state   uint64
	allowed float64 // loss
	crest
}

// A crest is the largest of some numbers since it was last asked for.
type crest struct{ largest float64 }

func (c *crest) note(x float64) { c.largest = max(c.largest, x) }

// most is the largest since it was last asked for.
func (c *crest) most() float64 {
	most := c.largest
	c.largest = 0
	return most
}

// watch begins to measure.
func (s *Span) watch() {
	s.watched = &watch{mixed: make([]float64, s.n*tile.Width), state: 1, allowed: tolerated}
	for _, panel := range s.panels {
		s.watched.add(panel, tile.Width)
	}
}

// add is told of new directions, the first count columns of a panel, the only ones.
func (w *watch) add(panel []float64, count int) {
	var random tile.Tile
	for k := range random {
		w.state = w.state*6364136223846793005 + 1442695040888963407
		random[k] = math.Sqrt(3) * (float64(float64(w.state>>11)*0x1p-52) - 1)
	}
	tile.MinusFirst(w.mixed, panel, &random, count, tile.Width)
}

// loss is about the length of the longest projection on the basis of the first count columns of a
// panel, the only ones.
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
