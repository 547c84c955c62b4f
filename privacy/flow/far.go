package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
)

// One observer and everybody else on a graph so large that a flow of each source would take days.
// Weights are the same in all rounds and symmetric. Noise and Lipschitz constants are the same at all
// nodes. With the plan of Cheap,
//
//	c_t = sum over k of s_(t-k) rho^k W^k e_u,    rho = L (1-kappa),
//	V(u,v) <= kappa^2 sum over t of |c_t|^2 + (1-kappa^2) sum over t and seen w of c_t[w]^2.
//
// c_t[w] for all u at once follows from W^k e_w. |c_t|^2 is a sum of return probabilities (W^m)_uu,
// computed exactly while W^(m/2) e_u has few entries. Later ones are at most the last even one that was
// computed, because W has norm at most 1.

// mostNear is the largest number of entries of W^k e_u that are computed.
const mostNear = 200

// CheapTowards returns upper bounds on the energy from every node towards observer v. v's own entry is
// the local energy. It takes rounds times nodes numbers, and time in proportion to the number of nodes
// that v sees. Contributions may differ by round. It returns an error for other weights, noise or
// constants than Cheap's plan here needs.
func (a *Accountant) CheapTowards(v, workers int) ([]float64, error) {
	if err := a.p.checkPair((v+1)%a.n, []int{v}); err != nil {
		return nil, err
	}
	if !a.isPlain() {
		return nil, fault.New("one plan towards one observer needs symmetric weights, the same in all rounds, and nodes that are alike",
			"use the plan for all pairs, or the optimum")
	}
	f := &far{Accountant: a, workers: max(1, workers), norm: a.norm(), energies: make([]float64, a.n)}
	for _, kappa := range shares {
		f.plans = append(f.plans, f.plan(kappa))
	}
	f.all = make([]float64, len(f.plans)*a.n)
	var seen []int
	for w, sees := range a.p.seen(0, []int{v}) {
		if sees && w != v && !(a.p.Final && a.p.Rounds == 1) { // then all is public, and in f.all
			seen = append(seen, w)
		}
	}
	more := a.begin(a.n + nodesPerSeen*len(seen))
	f.near(more)
	for some := range slices.Chunk(seen, max(1, min(seenAtOnce, blockEntries/(2*len(f.plans)*a.n)))) {
		f.see(some)
		more(nodesPerSeen * len(some))
	}
	for u := range f.energies {
		f.energies[u] = raised(a.Local(), 2*a.p.Rounds+4)
		for k := range f.plans {
			if e := f.all[u*len(f.plans)+k]; u != v {
				f.energies[u] = min(f.energies[u], raised(e, f.operations())+underflow)
			}
		}
	}
	return a.scaledTowards(f.energies, a.of), nil
}

// isPlain reports whether CheapTowards applies.
func (a *Accountant) isPlain() bool {
	if a.rounds != nil || len(a.forward) != 1 || len(a.p.Hears) > 1 || a.p.Rounding != nil || a.back[0] != a.forward[0] {
		return false
	}
	for t := range a.p.Rounds {
		if a.noise[t].each != nil || a.noise[t].all != 1 || a.gives[t].each != nil || a.spread[t].each != nil || t > 1 && a.spread[t].all != a.spread[1].all {
			return false
		}
	}
	return true
}

// norm returns an upper bound on the norm of W, at least 1: its largest row sum.
func (a *Accountant) norm() float64 {
	norm := 1.0
	for i := range a.n {
		_, values := a.forward[0].Row(i)
		sum := 0.0
		for _, x := range values {
			sum += x
		}
		norm = max(norm, raised(sum, a.longest))
	}
	return norm
}

type far struct {
	*Accountant
	workers  int
	norm     float64
	plans    []farPlan
	all      []float64 // energies by source and plan
	energies []float64
}

// A farPlan is the plan of one kappa.
type farPlan struct {
	powers  []float64 // rho^k
	returns []float64 // of (W^m)_uu in the energy
	seen    float64   // 1 - kappa^2
}

// operations bounds the number of roundings of any number here.
func (f *far) operations() int { return 8*f.p.Rounds*(f.longest+8) + 4*f.n }

func (f *far) plan(kappa float64) farPlan {
	rounds, rho := f.p.Rounds, 1-kappa
	if rounds > 1 {
		rho *= f.spread[1].all
	}
	p := farPlan{powers: make([]float64, rounds), returns: make([]float64, 2*rounds), seen: raised(1-float64(kappa*kappa), 2)}
	for k := range p.powers {
		p.powers[k] = math.Pow(rho, float64(k)) * (1 + float64(float64(k+8)*0x1p-50))
	}
	for t := range rounds {
		part := kappa * kappa
		if t == rounds-1 { // absorbs only what is seen
			if part = 0; f.p.Final {
				part = 1
			}
		}
		for k := 0; part > 0 && k <= t; k++ {
			for l := 0; l <= t; l++ {
				p.returns[k+l] += float64(part * p.powers[k] * p.powers[l] * f.gives[t-k].all * f.gives[t-l].all)
			}
		}
	}
	return p
}

// nodesPerSeen is about the number of nodes that near does while one seen node is followed. It scales
// the progress.
const nodesPerSeen = 10_000

// near adds the energy that is absorbed anywhere.
func (f *far) near(more func(int)) {
	parallel.Each(f.workers, f.workers, func(worker int) {
		now, next := newSpot(f.n), newSpot(f.n)
		returns := make([]float64, 2*f.p.Rounds)
		count := 0
		defer func() { more(count) }()
		for u := worker; u < f.n; u += f.workers {
			if count++; count == 1000 {
				more(count)
				count = 0
			}
			f.returns(returns, u, now, next)
			for k, plan := range f.plans {
				sum := 0.0
				for m, x := range returns {
					sum += float64(plan.returns[m] * x)
				}
				f.all[u*len(f.plans)+k] = sum
			}
		}
	})
}

// returns sets r[m] to at least (W^m)_uu.
func (f *far) returns(r []float64, u int, now, next *spot) {
	now.clear()
	now.add(int32(u), 1)
	known := 0
	for r[0] = 1; known+2 < len(r); known += 2 {
		next.clear()
		for _, i := range now.places {
			columns, values := f.forward[0].Row(int(i))
			for k, j := range columns {
				next.add(j, values[k]*now.values[i])
			}
		}
		r[known+1], r[known+2] = 0, 0
		for _, j := range next.places {
			x := next.values[j]
			r[known+1] += float64(x * now.values[j])
			r[known+2] += float64(x * x)
		}
		now, next = next, now
		if len(now.places) > mostNear {
			known += 2
			break
		}
	}
	for m := known + 1; m < len(r); m++ {
		r[m] = raised(r[m-1]*f.norm, 2)
	}
}

// A spot is a vector with few entries.
type spot struct {
	values []float64
	there  []bool
	places []int32
}

func newSpot(n int) *spot { return &spot{values: make([]float64, n), there: make([]bool, n)} }

func (s *spot) clear() {
	for _, j := range s.places {
		s.values[j], s.there[j] = 0, false
	}
	s.places = s.places[:0]
}

func (s *spot) add(j int32, x float64) {
	if !s.there[j] {
		s.there[j] = true
		s.places = append(s.places, j)
	}
	s.values[j] += float64(x)
}

// seenAtOnce is the number of seen nodes that are followed side by side. It is fewer if that takes too
// much memory.
const seenAtOnce = 8

// see adds the further cost of seeing some nodes. By symmetry c_t[w] of all sources is d_t, d_0 = s_0
// e_w, d_(t+1) = rho W d_t + s_(t+1) e_w: one flow for each w and plan. In the last round of a public
// result that cost has been added already.
func (f *far) see(nodes []int) {
	plans := len(f.plans)
	cols := len(nodes) * plans
	now, next := make([]float64, f.n*cols), make([]float64, f.n*cols)
	share := (f.n + f.workers - 1) / f.workers
	for t := range f.p.Rounds {
		parallel.Each(f.workers, f.workers, func(worker int) {
			lo, hi := min(f.n, worker*share), min(f.n, (worker+1)*share)
			if t > 0 {
				f.forward[0].ThreeTermRows(next, now, cols, lo, hi, 1, 0, 0)
			}
			for u := lo; u < hi; u++ {
				f.seen(next[u*cols:(u+1)*cols], nodes, u, t)
			}
		})
		now, next = next, now
	}
}

// seen does round t of source u. d holds the arrivals at the nodes before they are multiplied by rho,
// node by node and plan by plan.
func (f *far) seen(d []float64, nodes []int, u, t int) {
	last := t == f.p.Rounds-1
	sums := f.all[u*len(f.plans) : (u+1)*len(f.plans)]
	for i, plan := range f.plans {
		weight, rho := plan.seen, 1.0
		if last {
			weight = 1
		}
		if last && f.p.Final {
			weight = 0
		}
		if t > 0 {
			rho = plan.powers[1]
		}
		for k, w := range nodes {
			x := float64(rho * d[k*len(f.plans)+i])
			if w == u {
				x += f.gives[t].all
			}
			d[k*len(f.plans)+i] = x
			sums[i] += float64(weight * x * x)
		}
	}
}
