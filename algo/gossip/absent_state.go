package gossip

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// append appends a to a snapshot.
func (a *absences) append(dst []byte) []byte {
	dst = state.AppendBool(state.AppendBool(state.AppendBool(dst, a.lost), a.drawn), a.over)
	dst = state.AppendBool(appendUint(appendUint(dst, a.late), a.missed), a.behind)
	dst = state.AppendBool(dst, a.told)
	dst = state.AppendFloats(dst, a.before)
	for _, key := range a.keys {
		dst = state.AppendFloats(dst, key)
	}
	dst = appendUint(dst, len(a.calls))
	for _, t := range slices.Sorted(maps.Keys(a.calls)) {
		dst = a.calls[t].Append(appendUint(dst, int(t)))
	}
	for _, of := range []map[answer][]float64{a.values, a.answers} {
		dst = appendUint(dst, len(of))
		for _, at := range slices.SortedFunc(maps.Keys(of), byTurn) {
			dst = state.AppendFloats(appendUint(appendUint(appendUint(dst, int(at.turn)), int(at.out)), int(at.by)), of[at])
		}
	}
	for _, n := range a.nodes {
		dst = state.AppendBool(state.AppendBool(dst, n.away), n.heard)
		dst = state.AppendBool(state.AppendBool(appendUint(appendUint(dst, int(n.at)), int(n.last+1)), n.against[0]), n.against[1])
	}
	dst = appendUint(dst, len(a.asked))
	for _, t := range slices.Sorted(maps.Keys(a.asked)) {
		dst = appendUint(appendUint(dst, int(t)), len(a.asked[t]))
		for _, u := range a.asked[t] {
			dst = appendUint(dst, int(u))
		}
	}
	return dst
}

func byTurn(a, b answer) int {
	return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.out, b.out), cmp.Compare(a.by, b.by))
}

// restoreAbsences reads the state that append wrote.
func (m *Machine) restoreAbsences(r *state.Reader) {
	m.MayMiss(m.absent.Absences)
	a, nodes := m.absent, uint64(m.p.Nodes)
	turn := func() step.Turn { return step.Turn(r.Uint(uint64(m.p.Turns()))) }
	node := func() step.NodeID { return step.NodeID(r.Uint(nodes - 1)) }
	a.lost, a.drawn, a.over = r.Bool(), r.Bool(), r.Bool()
	a.late, a.missed, a.behind, a.before = int(r.Uint(math.MaxInt32)), int(r.Uint(math.MaxInt32)), r.Bool(), nil
	a.told, a.before = r.Bool(), r.Floats()
	for u := range a.keys {
		switch key := r.Floats(); {
		case len(key) == noise.ShownSize && !slices.ContainsFunc(key, func(x float64) bool { return !(x >= 0 && x < 1<<16 && x == math.Floor(x)) }):
			a.keys[u] = key
		case len(key) > 0 || u == int(m.id) && m.begun:
			r.Fail("a key is damaged")
		}
	}
	for range r.Uint(3) {
		t := turn()
		a.calls[t] = rollcall.NewCall(a.Rules, int(t), m.id, notary{a.By, m.id, a.keys})
		a.calls[t].Restore(r)
	}
	for i, of := range []map[answer][]float64{a.values, a.answers} {
		for range r.Uint(3 * nodes * nodes) {
			at, x := answer{turn(), node(), node()}, r.Floats()
			of[at] = append([]float64{}, x...)
			if whole := []int{m.valueSize(), m.p.Params}[i]; len(x) != whole && (i == 0 || len(x) > 0) {
				r.Fail("what a node has sent is cut off")
			}
		}
	}
	for u := range a.nodes {
		a.nodes[u] = acquaintance{away: r.Bool(), heard: r.Bool(), at: turn(), last: turn() - 1, against: [2]bool{r.Bool(), r.Bool()}}
	}
	for range r.Uint(uint64(m.p.Turns())) {
		t := turn()
		a.asked[t] = nil
		for range r.Uint(nodes) {
			a.asked[t] = append(a.asked[t], node())
		}
	}
	if m.begun && len(a.before) != m.p.Params {
		r.Fail("the value before the round is cut off")
	}
}

// resumeThere goes on after a restart.
func (m *Machine) resumeThere(out *step.Out) {
	if !m.begun {
		return
	}
	if m.absent.waited = 0; m.absent.lost {
		m.where(out)
	}
	out.Timers = append(out.Timers, step.Timer{Turn: m.turn, Lane: votes, Delay: retry})
}
