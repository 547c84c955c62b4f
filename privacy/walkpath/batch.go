package walkpath

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
)

// On a graph without symmetries the chain of a pair has nearly as many states as the graph has nodes, and a
// law costs Turns products with W for each of three first passages. The block kernel computes sixteen
// passages for little more than the price of one.

// batchPairs is the number of pairs whose passages go into one block.
const batchPairs = blockColumns / 3

// irregular reports whether laws are better computed in blocks. This holds for a long run on a graph where
// the chain of the first pair has states for more than half of the nodes.
func (w Walk) irregular(first []Pair) bool {
	if w.W == nil || w.Skip > 0 || len(first) < 2 || w.Turns <= exactTurns || w.notAmplified() != "" {
		return false
	}
	states := 0
	for _, s := range lump(w.W, first[0].U, first[0].V) {
		states = max(states, int(s)+1)
	}
	return 2*states > w.Nodes
}

// batched computes the laws of p in blocks of pairs.
func (w Walk) batched(p *Laws, first []Pair, workers int) error {
	if err := w.check(first[0].U, first[0].V); err != nil {
		return err
	}
	backwards := w.W.Transpose()
	start := w.startLaw()
	var blocks [][]Pair
	for lo := 0; lo < len(first); lo += batchPairs {
		blocks = append(blocks, first[lo:min(lo+batchPairs, len(first))])
	}
	laws, err := w.each(fmt.Sprintf("blocks %v", blocks), blocks, workers, func(b int, kept []*Law, found func(int, *Law) error) error {
		for i, r := range w.renewalsOf(backwards, start, blocks[b]) {
			if kept[i] != nil {
				continue
			}
			if err := found(i, w.boundedLaw(blocks[b][i].U, blocks[b][i].V, r)); err != nil {
				return err
			}
		}
		return nil
	})
	for b, block := range laws {
		copy(p.laws[b*batchPairs:], block)
	}
	return err
}

// startLaw returns the law of the holder of the first update.
func (w Walk) startLaw() []float64 {
	c := chain{w: w.W, start: make([]float64, w.Nodes)}
	if w.Start != AnyStart {
		c.start[w.Start] = 1
	} else {
		for i := range c.start {
			c.start[i] = 1 / float64(w.Nodes)
		}
	}
	c.burn(w.BurnIn)
	return c.start
}

// renewalsOf returns renewalOf of several pairs, on the whole graph instead of lumped chains.
func (w Walk) renewalsOf(backwards *sparse.Matrix, start []float64, pairs []Pair) []*renewal {
	var list []passage
	for _, p := range pairs {
		elsewhere := slices.Clone(start)
		elsewhere[p.U] = 0
		list = append(list, passage{w.at(p.U), []int{p.U, p.V}}, passage{w.at(p.V), []int{p.U}}, passage{elsewhere, []int{p.U}})
	}
	laws, rest := firstPassages(backwards, w.Turns-1, list)
	renewals := make([]*renewal, len(pairs))
	for i, p := range pairs {
		out, again, arrive := laws[3*i], laws[3*i+1][0], laws[3*i+2][0]
		arrive[0] = start[p.U]
		renewals[i] = &renewal{turns: w.Turns, cap: w.Cap, arrive: arrive, again: again, gapLaw: gapLaw{back: out[0], hit: out[1], rest: rest[3*i]}}
		renewals[i].tabulate()
	}
	return renewals
}

func (w Walk) at(node int) []float64 {
	x := make([]float64, w.Nodes)
	x[node] = 1
	return x
}
