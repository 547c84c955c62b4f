package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/sparse"
)

// shares lists the kappa that are tried: the part of the arrivals that every node
// absorbs. With 0 only seen differences are absorbed, which are small far away.
var shares = []float64{0, 0.02, 0.06, 0.15, 0.35}

// cheapCols is the number of sources that are followed side by side.
const cheapCols = 16

// Cheap returns upper bounds on the energy of all pairs, with one plan for all.
// Every node absorbs kappa of its arrivals, in every round but the last, and
// everything seen. The part that the observer takes out of the flow is ignored, so
// one flow for each source serves all observers:
//
//	V(u,v) <= sum over t and w of c_t[w]^2 * (1 if v hears w, else kappa^2).
//
// The least energy over several kappa counts, and over the local plan, which
// absorbs everything at once. Cheap uses workers goroutines, and n^2 numbers.
func (a *Accountant) Cheap(workers int) *Pairs {
	pairs := &Pairs{Claim: a.claim("flow, one plan for all"), N: a.n, Values: make([]float64, a.n*a.n)}
	local := a.localEnergies()
	if a.rounds != nil {
		a.cheapAveraged(pairs, local, workers)
		return a.scaled(pairs, a.of)
	}
	heard := a.heardBy()
	blocks, more := (a.n+cheapCols-1)/cheapCols, a.begin(a.n*a.n)
	parallel.Each(blocks, workers, func(i int) {
		lo, hi := i*cheapCols, min(a.n, (i+1)*cheapCols)
		for u := lo; u < hi; u++ {
			for v := range a.n {
				pairs.Values[u*a.n+v] = local[u]
			}
		}
		s := a.newStream(lo, hi)
		for _, kappa := range shares {
			s.follow(kappa, heard)
			s.lower(pairs.Values)
		}
		more((hi - lo) * a.n)
	})
	return a.scaled(pairs, a.of)
}

// localEnergies returns the energies of absorbing everything at once, by source.
// An entry is infinite if a source contributes without noise.
func (a *Accountant) localEnergies() []float64 {
	energies := make([]float64, a.n)
	for u := range energies {
		for t := range a.p.Rounds {
			if s := a.gives[t].at(u); s > 0 {
				s = raised(s+a.p.rounding(t), 1)
				s /= a.noise[t].at(u)
				energies[u] += float64(s * s)
			}
		}
		energies[u] = raised(energies[u], 2*a.p.Rounds+4)
	}
	return energies
}

// CheapCost returns about the number of multiplications of Cheap.
func (a *Accountant) CheapCost() float64 {
	if a.rounds != nil {
		return a.veiledCost(a.n*(a.n-1), a.n, 3*float64(len(fewParts)-1))
	}
	return 6 * float64(a.n) * float64(a.p.Rounds) * float64(len(a.forward[0].Values)+4*a.n)
}

// A stream follows the flows of the sources lo..hi-1 under one plan.
type stream struct {
	*Accountant
	lo, cols       int
	c, rest        []float64
	squares        []float64 // arrivals over their noise, squared and summed over the rounds that share a pattern
	absorbed       []float64 // energy of the plan, by source
	seeing, shared []float64
}

func (a *Accountant) newStream(lo, hi int) *stream {
	s := &stream{Accountant: a, lo: lo, cols: hi - lo}
	for _, x := range []*[]float64{&s.c, &s.rest, &s.squares, &s.seeing, &s.shared} {
		*x = make([]float64, a.n*s.cols)
	}
	s.absorbed = make([]float64, s.cols)
	return s
}

// follow sets absorbed and seeing for one kappa.
func (s *stream) follow(kappa float64, heard []*sparse.Matrix) {
	clear(s.absorbed)
	clear(s.seeing)
	clear(s.squares)
	for t := range s.p.Rounds {
		if clear(s.c); t > 0 {
			s.arrive(s.c, s.rest, t, s.cols)
		}
		for k := range s.cols {
			s.c[(s.lo+k)*s.cols+k] += s.gives[t].at(s.lo + k)
		}
		s.round(t, kappa, heard)
	}
}

// round is one round of follow.
func (s *stream) round(t int, kappa float64, heard []*sparse.Matrix) {
	last := t == s.p.Rounds-1
	if last {
		kappa = 0
	}
	for j := range s.n {
		part, precision := kappa, math.Inf(1)
		if std := s.noise[t].at(j); std > 0 {
			precision = 1 / (std * std)
		} else {
			part = 0
		}
		absorbed, seen := 0.0, precision
		switch {
		case last && s.p.Final:
			absorbed, seen = precision, 0
		case part > 0:
			absorbed, seen = part*part*precision, (1-float64(part*part))*precision
		}
		s.node(t, j, 1-part, absorbed, seen)
	}
	if last || len(heard) > 1 {
		s.see(heard[min(t, len(heard)-1)])
	}
}

// node passes on the part passed of the arrivals at a node. It adds their squares,
// times absorbed, to the energy, and, times seen, to the further cost of seeing
// the node.
func (s *stream) node(t, j int, passed, absorbed, seen float64) {
	lo, hi := j*s.cols, (j+1)*s.cols
	rest, squares := s.rest[lo:hi], s.squares[lo:hi]
	grown, passed := raised(1, s.longest+9), raised(passed, 2)
	rounding, stays := s.p.rounding(t), 0.0
	if passed < 1 {
		stays = rounding
	}
	for k, x := range s.c[lo:hi] {
		if x == 0 {
			rest[k] = 0
			continue
		}
		x = (x + rounding) * grown
		rest[k] = max(float64(x*passed)+float64(stays*grown), leastLeft)
		x *= x
		s.absorbed[k] += float64(absorbed * x)
		squares[k] += float64(seen * x)
	}
}

// see adds the cost of the seen nodes for every observer, and clears squares.
func (s *stream) see(heard *sparse.Matrix) {
	heard.MulBlock(s.shared, s.squares, s.cols)
	for k, x := range s.shared {
		s.seeing[k] += x
	}
	clear(s.squares)
}

// lower replaces values[u*n+v] by the energies found, if these are less.
func (s *stream) lower(values []float64) {
	for k := range s.cols {
		u := s.lo + k
		s.lowerRow(k, values[u*s.n:(u+1)*s.n])
	}
}

// lowerRow is lower for source number k, whose row is given.
func (s *stream) lowerRow(k int, row []float64) {
	for v := range row {
		if v != s.lo+k {
			row[v] = min(row[v], s.energy(k, v))
		}
	}
}

// energy returns the energy of the plan from source number k towards v, rounded
// upwards.
func (s *stream) energy(k, v int) float64 {
	seeing := s.seeing[v*s.cols+k]
	if s.absorbed[k] == 0 && seeing == 0 {
		return 0
	}
	if e := raised(s.absorbed[k]+seeing, (s.n+8)*s.p.Rounds) + underflow; !math.IsNaN(e) {
		return e
	}
	return math.Inf(1)
}

// heardBy returns matrices, one or one a round, with 1 at (v, w) if seeing w costs
// v's energy. v's own value costs nothing, because its difference is 0 throughout.
func (a *Accountant) heardBy() []*sparse.Matrix {
	count := max(len(a.p.Weights), len(a.p.Hears))
	all := make([]*sparse.Matrix, count)
	for t := range all {
		w := a.p.weights(t)
		if t > 0 && w == a.p.weights(t-1) && len(a.p.Hears) <= 1 {
			all[t] = all[t-1]
			continue
		}
		m := &sparse.Matrix{N: a.n, Offsets: make([]int, 1, a.n+1)}
		for v := range a.n {
			for _, w := range a.heardIn(t, v) {
				if int(w) != v {
					m.Columns = append(m.Columns, w)
				}
			}
			m.Offsets = append(m.Offsets, len(m.Columns))
		}
		m.Values = slices.Repeat([]float64{1}, len(m.Columns))
		all[t] = m
	}
	return all
}

// heardIn lists the nodes that v sees in round t, itself included.
func (a *Accountant) heardIn(t, v int) []int32 {
	row, _ := a.p.weights(t).Row(v)
	nodes := append(slices.Clone(row), int32(v))
	if len(a.p.Hears) > 0 {
		more, _ := a.p.Hears[min(t, len(a.p.Hears)-1)].Row(v)
		nodes = append(nodes, more...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}
