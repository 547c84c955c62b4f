// Package secret implements the randomness of a real node. It draws the noise of releases and the routes of tokens
// from the operating system through a stream cipher.
//
// Nothing here takes a seed. The exported constructors take no arguments, and a daemon asks for *Noise and *Router
// by type. So the simulator's keyed streams cannot get into a node's releases.
package secret

import (
	crand "crypto/rand"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/noise/discrete"
)

// words is a ChaCha8 stream with a seed from the operating system. The cipher overwrites its own key as it goes,
// so that a stolen memory image does not reveal words that were already used.
//
// Callers must call renew before every value. A process can be copied with its memory and go on twice (a
// checkpoint of a container, a snapshot of a virtual machine). Without renew it would draw the same words twice,
// and two values under the same noise reveal their difference.
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

// renew mixes fresh bytes into the cipher's output to form a new seed. So a seed is never weaker than the one
// before. It wipes its own copy.
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
