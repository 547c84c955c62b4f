package report

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A quantiser maps losses to 16-bit codes for the page. Losses that are equal after
// rounding (up, or down for a lower bound) share a cell. A cell is shown as its largest
// loss, or its smallest for a lower bound. So a number on the page is never on the
// untrue side of the real one, and both are equal after rounding to fewer digits. A
// matrix of few distinct losses is exact.
type quantiser struct {
	digits int
	status Status
	cells  map[int64]*cell
}

// A cell holds the range of its losses, and its code after finish.
type cell struct {
	min, max float64
	code     uint16
}

// mostCodes is the number of 16-bit codes.
const mostCodes = 1 << 16

// Keys of cells without a rounded number: losses of exactly 0 and +Inf, and unpriced
// pairs.
const (
	zeroKey = math.MinInt64 + iota
	infiniteKey
	unpricedKey
)

func newQuantiser(digits int, status Status) *quantiser {
	return &quantiser{digits: digits, status: status, cells: map[int64]*cell{}}
}

// key returns the key of the cell of a loss: the exponent and the digits after rounding
// as in bound.
func (q *quantiser) key(eps float64) int64 {
	switch {
	case eps == 0:
		return zeroKey
	case math.IsInf(eps, 1):
		return infiniteKey
	case math.IsNaN(eps):
		return unpricedKey
	}
	below := int64(0)
	if eps < 1e-290 { // where powers of ten lose digits
		eps, below = float64(eps*1e200), 200
	}
	exponent := int64(math.Floor(math.Log10(eps)))
	units := float64(eps / math.Pow10(int(exponent)) * math.Pow10(q.digits-1))
	switch nearest := math.Round(units); {
	case math.Abs(units-nearest) < 1e-6: // the decimal digits decide
		units = math.Round(outward(eps, q.digits, q.status) / math.Pow10(int(exponent)) * math.Pow10(q.digits-1))
	case q.status == Audit:
		units = math.Floor(units)
	default:
		units = math.Ceil(units)
	}
	return (exponent-below)<<32 + int64(units)
}

// add adds a loss. It returns false if there are more cells than codes.
func (q *quantiser) add(eps float64) bool {
	key := q.key(eps)
	c := q.cells[key]
	if c == nil {
		c = &cell{min: eps, max: eps}
		q.cells[key] = c
	}
	c.min, c.max = min(c.min, eps), max(c.max, eps) // NaN stays NaN
	return len(q.cells) <= mostCodes
}

// code returns the code of an added loss. It must be called after finish.
func (q *quantiser) code(eps float64) uint16 { return q.cells[q.key(eps)].code }

// finish numbers the cells by ascending loss. It returns the shown loss of each code and
// the largest relative error. It must be called after all calls of add.
func (q *quantiser) finish() (shown []float64, worst float64) {
	var used []*cell
	for _, c := range q.cells {
		used = append(used, c)
		if c.min < c.max {
			worst = max(worst, (c.max-c.min)/c.min)
		}
	}
	slices.SortFunc(used, func(a, b *cell) int { return cmp.Compare(a.max, b.max) })
	for code, c := range used {
		c.code = uint16(code)
		if q.status == Audit {
			shown = append(shown, c.min)
		} else {
			shown = append(shown, c.max)
		}
	}
	return shown, worst
}
