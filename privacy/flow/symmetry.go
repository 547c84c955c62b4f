package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Movements returns permutations of the nodes that generate the automorphisms of a
// family of graphs. Every tries them, and ignores those that are no automorphisms of
// its problem. sides are those of graph.Symmetry. It returns none for another
// family.
func Movements(family string, sides []int) (all [][]int32) {
	n := 1
	for _, s := range sides {
		n *= s
	}
	if family == "hypercube" {
		n = 1 << sides[0]
	}
	add := func(to func(i int) int) {
		p := make([]int32, n)
		for i := range p {
			p[i] = int32(to(i))
		}
		all = append(all, p)
	}
	switch family {
	case "complete", "ring":
		add(func(i int) int { return (i + 1) % n })
		add(func(i int) int { return (n - i) % n })
		if family == "complete" {
			add(func(i int) int { // 0 and 1
				if i > 1 {
					return i
				}
				return 1 - i
			})
		}
	case "hypercube":
		for bit := range sides[0] {
			add(func(i int) int { return i ^ 1<<bit })
			if bit > 0 {
				add(func(i int) int { // two bits
					low, high := i>>(bit-1)&1, i>>bit&1
					return i&^(3<<(bit-1)) | low<<bit | high<<(bit-1)
				})
			}
		}
	case "torus":
		rows, columns := sides[0], sides[1]
		at := func(r, c int) int { return (r+rows)%rows*columns + (c+columns)%columns }
		add(func(i int) int { return at(i/columns+1, i%columns) })
		add(func(i int) int { return at(i/columns, i%columns+1) })
		add(func(i int) int { return at(-(i / columns), i%columns) })
		add(func(i int) int { return at(i/columns, -(i % columns)) })
		if rows == columns {
			add(func(i int) int { return at(i%columns, i/columns) })
		}
	}
	return all
}

// Every returns upper bounds on the least energy of all pairs, near the optimum. It
// solves one pair for all pairs that the movements map to each other. Without
// movements it takes n times as long as Towards.
func (a *Accountant) Every(movements [][]int32, workers int) *Pairs {
	pairs := a.classes(movements, workers, func(all int) solver { return a.upper(all) }, a.stopping)
	pairs.Claim = a.claim("flow")
	return a.scaled(pairs, a.of)
}

// AuditEvery returns the lower bounds of Audit for all pairs, one solved for each
// class of pairs as in Every.
func (a *Accountant) AuditEvery(movements [][]int32, workers int) *Pairs {
	pairs := a.classes(movements, workers, func(int) solver { return a.lower() }, a.hearing)
	pairs.Claim = a.unit(AuditClaim())
	return a.scaled(pairs, a.attained)
}

// EveryCost returns about the number of multiplications of Every.
func (a *Accountant) EveryCost(movements [][]int32) float64 {
	pairs := 0
	observers := map[int]bool{}
	for i, first := range a.pairClasses(movements) {
		if int(first) == i && i/a.n != i%a.n {
			pairs++
			observers[i/a.n] = true
		}
	}
	if a.rounds != nil {
		return a.veiledCost(pairs, len(observers), flowsPerDescent)
	}
	return flowsPerSource * float64(pairs) * float64(a.p.Rounds) * float64(len(a.forward[0].Values)+4*a.n)
}

// AuditCost returns about the number of multiplications of AuditEvery.
func (a *Accountant) AuditCost(movements [][]int32) float64 {
	if a.rounds != nil {
		return a.EveryCost(movements)
	}
	return flowsPerAttack / flowsPerSource * a.EveryCost(movements)
}

// AuditCostOf returns about the number of multiplications of Audit for pairs pairs.
func (a *Accountant) AuditCostOf(pairs int) float64 {
	if a.rounds != nil {
		return a.veiledCost(pairs, pairs, flowsPerDescent)
	}
	return flowsPerAttack * float64(pairs) * float64(a.p.Rounds) * float64(len(a.forward[0].Values)+4*a.n)
}

// flowsPerAttack is about the number of flows and prices of an attack.
const flowsPerAttack = 60.0

// flowsPerSource is about the number of flows and prices of a source.
const flowsPerSource = 30

// classes solves one pair a class, observer by observer.
func (a *Accountant) classes(movements [][]int32, workers int, solve func(all int) solver, sees func([]int) sight) *Pairs {
	pairs := &Pairs{N: a.n, Values: make([]float64, a.n*a.n)}
	class := a.pairClasses(movements)
	towards, all := make([][]int, a.n), 0
	for v := range a.n {
		for u := range a.n {
			switch {
			case u == v:
				pairs.Values[u*a.n+v] = a.p.LocalOf(u)
			case class[v*a.n+u] == int32(v*a.n+u):
				towards[v] = append(towards[v], u)
				all++
			}
		}
	}
	one, more := solve(all), a.begin(all)
	for v, sources := range towards {
		if len(sources) > 0 {
			a.several(sources, sees([]int{v}), workers, one, more, func(u int, e float64) { pairs.Values[u*a.n+v] = e })
		}
	}
	for v := range a.n {
		for u := range a.n {
			if first := int(class[v*a.n+u]); u != v {
				pairs.Values[u*a.n+v] = pairs.Values[first%a.n*a.n+first/a.n]
			}
		}
	}
	return pairs
}

// pairClasses returns for each ordered pair v*n+u the least pair that the movements
// map it to.
func (a *Accountant) pairClasses(movements [][]int32) []int32 {
	class := make([]int32, a.n*a.n)
	for i := range class {
		class[i] = int32(i)
	}
	root := func(i int32) int32 {
		for class[i] != i {
			class[i] = class[class[i]]
			i = class[i]
		}
		return i
	}
	for _, m := range movements {
		if !a.leaves(m) {
			continue
		}
		for i := range class {
			x, y := root(int32(i)), root(m[i/a.n]*int32(a.n)+m[i%a.n])
			class[max(x, y)] = min(x, y)
		}
	}
	for i := range class {
		class[i] = root(int32(i))
	}
	return class
}

// leaves reports whether a permutation is an automorphism of the problem: of every
// weight, who hears whom, contributions, noise and Lipschitz constants, bit by bit.
func (a *Accountant) leaves(m []int32) bool {
	if !isPermutation(m, a.n) {
		return false
	}
	for _, matrices := range [][]*sparse.Matrix{a.p.Weights, a.p.Hears} {
		for t, w := range matrices {
			if (t == 0 || w != matrices[t-1]) && !unmoved(w, m) {
				return false
			}
		}
	}
	for _, levels := range [][]level{a.spread, a.noise, a.gives} {
		for _, l := range levels {
			for j, x := range l.each {
				if l.each[m[j]] != x {
					return false
				}
			}
		}
	}
	return true
}

func isPermutation(m []int32, n int) bool {
	seen := make([]bool, n)
	for _, j := range m {
		if j < 0 || int(j) >= n || seen[j] {
			return false
		}
		seen[j] = true
	}
	return len(m) == n
}

// unmoved reports whether w[m(i)][m(j)] = w[i][j] throughout, with the same entries.
func unmoved(w *sparse.Matrix, m []int32) bool {
	type entry struct {
		column int32
		value  float64
	}
	var image []entry
	for i := range w.N {
		columns, values := w.Row(i)
		image = image[:0]
		for k, j := range columns {
			image = append(image, entry{m[j], values[k]})
		}
		slices.SortFunc(image, func(x, y entry) int { return int(x.column - y.column) })
		columns, values = w.Row(int(m[i]))
		if len(columns) != len(image) {
			return false
		}
		for k, e := range image {
			if columns[k] != e.column || values[k] != e.value {
				return false
			}
		}
	}
	return true
}
