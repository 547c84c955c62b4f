package sparse

import (
	"unsafe"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Fours returns n rounded up to a multiple of 4: the length of results for n rows that are computed four at a
// time.
func Fours(n int) int { return (n + 3) &^ 3 }

// DotRows sets dst[i] to Dot(row i, y) + plus, with the same bits, for count rows of width numbers, stored one
// after the other in rows. dst is Fours(count) long; its entries beyond count are undefined afterwards. y is at
// least width long.
func DotRows(dst, rows []float64, count, width int, y []float64, plus float64) {
	dst, rows, y = dst[:Fours(count)], rows[:count*width], y[:width]
	if widest > 0 && count > 0 && width > 0 {
		dotRowsVector(&dst[0], &rows[0], count, width, &y[0], plus)
		return
	}
	dotRows(dst, rows, count, width, y, plus)
}

func dotRows(dst, rows []float64, count, width int, y []float64, plus float64) {
	for i := range count {
		dst[i] = Dot(rows[i*width:(i+1)*width], y) + plus
	}
}

// AxpyRows adds a[i] times row i to dst, one after the other as Axpy does, with the same bits. The rows are
// width long and stored one after the other in rows. dst is at least as long as a row.
func AxpyRows(dst, a, rows []float64, width int) {
	rows = rows[:len(a)*width]
	if widest > 0 && len(a) > 0 && width > 0 {
		dst = dst[:width]
		axpyRowsVector(&dst[0], &a[0], &rows[0], len(a), width)
		return
	}
	axpyRows(dst, a, rows, width)
}

func axpyRows(dst, a, rows []float64, width int) {
	for i, weight := range a {
		Axpy(dst, weight, rows[i*width:(i+1)*width])
	}
}

// Shorten scales a[i] down to longest/norms[i] in absolute value if their product exceeds longest, which must
// be above 0. It reports whether all were finite numbers and every quotient longest/norm is exact enough: norms
// are below 2^902 and longest is at least 2^-120. Shortening twice is shortening once.
func Shorten(a, norms []float64, longest float64) bool {
	norms = norms[:len(a)]
	if longest < 0x1p-120 {
		return false
	}
	if widest > 0 && len(a) > 0 {
		return shortenVector(&a[0], &norms[0], len(a), longest)
	}
	return shorten(a, norms, longest)
}

func shorten(a, norms []float64, longest float64) bool {
	none := 0.0 // NaN if a value is not finite
	for i, v := range a {
		norm := norms[i]
		none += float64(v*0) + float64(float64(norm*0x1p122)*0)
		if math.Abs(v)*norm > longest {
			a[i] = math.Copysign(longest/norm, v)
		}
	}
	return none == 0
}

// Prefetch starts to fetch x, which is about to be read, and returns at once.
func Prefetch(x []float64) {
	if len(x) > 0 {
		prefetch(unsafe.Pointer(&x[0]), 8*len(x))
	}
}

// PrefetchAt prefetches one value.
func PrefetchAt[T any](x *T) { prefetch(unsafe.Pointer(x), int(unsafe.Sizeof(*x))) }
