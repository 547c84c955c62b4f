package discrete

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// A Sampler adds discrete Gaussian noise drawn from Words. Its noise is as secret as the words. It cannot tell
// whether its noise protects anybody, and is therefore not a noise.Source by itself. Package secret of the
// daemon makes it one, with words that do not come from a seed. Not safe for concurrent use.
type Sampler struct {
	words Words
	std   float64 // the std of grid and law, 0 before the first use
	grid  Grid
	law   law
}

// NewSampler returns a Sampler on words.
func NewSampler(words Words) *Sampler { return &Sampler{words: words} }

// Add rounds dst to the grid for std and adds independent noise to each coordinate, of standard deviation std
// or larger by less than one part in 2^28. A vector that holds a NaN or an infinity counts as zero, which lies
// in every ball of a clip. A token to which noise is added must be finite for its sensitivity to hold. With std
// 0 it does nothing.
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

// Draw sets dst to independent noise on the grid for std > 0, of standard deviation std or larger by less than
// one part in 2^28. Added to values on a finer grid it leaves them on that grid.
func (s *Sampler) Draw(dst []float64, std float64) {
	s.use(std)
	for i := range dst {
		dst[i] = s.grid.value(s.law.draw(s.words))
	}
}

// use sets grid and law to those of std.
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
