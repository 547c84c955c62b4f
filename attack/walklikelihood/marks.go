package walklikelihood

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A mark holds the attackers' knowledge of a sight apart from the added sum.
type mark struct {
	from, to    int // attackers; Nobody
	first, last int // holders next to them; Nobody: unknown
	begin       int // turn; 0 if step sizes are constant
	turns       int
}

// even reports whether all contributions of a sight have the same weight, so that only their number matters.
func (h *Hidden) even() bool { return h.Walk.Power == 0 && h.Keep == nil }

// markOf returns the mark of a sight of a track.
func (h *Hidden) markOf(track []Turn, s Sight) mark {
	m := mark{from: s.From, to: s.To, first: Nobody, last: Nobody, turns: s.Len()}
	if h.Walk.Power > 0 {
		m.begin = s.Begin
	}
	if h.Knows == Ends {
		if s.From != Nobody {
			m.first = h.like(track[s.Begin].Holder)
		}
		if s.To != Nobody {
			m.last = h.like(track[s.End-1].Holder)
		}
	}
	return m
}

// like returns the node that represents x. If the token goes to all nodes with equal probability, all are alike except the
// target and the start.
func (h *Hidden) like(x int) int {
	if h.Walk.W != nil || h.attacks == nil || !h.common(x) {
		return x
	}
	for y := range h.attacks {
		if h.common(y) {
			return y
		}
	}
	return x
}

// common reports whether a node is one of those that are alike. Attackers are not.
func (h *Hidden) common(x int) bool { return !h.attacks[x] && x != h.Target && x != h.Walk.Start }

// An outcome holds a number of contributions of the target to a sight, their sum at its end, and the probability of both.
type outcome struct {
	count int
	sum   float64
	p     float64
}

// A lawKey is a mark and the number of earlier contributions.
type lawKey struct {
	mark
	before int
}

// begun returns the law of the first holder, without attackers, jointly with the attackers' knowledge of it.
func (h *Hidden) begun(m mark) []float64 {
	var x []float64
	switch {
	case m.from == Nobody:
		x = h.start()
	case m.first != Nobody:
		x = make([]float64, h.Walk.Nodes)
		x[m.first] = h.chance(m.from, m.first)
	default:
		x = make([]float64, h.Walk.Nodes)
		h.row(m.from, func(y int, p float64) { x[y] += p })
	}
	h.leave(x)
	return x
}

// Negligible is the probability below which an outcome is left out.
const Negligible = 1e-30

// law returns the probability of a mark jointly with each outcome of its sight, after before earlier contributions. The sum
// over outcomes is the probability of the mark, because the cap of the target does not change the path of the token.
func (h *Hidden) law(m mark, before int) []outcome {
	if h.Walk.Cap == 0 {
		before = 0
	}
	key := lawKey{m, before}
	if law, ok := h.laws[key]; ok {
		return law
	}
	h.find([]mark{m}, before, h.even())
	return h.laws[key]
}

// find computes the unknown laws of some marks. Marks with the same beginning share one pass. If more is set it also computes
// the laws of all other marks with these beginnings, up to about half as long again.
func (h *Hidden) find(marks []mark, before int, more bool) {
	by, order := make(map[mark][]mark), []mark{}
	for _, m := range marks {
		if _, known := h.laws[lawKey{m, before}]; known {
			continue
		}
		beginning := mark{from: m.from, first: m.first, begin: m.begin}
		if by[beginning] == nil {
			order = append(order, beginning)
		}
		by[beginning] = append(by[beginning], m)
	}
	for _, beginning := range order {
		list := by[beginning]
		if more {
			list = append(list, h.all(beginning, list)...)
		}
		slices.SortStableFunc(list, mark.compare)
		h.passage(beginning, slices.Compact(list), before)
	}
}

// compare orders marks by length first.
func (m mark) compare(o mark) int {
	return cmp.Or(cmp.Compare(m.turns, o.turns), cmp.Compare(m.to, o.to), cmp.Compare(m.last, o.last))
}

// order is a total order of marks.
func (m mark) order(o mark) int {
	return cmp.Or(cmp.Compare(m.from, o.from), cmp.Compare(m.first, o.first), cmp.Compare(m.begin, o.begin), m.compare(o))
}

// all returns the marks with a beginning, up to the length of some marks and about a half more.
func (h *Hidden) all(beginning mark, some []mark) (list []mark) {
	longest := 0
	for _, m := range some {
		longest = max(longest, m.turns)
	}
	most := h.Walk.Turns
	if h.Longest > 0 {
		most = max(min(h.Longest, most), longest)
	}
	for length := 1; length <= min(most, longest+longest/2+8); length++ {
		m := beginning
		m.turns, m.to, m.last = length, Nobody, Nobody
		if h.Walk.Final {
			list = append(list, m)
		}
		for _, m.to = range h.Attackers {
			for _, m.last = range h.lasts(m.to) {
				list = append(list, m)
			}
		}
	}
	return list
}

// lasts returns the distinct last holders before attacker v, up to likeness.
func (h *Hidden) lasts(v int) []int {
	if h.Knows == Hops {
		return []int{Nobody}
	}
	var all []int
	for y := range h.Walk.Nodes {
		if !h.attacks[y] && h.like(y) == y && h.chance(y, v) > 0 {
			all = append(all, y)
		}
	}
	return all
}

// A cell is the law of the holder together with an outcome so far.
type cell struct {
	outcome
	at []float64
}

// passage computes the laws of marks with the same beginning, in order of their lengths. It carries the law of the holder
// through the turns of the longest.
func (h *Hidden) passage(beginning mark, marks []mark, before int) {
	now, moved := []cell{{at: h.begun(beginning)}}, make([]float64, h.Walk.Nodes)
	for j := 0; ; j++ {
		size, keep := h.turn(beginning.begin + j)
		now = h.held(now, before, size, keep)
		for len(marks) > 0 && marks[0].turns == j+1 {
			h.laws[lawKey{marks[0], before}] = h.arrived(now, marks[0])
			marks = marks[1:]
		}
		if len(marks) == 0 {
			return
		}
		for i := range now {
			h.hop(moved, now[i].at)
			h.leave(moved)
			now[i].at, moved = moved, now[i].at
		}
	}
}

// turn returns the size of an update, and the factor of the token in it.
func (h *Hidden) turn(t int) (size, keep float64) {
	size, keep = 1, 1
	if h.Walk.Power > 0 {
		size = math.Pow(float64(t+1), -h.Walk.Power)
	}
	if h.Keep != nil {
		keep = h.Keep(t)
	}
	return size, keep
}

// held applies one turn of the holder. The target contributes, unless it skips the turn or is at its cap.
func (h *Hidden) held(now []cell, before int, size, keep float64) []cell {
	u, next := h.Target, make([]cell, 0, 2*len(now))
	for _, c := range now {
		c.sum = float64(c.sum * keep)
		own := float64(c.at[u] * (1 - h.Walk.Skip))
		if own > 0 && (h.Walk.Cap == 0 || before+c.count < h.Walk.Cap) {
			c.at[u] -= own
			more := cell{outcome: outcome{count: c.count + 1, sum: c.sum + size}, at: make([]float64, len(c.at))}
			more.at[u] = own
			next = append(next, more)
		}
		next = append(next, c)
	}
	return h.gathered(next)
}

// gathered returns the cells in order, with those of the same outcome merged.
func (h *Hidden) gathered(cells []cell) []cell {
	h.round(cells)
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Or(cmp.Compare(a.sum, b.sum), cmp.Compare(a.count, b.count)) })
	kept := cells[:0]
	for _, c := range cells {
		if k := len(kept); k > 0 && kept[k-1].count == c.count && kept[k-1].sum == c.sum {
			for i, p := range c.at {
				kept[k-1].at[i] += p
			}
			continue
		}
		kept = append(kept, c)
	}
	return slices.DeleteFunc(kept, func(c cell) bool { return c.count > 0 && total(c.at) < Negligible })
}

// round moves sums to a grid if there are too many.
func (h *Hidden) round(cells []cell) {
	most := h.MostSums
	if most == 0 {
		most = 256
	}
	if h.even() || len(cells) <= most {
		return
	}
	largest := 0.0
	for _, c := range cells {
		largest = max(largest, c.sum)
	}
	h.rounded = true
	width := 2 * largest / float64(most)
	for i := range cells {
		if cells[i].count > 0 {
			cells[i].sum = math.Round(cells[i].sum/width) * width
		}
	}
}

// arrived returns the outcomes of sights that end as a mark says.
func (h *Hidden) arrived(now []cell, m mark) []outcome {
	law := make([]outcome, 0, len(now))
	for _, c := range now {
		o := c.outcome
		switch {
		case m.to == Nobody:
			o.p = total(c.at)
		case m.last != Nobody:
			o.p = c.at[m.last] * h.chance(m.last, m.to)
		default:
			for b, p := range c.at {
				if p > 0 {
					o.p += float64(p * h.chance(b, m.to))
				}
			}
		}
		if o.p > 0 {
			law = append(law, o)
		}
	}
	return law
}
