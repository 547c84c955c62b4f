package gossipview

import (
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
	if k.g.mostHeard(k.observers)+len(k.extra) < cells {
		return false
	}
	return exact.KrylovRank(small, k.alone, k.g.steps, cells) == cells
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
