package exact

import "math"

// A Double is the sum of two float64, the second below the rounding of the
// first: about 31 decimal digits (Dekker 1971). It is for what is too close to
// call in one.
type Double struct{ Hi, Lo float64 }

// twoSum is a+b and its rounding error, both exact (Knuth).
func twoSum(a, b float64) Double {
	s := a + b
	part := s - a
	return Double{s, (a - (s - part)) + (b - part)}
}

// fastTwoSum is twoSum for |a| >= |b|.
func fastTwoSum(a, b float64) Double {
	s := a + b
	return Double{s, b - (s - a)}
}

// Add is x+y.
func (x Double) Add(y Double) Double {
	high, low := twoSum(x.Hi, y.Hi), twoSum(x.Lo, y.Lo)
	s := fastTwoSum(high.Hi, high.Lo+low.Hi)
	return fastTwoSum(s.Hi, s.Lo+low.Lo)
}

// Neg is -x.
func (x Double) Neg() Double { return Double{-x.Hi, -x.Lo} }

// Mul is x*y.
func (x Double) Mul(y Double) Double {
	p := x.Hi * y.Hi
	low := math.FMA(x.Hi, y.Hi, -p)
	low = math.FMA(x.Hi, y.Lo, low)
	low = math.FMA(x.Lo, y.Hi, low)
	return fastTwoSum(p, low)
}

// AddMul is x + y*z with an error of 2^-104 of the larger of x and y*z: enough in
// sums whose parts are no larger than 1.
func (x Double) AddMul(y, z Double) Double {
	p := y.Hi * z.Hi
	low := math.FMA(y.Hi, z.Hi, -p)
	low = math.FMA(y.Hi, z.Lo, low)
	low = math.FMA(y.Lo, z.Hi, low)
	s := twoSum(x.Hi, p)
	return fastTwoSum(s.Hi, s.Lo+(x.Lo+low))
}

// Div is x/y by three digits of long division in base 2^53.
func (x Double) Div(y Double) Double {
	first := x.Hi / y.Hi
	rest := x.Add(y.Mul(Double{Hi: first}).Neg())
	second := rest.Hi / y.Hi
	rest = rest.Add(y.Mul(Double{Hi: second}).Neg())
	return fastTwoSum(first, second).Add(Double{Hi: rest.Hi / y.Hi})
}

// Sqrt is the square root of x >= 0 by one step of Newton's method.
func (x Double) Sqrt() Double {
	if x.Hi <= 0 {
		return Double{}
	}
	guess := Double{Hi: math.Sqrt(x.Hi)}
	rest := x.Add(guess.Mul(guess).Neg())
	return guess.Add(Double{Hi: rest.Hi / (2 * guess.Hi)})
}
