package walkpath

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A coalition is accounted as one observer: an excursion ends when any member receives the token. Between
// two receipts by the coalition F only nodes outside F update the token, with noise that F does not know,
// so that the theorem for one observer holds for F. F knows the updates of its members' own turns, and they
// amplify nothing. The members are curious but follow the protocol: the token goes where W says. A member
// that sends it elsewhere changes the law of the path; only the local loss holds towards that member.

// CoalitionLaw returns the law that bounds the energy of the contributions of u towards members who
// collude. For one member it is Law.
func (w Walk) CoalitionLaw(u int, members []int) (*Law, error) {
	if err := w.checkCoalition(u, members); err != nil {
		return nil, err
	}
	l, err := w.base().coalitionLaw(u, members)
	if err != nil {
		return nil, err
	}
	return l.of(w, u), nil
}

// coalitionLaw does as CoalitionLaw for checked arguments, and for the largest sensitivity.
func (w Walk) coalitionLaw(u int, members []int) (*Law, error) {
	if len(members) == 1 {
		return w.law(u, members[0])
	}
	if why := w.notAmplified(); why != "" {
		return localLaw(w.Most(), why), nil
	}
	if w.AllTokens() > 1 {
		return w.lawOfTokens(func(one Walk) (*Law, error) { return one.coalitionLaw(u, members) })
	}
	c := w.coalitionChain(u, members)
	law := w.exactOver(c)
	if law == nil {
		law = w.boundedLaw(u, members[0], w.renewalOver(c))
	}
	law.Assumptions = append(slices.Clone(law.Assumptions), pooling(len(members)))
	return law, nil
}

// coalitionChain returns the chain of u and a coalition. Members that the token leaves with the same
// weights are one state.
func (w Walk) coalitionChain(u int, members []int) *chain {
	if w.W == nil {
		return w.completeCoalition(u, members)
	}
	state := lumpFor(w.W, u, members)
	c := w.chainOver(state)
	c.seen = make([]bool, c.w.N)
	for _, v := range members {
		c.seen[state[v]] = true
	}
	return c
}

// completeCoalition returns the chain with the states u, members and all others.
func (w Walk) completeCoalition(u int, members []int) *chain {
	n, k := float64(w.Nodes), float64(len(members))
	row := []float64{1 / n, k / n, (n - 1 - k) / n}
	c := &chain{w: &sparse.Matrix{N: 3, Offsets: []int{0, 3, 6, 9}, Columns: []int32{0, 1, 2, 0, 1, 2, 0, 1, 2}}, start: row, seen: []bool{false, true, false, false}}
	for range 3 {
		c.w.Values = append(c.w.Values, row...)
	}
	if w.Start != AnyStart && w.BurnIn == 0 {
		c.start = make([]float64, 3)
		switch {
		case w.Start == u:
			c.start[atU] = 1
		case slices.Contains(members, w.Start):
			c.start[atV] = 1
		default:
			c.start[2] = 1
		}
	}
	return w.skipping(c)
}

// renewalOver does as renewalOf for several observers. After a receipt by any of them it takes the soonest
// law of the return to u, over the observers, as an upper bound. This can only raise the law, because the
// increments that a law sums are not negative.
func (w Walk) renewalOver(c *chain) *renewal {
	stops := []int{atU}
	for s, seen := range c.seen {
		if seen {
			stops = append(stops, s)
		}
	}
	list := []passage{{c.at(atU), stops}, c.arriving()}
	for _, s := range stops[1:] {
		list = append(list, passage{c.at(s), []int{atU}})
	}
	laws, rest := c.passages(w.Turns-1, list)
	gaps := laws[0]
	r := &renewal{turns: w.Turns, cap: w.Cap, gapLaw: gapLaw{back: gaps[0], hit: make([]float64, len(gaps[0])), rest: rest[0]}, arrive: laws[1][0]}
	r.arrive[0] = c.start[atU]
	var again [][]float64
	for i := range stops[1:] {
		accumulate(r.hit, gaps[i+1], 1)
		again = append(again, laws[i+2][0])
	}
	r.again = soonest(again)
	r.tabulate()
	return r
}

// soonest returns the law of a time whose distribution function is everywhere the largest of those of some
// laws.
func soonest(laws [][]float64) []float64 {
	longest := 0
	for _, law := range laws {
		longest = max(longest, len(law))
	}
	first, at, before := make([]float64, longest), make([]float64, len(laws)), 0.0
	for t := range first {
		for i, law := range laws {
			if t < len(law) {
				at[i] += law[t]
			}
		}
		top := slices.Max(at)
		first[t], before = top-before, top
	}
	return first
}

// exactOver returns the exact law over a chain. It returns nil if the run is too long for that.
func (w Walk) exactOver(c *chain) (law *Law) {
	if w.Turns > exactTurns {
		return nil
	}
	w.followAll(c, false, func(turns int, runs []likelyRun) {
		if turns == w.Turns {
			law = w.lawOf(runs, turns, false)
		}
	})
	return law
}

// checkCoalition returns an error if members are not a coalition against u.
func (w Walk) checkCoalition(u int, members []int) error {
	if len(members) == 0 {
		return fault.New("a coalition without members", "name at least one node")
	}
	sorted := slices.Sorted(slices.Values(members))
	for i, v := range sorted {
		if i > 0 && v == sorted[i-1] {
			return fault.New(fmt.Sprintf("node %d is in the coalition twice", v), "name every member once")
		}
		if err := w.check(u, v); err != nil {
			return err
		}
	}
	return nil
}
