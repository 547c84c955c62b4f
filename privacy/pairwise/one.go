package pairwise

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Towards is the energy from node u towards every other that sees all messages and knows the
// noise of its own secrets; its own entry is the local one.
func (a *Accountant) Towards(u, workers int) ([]float64, error) {
	n := a.p.Pairs.N
	if err := a.p.checkCoalition([]int{u}); err != nil {
		return nil, err
	}
	energies, known := make([]float64, n), map[int]int{} // by class: who stands for it
	var asked []int
	for v := range n {
		if v == u {
			energies[v] = 1
			continue
		}
		if a.p.Class == nil {
			asked = append(asked, v)
		} else if _, found := known[a.p.Class(u, v)]; !found {
			known[a.p.Class(u, v)] = v
			asked = append(asked, v)
		}
	}
	parallel.Each(len(asked), workers, func(i int) { energies[asked[i]] = a.resistance(u, []int{asked[i]}) })
	for v := range n {
		if v != u && a.p.Class != nil {
			energies[v] = energies[known[a.p.Class(u, v)]]
		}
	}
	for v := range n {
		energies[v] *= a.unit(u)
	}
	return energies, nil
}

// resistance is that of u to the ground where a coalition that it is not in observes.
func (a *Accountant) resistance(u int, coalition []int) float64 {
	v := a.p.viewOf(coalition)
	found := 1.0
	v.each(v.part(int32(u), make([]bool, len(v.honest))), []int32{int32(u)}, 1, func(at int32, r float64) {
		if int(at) == u { // elimination says it of all
			found = r
		}
	})
	return found
}

// WorstOf is the largest energy of u towards any so many of the others, see Worst, and who
// they are if all were tried.
func (a *Accountant) WorstOf(u, size, workers int) (energy float64, members []int, claim privacy.Claim, err error) {
	n := a.p.Pairs.N
	if err := a.p.checkCoalition([]int{u}); err != nil {
		return 0, nil, claim, err
	}
	if size < 1 || size >= n {
		return 0, nil, claim, fault.New(fmt.Sprintf("%d colluders among %d nodes", size, n), fmt.Sprintf("give a number from 1 to %d", n-1))
	}
	count := subsetsOf(n-1, size)
	if count*a.oneCost() > ExactCost {
		return a.kept(size)[u] * a.unit(u), nil, a.looser(size), nil
	}
	var all [][]int
	choose(n-1, size, func(c []int) {
		c = slices.Clone(c)
		for i := range c {
			if c[i] >= u { // numbers without u
				c[i]++
			}
		}
		all = append(all, c)
	})
	resistances := make([]float64, len(all))
	parallel.Each(len(all), workers, func(i int) { resistances[i] = a.resistance(u, all[i]) })
	worst := 0
	for i, r := range resistances {
		if r > resistances[worst] {
			worst = i
		}
	}
	return resistances[worst] * a.unit(u), all[worst], a.Claim(), nil
}

// oneCost is about how many multiplications one node takes towards one coalition.
func (a *Accountant) oneCost() float64 {
	n, edges := float64(a.p.Pairs.N), float64(len(a.p.Pairs.Columns))
	steps := 15 * (1 + float64(a.p.Pair/a.p.Own*math.Sqrt(edges/n)))
	return min(n*n*n, steps*(edges+float64(10*n))) + float64(20*n)
}

// subsetsOf is how many subsets of a size n things have.
func subsetsOf(n, size int) float64 {
	count := 1.0
	for k := range size {
		count *= float64(n-k) / float64(k+1)
	}
	return count
}
