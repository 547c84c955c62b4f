package walkpath

import (
	"cmp"
	"slices"
)

// mostRefined is the largest number of pairs that are refined.
const mostRefined = 20

// Refine computes the laws of the pairs with the largest losses, as many as take about work multiplications,
// whatever the machine. Of pairs with equal losses it refines all or none, so that the numbering of nodes does
// not matter.
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

// equalLosses is the relative amount by which losses of equivalent pairs may differ by rounding.
const equalLosses = 1e-6

// largest returns up to most pairs with the largest losses, the largest first.
func (l *PairLosses) largest(most int) (pairs []Pair) {
	type lossOf struct {
		Pair
		loss float64
	}
	var list []lossOf // in falling order, one more than needed
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
