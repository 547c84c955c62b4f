package flow

import (
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// How many sources are solved side by side: two cache lines a row, fewer where
// their flows would take too much memory.
const (
	blockCols    = 16
	blockEntries = 1 << 25 // rounds times nodes times sources
)

// What a source may cost where there are many, and where there are few.
// Energies are off the optimum by about the square of the last residual.
var (
	manySources = effort{guesses: 4, gradients: 4, inner: 0.1, precise: 0.05}
	fewSources  = effort{guesses: 30, gradients: 20, inner: 0.01, precise: 1e-5}
	manyAttacks = effort{gradients: 100, inner: 1e-5}
)

// few is up to how many sources in all.
const few = 64

// A solver prices some sources towards one coalition.
type solver func(sources []int, marks [][]bool) []float64

// upper is an upper bound near the optimum, closer if sources are few in all.
func (a *Accountant) upper(all int) solver {
	work := manySources
	if all <= few {
		work = fewSources
	}
	return func(sources []int, stops [][]bool) []float64 {
		energies, _ := a.newBlock(sources, stops).solve(work)
		return energies
	}
}

// lower is what an attack attains.
func (a *Accountant) lower(sources []int, seen [][]bool) []float64 {
	return a.newTest(sources, seen).best(manyAttacks)
}

// seenBy are the marks of lower.
func (a *Accountant) seenBy(coalition []int) [][]bool {
	seen := make([][]bool, a.p.Rounds)
	for t := range seen {
		seen[t] = a.p.seen(t, coalition)
	}
	return seen
}

// Towards is an upper bound of the least energy from every node towards one
// observer, near the optimum; the observer's own entry is the local energy. It
// uses as many goroutines as workers, and at most a gigabyte for each.
func (a *Accountant) Towards(v, workers int) ([]float64, error) {
	return a.sweep(v, workers, a.stops([]int{v}), a.upper(a.n), a.of)
}

// AuditTowards is Audit from every node towards one observer.
func (a *Accountant) AuditTowards(v, workers int) ([]float64, error) {
	return a.sweep(v, workers, a.seenBy([]int{v}), a.lower, a.attained)
}

// AuditSome is Audit of the ordered pairs (u, v) given.
func (a *Accountant) AuditSome(some [][2]int, workers int) []float64 {
	attained, more := make([]float64, len(some)), a.begin(len(some))
	parallel.Each(len(some), workers, func(i int) {
		defer more(1)
		part := a.heard(some[i][0], a.seenBy([]int{some[i][1]}))
		attained[i] = a.attained(some[i][0], part.lower([]int{part.source}, part.stops)[0])
	})
	return attained
}

// Sharpen lowers the energies of the ordered pairs (u, v) given to near the optimum.
func (a *Accountant) Sharpen(pairs *Pairs, some [][2]int, workers int) {
	for i, e := range a.SharpenSome(some, workers) {
		at := &pairs.Values[some[i][0]*a.n+some[i][1]]
		*at = min(*at, e)
	}
}

// SharpenSome are energies near the optimum of the ordered pairs (u, v) given.
func (a *Accountant) SharpenSome(some [][2]int, workers int) []float64 {
	energies, more := make([]float64, len(some)), a.begin(len(some))
	parallel.Each(len(some), workers, func(i int) {
		defer more(1)
		part := a.reached(some[i][0], []int{some[i][1]})
		energies[i] = a.of(some[i][0], part.upper(len(some))([]int{part.source}, part.stops)[0])
	})
	return energies
}

// sweep prices all sources but v.
func (a *Accountant) sweep(v, workers int, marks [][]bool, solve solver, of func(int, float64) float64) ([]float64, error) {
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
	a.several(sources, marks, workers, solve, a.begin(len(sources)), func(u int, energy float64) { energies[u] = energy })
	return a.scaledTowards(energies, of), nil
}

// several prices sources, some side by side. found is called for each, at the
// same time for different ones; more is told how many are done.
func (a *Accountant) several(sources []int, marks [][]bool, workers int, solve solver, more func(int), found func(u int, energy float64)) {
	cols := max(1, min(blockCols, blockEntries/(a.n*a.p.Rounds)))
	blocks := (len(sources) + cols - 1) / cols
	parallel.Each(blocks, workers, func(i int) {
		some := sources[i*cols : min(len(sources), (i+1)*cols)]
		for k, e := range solve(some, marks) {
			found(some[k], e)
		}
		more(len(some))
	})
}
