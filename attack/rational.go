package attack

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/exact"
)

// A Fraction is a rational number in lowest terms, with a positive denominator.
type Fraction struct{ Numerator, Denominator int64 }

// String returns the fraction in the usual notation, such as 2/3.
func (q Fraction) String() string {
	if q.Denominator == 1 {
		return fmt.Sprint(q.Numerator)
	}
	return fmt.Sprintf("%d/%d", q.Numerator, q.Denominator)
}

// Float returns the nearest float64.
func (q Fraction) Float() float64 { return float64(q.Numerator) / float64(q.Denominator) }

// mostSmall bounds numerators and denominators of small fractions. Two different
// small fractions never agree modulo 2^61 - 1.
const mostSmall = 1<<30 - 1

// small returns the fraction with numerator and denominator below 2^30 that has
// the given residues modulo 2^31 - 1 and 2^61 - 1. It returns false if there is
// none. For a number that is no such fraction it returns one with probability
// 2^-31.
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
