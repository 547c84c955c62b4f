package walkpath

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
)

// Moments are kept by blocks of observers, under a key that does not depend on the noise. Another sigma, delta
// or target for the same walk finds them.

// A momentKeeper stores the moments of a walk. With a nil keeper nothing is stored.
type momentKeeper struct {
	moments *Moments
	keeper  privacy.Keeper
	walk    privacy.Key
}

// keeper returns the momentKeeper of a purpose, which enters the key.
func (m *Moments) keeper(purpose string) momentKeeper {
	if !m.Walk.Watch.remembers() {
		return momentKeeper{}
	}
	return momentKeeper{m, m.Walk.Watch.Keeper, m.Walk.key(purpose)}
}

func (k momentKeeper) key(block int) privacy.Key {
	return sha256.Sum256(binary.LittleEndian.AppendUint64(k.walk[:], uint64(block)))
}

// open recalls the blocks that are kept and lists the others.
func (k momentKeeper) open(blocks []int) (list []int) {
	for _, b := range blocks {
		if k.keeper == nil || !k.recall(b) {
			list = append(list, b)
		}
	}
	return list
}

// every lists the blocks 0 to blocks-1.
func every(blocks int) (list []int) {
	for b := range blocks {
		list = append(list, b)
	}
	return list
}

// keep stores a block.
func (k momentKeeper) keep(block int) {
	if k.keeper != nil {
		k.keeper.Keep(k.key(block), k.moments.text(block))
	}
}

// recall reads a stored block, and reports whether it was stored and is valid.
func (k momentKeeper) recall(block int) bool {
	return k.moments.read(block, k.keeper.Recall(k.key(block)))
}

// observers returns the observers of a block, from first up to but not including before.
func (m *Moments) observers(block int) (first, before int) {
	return block * allpairs.Lanes, min((block+1)*allpairs.Lanes, m.Walk.Nodes)
}

// text encodes a block of moments as it is stored and sent.
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

// read decodes a block from a text, and reports whether the text is valid.
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
				if text = text[4:]; to[i] != to[i] { // NaN
					return false
				}
			}
		}
	}
	return true
}
