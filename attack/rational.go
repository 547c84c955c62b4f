package attack

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/exact"
)

// A Fraction is a rational number in lowest terms, the denominator positive.
type Fraction struct{ Numerator, Denominator int64 }

// String is the fraction as people write it.
func (q Fraction) String() string {
	if q.Denominator == 1 {
		return fmt.Sprint(q.Numerator)
	}
	return fmt.Sprintf("%d/%d", q.Numerator, q.Denominator)
}

// Float is the nearest float64.
func (q Fraction) Float() float64 { return float64(q.Numerator) / float64(q.Denominator) }

// mostSmall bounds numerators and denominators of small fractions: two different
// ones never agree modulo 2^61 - 1.
const mostSmall = 1<<30 - 1

// small finds the fraction with numerator and denominator up to 2^30 that has
// the given residues modulo 2^31 - 1 and 2^61 - 1. It reports false if there is
// none. Residues of a number that is no such fraction pass once in 2^31 cases.
func small(residues [2]uint64) (Fraction, bool) {
	fields := exact.Fields()
	// Euclid's algorithm keeps r = q*residue modulo the prime.
	r0, q0 := int64(fields[1].Prime()), int64(0)
	r1, q1 := int64(residues[1]), int64(1)
	for r1 > mostSmall {
		times := r0 / r1
		r0, q0, r1, q1 = r1, q1, r0-times*r1, q0-times*q1
	}
	if q1 < 0 {
		r1, q1 = -r1, -q1
	}
	if q1 > mostSmall || fields[0].Fraction(r1, q1) != residues[0] {
		return Fraction{}, false
	}
	divisor := gcd(max(r1, -r1), q1)
	return Fraction{r1 / divisor, q1 / divisor}, true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
