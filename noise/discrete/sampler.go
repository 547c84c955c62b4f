package discrete

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// A Sampler adds discrete Gaussian noise drawn from Words. It is as secret as
// they are: it does not say whether its noise protects anybody, and therefore
// is no noise.Source by itself. Package secret of the daemon makes it one, on
// words that no seed reaches. Not safe for concurrent use.
type Sampler struct {
	words Words
	std   float64 // what grid and law are for, 0 before the first use
	grid  Grid
	law   law
}

// NewSampler returns a Sampler on words.
func NewSampler(words Words) *Sampler { return &Sampler{words: words} }

// Add rounds dst to the grid for std and adds independent noise of standard
// deviation std or a trifle more to each coordinate. A vector that holds a NaN
// or an infinity counts as zero, which is a point of every ball a clip allows; a
// token to which noise is added must be finite for its sensitivity to hold. With
// std 0 it does nothing.
func (s *Sampler) Add(dst []float64, std float64, _ step.NodeID, _ step.Turn, _ step.Lane) {
	if std == 0 {
		return
	}
	s.use(std)
	if !finite(dst) {
		clear(dst)
	}
	for i, x := range dst {
		dst[i] = s.grid.value(s.grid.round(x) + s.law.draw(s.words))
	}
}

// Draw sets dst to independent noise of standard deviation std > 0 or a trifle more, on
// the grid for std. Added to values on a finer grid it leaves them there.
func (s *Sampler) Draw(dst []float64, std float64) {
	s.use(std)
	for i := range dst {
		dst[i] = s.grid.value(s.law.draw(s.words))
	}
}

// use makes the grid and the law of std current.
func (s *Sampler) use(std float64) {
	if std != s.std {
		s.grid = NewGrid(std)
		s.law = newLaw(s.grid.steps)
		s.std = std
	}
}

func finite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
