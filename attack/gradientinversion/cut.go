package gradientinversion

import (
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A cut divides the nodes that peeling leaves into parts. A message is unknown until peeling finds it. It depends on the values that
// its node had received, and on the node's example. Nodes are played if their examples are unknown or, in a wide cut, if the example
// is known and a message is not.
type cut struct {
	*peeling
	until  int      // the last turn whose sums are taken
	free   []bool   // nodes whose example is unknown
	played []bool   // nodes that may be in a part
	lost   [][]bool // by turn: the node's value before it depends on nodes that are not played
	sums   []knownSum
	needed [][]bool // by turn: sums depend on the node's value before it
}

// A knownSum is a known sum of messages, with the nodes' numbers in the run.
type knownSum struct {
	partSum
	want []float64
}

// parts returns the nodes whose examples peeling does not find, and in a wide cut the nodes that they need, with the sums that depend
// on them. Nodes whose examples are in the same sums form a part. Parts with at least as many sums as examples come first, and among
// these the smallest.
func (p *peeling) parts(wide bool, until int) (all []*part) {
	c := &cut{peeling: p, until: until}
	for u, book := range p.books {
		c.free = append(c.free, !p.knowledge.attacker[u] && book == nil)
		c.played = append(c.played, c.free[u] || wide && book != nil)
	}
	c.lose()
	c.collect()
	c.need()
	group := c.link()
	members, order := map[int][]int{}, []int(nil)
	for u := range c.free {
		if !slices.ContainsFunc(c.needed, func(n []bool) bool { return n[u] }) {
			continue
		}
		g := group.of(u)
		if members[g] == nil {
			order = append(order, g)
		}
		members[g] = append(members[g], u)
	}
	for _, g := range order {
		if q := c.part(members[g], group, g); q != nil {
			all = append(all, q)
		}
	}
	rank := func(q *part) (open bool, nodes int) {
		for _, u := range q.nodes {
			if c.free[u] {
				nodes++
			}
		}
		return nodes > len(q.sums), nodes
	}
	slices.SortStableFunc(all, func(q, r *part) int {
		open, nodes := rank(q)
		other, count := rank(r)
		if open != other {
			return map[bool]int{true: 1, false: -1}[open]
		}
		return nodes - count
	})
	return all
}

// eachSource calls do with the nodes whose messages of turn t, of weights w, are unknown and enter the value of v after the turn. echo
// reports whether v's own message of the turn before enters too.
func (p *peeling) eachSource(w *sparse.Matrix, t, v int, do func(u int)) (echo bool) {
	_, c := p.knowledge.protocol.Coefficients(step.Turn(t))
	columns, values := w.Row(v)
	for l, u := range columns {
		if values[l] != 0 && p.after(t, int(u)).x == nil {
			do(int(u))
		}
	}
	return c != 0
}

// lose marks the values that depend on nodes that are not played.
func (c *cut) lose() {
	n := c.knowledge.Len()
	c.lost = [][]bool{make([]bool, n)}
	for t := range len(c.entries) - 1 {
		next, w := make([]bool, n), c.knowledge.weights.Matrix(step.Turn(t))
		for v := range n {
			if !c.played[v] || c.before(t+1, v).x != nil {
				continue
			}
			echo := c.eachSource(w, t, v, func(u int) { next[v] = next[v] || !c.played[u] || c.lost[t][u] })
			next[v] = next[v] || echo && c.lost[t-1][v]
		}
		c.lost = append(c.lost, next)
	}
}

// collect collects the sums of messages of played nodes, turn by turn.
func (c *cut) collect() {
	k := c.knowledge
	unfit := func(t int) func(u int) bool { return func(u int) bool { return !c.played[u] || c.lost[t][u] } }
	for t := range min(len(c.entries), c.until+1) {
		w := k.weights.Matrix(step.Turn(t))
		a, _ := k.protocol.Coefficients(step.Turn(t))
		for v := range k.Len() {
			if sent := c.after(t, v); c.played[v] && sent.x != nil && (c.free[v] || c.before(t, v).x == nil) && !c.lost[t][v] {
				c.sums = append(c.sums, knownSum{partSum{t, []int{v}, []float64{1}, sent.off}, sent.x})
			}
			if t+1 == len(c.entries) || k.attacker[v] || c.before(t+1, v).x == nil {
				continue
			}
			after := c.before(t+1, v)
			rest, open, ok := c.received(w, t, v)
			if !ok || len(open) == 0 || slices.ContainsFunc(open, unfit(t)) {
				continue
			}
			s := knownSum{partSum{t, open, nil, rest.off + after.off}, rest.x}
			for j, x := range s.want {
				s.want[j] = after.x[j] - x
			}
			for _, u := range open {
				s.weights = append(s.weights, a*w.At(v, u))
			}
			c.sums = append(c.sums, s)
		}
	}
}

// need marks the values that sums depend on.
func (c *cut) need() {
	n := c.knowledge.Len()
	for range c.entries {
		c.needed = append(c.needed, make([]bool, n))
	}
	for _, s := range c.sums {
		for _, u := range s.nodes {
			c.needed[s.turn][u] = true
		}
	}
	for t := len(c.entries) - 1; t > 0; t-- {
		w := c.knowledge.weights.Matrix(step.Turn(t - 1))
		for v := range n {
			if !c.needed[t][v] || c.before(t, v).x != nil {
				continue
			}
			if c.eachSource(w, t-1, v, func(u int) { c.needed[t-1][u] = true }) {
				c.needed[t-2][v] = true
			}
		}
	}
}

// link joins the nodes that are needed together.
func (c *cut) link() groups {
	group := newGroups(c.knowledge.Len())
	for _, s := range c.sums {
		for _, u := range s.nodes[1:] {
			group.join(u, s.nodes[0])
		}
	}
	for t := 1; t < len(c.entries); t++ {
		w := c.knowledge.weights.Matrix(step.Turn(t - 1))
		for v, needed := range c.needed[t] {
			if needed && c.before(t, v).x == nil {
				c.eachSource(w, t-1, v, func(u int) { group.join(u, v) })
			}
		}
	}
	return group
}

// A sum may have a residual of loosely times its estimated rounding, and of roundings units of rounding of a message for running it.
const loosely, roundings = 4, 32

// part returns the part of nodes, with the sums of their group. It returns nil if all their examples are known.
func (c *cut) part(nodes []int, group groups, g int) *part {
	if !slices.ContainsFunc(nodes, func(u int) bool { return c.free[u] }) {
		return nil
	}
	q := c.peeling.part(nodes)
	known := 0.0 // error of the known examples that are played
	for _, u := range nodes {
		if !c.free[u] {
			known += float64(float64(len(c.entries)) * c.knowledge.protocol.StepSize.At(0) * c.blur[u])
		}
	}
	for _, s := range c.sums {
		if group.of(s.nodes[0]) != g {
			continue
		}
		places := make([]int, len(s.nodes))
		for l, u := range s.nodes {
			places[l], _ = slices.BinarySearch(nodes, u)
		}
		s.nodes = places
		s.off = float64(loosely*(s.off+known)) + float64(roundings*c.unit)
		q.sums, q.want = append(q.sums, s.partSum), append(q.want, s.want...)
	}
	q.turns = q.turns[:q.sums[len(q.sums)-1].turn+1]
	return q
}
