package scatter

import "github.com/hearsay-dp/hearsay/internal/math"

// An axis transforms one side of a map by discrete Fourier transforms of coprime sizes, whose product is its length (Good
// 1958). No twiddle factors are needed. The side is read as an array with a dimension for each size, and all its lines are
// transformed in place, along one dimension after the other. Pixels therefore lie in an order of their own, and frequencies in
// another one. The order of frequencies need not be known, because filters have gone through the same transform.
type axis struct {
	length  int
	pixel   []int // the pixel at each position
	factors []factor
}

// A factor is a transform of a power of one prime.
type factor struct {
	size, inner            int // number of points, and distance in positions of a point from the next
	cos, forward, backward []float64
}

func newAxis(length int) *axis {
	a := &axis{length: length, pixel: make([]int, length)}
	inner := length
	for left, p := length, 2; left > 1; p++ {
		size := 1
		for ; left%p == 0; left /= p {
			size *= p
		}
		if size > 1 {
			inner /= size
			a.factors = append(a.factors, newFactor(size, inner))
		}
	}
	for at := range a.pixel {
		for _, f := range a.factors {
			a.pixel[at] += at / f.inner % f.size * (length / f.size)
		}
		a.pixel[at] %= length
	}
	return a
}

// newFactor tabulates a transform by its even and odd parts. With A[k] the sum and B[k] the difference of entries k and size-k,
// entry m of the result is the sum over k of cos(2 pi m k/size) A[k], minus i times that of sin(2 pi m k/size) B[k].
func newFactor(size, inner int) factor {
	f := factor{size: size, inner: inner}
	for m := 0; m <= size/2; m++ {
		for k := 0; k <= size/2; k++ {
			sin, cos := math.Sincos(2 * math.Pi * float64(m*k%size) / float64(size))
			f.cos = append(f.cos, cos)
			if min(m, k) > 0 && 2*max(m, k) < size {
				f.forward, f.backward = append(f.forward, sin), append(f.backward, -sin)
			}
		}
	}
	return f
}

// transform replaces a line, whose points are stride apart, by its transform, or by the inverse times length.
func (a *axis) transform(line []float64, stride int, inverse bool, scratch []float64) {
	for i := range a.factors {
		f := &a.factors[i]
		sin := f.forward
		if inverse {
			sin = f.backward
		}
		outer := a.length / (f.size * f.inner)
		if f.inner == 1 {
			dft(line, outer, f.size*stride, stride, f.size, f.cos, sin, scratch)
			continue
		}
		for o := range outer {
			dft(line[o*f.size*f.inner*stride*point:], f.inner, stride, f.inner*stride, f.size, f.cos, sin, scratch)
		}
	}
}

// A smoothing averages a line of pixels into count, four at a time.
type smoothing struct {
	count, blocks int
	weights       []float64 // block after block, position after position, four each
}

// newSmoothing tabulates the Gaussian along an axis, for the pixels 2^scales apart that lie within a side.
func newSmoothing(a *axis, scales, side int) smoothing {
	apart := 1 << scales
	s := smoothing{count: (side + apart - 1) / apart}
	s.blocks = (s.count + 3) / 4
	deviation := 0.4 * float64(apart)
	for block := range s.blocks {
		for _, pixel := range a.pixel {
			for at := 4 * block; at < 4*block+4; at++ {
				weight := 0.0
				for turn := -turns; turn <= turns && at < s.count; turn++ {
					u := float64(pixel-(at+1)*apart+turn*a.length) / deviation
					weight += math.Exp(-0.5*u*u) / (deviation * math.Sqrt(2*math.Pi))
				}
				s.weights = append(s.weights, weight)
			}
		}
	}
	return s
}
