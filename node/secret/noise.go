package secret

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/noise/discrete"
	"github.com/hearsay-dp/hearsay/step"
)

// Noise is the noise of real releases: exact discrete Gaussian draws from secret words. It must be created by
// NewNoise; the zero Noise panics when used. It is not safe for concurrent use.
type Noise struct {
	words   *words
	sampler *discrete.Sampler
}

// NewNoise returns noise that nobody can predict.
func NewNoise() *Noise { return newNoise(newWords()) }

func newNoise(w *words) *Noise { return &Noise{words: w, sampler: discrete.NewSampler(w)} }

// Add implements noise.Source on the grid of package discrete. Account for it with discrete.EffectiveMultiplier
// and discrete.ExtraDelta. node, t and lane have no effect: every call draws anew and mixes in fresh bytes of the
// operating system. So no two values have the same noise, not even in two processes that go on from one copy of
// memory. The ledger must ensure that a value of a turn and lane is not drawn twice.
func (n *Noise) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	n.words.renew()
	n.sampler.Add(dst, std, node, t, lane)
}

// Simulated returns false.
func (*Noise) Simulated() bool { return false }

var _ noise.Source = (*Noise)(nil)

// A Router draws the secret random decisions of a node, such as the next node of its token. It must be created by
// NewRouter; the zero Router panics when used. It is not safe for concurrent use.
type Router struct {
	words *words
	rand  *rand.Rand
}

// NewRouter returns a router that nobody can predict.
func NewRouter() *Router { return newRouter(newWords()) }

func newRouter(w *words) *Router { return &Router{words: w, rand: rand.New(w)} }

// Rand returns the generator for one decision, such as the next node of a token or the rows of a batch. Every call
// mixes in fresh bytes of the operating system, so call Rand again for the next decision.
func (r *Router) Rand() *rand.Rand {
	r.words.renew()
	return r.rand
}
