package scatter

import "github.com/hearsay-dp/hearsay/internal/math"

// The kernels do the same to every lane. Their sums begin with a rounded product, and each further product is fused with its
// addition (math.FMA), on every processor. Vector code and plain code therefore agree bit for bit.

// dft transforms count arrays in place, each of size points. The arrays begin step points apart, and the points of one are stride
// apart. Tables are those of a factor; scratch takes size+2 points.
func dft(x []float64, count, step, stride, size int, cos, sin, scratch []float64) {
	even, odd := size/2+1, (size-1)/2
	if ((count-1)*step+(size-1)*stride+1)*point > len(x) || len(scratch) < (even+odd)*point || len(cos) != even*even || len(sin) != odd*odd {
		panic("scatter: a transform beyond its points")
	}
	if !dftVector(x, count, step, stride, size, cos, sin, scratch) {
		for i := range count {
			dftPlain(x[i*step*point:], stride, size, cos, sin, scratch)
		}
	}
}

func dftPlain(x []float64, stride, size int, cos, sin, scratch []float64) {
	even, odd := size/2+1, (size-1)/2
	for k := range even {
		low := at(x, k*stride)
		if k == 0 || 2*k == size {
			*at(scratch, k) = *low
			continue
		}
		high, sum, difference := at(x, (size-k)*stride), at(scratch, k), at(scratch, even+k-1)
		for i, a := range low {
			sum[i], difference[i] = a+high[i], a-high[i]
		}
	}
	var e, o [point]float64
	for m := range even {
		weigh(&e, cos[m*even:(m+1)*even], scratch)
		if m == 0 || 2*m == size {
			*at(x, m*stride) = e
			continue
		}
		weigh(&o, sin[(m-1)*odd:m*odd], scratch[even*point:])
		low, high := at(x, m*stride), at(x, (size-m)*stride)
		for i := range lanes {
			low[i], high[i] = e[i]+o[lanes+i], e[i]-o[lanes+i]
			low[lanes+i], high[lanes+i] = e[lanes+i]-o[i], e[lanes+i]+o[i]
		}
	}
}

// at returns a point of x.
func at(x []float64, i int) *[point]float64 { return (*[point]float64)(x[i*point:]) }

func weigh(sum *[point]float64, weights, points []float64) {
	for i, v := range at(points, 0) {
		sum[i] = weights[0] * v
	}
	for k := 1; k < len(weights); k++ {
		w := weights[k]
		for i, v := range at(points, k) {
			sum[i] = math.FMA(w, v, sum[i])
		}
	}
}

// scale sets points of dst to those of src times a factor each.
func scale(dst, src, factors []float64) {
	if len(src) != len(dst) || len(factors)*point < len(dst) {
		panic("scatter: a factor for each point")
	}
	if scaleVector(dst, src, factors) {
		return
	}
	for i := range len(dst) / point {
		f, to := factors[i], at(dst, i)
		for j, v := range at(src, i) {
			to[j] = f * v
		}
	}
}

// moduli replaces count points, which are stride apart, by their absolute values.
func moduli(x []float64, count, stride int) {
	if ((count-1)*stride+1)*point > len(x) {
		panic("scatter: moduli beyond the points")
	}
	if moduliVector(x, count, stride) {
		return
	}
	for i := range count {
		p := at(x, i*stride)
		for j := range lanes {
			re, im := p[j], p[lanes+j]
			p[j], p[lanes+j] = math.Sqrt(math.FMA(im, im, float64(re*re))), 0
		}
	}
}

// mix sets four entries of dst for each block of s: sums over depth entries of src, times weights. An entry has all lanes of one
// number. Entries of dst begin apart entries from each other, those of src stride numbers.
func mix(dst []float64, apart int, src []float64, stride, depth int, s *smoothing) {
	if ((4*s.blocks-1)*apart+1)*lanes > len(dst) || (depth-1)*stride+lanes > len(src) || 4*s.blocks*depth > len(s.weights) {
		panic("scatter: a sum beyond its numbers")
	}
	if mixVector(dst, apart, src, stride, depth, s) {
		return
	}
	for i := range 4 * s.blocks {
		weights := s.weights[i/4*4*depth+i%4:]
		sum := (*[lanes]float64)(dst[i*apart*lanes:])
		for k := range depth {
			w := weights[4*k]
			for j, v := range (*[lanes]float64)(src[k*stride:]) {
				if k == 0 {
					sum[j] = w * v
				} else {
					sum[j] = math.FMA(w, v, sum[j])
				}
			}
		}
	}
}
