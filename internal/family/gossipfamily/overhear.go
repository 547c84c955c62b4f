package gossipfamily

import (
	"context"
	"slices"

	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Overhear implements family.Overheard. Each turn shows the values that the nodes of a set hold and send, then those that their
// neighbours of that turn send. Where noise cancels it also shows the noise that they share with each partner.
func (a *Algorithm) Overhear(ctx context.Context, seed uint64, sets [][]int, hear func(set, place int, x []float64)) error {
	run, err := a.Simulation(seed)
	if err != nil {
		return err
	}
	p, d := a.Protocol, a.Protocol.Params
	shared, source := make([]float64, d), noise.NewSimulated(seed)
	places, senders := make([]int, len(sets)), []int(nil)
	_, err = run.Bulk(ctx, sim.GossipWatcher{Values: func(t step.Turn, x []float64) {
		if t == p.Turns() {
			return
		}
		for k, set := range sets {
			senders = heardBy(senders[:0], set, func(v int) []int32 { nodes, _ := run.Weights.Row(step.NodeID(v), t); return nodes })
			for _, w := range senders {
				hear(k, places[k], x[w*d:(w+1)*d])
				places[k]++
			}
			if p.Pairwise == 0 || int(t)%p.TurnsPerRound != 0 {
				continue
			}
			a.eachShared(set, func(v, w int) {
				clear(shared)
				source.AddShared(shared, 1, step.NodeID(v), step.NodeID(w), t, 0)
				hear(k, places[k], shared)
				places[k]++
			})
		}
	}})
	return err
}

// heardBy returns the nodes of a set and those that send to one of them, each once, ascending.
func heardBy(dst []int, set []int, row func(v int) []int32) []int {
	for _, v := range set {
		dst = append(dst, v)
		for _, w := range row(v) {
			dst = append(dst, int(w))
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// eachShared calls see for every pair of partners with a node in the set, once.
func (a *Algorithm) eachShared(set []int, see func(v, w int)) {
	for _, v := range set {
		nodes, _ := a.Protocol.Pairs.Row(v)
		for _, w := range nodes {
			if int(w) != v && (int(w) > v || !slices.Contains(set, int(w))) {
				see(v, int(w))
			}
		}
	}
}
