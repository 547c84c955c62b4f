package flow

import (
	"cmp"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Refine lowers the largest energies of all pairs. The pairs with the largest energies, and
// those among pairs where no message arrives directly, get a plan of their own and then one
// near the optimum. It goes on until the largest energy of both kinds was refined. That is
// then the largest of the least energies of all pairs, because energies of the others are
// upper bounds too. Refine ends when it has spent multiplications. Its result depends
// neither on workers nor on time, and on the numbering of nodes only through rounding or if
// multiplications run out. The values that are left then stay upper bounds.
func (a *Accountant) Refine(pairs *Pairs, multiplications float64, workers int) {
	r := &refinement{Accountant: a, pairs: pairs, left: multiplications, workers: workers, tiers: make([]tier, len(pairs.Values)), direct: a.directly()}
	r.markLeast()
	for _, beyond := range []bool{false, true} {
		for r.round(beyond) {
		}
	}
}

// A tier says how closely a pair was solved.
type tier uint8

const (
	rough    tier = iota
	improved      // by a quick plan of its own
	finished      // near the optimum, or it cannot be less
)

// A refinement holds the state of Refine.
type refinement struct {
	*Accountant
	pairs   *Pairs
	left    float64 // multiplications
	workers int
	tiers   []tier
	direct  []bool // v*n+u: v hears u in some round
}

// directly returns whether v hears a message of u, at v*n+u.
func (a *Accountant) directly() []bool {
	direct := make([]bool, a.n*a.n)
	for t := range max(len(a.p.Weights), len(a.p.Hears)) {
		if t > 0 && a.p.weights(t) == a.p.weights(t-1) && len(a.p.Hears) <= 1 {
			continue
		}
		for v := range a.n {
			for _, u := range a.heardIn(t, v) {
				direct[v*a.n+int(u)] = true
			}
		}
	}
	return direct
}

// markLeast finishes the pairs whose energy equals the cost of the messages that the
// observer hears from u itself, because no plan has less.
func (r *refinement) markLeast() {
	if r.rounds != nil {
		return
	}
	least := make([]float64, len(r.tiers))
	for t := range r.p.Rounds {
		for v := range r.n {
			for _, u := range r.heardIn(t, v) {
				least[int(u)*r.n+v] += r.heardCost(t, int(u))
			}
		}
	}
	for i, e := range least {
		if u, v := i/r.n, i%r.n; u == v || r.pairs.Values[i] <= r.of(u, e)*(1+1e-9) {
			r.tiers[i] = finished
		}
	}
}

// heardCost returns the least cost of a message of u in round t.
func (r *refinement) heardCost(t, u int) float64 {
	gives, std := r.gives[t].at(u), r.noise[t].at(u)
	if gives == 0 {
		return 0
	}
	return (gives / std) * (gives / std)
}

// refinedAtOnce is the number of pairs that are refined before the largest are chosen
// again.
const refinedAtOnce = 32

// round refines the pairs with the largest energies, among all or among those without
// direct messages. It reports whether there may be more to do.
func (r *refinement) round(beyond bool) bool {
	some := r.worst(beyond)
	var quick, close [][2]int
	for _, i := range some {
		pair := [2]int{i / r.n, i % r.n}
		if r.tiers[i] == rough && r.rounds == nil {
			quick = append(quick, pair)
		} else {
			close = append(close, pair)
		}
	}
	for _, work := range []struct {
		some  [][2]int
		each  float64
		tier  tier
		solve func([][2]int) []float64
	}{
		{quick, r.pairCost(flowsAimed), improved, func(some [][2]int) []float64 {
			return r.pairwise(some, r.workers, r.of, r.aim(), r.oneAimed)
		}},
		{close, r.closeCost(), finished, func(some [][2]int) []float64 { return r.SharpenSome(some, r.workers) }},
	} {
		if len(work.some) == 0 {
			continue
		}
		if r.left -= float64(work.each * float64(len(work.some))); r.left < 0 {
			return false
		}
		for k, e := range work.solve(work.some) {
			i := work.some[k][0]*r.n + work.some[k][1]
			r.pairs.Values[i], r.tiers[i] = min(r.pairs.Values[i], e), work.tier
		}
	}
	return len(some) > 0
}

// closeCost returns about the number of multiplications of a pair near the optimum.
func (r *refinement) closeCost() float64 {
	if r.rounds != nil {
		return r.veiledCost(1, 1, flowsPerDescent)
	}
	return r.pairCost(flowsRefined)
}

// worst returns the unfinished pairs u*n+v with the largest energies, at most
// refinedAtOnce. It returns only energies above those of all finished pairs, so none if the
// largest is finished.
func (r *refinement) worst(beyond bool) []int {
	top := 0.0
	counts := func(i int) bool { return i/r.n != i%r.n && !(beyond && r.direct[i%r.n*r.n+i/r.n]) }
	for i, e := range r.pairs.Values {
		if r.tiers[i] == finished && counts(i) {
			top = max(top, e)
		}
	}
	if math.IsInf(top, 1) {
		return nil
	}
	var some []int
	least := top
	for i, e := range r.pairs.Values {
		if r.tiers[i] == finished || !(e > least) || !counts(i) {
			continue
		}
		if some = append(some, i); len(some) == 4*refinedAtOnce {
			some = r.largest(some)
			least = max(least, r.pairs.Values[some[len(some)-1]])
		}
	}
	return r.largest(some)
}

// largest returns the first pairs by energy, then by number, at most refinedAtOnce.
func (r *refinement) largest(some []int) []int {
	slices.SortFunc(some, func(i, j int) int {
		return cmp.Or(cmp.Compare(r.pairs.Values[j], r.pairs.Values[i]), cmp.Compare(i, j))
	})
	return some[:min(len(some), refinedAtOnce)]
}
