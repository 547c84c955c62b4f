package report

import (
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
)

const maxFinite = math.MaxFloat64

// lossDigits is the number of significant digits of a loss in tables. It is more
// than a reader needs, and halves the size of full precision.
const lossDigits = 7

// appendLoss appends a comma and eps with lossDigits digits, rounded so that it
// stays true: never below eps, or never above it if status is Audit. NaN, a pair
// that was not priced or attacked, gives an empty cell.
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

// outward returns eps with n significant digits, rounded to the side on which it
// stays true.
func outward(eps float64, n int, status Status) float64 {
	if status == Audit {
		return digits.Down(eps, n)
	}
	return digits.Up(eps, n)
}

// A column caches the text of losses of one status. On regular graphs a matrix of
// millions holds a few dozen values, and formatting one costs more than a lookup.
type column struct {
	status Status
	slots  [1 << 12]struct {
		eps  float64
		text []byte // with a leading comma; nil: empty slot
	}
}

// of returns the text of eps, which is valid until the next call.
func (c *column) of(eps float64) []byte {
	slot := &c.slots[math.Float64bits(eps)*0x9e3779b97f4a7c15>>52]
	if slot.text == nil || slot.eps != eps { // NaN never equals itself and is formatted anew
		slot.eps, slot.text = eps, appendLoss(slot.text[:0], eps, c.status)
	}
	return slot.text
}
