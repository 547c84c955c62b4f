package secret

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/noise/discrete"
	"github.com/hearsay-dp/hearsay/step"
)

// Noise is the noise of real releases: exact discrete Gaussian draws from
// secret words. Only NewNoise makes one; the zero Noise panics when used. Not
// safe for concurrent use.
type Noise struct {
	words   *words
	sampler *discrete.Sampler
}

// NewNoise returns noise nobody can predict.
func NewNoise() *Noise { return newNoise(newWords()) }

func newNoise(w *words) *Noise { return &Noise{words: w, sampler: discrete.NewSampler(w)} }

// Add implements noise.Source on the grid of package discrete: account for it
// with discrete.EffectiveMultiplier and discrete.ExtraDelta. Whose release it is,
// of which turn and lane, makes no difference: every call draws anew, so no two
// values ever have the same noise, not even in two processes that go on from one copy
// of memory: each call mixes in fresh bytes of the operating system. That a value of a turn
// and lane is not drawn a second time is the ledger's to hold.
func (n *Noise) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	n.words.renew()
	n.sampler.Add(dst, std, node, t, lane)
}

// Simulated is false.
func (*Noise) Simulated() bool { return false }

var _ noise.Source = (*Noise)(nil)

// A Router draws what a node decides by chance and keeps to itself, such as
// where its token goes next. Only NewRouter makes one; the zero Router panics
// when used. Not safe for concurrent use.
type Router struct {
	words *words
	rand  *rand.Rand
}

// NewRouter returns a router nobody can predict.
func NewRouter() *Router { return newRouter(newWords()) }

func newRouter(w *words) *Router { return &Router{words: w, rand: rand.New(w)} }

// Rand returns the generator of one decision, such as where a token goes or which rows are
// in a batch. Every call mixes in fresh bytes of the operating system: ask again for the
// next decision.
func (r *Router) Rand() *rand.Rand {
	r.words.renew()
	return r.rand
}
