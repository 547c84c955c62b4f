package flow

import (
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// The number of sources that are solved side by side: two cache lines a row, fewer if
// their flows would take too much memory.
const (
	blockCols    = 16
	blockEntries = 1 << 25 // rounds times nodes times sources
)

// The work on a source if there are many, and if there are few. Energies are off the
// optimum by about the square of the last residual.
var (
	manySources = effort{guesses: 4, gradients: 4, inner: 0.1, precise: 0.05}
	fewSources  = effort{guesses: 30, gradients: 20, inner: 0.01, precise: 1e-5}
	manyAttacks = effort{gradients: 100, inner: 1e-5}
)

// few is the largest number of sources, in all, that counts as few.
const few = 64

// A solver prices some sources towards one coalition. A keeper stores its results under
// its name.
type solver struct {
	name string
	of   func(sources []int, towards sight) []float64
}

// A sight is the view of a coalition: by round and node whose messages it sees, or, if
// several turns share one draw of noise, its veils.
type sight struct {
	coalition []int
	marks     [][]bool
	chances   [][]float64 // chances of the solver aimed; nil if not computed
	veils     []*veil
}

// must returns the sight of the veils of a coalition that was checked. It panics on an
// error.
func (a *Accountant) must(coalition []int) sight {
	veils, err := a.veils(coalition)
	if err != nil {
		panic("flow: " + err.Error())
	}
	return sight{coalition: coalition, veils: veils}
}

// stopping returns the sight of a coalition for upper bounds.
func (a *Accountant) stopping(coalition []int) sight {
	if a.rounds != nil {
		return a.must(coalition)
	}
	return sight{coalition: coalition, marks: a.stops(coalition)}
}

// hearing returns the sight of a coalition for attacks.
func (a *Accountant) hearing(coalition []int) sight {
	if a.rounds != nil {
		return a.must(coalition)
	}
	return sight{coalition: coalition, marks: a.seenBy(coalition)}
}

// upper returns the solver of upper bounds near the optimum, closer if there are few
// sources in all.
func (a *Accountant) upper(all int) solver {
	if a.rounds != nil {
		return solver{"descent", each(a.nearAveraged)}
	}
	work, name := manySources, "near"
	if all <= few {
		work, name = fewSources, "nearer"
	}
	return solver{name, func(sources []int, towards sight) []float64 {
		energies, _ := a.newBlock(sources, towards.marks).solve(work)
		return energies
	}}
}

// each returns a function that prices sources one by one.
func each(one func(veils []*veil, u int) float64) func(sources []int, towards sight) []float64 {
	return func(sources []int, towards sight) []float64 {
		energies := make([]float64, len(sources))
		for k, u := range sources {
			energies[k] = one(towards.veils, u)
		}
		return energies
	}
}

// lower returns the solver of lower bounds by attacks.
func (a *Accountant) lower() solver {
	if a.rounds != nil {
		return solver{"attacks", each(func(veils []*veil, u int) float64 {
			attained, _ := a.attackVeils(veils, u, curvesTried[:1], manyVeilAttacks)
			return attained
		})}
	}
	return solver{"attacks", func(sources []int, towards sight) []float64 {
		return a.newTest(sources, towards.marks).best(manyAttacks)
	}}
}

// seenBy returns the marks for lower.
func (a *Accountant) seenBy(coalition []int) [][]bool {
	seen := make([][]bool, a.p.Rounds)
	for t := range seen {
		seen[t] = a.p.seen(t, coalition)
	}
	return seen
}

// Towards returns upper bounds on the least energy from every node towards one observer,
// near the optimum. The observer's own entry is the local energy. It uses workers
// goroutines, and at most a gigabyte for each.
func (a *Accountant) Towards(v, workers int) ([]float64, error) {
	return a.sweep(v, workers, a.stopping, a.upper(a.n), a.of)
}

// AuditTowards returns the lower bounds of Audit from every node towards one observer.
func (a *Accountant) AuditTowards(v, workers int) ([]float64, error) {
	return a.sweep(v, workers, a.hearing, a.lower(), a.attained)
}

// AuditSome returns the lower bounds of Audit for the given ordered pairs (u, v).
func (a *Accountant) AuditSome(some [][2]int, workers int) []float64 {
	return a.pairwise(some, workers, a.attained, a.lower(), func(u, v int) float64 {
		part := a.heard(u, a.seenBy([]int{v}))
		return part.lower().of([]int{part.source}, sight{marks: part.stops})[0]
	})
}

// Sharpen lowers the energies of the given ordered pairs (u, v) to near the optimum.
func (a *Accountant) Sharpen(pairs *Pairs, some [][2]int, workers int) {
	for i, e := range a.SharpenSome(some, workers) {
		at := &pairs.Values[some[i][0]*a.n+some[i][1]]
		*at = min(*at, e)
	}
}

// SharpenSome returns energies near the optimum of the given ordered pairs (u, v).
func (a *Accountant) SharpenSome(some [][2]int, workers int) []float64 {
	return a.pairwise(some, workers, a.of, a.upper(len(some)), func(u, v int) float64 {
		part := a.reached(u, []int{v})
		return part.upper(len(some)).of([]int{part.source}, sight{marks: part.stops})[0]
	})
}

// pairwise prices the given ordered pairs (u, v) one by one. If several turns share one
// draw of noise, it prices them observer by observer.
func (a *Accountant) pairwise(some [][2]int, workers int, of func(int, float64) float64, solve solver, one func(u, v int) float64) []float64 {
	energies, more := make([]float64, len(some)), a.begin(len(some))
	if a.rounds == nil {
		parallel.Each(len(some), workers, func(i int) {
			u, v := some[i][0], some[i][1]
			energies[i] = of(u, a.remembered(solve.name+", alone", []int{v}, []int{u}, func() []float64 { return []float64{one(u, v)} })[0])
			more(1)
		})
		return energies
	}
	towards, observers := map[int][]int{}, []int{}
	for i, pair := range some {
		if towards[pair[1]] == nil {
			observers = append(observers, pair[1])
		}
		towards[pair[1]] = append(towards[pair[1]], i)
	}
	parallel.Each(len(observers), workers, func(k int) {
		seen := a.must([]int{observers[k]})
		for _, i := range towards[observers[k]] {
			u := some[i][0]
			energies[i] = of(u, a.remembered(solve.name, seen.coalition, []int{u}, func() []float64 { return solve.of([]int{u}, seen) })[0])
			more(1)
		}
	})
	return energies
}

// sweep prices all sources but v.
func (a *Accountant) sweep(v, workers int, sees func([]int) sight, solve solver, of func(int, float64) float64) ([]float64, error) {
	if err := a.p.checkPair((v+1)%a.n, []int{v}); err != nil {
		return nil, err
	}
	var sources []int
	for u := range a.n {
		if u != v {
			sources = append(sources, u)
		}
	}
	energies := make([]float64, a.n)
	energies[v] = a.p.LocalOf(v)
	a.several(sources, sees([]int{v}), workers, solve, a.begin(len(sources)), func(u int, energy float64) { energies[u] = energy })
	return a.scaledTowards(energies, of), nil
}

// several prices sources, some side by side. It calls found for each source, concurrently
// for different ones, and more with the number done.
func (a *Accountant) several(sources []int, towards sight, workers int, solve solver, more func(int), found func(u int, energy float64)) {
	cols := max(1, min(blockCols, blockEntries/(a.n*a.p.Rounds)))
	if towards.veils != nil {
		cols = 1
	}
	blocks := (len(sources) + cols - 1) / cols
	parallel.Each(blocks, workers, func(i int) {
		some := sources[i*cols : min(len(sources), (i+1)*cols)]
		for k, e := range a.remembered(solve.name, towards.coalition, some, func() []float64 { return solve.of(some, towards) }) {
			found(some[k], e)
		}
		more(len(some))
	})
}
