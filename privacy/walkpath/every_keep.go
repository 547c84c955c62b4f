package walkpath

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
)

// Moments are kept by blocks of observers, under a key that no noise enters: whoever asks
// about the same walk with another sigma, delta or target finds them.

// A momentKeeper keeps the moments of a walk; keeper nil: nobody does.
type momentKeeper struct {
	moments *Moments
	keeper  privacy.Keeper
	walk    privacy.Key
}

// keeper keeps them under a purpose.
func (m *Moments) keeper(purpose string) momentKeeper {
	if !m.Walk.Watch.remembers() {
		return momentKeeper{}
	}
	return momentKeeper{m, m.Walk.Watch.Keeper, m.Walk.key(purpose)}
}

func (k momentKeeper) key(block int) privacy.Key {
	return sha256.Sum256(binary.LittleEndian.AppendUint64(k.walk[:], uint64(block)))
}

// open recalls what is kept and lists those of the blocks that are not.
func (k momentKeeper) open(blocks []int) (list []int) {
	for _, b := range blocks {
		if k.keeper == nil || !k.recall(b) {
			list = append(list, b)
		}
	}
	return list
}

// every lists all of so many blocks.
func every(blocks int) (list []int) {
	for b := range blocks {
		list = append(list, b)
	}
	return list
}

// keep writes a block down.
func (k momentKeeper) keep(block int) {
	if k.keeper != nil {
		k.keeper.Keep(k.key(block), k.moments.text(block))
	}
}

// recall reads a block, and reports whether it was kept and is one.
func (k momentKeeper) recall(block int) bool {
	return k.moments.read(block, k.keeper.Recall(k.key(block)))
}

// observers are those of a block, first to before.
func (m *Moments) observers(block int) (first, before int) {
	return block * allpairs.Lanes, min((block+1)*allpairs.Lanes, m.Walk.Nodes)
}

// text is a block of moments as it is kept and sent.
func (m *Moments) text(block int) (text []byte) {
	first, before := m.observers(block)
	for u := range m.Walk.Nodes {
		for v := first; v < before; v++ {
			for _, l := range m.of(u, v) {
				text = binary.LittleEndian.AppendUint32(text, math.Float32bits(l))
			}
		}
	}
	return text
}

// read takes a block from a text, and reports whether it is one.
func (m *Moments) read(block int, text []byte) bool {
	first, before := m.observers(block)
	if len(text) != 4*m.Walk.Nodes*(before-first)*allpairs.Orders {
		return false
	}
	for u := range m.Walk.Nodes {
		for v := first; v < before; v++ {
			to := m.of(u, v)
			for i := range to {
				to[i] = math.Float32frombits(binary.LittleEndian.Uint32(text))
				if text = text[4:]; to[i] != to[i] { // no number
					return false
				}
			}
		}
	}
	return true
}
