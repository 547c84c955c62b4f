package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
)

// saturated reports whether the view is proved to be all that symmetry allows:
// every function that is constant on cells. No such space is larger, and the
// rank modulo a prime, which is never above the true one, reaches it. It is
// false too where nothing was proved.
//
// Observers count as senders: W^t e_v, t <= T, lies in the view of v, for W e_v
// is a sum of e_v and of e_w over those that v hears.
func (k *krylov) saturated() bool {
	small, cells := k.g.parts[0].small, len(k.cells.Size)
	if small == nil || len(k.starts)*k.g.steps+len(k.extra) < cells {
		return false
	}
	if different := k.different(); different*(k.g.steps-1)+len(k.alone) < cells {
		return false
	}
	return exact.KrylovRank(small, k.alone, k.g.steps, cells) == cells
}

// different is how many senders there are of which no two hear the same nodes. Of two who do, and
// weigh them alike, the difference is a vector that W only scales: one more dimension, whatever the steps.
func (k *krylov) different() (count int) {
	w, senders := k.g.parts[0].transposed, k.alone[:len(k.starts)]
	for i, v := range senders {
		own, _ := w.Row(v)
		if !slices.ContainsFunc(senders[:i], func(u int) bool { columns, _ := w.Row(u); return slices.Equal(columns, own) }) {
			count++
		}
	}
	return count
}

// whole is the view that holds every function constant on cells: W, its senders
// and its steps need not be looked at any further.
func (k *krylov) whole() *View {
	v := &View{n: k.g.n, cells: k.cells, rank: len(k.cells.Size), space: everything{}, certainty: Confirmed, exact: true}
	for i := range k.cells.Size {
		v.units = append(v.units, i)
	}
	return v
}
