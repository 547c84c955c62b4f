package report

import (
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
)

const maxFinite = math.MaxFloat64

// lossDigits is how many significant digits of a loss the tables carry: more
// than anybody can act on, and half the bytes of all of them.
const lossDigits = 7

// appendLoss appends a comma and eps with lossDigits digits on the side where
// it stays true: never below eps, or never above it when status is Audit. What is no
// number, because the pair was not priced or attacked, is an empty cell.
func appendLoss(line []byte, eps float64, status Status) []byte {
	line = append(line, ',')
	if math.IsNaN(eps) {
		return line
	}
	shown := outward(eps, lossDigits, status)
	if shown > maxFinite {
		return append(line, "inf"...)
	}
	return strconv.AppendFloat(line, shown, 'g', -1, 64)
}

// outward is eps with so many significant digits on the side where it stays true.
func outward(eps float64, n int, status Status) float64 {
	if status == Audit {
		return digits.Down(eps, n)
	}
	return digits.Up(eps, n)
}

// A column remembers the text of losses of one status already written. On
// regular graphs a matrix of millions holds a few dozen values, and writing one
// costs more than finding it here.
type column struct {
	status Status
	slots  [1 << 12]struct {
		eps  float64
		text []byte // with a leading comma; nil: empty slot
	}
}

// of returns the text of eps, borrowed until the next call.
func (c *column) of(eps float64) []byte {
	slot := &c.slots[math.Float64bits(eps)*0x9e3779b97f4a7c15>>52]
	if slot.text == nil || slot.eps != eps { // NaN is not even itself, and written anew
		slot.eps, slot.text = eps, appendLoss(slot.text[:0], eps, c.status)
	}
	return slot.text
}
