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

// words is ChaCha8 under a seed from the operating system. The cipher overwrites its own key
// as it goes, so that a stolen memory image does not give back the words already used.
//
// Whoever draws calls renew before every value: a process whose memory was copied and that
// goes on twice (a checkpoint of a container, a snapshot of a virtual machine) would otherwise
// draw the same words twice, and two values under one noise show their difference bare.
type words struct {
	cipher *rand.ChaCha8
	fill   func(seed []byte) // fills it with secret random bytes
}

func newWords() *words {
	return &words{fill: func(seed []byte) {
		crand.Read(seed) // never fails: it ends the program instead
	}}
}

// Uint64 returns the next word. It panics before the first renew.
func (w *words) Uint64() uint64 { return w.cipher.Uint64() }

// renew mixes fresh bytes into what the cipher yields, so that a seed is
// never worse than the one before, and wipes its own copy.
func (w *words) renew() {
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
}

var _ discrete.Words = (*words)(nil)
