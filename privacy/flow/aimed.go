package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// In an optimal plan a node absorbs a = variance q of a difference, if that much arrives.
// The price q is the cost of a unit of the difference that the node passes on. That cost
// falls due at seen messages, where about as much arrives in every round. So q is about
// alpha H. H_t[j] is the probability that the difference which j passes on after round t
// reaches a seen message, weighted by the precision of the noise there. H depends on the
// observer alone. alpha is one number for each pair: the arrivals at seen messages,
// weighted by their cost. It is computed first without absorption on the way, and then
// reduced. The plan a = min(c, variance alpha H) takes two flows for each pair. It is
// within 10 or 20 % of the optimum, where one plan for all is off by factors.

// lessens is about the factor by which absorption on the way reduces the arrivals.
const lessens = 0.3

// chances returns H by round and node, for the messages that a coalition sees.
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

// aim returns the solver that uses such plans.
func (a *Accountant) aim() solver { return solver{"aimed", a.aimed} }

// aimed returns the energies of such plans, by source.
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

// A funnel holds the flows of some sources, side by side, under the plan min(c, variance
// alpha H). It keeps one round at a time.
type funnel struct {
	*Accountant
	sources    []int
	cols       int
	stops      [][]bool
	chances    [][]float64
	alpha      []float64 // by source
	mass, cost []float64 // arrivals at seen messages: over the variance, and their squares over the variance
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

// run follows the flows and returns their energies, rounded upwards. A NaN becomes +Inf.
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

// stop absorbs everything that arrives at a node.
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

// pass absorbs at most alpha times worth at a node and sends on the rest.
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
		case std > 0 && !(take < x): // on a grid a whole difference stays whole
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

// aiming returns the sight for aimed.
func (a *Accountant) aiming(coalition []int) sight {
	s := a.stopping(coalition)
	if s.veils == nil {
		s.chances = a.chances(s.marks)
	}
	return s
}

// oneAimed returns the energy of aimed for one pair, on the nodes that its flow reaches.
func (a *Accountant) oneAimed(u, v int) float64 {
	part := a.reached(u, []int{v})
	return part.aimed([]int{part.source}, sight{marks: part.stops})[0]
}

// Aimed returns an upper bound on the least energy of all pairs. It uses a plan of two
// flows for each pair, or one plan for all where that is less.
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

// others returns all nodes but v.
func (a *Accountant) others(v int) []int {
	all := make([]int, 0, a.n-1)
	for u := range a.n {
		if u != v {
			all = append(all, u)
		}
	}
	return slices.Clip(all)
}

// flowsAimed is about the number of flows and prices that the plan of a pair takes.
// flowsRefined is the same for a pair near the optimum that is solved alone.
const flowsAimed, flowsRefined = 4.0, 100.0

// AimedCost returns about the number of multiplications of Aimed.
func (a *Accountant) AimedCost() float64 {
	if a.rounds != nil {
		return a.CheapCost()
	}
	return a.CheapCost() + float64(a.pairCost(flowsAimed)*float64(a.n)*float64(a.n-1))
}

// pairCost returns about the number of multiplications of a pair that takes flows flows.
func (a *Accountant) pairCost(flows float64) float64 {
	return flows * float64(a.p.Rounds) * float64(len(a.forward[0].Values)+4*a.n)
}
