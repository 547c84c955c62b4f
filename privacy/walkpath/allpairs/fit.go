package allpairs

import "github.com/hearsay-dp/hearsay/internal/math"

// A scale holds exponentials at all integers from from to to, where their sums must bound a power from above.
// Beyond fineUntil a point stands for an interval of relative width apart. Both functions fall, so that the sum
// at the right end of an interval is compared with the power at its left end.
type scale struct {
	x            []float64
	left, right  []float64   // ends of the interval of a point
	exponentials [][]float64 // exp(-x (right-from)) by point and rate
	sampled      []int       // the points, each 1/16 beyond the one before, at which fits are improved
}

const (
	fineUntil = 1000
	apart     = 2e-3
)

func newScale(x []float64, from, to int) *scale {
	s := &scale{x: x}
	next := 0.0
	for left := float64(from); left <= float64(to); {
		right := left
		if left > fineUntil {
			right = left * (1 + apart)
		}
		row := make([]float64, len(x))
		for j, rate := range x {
			row[j] = math.Exp(-rate * (right - float64(from)))
		}
		if left >= next {
			s.sampled, next = append(s.sampled, len(s.left)), left*(1+1.0/16)
		}
		s.left, s.right, s.exponentials = append(s.left, left), append(s.right, right), append(s.exponentials, row)
		left = max(left+1, right)
	}
	return s
}

// above returns weights w >= 0 with
//
//	sum_j w[j] exp(-x[j] d) >= d^-k    for all integers from <= d <= to,
//
// nearly tight. d^-k is the integral of y^(k-1)/(k-1)! exp(-y d), for which rates that double are an accurate
// quadrature rule. The rule is improved at some points, and then scaled up until it holds everywhere.
func (s *scale) above(k int) []float64 {
	f := s.fit(k)
	rule := f.raised(f.quadrature())
	if polished := f.raised(f.polished(rule)); f.excess(polished) < f.excess(rule) {
		rule = polished
	}
	for j, rate := range f.x {
		rule[j] *= math.Exp(float64(rate*f.left[0]) - float64(f.k*math.Log(f.left[0])))
	}
	return rule
}

// A fit holds weights of exp(-x (d-from)) that approximate (d/from)^-k.
type fit struct {
	*scale
	k      float64
	powers []float64 // (left/from)^k by point
}

func (s *scale) fit(k int) *fit {
	f := &fit{scale: s, k: float64(k), powers: make([]float64, len(s.left))}
	for i, d := range s.left {
		f.powers[i] = math.Exp(f.k * math.Log(d/s.left[0]))
	}
	return f
}

// ratio returns the sum over the power at a point.
func (f *fit) ratio(w []float64, at int) float64 {
	sum := 0.0
	for j, e := range f.exponentials[at] {
		sum += float64(w[j] * e)
	}
	return float64(sum * f.powers[at])
}

// quadrature returns the trapezoidal rule in ln y. Its end weights include the mass beyond both ends.
func (f *fit) quadrature() []float64 {
	w, from := make([]float64, len(f.x)), f.left[0]
	factorial, _ := math.Lgamma(f.k)
	for j, rate := range f.x[1:] {
		w[j+1] = float64(math.Ln2 * math.Exp(float64(f.k*math.Log(rate*from))-factorial-float64(rate*from)))
	}
	w[0] = math.Exp(float64(f.k*math.Log(f.x[1]*from/math.Sqrt2))-factorial) / f.k
	w[len(w)-1] += max(0, 1-f.ratio(w, 0))
	return w
}

// raised scales weights up until the sum is nowhere below the power.
func (f *fit) raised(w []float64) []float64 {
	short := math.Inf(1)
	for i := range f.left {
		short = min(short, f.ratio(w, i))
	}
	up := make([]float64, len(w))
	for j, x := range w {
		up[j] = x / short * (1 + 1e-12)
	}
	return up
}

// excess returns the mean ratio of the sum to the power.
func (f *fit) excess(w []float64) float64 {
	total := 0.0
	for _, i := range f.sampled {
		total += f.ratio(w, i)
	}
	return total / float64(len(f.sampled))
}

// polished lowers the sum of squared deviations, one weight after the other.
func (f *fit) polished(start []float64) []float64 {
	w, n := append([]float64(nil), start...), len(start)
	gram, right := make([]float64, n*n), make([]float64, n)
	for _, i := range f.sampled {
		for a, x := range f.exponentials[i] {
			right[a] += float64(x * f.powers[i])
			for b, y := range f.exponentials[i] {
				gram[a*n+b] += float64(x * y * f.powers[i] * f.powers[i])
			}
		}
	}
	for range polishes {
		for i := range w {
			off := right[i]
			for j, x := range w {
				off -= float64(gram[i*n+j] * x)
			}
			w[i] = max(0, w[i]+off/gram[i*n+i])
		}
	}
	return w
}

const polishes = 1000
