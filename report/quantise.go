package report

import (
	"cmp"
	"math"
	"slices"
)

// A quantiser maps losses to 16-bit codes for the page. Finite positive losses
// fall into cells of equal width in the logarithm, and every cell is shown as
// its largest loss (its smallest for a lower bound), so that a number on the
// page is never on the untrue side of the real one. A matrix of few distinct
// losses comes out exact.
type quantiser struct {
	low, width float64 // of the logarithm
	cells      []cell
	codes      []uint16 // per cell, after finish
}

// A cell knows the losses that fell into it; min > max when none did.
type cell struct{ min, max float64 }

// Cells 0 and 1 hold losses of exactly 0 and +Inf.
const special = 2

// newQuantiser prepares so many cells for positive finite losses in [low, high].
func newQuantiser(low, high float64, cells int) *quantiser {
	q := &quantiser{low: math.Log(low), cells: make([]cell, cells+special)}
	q.width = (math.Log(high) - q.low) / float64(cells)
	for i := range q.cells {
		q.cells[i] = cell{math.Inf(1), math.Inf(-1)}
	}
	return q
}

// find returns the cell of a loss.
func (q *quantiser) find(eps float64) int {
	switch {
	case eps == 0:
		return 0
	case math.IsInf(eps, 1):
		return 1
	case !(q.width > 0):
		return special
	}
	at := int((math.Log(eps) - q.low) / q.width)
	return special + min(len(q.cells)-special-1, max(0, at))
}

func (q *quantiser) add(eps float64) {
	c := &q.cells[q.find(eps)]
	c.min, c.max = min(c.min, eps), max(c.max, eps)
}

// finish numbers the cells in use by ascending loss and returns what each code
// is shown as, and the largest relative error of that. Call it after add.
func (q *quantiser) finish(status Status) (shown []float64, worst float64) {
	var used []int
	for i, c := range q.cells {
		if c.min <= c.max {
			used = append(used, i)
		}
		if c.min < c.max {
			worst = max(worst, (c.max-c.min)/c.min)
		}
	}
	slices.SortFunc(used, func(a, b int) int { return cmp.Compare(q.cells[a].max, q.cells[b].max) })
	q.codes = make([]uint16, len(q.cells))
	for code, i := range used {
		q.codes[i] = uint16(code)
		if status == Audit {
			shown = append(shown, q.cells[i].min)
		} else {
			shown = append(shown, q.cells[i].max)
		}
	}
	return shown, worst
}
