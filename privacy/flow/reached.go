package flow

import (
	"github.com/hearsay-dp/hearsay/sparse"
)

// A part is the problem on the nodes that matter for one source. For a plan these
// are the nodes that u's data can reach in time, because others have no
// difference to absorb.
type part struct {
	*Accountant
	nodes  []int32 // of the whole problem, ascending
	source int
	stops  [][]bool
}

// reached returns the problem on the nodes that the flow from u reaches.
func (a *Accountant) reached(u int, observers []int) *part {
	found := make([]bool, a.n)
	found[u] = true
	a.grow(found, a.back, func(k int) int { return k })
	return a.cut(indices(found), u, a.stops(observers))
}

// heard returns the problem on the nodes whose noise can reach a seen message. It
// always keeps u.
func (a *Accountant) heard(u int, seen [][]bool) *part {
	found := make([]bool, a.n)
	found[u] = true
	for t := range seen {
		for j, s := range seen[t] {
			found[j] = found[j] || s
		}
	}
	a.grow(found, a.forward, func(k int) int { return a.p.Rounds - 2 - k })
	return a.cut(indices(found), u, seen)
}

// grow adds the nodes one message away from those found, and so on. order gives
// the indices of the matrices of all rounds but the last, which reach no message.
func (a *Accountant) grow(found []bool, ms []*sparse.Matrix, order func(k int) int) {
	front := indices(found)
	for k := range a.p.Rounds - 1 {
		if len(ms) > 1 {
			spreadOn(found, indices(found), ms[order(k)]) // those found before go on too
		} else if front = spreadOn(found, front, ms[0]); len(front) == 0 {
			return
		}
	}
}

// spreadOn marks the columns in the rows of front, and returns the newly marked
// nodes.
func spreadOn(found []bool, front []int32, m *sparse.Matrix) (next []int32) {
	for _, j := range front {
		columns, _ := m.Row(int(j))
		for _, i := range columns {
			if !found[i] {
				found[i] = true
				next = append(next, i)
			}
		}
	}
	return next
}

func indices(marked []bool) (all []int32) {
	for j, m := range marked {
		if m {
			all = append(all, int32(j))
		}
	}
	return all
}

// cut returns the problem on the given nodes.
func (a *Accountant) cut(nodes []int32, u int, stops [][]bool) *part {
	r := &part{Accountant: a, nodes: nodes, source: u, stops: stops}
	if len(nodes) == a.n {
		return r
	}
	place := make([]int32, a.n)
	for k := range place {
		place[k] = -1
	}
	for k, j := range nodes {
		place[j] = int32(k)
	}
	small := *a
	r.Accountant, r.source, small.n = &small, int(place[u]), len(nodes)
	small.forward, small.back = submatrices(a.forward, nodes, place), submatrices(a.back, nodes, place)
	r.stops, small.spread, small.noise, small.gives = nil, nil, nil, nil
	for t := range stops {
		kept := make([]bool, len(nodes))
		for k, j := range nodes {
			kept[k] = stops[t][j]
		}
		r.stops = append(r.stops, kept)
		small.spread = append(small.spread, a.spread[t].cut(nodes))
		small.noise = append(small.noise, a.noise[t].cut(nodes))
		small.gives = append(small.gives, a.gives[t].cut(nodes))
	}
	return r
}

func (l level) cut(nodes []int32) level {
	if l.each == nil {
		return l
	}
	kept := level{each: make([]float64, len(nodes))}
	for k, j := range nodes {
		kept.each[k] = l.each[j]
	}
	return kept
}

func submatrices(ms []*sparse.Matrix, nodes, place []int32) (all []*sparse.Matrix) {
	made := map[*sparse.Matrix]*sparse.Matrix{}
	for _, m := range ms {
		if made[m] == nil {
			made[m] = submatrix(m, nodes, place)
		}
		all = append(all, made[m])
	}
	return all
}

func submatrix(m *sparse.Matrix, nodes, place []int32) *sparse.Matrix {
	s := &sparse.Matrix{N: len(nodes), Offsets: make([]int, 1, len(nodes)+1)}
	for _, i := range nodes {
		columns, values := m.Row(int(i))
		for k, j := range columns {
			if place[j] >= 0 {
				s.Columns, s.Values = append(s.Columns, place[j]), append(s.Values, values[k])
			}
		}
		s.Offsets = append(s.Offsets, len(s.Columns))
	}
	return s
}

// plan returns a plan of one source in the node numbers of the whole problem.
func (r *part) plan(amounts [][]float64) (plan Plan) {
	for _, round := range amounts {
		var b Absorption
		for k, x := range round {
			if x > 0 {
				b.Nodes, b.Amounts = append(b.Nodes, r.nodes[k]), append(b.Amounts, x)
			}
		}
		plan.Rounds = append(plan.Rounds, b)
	}
	return plan
}
