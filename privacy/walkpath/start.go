package walkpath

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A walk that starts at a given node treats nodes differently even if the graph is symmetric. Pairs of one
// class share what happens once the token is at u, but not when that is. Let t be the turn in which it first
// comes to u, which does not skip its turn. Before t the run does not depend on u's data. From t on the walk
// starts at u and has t turns less. So the law of a pair is
//
//	sum over t of P(u is first visited in turn t) times the law from u in T-t turns,
//
// where the second factor depends on the class only and the first on u only. Charging every u as if the walk
// started there (t = 0) would be a bound only without a final release. With one, the end closes the last
// excursion, which leaks more the fewer turns it has.

// An arrival holds the facts about the token's first visit to u that the law of a pair depends on.
type arrival struct {
	law  []float64 // law[t]: first visited in turn t
	peak float64   // largest probability that u is visited in a turn
	// weight is the expectation of z^t, at each of a renewal's rates.
	weight []float64
}

// arrivalOf computes the law of the token's first visit to u.
func (w Walk) arrivalOf(u int) arrival {
	other := w.Start
	if other == u || other == AnyStart {
		other = (u + 1) % w.Nodes
	}
	c := w.chainOf(u, other)
	a := arrival{law: c.arrivals(w.Turns), peak: c.peak(w.Turns)}
	r := renewal{turns: w.Turns, cap: w.Cap}
	for _, rate := range r.rates() {
		a.weight = append(a.weight, sum(tilt(a.law, r.weight(rate))))
	}
	return a
}

// arriving returns the passage to u of a token that does not start there.
func (c *chain) arriving() passage {
	elsewhere := slices.Clone(c.start)
	elsewhere[atU] = 0
	return passage{elsewhere, []int{atU}}
}

// arrivals returns the law of the first turn in which u is visited.
func (c *chain) arrivals(turns int) []float64 {
	laws, _ := c.passages(turns-1, []passage{c.arriving()})
	law := laws[0][0]
	law[0] = c.start[atU]
	return law
}

// mostStarted is about the largest number of laws that are computed for a walk that starts at a given node.
const mostStarted = 1024

// leastTolerance is the smallest relative amount by which the numbers of an arrival are rounded up, so that
// nodes that are reached alike have one law.
const leastTolerance = 1e-9

// A started is a PairClass refined by how the token comes to u.
type started struct {
	class    PairClass
	group    []int     // of each node as u
	arrivals []arrival // an upper bound for each group: no node of it is reached earlier or more often
	exact    bool      // all nodes of a group are reached alike
	groups   int
}

// startedClasses groups the nodes by how the token reaches them from the start, as given by the class of their
// pair with it. If that gives too many laws it merges groups by numbers that are rounded up.
func (w Walk) startedClasses(class PairClass, classes int) *started {
	s := &started{class: class, group: make([]int, w.Nodes), exact: true}
	known := make(map[int]int) // class with the start -> group
	for u := range s.group {
		k := w.Nodes*w.Nodes + u // a class of its own
		if u == w.Start {
			k = Unlawed
		} else if c := class(w.Start, u); c != Unlawed {
			k = c
		}
		g, ok := known[k]
		if !ok {
			g = len(s.arrivals)
			known[k], s.arrivals = g, append(s.arrivals, w.arrivalOf(u))
		}
		s.group[u] = g
	}
	s.groups = len(s.arrivals)
	if s.exact = w.Turns <= exactTurns && s.groups*classes <= mostStarted; !s.exact {
		s.merge(max(2, mostStarted/classes))
	}
	return s
}

// bytesOf returns the bits of numbers.
func bytesOf(x []float64) (b []byte) {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// merge joins groups whose numbers round up to the same value, with a tolerance that leaves at most most
// groups.
func (s *started) merge(most int) {
	for tolerance := leastTolerance; ; tolerance *= 4 {
		merged, to := s.rounded(tolerance)
		if len(merged) <= most {
			for u, g := range s.group {
				s.group[u] = to[g]
			}
			s.arrivals, s.groups = merged, len(merged)
			return
		}
	}
}

// rounded lists the different arrivals after rounding up, and the index of the rounded arrival of each.
func (s *started) rounded(tolerance float64) (list []arrival, to []int) {
	known := make(map[string]int)
	for _, a := range s.arrivals {
		up := arrival{peak: roundUp(a.peak, tolerance)}
		for _, x := range a.weight {
			up.weight = append(up.weight, roundUp(x, tolerance))
		}
		key := string(bytesOf(append([]float64{up.peak}, up.weight...)))
		g, ok := known[key]
		if !ok {
			g = len(list)
			known[key], list = g, append(list, up)
		}
		to = append(to, g)
	}
	return list, to
}

// roundUp returns about the least power of 1+tolerance that is at least x, and at most 1. It returns 0 for 0.
func roundUp(x, tolerance float64) float64 {
	if x == 0 {
		return 0
	}
	base := math.Log1p(tolerance)
	return min(1, max(x, math.Exp(math.Ceil(math.Log(x)/base)*base)))
}

// of returns the class of a pair, given by its unrefined class and how its u is reached.
func (s *started) of(u, v int) int {
	if k := s.class(u, v); k != Unlawed {
		return k*s.groups + s.group[u]
	}
	return Unlawed
}

// startedLaws computes the laws of all classes of p from what each class has in common. first lists the first
// pair of each class.
func (w Walk) startedLaws(p *Laws, s *started, first []Pair, workers int) error {
	var blocks [][]Pair // by class, the groups that have a pair in it
	var class [][]int   // indices of these pairs
	for lo := 0; lo < len(first); lo += s.groups {
		var block []Pair
		var of []int
		for k := lo; k < min(lo+s.groups, len(first)); k++ {
			if p.pairs[k] > 0 {
				block, of = append(block, first[k]), append(of, k)
			}
		}
		if len(block) > 0 {
			blocks, class = append(blocks, block), append(class, of)
		}
	}
	laws, err := w.each(s.method(), blocks, workers, func(b int, kept []*Law, found func(int, *Law) error) error {
		for i, law := range w.fromU(s, blocks[b]) {
			if kept[i] != nil {
				continue
			}
			if err := found(i, law); err != nil {
				return err
			}
		}
		return nil
	})
	for b, block := range laws {
		for i, law := range block {
			p.laws[class[b][i]] = law
		}
	}
	return err
}

// method returns a name of the inputs of the laws, for their key.
func (s *started) method() string {
	text := fmt.Sprintf("from u, exactly %v", s.exact)
	for _, a := range s.arrivals {
		text += fmt.Sprintf(" %v %v", a.peak, a.weight)
	}
	return text
}

// fromU computes the laws of pairs of one class.
func (w Walk) fromU(s *started, pairs []Pair) []*Law {
	laws := make([]*Law, len(pairs))
	var exact horizons
	if s.exact {
		exact = w.horizonsOf(pairs[0].U, pairs[0].V)
	}
	if exact != nil {
		for i, p := range pairs {
			laws[i] = exact.law(w, s.arrivals[s.group[p.U]].law)
		}
		return laws
	}
	bound := w.boundFrom(pairs[0].U, pairs[0].V)
	for i, p := range pairs {
		laws[i] = bound.law(w, s.arrivals[s.group[p.U]])
	}
	return laws
}

// A lawFromU holds the part of a law that depends on the walk that starts at u.
type lawFromU struct {
	*renewal
	energies grid
	tails    [][]float64 // at each rate, if the token starts at u
	final    []float64   // if u is visited in every turn; nil without a final release
}

func (w Walk) boundFrom(u, v int) *lawFromU {
	r := w.renewalOn(w.fromUTo(u, v))
	b := &lawFromU{renewal: r, energies: r.grid()}
	b.tails = r.tailsByRate(b.energies)
	if w.Final {
		b.final = r.finalTails(b.energies, 1)
	}
	return b
}

// law returns boundedLaw for a token that comes to u with the law of a.
func (b *lawFromU) law(w Walk, a arrival) *Law {
	tails := ones(len(b.energies))
	for k, base := range b.tails {
		lower(tails, base, a.weight[k])
	}
	r := *b.renewal
	r.weighted = a.weight
	return w.lawOfTails(b.energies, tails, &r, func() []float64 {
		final := ones(len(b.energies))
		lower(final, b.final, a.peak)
		return final
	})
}
