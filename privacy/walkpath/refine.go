package walkpath

import (
	"cmp"
	"slices"
)

// mostRefined is how many pairs are refined at most.
const mostRefined = 20

// Refine computes the laws of those pairs that lose most, as many as take about so many
// multiplications, whatever the machine. Pairs that lose the same are all refined or none
// of them, so that it does not matter how nodes are numbered.
func (m *Moments) Refine(losses *PairLosses, work float64) error {
	each := 3 * float64(m.Walk.Turns) * float64(len(m.Walk.W.Columns))
	pairs := losses.largest(int(min(mostRefined, work/each)))
	if len(pairs) == 0 {
		return nil
	}
	place := make(map[Pair]int, len(pairs))
	for k, p := range pairs {
		place[p] = k
	}
	w := m.Walk.base()
	laws, err := w.allLaws(func(u, v int) int {
		if k, ok := place[Pair{u, v}]; ok {
			return k
		}
		return Unlawed
	}, m.workers)
	if err != nil {
		return err
	}
	m.Refined = make(map[Pair]*Law, len(pairs))
	for _, p := range pairs {
		m.Refined[p] = laws.Law(p.U, p.V)
	}
	return nil
}

// equalLosses is the share by which losses of pairs that are alike may differ by rounding.
const equalLosses = 1e-6

// largest are up to so many pairs with the largest losses, the largest first.
func (l *PairLosses) largest(most int) (pairs []Pair) {
	type lossOf struct {
		Pair
		loss float64
	}
	var list []lossOf // in falling order, one more than are wanted
	for u := range l.nodes {
		for v := range l.nodes {
			one := lossOf{Pair{u, v}, l.At(u, v)}
			if u == v || len(list) > most && !(one.loss > list[most].loss) {
				continue
			}
			at, _ := slices.BinarySearchFunc(list, one, func(a, b lossOf) int { return cmp.Compare(b.loss, a.loss) })
			list = slices.Insert(list, at, one)
			list = list[:min(len(list), most+1)]
		}
	}
	for _, one := range list[:min(len(list), most)] {
		if len(list) <= most || one.loss > list[most].loss*(1+equalLosses) {
			pairs = append(pairs, one.Pair)
		}
	}
	return pairs
}
