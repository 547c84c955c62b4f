package report

import "math"

const maxFinite = math.MaxFloat64

// digits remembers the text of losses already written. On regular graphs a
// matrix of millions holds a few dozen values, and writing one costs more than
// finding it here. The zero value is ready.
type digits struct {
	slots [1 << 12]struct {
		eps  float64
		text []byte // with a leading comma; nil: empty slot
	}
}

// of returns the text of eps, borrowed until the next call.
func (d *digits) of(eps float64) []byte {
	slot := &d.slots[math.Float64bits(eps)*0x9e3779b97f4a7c15>>52]
	if slot.text == nil || slot.eps != eps {
		slot.eps, slot.text = eps, appendLoss(slot.text[:0], eps)
	}
	return slot.text
}
