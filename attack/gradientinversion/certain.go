package gradientinversion

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

const (
	// nudge is the length, in units of the belief, by which an annealing is moved away from its solution. nudged is the distance,
	// relative to the length of z, to which it must come back. An error of nudged/nudge times some units stays below Precise.
	nudge, nudged = 0.1, 3e-8
	// nudges is the number of such trials, and nudgeSteps the largest number of steps of each.
	nudges, nudgeSteps = 2, 25
	// labelled is the largest distance of a last number of z from 1 or -1. Only the messages can have brought it so near.
	labelled = 1e-7
	// elsewhere is the distance from an example, relative to the length of z, from which on another one differs by more than rounding.
	elsewhere = 1e-3
)

// A verdict says how certain an example is that was searched for.
type verdict struct {
	sure bool
	open bool    // another example, far from it, explains the sums as well
	off  float64 // largest error of a number of z
}

// certain returns for each free node of an annealing that explains the messages whether they leave no doubt. Moved away, and with
// rounding as large as it may be in the messages, the annealing must come back to the example. Its label, which may be any number,
// must be 1 or -1. No other node may look the same to the attackers, because they could then confuse the two. Labels may go beyond 1
// on the way, because a confined label that the messages leave open could come back every other time.
func (s *annealing) certain(rng *rand.Rand) []verdict {
	found := slices.Clone(s.e)
	s.unbound = true
	defer func() { s.unbound = false }()
	return s.doubt(rng, func() bool {
		s.home = found
		return s.anneal(0, nudgeSteps)
	})
}

// certain returns the verdicts on the solution of a lifting.
func (l *lifting) certain(rng *rand.Rand) []verdict {
	found := l.landing()
	defer func() { l.now, l.home, l.tight = found.now, found.home, found.tight }()
	return l.doubt(rng, func() bool {
		l.home = slices.Clone(l.e)
		explained := l.run(rng)
		if explained {
			l.tighten(found.tight)
		}
		return explained
	})
}

// doubt returns the verdicts on a solution by searching again from nearby. again reports whether it explained the sums.
func (s *annealing) doubt(rng *rand.Rand, again func() (explained bool)) []verdict {
	d := s.part.dim
	found, all := slices.Clone(s.e), s.eligible()
	s.show(found)
	z := slices.Clone(s.z)
	heard, blur := s.part.want, s.blurred()
	defer func() { s.part.want = heard }()
	for range nudges {
		s.part.want = slices.Clone(heard)
		for i := range s.part.want {
			s.part.want[i] += float64(blur * s.part.sums[i/d].off * step.Normal(rng))
		}
		copy(s.e, found)
		for i := range s.e {
			s.e[i] += float64(nudge * step.Normal(rng))
		}
		explained := again()
		s.show(s.e)
		for i, u := range s.free {
			v, off := &all[i], 0.0
			for j, x := range s.row(u) {
				off = max(off, math.Abs(x-z[u*d+j]))
			}
			length := sparse.Norm(z[u*d : (u+1)*d])
			v.off = max(v.off, off)
			v.sure = v.sure && off <= nudged*length
			v.open = v.open || explained && off > elsewhere*length
		}
	}
	copy(s.e, found)
	copy(s.z, z)
	return all
}

// eligible returns verdicts that are sure for the nodes that may be certain: those with a converged label and no look-alike.
func (s *annealing) eligible() []verdict {
	all := make([]verdict, len(s.free))
	for i, u := range s.free {
		all[i].sure = !s.alike[u] && s.labelled(i)
	}
	return all
}

// restored returns the verdicts if a run with the examples explains everything, by the derivatives there. One linear step must take
// back a move away, in spite of possible rounding of the sums. It needs no search, so it is for parts of many nodes.
func (s *annealing) restored(rng *rand.Rand) []verdict {
	all, d := s.eligible(), s.part.dim
	s.allow(s.floor())
	s.look()
	c, ok := s.factor(0, 0, 0)
	if !ok {
		return make([]verdict, len(s.free))
	}
	p, blur, z := &draught{annealing: s}, s.blurred(), make([]float64, d)
	for range nudges {
		away := make([]float64, s.numbers())
		for i := range away {
			away[i] = nudge * step.Normal(rng)
		}
		r := p.moves(away)
		for i := range s.missed {
			r[i] += float64(blur * s.weights[i/d] * s.part.sums[i/d].off * step.Normal(rng))
		}
		sparse.Axpy(away, -1, p.solve(c, r, 0))
		for i, u := range s.free {
			s.put(z, away[i*d:(i+1)*d])
			sparse.Axpy(z, -1, s.mean)
			v := &all[i]
			for _, x := range z {
				v.off = max(v.off, math.Abs(x))
			}
			v.sure = v.sure && v.off <= nudged*sparse.Norm(s.row(u))
		}
	}
	return all
}

// blurred returns an estimate of the rounding errors of sums over their bound: twice the residual of the examples, for each number of
// the sums beyond the unknowns.
func (s *annealing) blurred() float64 {
	const most, least = 1. / 16, 1. / 512
	spare := float64(len(s.part.want) - s.numbers())
	if spare < 0.1*float64(len(s.part.want)) {
		return most
	}
	return min(most, max(least, 2*s.excess*math.Sqrt(float64(len(s.part.want))/spare)))
}

// lookalikes returns the nodes that the attackers may confuse with another, as far as the weights of the run tell. These are the nodes
// that share a colour after colour refinement. Attackers, nodes that they hear, and known nodes, whose slot is below 0, have colours
// of their own.
func (k *Knowledge) lookalikes(slot []int) []bool {
	n := k.Len()
	colour, own := make([]int, n), 1
	mark := func(u int) {
		if colour[u] == 0 {
			colour[u] = own
			own++
		}
	}
	for u := range n {
		if k.attacker[u] || slot[u] < 0 {
			mark(u)
		}
	}
	for _, row := range k.rows {
		mark(row.Node)
	}
	for count := own; ; {
		for t := range k.protocol.Turns() {
			colour = k.refined(colour, t)
		}
		next := slices.Max(colour) + 1
		if next <= count {
			break
		}
		count = next
	}
	members := make([]int, n+1)
	for _, c := range colour {
		members[c]++
	}
	alike := make([]bool, n)
	for u, c := range colour {
		alike[u] = members[c] > 1
	}
	return alike
}

// refined returns the colours by the earlier colours and by the weights, in a turn, of neighbours of every colour.
func (k *Knowledge) refined(colour []int, t step.Turn) []int {
	type view struct {
		own  int
		hash uint64
	}
	w := k.weights.Matrix(t)
	views, number := make([]view, len(colour)), map[view]int{}
	for u := range colour {
		columns, values := w.Row(u)
		sums := map[int]float64{}
		for i, v := range columns {
			sums[colour[v]] += values[i]
		}
		views[u] = view{colour[u], hashed(sums)}
	}
	next := make([]int, len(colour))
	for u, v := range views {
		if _, ok := number[v]; !ok {
			number[v] = len(number)
		}
		next[u] = number[v]
	}
	return next
}

// hashed returns a hash that is the same for sums that differ by rounding only.
func hashed(sums map[int]float64) (hash uint64) {
	for c, x := range sums {
		h := uint64(c)*0x9e3779b97f4a7c15 ^ math.Float64bits(float64(float32(x*(1+0x1p-30))))*0xbf58476d1ce4e5b9
		h ^= h >> 29
		h *= 0x94d049bb133111eb
		hash += h ^ h>>32 // in any order
	}
	return hash
}
