package pairwise

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Towards returns the energy from node u towards every other node. The observer sees all messages and knows the
// noise of its own secrets. Beside it the worst Problem.Absent others miss each round. Entry u is the local energy. If
// trying all sets of them takes too long, energies are a bound for any 1 + Absent others, and the claim says so.
func (a *Accountant) Towards(u, workers int) ([]float64, privacy.Claim, error) {
	n, claim := a.p.Pairs.N, a.Claim()
	if err := a.p.checkCoalition([]int{u}); err != nil {
		return nil, claim, err
	}
	energies, known := make([]float64, n), map[int]int{} // by class: its representative
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
	absent := a.absent(1)
	if absent > 0 && float64(len(asked))*subsetsOf(n-2, absent)*a.oneCost() > ExactCost {
		claim = a.looser(1 + absent)
		bound := newTree(a.p.viewOf(nil)).kept(u, 1+absent)
		for _, v := range asked {
			energies[v] = bound
		}
	} else {
		parallel.Each(len(asked), workers, func(i int) { energies[asked[i]], _ = a.worstBeside(u, asked[i:i+1], absent, 1) })
	}
	for v := range n {
		if v != u && a.p.Class != nil {
			energies[v] = energies[known[a.p.Class(u, v)]]
		}
	}
	for v := range n {
		energies[v] *= a.unit(u)
	}
	return energies, claim, nil
}

// resistance returns the resistance of u to the ground if coalition, which must not hold u, observes.
func (a *Accountant) resistance(u int, coalition []int) float64 {
	v := a.p.viewOf(coalition)
	found := 1.0
	v.each(v.part(int32(u), make([]bool, len(v.honest))), []int32{int32(u)}, 1, func(at int32, r float64) {
		if int(at) == u { // elimination finds all nodes of the part
			found = r
		}
	})
	return found
}

// WorstOf returns the largest energy of u towards any size of the other nodes (see Worst). members is the worst
// coalition if all were tried and nobody misses a round, else nil.
func (a *Accountant) WorstOf(u, size, workers int) (energy float64, members []int, claim privacy.Claim, err error) {
	n := a.p.Pairs.N
	if err := a.p.checkCoalition([]int{u}); err != nil {
		return 0, nil, claim, err
	}
	if size < 1 || size >= n {
		return 0, nil, claim, fault.New(fmt.Sprintf("%d colluders among %d nodes", size, n), fmt.Sprintf("give a number from 1 to %d", n-1))
	}
	absent := a.absent(size)
	if subsetsOf(n-1, size+absent)*a.oneCost() > ExactCost {
		return newTree(a.p.viewOf(nil)).kept(u, size+absent) * a.unit(u), nil, a.looser(size + absent), nil
	}
	worst, members := a.worstBeside(u, nil, size+absent, workers)
	if absent > 0 { // some of them miss rounds
		members = nil
	}
	return worst * a.unit(u), members, a.Claim(), nil
}

// worstBeside returns the largest resistance of u towards a coalition with any size others, and the first such set of all of
// them that attains it.
func (a *Accountant) worstBeside(u int, coalition []int, size, workers int) (float64, []int) {
	if size == 0 {
		return a.resistance(u, coalition), coalition
	}
	var rest []int
	for v := range a.p.Pairs.N {
		if v != u && !slices.Contains(coalition, v) {
			rest = append(rest, v)
		}
	}
	var all [][]int
	choose(len(rest), size, func(c []int) {
		one := slices.Clone(coalition)
		for _, at := range c {
			one = append(one, rest[at])
		}
		all = append(all, one)
	})
	resistances := make([]float64, len(all))
	parallel.Each(len(all), workers, func(i int) { resistances[i] = a.resistance(u, all[i]) })
	worst := 0
	for i, r := range resistances {
		if r > resistances[worst] {
			worst = i
		}
	}
	return resistances[worst], all[worst]
}

// oneCost returns about how many multiplications the resistance of one node towards one coalition takes.
func (a *Accountant) oneCost() float64 {
	n, edges := float64(a.p.Pairs.N), float64(len(a.p.Pairs.Columns))
	steps := 15 * (1 + float64(a.p.Pair/a.p.Own*math.Sqrt(edges/n)))
	return min(n*n*n, steps*(edges+float64(10*n))) + float64(20*n)
}

// subsetsOf returns the number of subsets of a size of n elements.
func subsetsOf(n, size int) float64 {
	count := 1.0
	for k := range size {
		count *= float64(n-k) / float64(k+1)
	}
	return count
}
