package step

import (
	"math/bits"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// pcg is PCG-DXSM with 128 bits of state (O'Neill 2014, HMC-CS-2014-0905). It draws the same numbers as
// rand.PCG, whose state is not accessible.
type pcg struct{ high, low uint64 }

// The default multiplier and increment of 128 bits, and the multiplier of DXSM.
const (
	multiplierHigh, multiplierLow = 0x2360ed051fc65da4, 0x4385df649fccf645
	incrementHigh, incrementLow   = 0x5851f42d4c957f2d, 0x14057b7ef767814f
	scrambler                     = 0xda942042e4dd58b5
)

func (p pcg) next() pcg {
	high, low := bits.Mul64(p.low, multiplierLow)
	high += p.high*multiplierLow + p.low*multiplierHigh
	low, carry := bits.Add64(low, incrementLow, 0)
	high, _ = bits.Add64(high, incrementHigh, carry)
	return pcg{high, low}
}

// out returns the number drawn at a state.
func (p pcg) out() uint64 {
	x := (p.high ^ p.high>>32) * scrambler
	return (x ^ x>>48) * (p.low | 1)
}

// Uint64 implements rand.Source.
func (p *pcg) Uint64() uint64 {
	*p = p.next()
	return p.out()
}

// Normals sets dst to the results of len(dst) calls of Normal with the generator that At returned, bit for bit,
// and leaves the generator in the same state.
func (s *Stream) Normals(dst []float64) {
	for len(dst) > 0 {
		dst = dst[s.pcg.accepted(dst):]
		if len(dst) > 0 { // one in forty is not accepted at once
			dst[0] = Normal(s.rand)
			dst = dst[1:]
		}
	}
}

// Normal draws from the standard normal distribution, by the ziggurat of rand.NormFloat64. That function
// compares numbers of 24 bits and takes logarithms whose last digits differ between processors. Normal returns
// the same bits on all.
func Normal(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		j, i := int64(int32(u)), u>>32&127
		x := float64(j) * strips[i].unit
		switch {
		case max(j, -j) < strips[i].within:
			return x
		case i == 0:
			return math.Copysign(beyond(r), x)
		case densities[i]+float64(float64(r.Float64())*(densities[i-1]-densities[i])) < math.Exp(float64(-0.5*x*x)):
			return x
		}
	}
}

// beyond draws from the tail of the standard normal distribution above lastStrip (Marsaglia 1964).
func beyond(r *rand.Rand) float64 {
	for {
		x, y := float64(Exponential(r)*(1/lastStrip)), Exponential(r)
		if y+y >= float64(x*x) {
			return lastStrip + x
		}
	}
}

// lastStrip is the end of the last strip of the ziggurat.
const lastStrip = 3.442619855899

// Exponential draws from the exponential distribution of mean 1. Once in 2^53 draws it is +Inf.
func Exponential(r *rand.Rand) float64 { return -math.Log(r.Float64()) }

// acceptedPlain sets the first numbers of dst to normals that are accepted at once, and returns their number.
// If that is less than len(dst), p stands before the draw that was not accepted.
func (p *pcg) acceptedPlain(dst []float64) int {
	for i := range dst {
		next := p.next()
		u := next.out()
		j, strip := int64(int32(u)), &strips[u>>32&127]
		if max(j, -j) >= strip.within {
			return i
		}
		dst[i] = float64(j) * strip.unit
		*p = next
	}
	return len(dst)
}

// A strip is one of the 128 of the ziggurat of NormFloat64 (Marsaglia and Tsang 2000). 32 bits j of a draw,
// with their sign, give the position in the strip, j units from 0. Another 7 bits select the strip.
type strip struct {
	unit   float64
	within int64 // in units: a number nearer to 0 is accepted at once
}

// strips holds the strips of NormFloat64, computed from its outputs. A strip is certainly below the density as
// far as the next strip reaches, so that the units determine within too.
var strips = func() (all [128]strip) {
	for i := range all {
		all[i].unit = rand.New(always(i<<32 | 1)).NormFloat64()
	}
	for i := range all {
		narrower := all[(i+127)%128].unit
		if i == 1 {
			narrower = 0 // the top
		}
		all[i].within = int64(float64(narrower / all[i].unit * (1 << 31)))
	}
	return all
}()

// densities holds the normal density, up to a factor, at the ends of strips; strip 0 ends at 0.
var densities = func() (all [128]float64) {
	for i := range all {
		end := strips[i].unit * (1 << 31)
		all[i] = math.Exp(float64(-0.5 * end * end))
	}
	all[0] = 1
	return all
}()

// always is a source that returns one number.
type always uint64

func (a always) Uint64() uint64 { return uint64(a) }
