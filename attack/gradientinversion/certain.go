package gradientinversion

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

const (
	// nudge is how far, in units of the belief, an annealing is moved away from what it found, and back how near it must
	// come, relative to the length of z: an error of nudged/nudge times some units stays below Precise.
	nudge, nudged = 0.1, 3e-8
	// nudges is how often that is done, and nudgeSteps how many steps it may take.
	nudges, nudgeSteps = 2, 25
	// labelled is how near a last number of z must be to 1 or -1: nothing made it come there but the messages.
	labelled = 1e-7
	// elsewhere is how far from an example another one is, relative to the length of z, that is not the same but for rounding.
	elsewhere = 1e-3
)

// A verdict is what comes of an example that was looked for.
type verdict struct {
	sure bool
	open bool    // another, far from it, explains the sums as well
	off  float64 // how far off a number of z may be
}

// certain says of the nodes that an annealing looked for, messages explained, whether the messages leave no doubt. Moved away, and
// with rounding as large as it may be in the messages, it must come back there; its label, which may be any number, must be one; and
// no other node may look the same to the attackers, or they would not know which is which. Labels may go beyond 1 on the way: kept from it,
// one that messages leave open could come back every other time.
func (s *annealing) certain(rng *rand.Rand) []verdict {
	found := slices.Clone(s.e)
	s.unbound = true
	defer func() { s.unbound = false }()
	return s.doubt(rng, func() bool {
		s.home = found
		return s.anneal(0, nudgeSteps)
	})
}

// certain is that of what a lifting found.
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

// doubt says what comes of what was found when it is looked for again, from somewhere near.
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

// eligible are those who may be certain: of whom the messages make a label, and nobody looks the same.
func (s *annealing) eligible() []verdict {
	all := make([]verdict, len(s.free))
	for i, u := range s.free {
		all[i].sure = !s.alike[u] && s.labelled(i)
	}
	return all
}

// restored says the same where a run with the examples explains everything, by how messages move there: of a move away, and of what rounding may
// leave in sums, a step must take everything back. That is one step and no search, for parts of many nodes.
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

// blurred is how far off sums seem to be, over what rounding may leave in them, which is a bound: twice what the examples do not explain, for each of
// the numbers that they need not explain.
func (s *annealing) blurred() float64 {
	const most, least = 1. / 16, 1. / 512
	spare := float64(len(s.part.want) - s.numbers())
	if spare < 0.1*float64(len(s.part.want)) {
		return most
	}
	return min(most, max(least, 2*s.excess*math.Sqrt(float64(len(s.part.want))/spare)))
}

// lookalikes are nodes that the attackers may not tell apart, for all that the weights of the run say: of a colour that another
// has too, once colours of neighbours no longer tell any apart. Attackers, nodes that they hear, and nodes that
// are known, whose slot is below 0, have colours of their own.
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

// refined are colours by colours before and by what is received in a turn of nodes of every colour.
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

// hashed is the same for sums that are but for rounding.
func hashed(sums map[int]float64) (hash uint64) {
	for c, x := range sums {
		h := uint64(c)*0x9e3779b97f4a7c15 ^ math.Float64bits(float64(float32(x*(1+0x1p-30))))*0xbf58476d1ce4e5b9
		h ^= h >> 29
		h *= 0x94d049bb133111eb
		hash += h ^ h>>32 // whatever the order
	}
	return hash
}
