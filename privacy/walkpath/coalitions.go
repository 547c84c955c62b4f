package walkpath

import (
	"fmt"
	"slices"
)

// A Coalition holds the law of the energy that some nodes learn if they collude. They follow the protocol
// otherwise.
type Coalition struct {
	Members []int // ascending; nil: the law holds for all coalitions of the size
	*Law
}

// At most mostCoalitions are priced one by one, if their passages take at most mostPassages products.
const (
	mostCoalitions = 64
	mostPassages   = 4e9
)

// Coalitions bounds the energy that any size colluding nodes learn about u. alone holds the law of every
// node alone, by node, and nil for nodes that cannot be members, u among them. Where the coalitions are few
// it returns the CoalitionLaw of each, else one Pooled law. If size is larger than the number of nodes it
// takes all of them as one coalition. For a walk that goes to all nodes with the same probability it
// returns CompleteCoalitions, and ignores alone.
func (w Walk) Coalitions(u, size int, alone []*Law, workers int) ([]Coalition, error) {
	if w.W == nil {
		return w.CompleteCoalitions(u, size)
	}
	var nodes []int
	var laws []*Law
	for v, law := range alone {
		if v != u && law != nil {
			nodes, laws = append(nodes, v), append(laws, law)
		}
	}
	if len(nodes) == 0 || size < 1 {
		return nil, nil
	}
	size = min(size, len(nodes))
	sets := subsets(nodes, size, mostCoalitions+1)
	if len(sets) > mostCoalitions || float64(len(sets))*w.passages(size) > mostPassages {
		pooled := Pooled(laws, size)
		pooled.Assumptions = append(slices.Clone(pooled.Assumptions), pooling(size))
		return []Coalition{{Law: pooled}}, nil
	}
	blocks := make([][]Pair, len(sets))
	for b := range blocks {
		blocks[b] = []Pair{{u, b}} // the b-th coalition of u
	}
	base := w.base()
	found, err := base.each(fmt.Sprintf("coalitions of %d of %v", size, nodes), blocks, workers, func(b int, _ []*Law, found func(int, *Law) error) error {
		if err := w.checkCoalition(u, sets[b]); err != nil {
			return err
		}
		law, err := base.coalitionLaw(u, sets[b])
		if err != nil {
			return err
		}
		return found(0, law)
	})
	if err != nil {
		return nil, err
	}
	coalitions := make([]Coalition, len(sets))
	for b, set := range sets {
		coalitions[b] = Coalition{set, found[b][0].of(w, u)}
	}
	return coalitions, nil
}

// pooling returns the assumption of a law of a coalition.
func pooling(size int) string {
	return fmt.Sprintf("the %d members of the coalition follow the protocol, and put together all that they see", size)
}

// passages returns about how many products the law of a coalition takes.
func (w Walk) passages(size int) float64 {
	entries := 9
	if w.W != nil {
		entries = len(w.W.Columns)
	}
	if w.Turns <= exactTurns || w.notAmplified() != "" {
		return 0
	}
	return float64(size+2) * float64(w.Turns) * float64(entries)
}

// Subsets lists the subsets of a size in lexicographic order, and at most most of them.
func Subsets(of []int, size, most int) [][]int { return subsets(of, size, most) }

// subsets does as Subsets.
func subsets(of []int, size, most int) (all [][]int) {
	chosen := make([]int, 0, size)
	var extend func(from int)
	extend = func(from int) {
		if len(chosen) == size {
			all = append(all, slices.Clone(chosen))
			return
		}
		for i := from; i <= len(of)-(size-len(chosen)) && len(all) < most; i++ {
			chosen = append(chosen, of[i])
			extend(i + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	extend(0)
	return all
}
