// Package secret is the randomness of a real node: noise for its releases and
// routes for its token, from the operating system through a stream cipher.
//
// Nothing here takes a seed. The exported constructors take no arguments, and
// a daemon asks for *Noise and *Router by type, so the simulator's keyed
// streams cannot reach what a node releases.
package secret

import (
	crand "crypto/rand"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/noise/discrete"
)

// period is how many words a seed serves.
const period = 1 << 20

// words is ChaCha8 under a seed from the operating system, replaced every
// period words. The cipher overwrites its own key as it goes, so that a stolen
// memory image does not give back the words already used; the replacement
// limits how long it gives the words to come.
type words struct {
	cipher *rand.ChaCha8
	left   int
	fill   func(seed []byte) // fills it with secret random bytes
}

func newWords() *words {
	return &words{fill: func(seed []byte) {
		crand.Read(seed) // never fails: it ends the program instead
	}}
}

// Uint64 is the next word.
func (w *words) Uint64() uint64 {
	if w.left == 0 {
		w.reseed()
	}
	w.left--
	return w.cipher.Uint64()
}

// reseed mixes fresh bytes into what the cipher yields, so that a seed is
// never worse than the one before, and wipes its own copy.
func (w *words) reseed() {
	var seed, old [32]byte
	w.fill(seed[:])
	if w.cipher == nil {
		w.cipher = rand.NewChaCha8(seed)
	} else {
		w.cipher.Read(old[:])
		for i := range seed {
			seed[i] ^= old[i]
		}
		w.cipher.Seed(seed)
	}
	clear(seed[:])
	clear(old[:])
	w.left = period
}

var _ discrete.Words = (*words)(nil)
