package gossipview

import (
	"github.com/hearsay-dp/hearsay/internal/exact"
)

// saturated reports whether the view is proved to be the largest that symmetry allows: every function that is
// constant on cells. No view is larger, and the rank modulo a prime, which is never above the true one, reaches
// it. It is false too if nothing was proved.
//
// Observers count as senders. W^t e_v, t <= T, lies in the view of v, because W e_v is a sum of e_v and of e_w
// over the nodes w that v hears.
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

// whole returns the view that holds every function constant on cells, for which neither W nor the steps matter
// any more.
func (k *krylov) whole() *View {
	v := &View{n: k.g.n, cells: k.cells, rank: len(k.cells.Size), space: everything{}, certainty: Confirmed, exact: true}
	for i := range k.cells.Size {
		v.units = append(v.units, i)
	}
	return v
}
