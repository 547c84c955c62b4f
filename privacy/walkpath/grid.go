package walkpath

import (
	"sort"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
)

// An energySpace defines the representation of a law of energies: its mass on a grid, or only an exponential
// moment. A law is a slice of size() numbers. All operations add to their destination.
type energySpace interface {
	size() int
	put(law []float64, x, mass float64)         // mass at energy x
	shift(dst, src []float64, by, mass float64) // mass times src moved up by by >= 0
	convolve(dst, a, b []float64, mass float64) // mass times the law of an independent sum
	// adder returns a function that adds to the laws in dst, one after the other, mass times the laws of the
	// independent sums of a with each law in b. The function owns scratch memory.
	adder() func(dst, a, b []float64, mass float64)
	mass(law []float64) float64                     // total mass
	repeat(one []float64, factor float64) []float64 // sum over k >= 0 of factor^k one^(*k)
}

// A grid is an increasing list of values. A value between two of them is split between these neighbours with
// its mean kept. That can only raise the expectation of a convex function. Everywhere in this package a sound
// number is rounded in the safe direction: energies of whole paths are rounded up (gathered, tally), and
// probabilities of arrival too (roundUp), but those of an audit down. A grid of energies, from 0 on, is an
// energySpace. It must reach beyond the largest energy that matters.
type grid []float64

// energyGrid returns a grid from 0 to at least most: even in steps of step, then geometric, more coarsely above
// fineEnergy.
func energyGrid(step, most float64) grid {
	g := grid{0}
	for x := 0.0; x < most; {
		growth := 0.06
		if x > fineEnergy {
			growth = 0.3
		}
		x += max(step, x*growth)
		g = append(g, x)
	}
	return g
}

// fineEnergy is the energy above which the grid is coarse: that of 32 contributions seen in full.
const fineEnergy = 32

// gapGrid returns a grid of numbers of turns from 1 to most: each of the first few, then geometric by growth.
func gapGrid(most int, growth float64) grid {
	g := grid{1}
	for x := 1; x < most; {
		x = min(most, x+max(1, int(float64(x)*growth)))
		g = append(g, float64(x))
	}
	return g
}

// split returns i and the share of x that goes to g[i+1]; the rest goes to g[i]. Values beyond the end go to
// the last point, with share 0.
func (g grid) split(x float64) (i int, share float64) {
	i = sort.Search(len(g), func(k int) bool { return g[k] > x }) - 1
	if i == len(g)-1 {
		return i, 0
	}
	return i, (x - g[i]) / (g[i+1] - g[i])
}

func (g grid) size() int { return len(g) }

func (g grid) put(law []float64, x, mass float64) {
	i, share := g.split(x)
	up := float64(share * mass)
	law[i] += mass - up
	if share > 0 {
		law[i+1] += up
	}
}

func (g grid) shift(dst, src []float64, by, mass float64) {
	to := 0
	for from, p := range src {
		if p == 0 {
			continue
		}
		x := g[from] + by
		for to+2 < len(g) && g[to+1] <= x {
			to++
		}
		p = float64(p * mass)
		up := float64(p * min(1, (x-g[to])/(g[to+1]-g[to])))
		dst[to] += p - up
		dst[to+1] += up
	}
}

func (g grid) convolve(dst, a, b []float64, mass float64) {
	for k, p := range b {
		if p != 0 {
			g.shift(dst, a, g[k], p*mass)
		}
	}
}

// adder moves a by every value of the grid once, so that all convolutions together are one product of matrices.
// It computes the targets of the moves in advance, for all laws.
func (g grid) adder() func(dst, a, b []float64, mass float64) {
	n := len(g)
	moved, places, product := make([]float64, n*n), g.places(), new(tile.Product)
	return func(dst, a, b []float64, mass float64) {
		laws := len(b) / n
		if laws == 0 {
			return
		}
		clear(moved)
		for j := range g {
			places[j*n:(j+1)*n].move(moved[j*n:(j+1)*n], a, mass)
		}
		product.Add(dst, n, tile.Factor{Data: b, Row: 1, Column: n}, tile.Factor{Data: moved, Row: n, Column: 1}, n, laws, n)
	}
}

// places holds, for each value that a law is moved up by, the targets of its values.
type places []place

// A place is a point of the grid, and the share that goes to the next point.
type place struct {
	to    int
	share float64
}

// places returns the targets of shift by every value of the grid.
func (g grid) places() places {
	all := make(places, 0, len(g)*len(g))
	for _, by := range g {
		to := 0
		for _, x := range g {
			x += by
			for to+2 < len(g) && g[to+1] <= x {
				to++
			}
			all = append(all, place{to, min(1, (x-g[to])/(g[to+1]-g[to]))})
		}
	}
	return all
}

// move does as shift for the value that the places belong to.
func (p places) move(dst, src []float64, mass float64) {
	p = p[:len(src)]
	for from, x := range src {
		if x == 0 {
			continue
		}
		x = float64(x * mass)
		at := p[from]
		up := float64(x * at.share)
		pair := dst[at.to : at.to+2 : at.to+2]
		pair[0] += x - up
		pair[1] += up
	}
}

func (g grid) mass(law []float64) float64 { return sum(law) }

// repeat solves law = 1 + factor*(law convolved with one), from low energies to high ones.
func (g grid) repeat(one []float64, factor float64) []float64 {
	law, moved, spike := make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g))
	law[0] = 1
	for i := range law {
		clear(moved)
		spike[i] = 1
		g.shift(moved, one, g[i], factor)
		spike[i] = 0
		law[i] /= 1 - moved[i]
		for t := i + 1; t < len(law); t++ {
			law[t] += float64(law[i] * moved[t])
		}
	}
	return law
}

// A moment is the rate of an exponential moment. A law is stored as its mass
// and the integral of exp(rate x) - 1, so that a small rate loses no digits.
type moment float64

func (r moment) size() int { return 2 }

func (r moment) put(law []float64, x, mass float64) {
	law[0] += mass
	law[1] += float64(mass * math.Expm1(float64(r)*x))
}

func (r moment) shift(dst, src []float64, by, mass float64) {
	excess := math.Expm1(float64(r) * by)
	dst[0] += float64(mass * src[0])
	dst[1] += float64(mass * (src[1] + float64(excess*(src[0]+src[1]))))
}

func (r moment) convolve(dst, a, b []float64, mass float64) {
	dst[0] += float64(mass * a[0] * b[0])
	dst[1] += float64(mass * (float64(a[1]*(b[0]+b[1])) + float64(a[0]*b[1])))
}

func (r moment) adder() func(dst, a, b []float64, mass float64) {
	return func(dst, a, b []float64, mass float64) {
		for i := 0; i < len(b); i += r.size() {
			r.convolve(dst[i:], a, b[i:], mass)
		}
	}
}

func (r moment) mass(law []float64) float64 { return law[0] }

// repeat computes the difference of two geometric series, 1/(1-f(m+e)) - 1/(1-f m), as one fraction.
func (r moment) repeat(one []float64, factor float64) []float64 {
	mass, all := endlessPowers(factor*one[0]), endlessPowers(factor*(one[0]+one[1]))
	if one[1] == 0 {
		return []float64{mass, 0}
	}
	return []float64{mass, float64(factor * one[1] * mass * all)}
}

// endlessPowers returns 1 + x + x^2 + .., and +Inf if x >= 1.
func endlessPowers(x float64) float64 {
	if x >= 1 {
		return math.Inf(1)
	}
	return 1 / (1 - float64(x))
}

// accumulate adds factor times law to dst.
func accumulate(dst, law []float64, factor float64) {
	for i, p := range law {
		dst[i] += float64(factor * p)
	}
}

func sum(x []float64) (s float64) {
	for _, p := range x {
		s += p
	}
	return s
}
