package privacy

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Rounding of the discrete Fourier transform, in the Euclidean norm and relative to its output's. fftRounding counts
// for every factor 2 of the length (Higham 2002, Theorem 24.2). It allows for twiddle factors of arguments rounded
// three times, which covers math.Fourier's. powerRounding counts for each multiplication of a power.
const (
	fftRounding   = 40 * 0x1p-53
	powerRounding = 4 * 0x1p-53
)

// tilted returns the law with mass times e^(theta loss), scaled to sum to 1, and
// the logarithm of the scale: ln E e^(theta loss) over finite losses.
func (l lossLaw) tilted(theta float64) (mass []float64, logMoment float64) {
	sum := logSum{math.Inf(-1), 0}
	logs := make([]float64, len(l.mass))
	for i, m := range l.mass {
		logs[i] = math.Log(m) + float64(theta*l.step*float64(l.first+i))
		if m > 0 {
			sum.add(logs[i])
		}
	}
	logMoment = sum.value()
	for i, x := range logs {
		logs[i] = math.Exp(x - logMoment)
	}
	return logs, logMoment
}

// A composed holds the tilted law of a sum of independent losses on a window of the grid. The sum is computed on a
// circle, so mass below the window is counted in it. The mass above the window is at most above.
type composed struct {
	step      float64
	first     int // of the window
	theta     float64
	logMoment float64   // of the sum
	mass      []float64 // tilted; in the Euclidean norm at most rounding from the truth
	rounding  float64
	above     float64 // tilted mass above the window
}

// compose returns the law of the sum of times losses, tilted by theta, on a window of size points, a power of 2, that
// begins at first. higher > theta is the tilt that bounds the mass above the window. It returns false if the rounding
// bound is vacuous.
func (l lossLaw) compose(times int, theta, higher float64, first, size int) (composed, bool) {
	single, logMoment := l.tilted(theta)
	_, logHigher := l.tilted(higher)
	circle, square := make([]complex128, size), 0.0
	for i, m := range single {
		circle[wrap(l.first+i, size)] += complex(m, 0)
	}
	for _, m := range circle {
		square += float64(real(m) * real(m))
	}
	math.Fourier(circle)
	for k := range size/2 + 1 { // the rest is its mirror image, because the input is real
		circle[k] = power(circle[k], times)
		circle[wrap(-k, size)] = complex(real(circle[k]), -imag(circle[k]))
	}
	math.Fourier(circle)
	n, t := float64(size), float64(times)
	perFactor := float64((float64(fftRounding*math.Log2(n)) + powerRounding) * math.Sqrt(square))
	growth := float64(t * perFactor * math.Sqrt(n)) // of a product of factors that may exceed 1 by rounding
	end := float64(l.step * float64(first+size))
	c := composed{
		step: l.step, first: first, theta: theta, logMoment: t * (logMoment + massRounding),
		mass: make([]float64, size), rounding: (t + 1) * perFactor * math.Exp(growth),
		above: math.Exp(min(0, float64(t*(logHigher-logMoment+massRounding))-float64((higher-theta)*(end-l.step)))),
	}
	for i := range c.mass {
		c.mass[i] = max(0, real(circle[wrap(-first-i, size)])/n)
	}
	return c, growth < 1
}

// wrap returns k modulo size, in [0, size).
func wrap(k, size int) int { return ((k % size) + size) % size }

// power returns z to the n >= 1, by squaring.
func power(z complex128, n int) complex128 {
	result := complex(1, 0)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = math.Multiply(result, z)
		}
		z = math.Multiply(z, z)
	}
	return result
}

// epsilon returns the smallest eps >= 0 whose delta is at most delta > 0, rounded up. It returns +Inf if the window
// does not contain it. With y the tilted mass and x a loss,
//
//	delta(eps) = E e^(theta loss) sum y(x) e^(-theta x) (1 - e^(eps-x)) over x > eps.
//
// Bounds on rounding and on the mass above the window are added.
func (c composed) epsilon(delta float64) float64 {
	target := math.Log(delta) - c.logMoment
	hidden := c.rounding/math.Sqrt(-math.Expm1(-2*c.theta*c.step)) + c.above
	fall, tilt := -math.Expm1(-c.step), math.Exp(-c.theta*c.step)
	// For losses from x on, with d their distance from x: near = sum y e^(-theta d)(1 - e^-d), far = sum y
	// e^(-(theta+1) d).
	near, far := 0.0, 0.0
	fits := func(near, x float64) bool { return math.Log(float64(near)+hidden)-float64(c.theta*x) <= target }
	for k := len(c.mass) - 1; k >= 0; k-- {
		x := float64(c.step * float64(c.first+k))
		nextNear, nextFar := float64(tilt*(near+float64(fall*far))), float64(tilt*(1-fall)*far)+c.mass[k]
		if x >= 0 && fits(nextNear*(1+massRounding), x) {
			near, far = nextNear, nextFar
			continue
		}
		if k == len(c.mass)-1 {
			return math.Inf(1)
		}
		lower := max(0, x)
		return Bisect(lower, x+c.step, func(eps float64) bool {
			d := x + c.step - eps
			return fits(math.Exp(-c.theta*d)*(near-float64(math.Expm1(-d)*far))*(1+massRounding), eps)
		})
	}
	return max(0, float64(c.step*float64(c.first)))
}
