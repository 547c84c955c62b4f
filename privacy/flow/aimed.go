package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Where a plan is optimal a node absorbs as much as what it has left is worth, a =
// variance q, if that much arrives. What is left is worth what it costs where it is seen,
// and there about as much arrives in every round: so q is about alpha H, H_t[j] the chance
// that what j passes on after round t reaches a message that is seen, weighed by the
// precision of the noise there. H is the observer's alone; alpha one number a pair: what
// arrives where it is seen, weighed by what that costs, first where nothing was absorbed on
// the way, and less by what was. The plan a = min(c, variance alpha H) takes two flows a
// pair, and is within 10 or 20 % of the optimum where one plan for all is off by factors.

// lessens is by how much absorption on the way lessens what arrives, about.
const lessens = 0.3

// chances are H by round and node, of what a coalition sees.
func (a *Accountant) chances(stops [][]bool) [][]float64 {
	h, worth, spare := make([][]float64, len(stops)), make([]float64, a.n), make([]float64, a.n)
	for t := len(stops) - 1; t >= 0; t-- {
		if h[t] = make([]float64, a.n); t == len(stops)-1 {
			continue
		}
		for j, stop := range stops[t+1] {
			if worth[j] = h[t+1][j]; stop {
				worth[j] = a.precision(t+1, j)
			}
		}
		a.weigh(h[t], spare, worth, t+1, 1)
	}
	return h
}

// aim is the solver by such plans.
func (a *Accountant) aim() solver { return solver{"aimed", a.aimed} }

// aimed are energies of such plans.
func (a *Accountant) aimed(sources []int, towards sight) []float64 {
	h := towards.chances
	if h == nil {
		h = a.chances(towards.marks)
	}
	f := a.newFunnel(sources, towards.marks, h)
	energies := f.run() // nothing is absorbed on the way
	for k := range f.alpha {
		f.alpha[k] = lessens * f.cost[k] / f.mass[k]
		if !(f.alpha[k] > 0) || math.IsInf(f.alpha[k], 1) {
			f.alpha[k] = 0
		}
	}
	for k, e := range f.run() {
		energies[k] = min(energies[k], e)
	}
	return energies
}

// A funnel is the flows of some sources, side by side, under the plan min(c, variance
// alpha H). It keeps one round at a time.
type funnel struct {
	*Accountant
	sources    []int
	cols       int
	stops      [][]bool
	chances    [][]float64
	alpha      []float64 // by source
	mass, cost []float64 // what arrives where it is seen, over the variance, and its square
	spent      []float64
	c, rest    []float64
}

func (a *Accountant) newFunnel(sources []int, stops [][]bool, chances [][]float64) *funnel {
	f := &funnel{Accountant: a, sources: sources, cols: len(sources), stops: stops, chances: chances}
	for _, x := range []*[]float64{&f.alpha, &f.mass, &f.cost, &f.spent} {
		*x = make([]float64, f.cols)
	}
	f.c, f.rest = make([]float64, a.n*f.cols), make([]float64, a.n*f.cols)
	return f
}

// run follows the flows and returns their energies, rounded upwards.
func (f *funnel) run() []float64 {
	clear(f.mass)
	clear(f.cost)
	clear(f.spent)
	for t := range f.stops {
		if clear(f.c); t > 0 {
			f.arrive(f.c, f.rest, t, f.cols)
		}
		for k, u := range f.sources {
			f.c[u*f.cols+k] += f.gives[t].at(u)
		}
		for j, stop := range f.stops[t] {
			if std := f.noise[t].at(j); stop {
				f.stop(j, std, f.p.rounding(t))
			} else {
				f.pass(j, f.chances[t][j]*std*std, std, f.p.rounding(t))
			}
		}
	}
	energies := make([]float64, f.cols)
	for k, e := range f.spent {
		if energies[k] = raised(e, (f.n+8)*len(f.stops)); energies[k] > 0 {
			energies[k] += underflow
		}
		if math.IsNaN(energies[k]) {
			energies[k] = math.Inf(1)
		}
	}
	return energies
}

// stop absorbs all that arrives at a node.
func (f *funnel) stop(j int, std, rounding float64) {
	lo, hi := j*f.cols, (j+1)*f.cols
	grown, rest := raised(1, f.longest+9), f.rest[lo:hi]
	for k, x := range f.c[lo:hi] {
		if rest[k] = 0; x == 0 {
			continue
		}
		x = (x + rounding) * grown
		y := x / std
		f.mass[k] += y / std
		f.cost[k] += float64(y * y)
		f.spent[k] += float64(y * y)
	}
}

// pass absorbs at a node no more than what is left is worth, and sends on the rest.
func (f *funnel) pass(j int, worth, std, rounding float64) {
	lo, hi := j*f.cols, (j+1)*f.cols
	grown, rest, alpha, spent, precision := raised(1, f.longest+9), f.rest[lo:hi], f.alpha[:f.cols], f.spent[:f.cols], 0.0
	if std > 0 {
		precision = raised(1/(std*std), 3)
	}
	for k, x := range f.c[lo:hi] {
		if x == 0 {
			rest[k] = 0
			continue
		}
		x = float64((x + rounding) * grown)
		switch take := float64(alpha[k] * worth); {
		case std > 0 && !(take < x): // on a grid what is whole stays whole
			spent[k] += float64(x * x * precision)
			rest[k] = 0
		case std > 0 && take > 0:
			spent[k] += float64(take * take * precision)
			rest[k] = max(min(float64((x-take+rounding)*(1+0x1p-50)), x), leastLeft)
		default:
			rest[k] = x
		}
	}
}

// aiming is the sight of aimed.
func (a *Accountant) aiming(coalition []int) sight {
	s := a.stopping(coalition)
	if s.veils == nil {
		s.chances = a.chances(s.marks)
	}
	return s
}

// oneAimed is the solver's energy of one pair, on the nodes that its flow reaches.
func (a *Accountant) oneAimed(u, v int) float64 {
	part := a.reached(u, []int{v})
	return part.aimed([]int{part.source}, sight{marks: part.stops})[0]
}

// Aimed is an upper bound of the least energy of all pairs by a plan of each that takes two
// flows, and by one plan for all where that is less.
func (a *Accountant) Aimed(workers int) *Pairs {
	if a.rounds != nil {
		return a.Cheap(workers)
	}
	pairs := a.Cheap(workers)
	pairs.Claim = a.claim("flow, aimed plans")
	more := a.begin(a.n * (a.n - 1))
	for v := range a.n {
		a.several(a.others(v), a.aiming([]int{v}), workers, a.aim(), more, func(u int, e float64) {
			at := &pairs.Values[u*a.n+v]
			*at = min(*at, a.of(u, e))
		})
	}
	return pairs
}

// others are all nodes but one.
func (a *Accountant) others(v int) []int {
	all := make([]int, 0, a.n-1)
	for u := range a.n {
		if u != v {
			all = append(all, u)
		}
	}
	return slices.Clip(all)
}

// flowsAimed is about how many flows and prices the plan of a pair takes, and flowsRefined
// a pair near the optimum that is solved alone.
const flowsAimed, flowsRefined = 4.0, 100.0

// AimedCost is about how many multiplications Aimed takes.
func (a *Accountant) AimedCost() float64 {
	if a.rounds != nil {
		return a.CheapCost()
	}
	return a.CheapCost() + float64(a.pairCost(flowsAimed)*float64(a.n)*float64(a.n-1))
}

// pairCost is that of a pair which takes so many flows.
func (a *Accountant) pairCost(flows float64) float64 {
	return flows * float64(a.p.Rounds) * float64(len(a.forward[0].Values)+4*a.n)
}
