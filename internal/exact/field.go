// Package exact implements arithmetic without rounding: fractions, residues modulo primes, echelon forms, ranks of Krylov
// spaces, equitable partitions, and numbers of 72 digits.
package exact

import (
	"math/bits"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Field is the integers modulo the Mersenne prime 2^k - 1, k = 31 or 61.
// Elements are reduced numbers below the prime. A rank modulo a prime never
// exceeds the true one. It is smaller only if the prime divides certain minors, which is rare for a prime not chosen to fit the
// matrix.
type Field struct {
	exponent uint
	prime    uint64
}

// Fields returns the two fields in which ranks are confirmed.
func Fields() [2]Field {
	return [2]Field{{31, 1<<31 - 1}, {61, 1<<61 - 1}}
}

// Prime returns the modulus.
func (f Field) Prime() uint64 { return f.prime }

// reduce folds a number below 2^64 - 2^k into the field: 2^k is 1.
func (f Field) reduce(x uint64) uint64 {
	x = x&f.prime + x>>f.exponent
	x = x&f.prime + x>>f.exponent
	if x >= f.prime {
		x -= f.prime
	}
	return x
}

// Mul returns a*b.
func (f Field) Mul(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	x := low&f.prime + (low>>f.exponent | high<<(64-f.exponent))
	if f.exponent == 31 {
		x = x&f.prime + x>>31
	}
	if x >= f.prime {
		x -= f.prime
	}
	return x
}

// Add returns a+b.
func (f Field) Add(a, b uint64) uint64 {
	x := a + b
	if x >= f.prime {
		x -= f.prime
	}
	return x
}

// Neg returns -a.
func (f Field) Neg(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return f.prime - a
}

// Inverse returns 1/a by Fermat's little theorem. It panics for a = 0.
func (f Field) Inverse(a uint64) uint64 {
	if a == 0 {
		panic("exact: 0 has no inverse")
	}
	result := uint64(1)
	for power := f.prime - 2; power > 0; power >>= 1 {
		if power&1 == 1 {
			result = f.Mul(result, a)
		}
		a = f.Mul(a, a)
	}
	return result
}

// Fraction returns numerator/denominator in the field. The denominator must not be 0 there.
func (f Field) Fraction(numerator, denominator int64) uint64 {
	return f.Mul(f.integer(numerator), f.Inverse(f.integer(denominator)))
}

func (f Field) integer(i int64) uint64 {
	if i < 0 {
		return f.Neg(f.reduce(uint64(-i)))
	}
	return f.reduce(uint64(i))
}

// The weights of a graph are fractions with small denominators, rounded once.
const (
	mostDenominator = 1 << 20
	oneRounding     = 0x1p-52
)

// Rational returns the fraction with a denominator up to 2^20 that equals x to one rounding, by its continued fraction. It
// reports false if there is none. Two such fractions differ by at least 2^-40, so that for |x| below 2048 it is unique.
func Rational(x float64) (numerator, denominator int64, ok bool) {
	if !(math.Abs(x) < 1<<11) {
		return 0, 0, false
	}
	p0, q0, p1, q1 := int64(0), int64(1), int64(1), int64(0)
	for rest := x; ; {
		whole := math.Floor(rest)
		if whole > 1<<31 {
			return 0, 0, false
		}
		a := int64(whole)
		p0, q0, p1, q1 = p1, q1, a*p1+p0, a*q1+q0
		if q1 > mostDenominator {
			return 0, 0, false
		}
		if math.Abs(float64(p1)/float64(q1)-x) <= oneRounding*math.Abs(x) {
			return p1, q1, true
		}
		if rest == whole {
			return 0, 0, false
		}
		rest = 1 / (rest - whole)
	}
}

// Fractions holds the entries of a stochastic matrix as they were before rounding: fractions off the diagonal. On the diagonal
// they make a row sum to 1.
type Fractions struct {
	m                        *sparse.Matrix
	numerators, denominators []int64 // by entry; those on the diagonal are not used
}

// FractionsOf returns the fractions of a matrix. It reports false if an entry is no fraction with a small denominator, or if a
// row does not sum to 1 up to rounding. No exact value of m is then known.
func FractionsOf(m *sparse.Matrix) (*Fractions, bool) {
	r := &Fractions{m, make([]int64, len(m.Values)), make([]int64, len(m.Values))}
	for i := range m.N {
		columns, values := m.Row(i)
		diagonal, sum := false, 0.0
		for k, j := range columns {
			at := m.Offsets[i] + k
			sum += values[k]
			if int(j) == i {
				diagonal = true
				continue
			}
			var ok bool
			if r.numerators[at], r.denominators[at], ok = Rational(values[k]); !ok {
				return nil, false
			}
		}
		if !diagonal || !(math.Abs(sum-1) <= float64(len(columns)+1)*oneRounding) {
			return nil, false
		}
	}
	return r, true
}

// Residues returns the entries in a field, in the order of Values.
func (r *Fractions) Residues(f Field) []uint64 {
	residues := make([]uint64, len(r.numerators))
	inverses := map[int64]uint64{}
	for i := range r.m.N {
		diagonal, rest := 0, uint64(1)
		for at := r.m.Offsets[i]; at < r.m.Offsets[i+1]; at++ {
			if int(r.m.Columns[at]) == i {
				diagonal = at
				continue
			}
			d := r.denominators[at]
			if inverses[d] == 0 {
				inverses[d] = f.Fraction(1, d)
			}
			residues[at] = f.Mul(f.integer(r.numerators[at]), inverses[d])
			rest = f.Add(rest, f.Neg(residues[at]))
		}
		residues[diagonal] = rest
	}
	return residues
}

// Fixed returns the entries to 72 digits, in the order of Values.
func (r *Fractions) Fixed() []Fixed {
	entries := make([]Fixed, len(r.numerators))
	for i := range r.m.N {
		diagonal, rest := 0, FixedOne
		for at := r.m.Offsets[i]; at < r.m.Offsets[i+1]; at++ {
			if int(r.m.Columns[at]) == i {
				diagonal = at
				continue
			}
			entries[at] = FixedFraction(r.numerators[at], r.denominators[at])
			rest = rest.Add(entries[at].Neg())
		}
		entries[diagonal] = rest
	}
	return entries
}
