package allpairs

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The transforms of all first passages follow from Green's function
//
//	G(x) = (I - z W)^-1 = Z(x) + z/(1-z) 1 rho(x),    z = exp(-x),
//	Z(x) = (I - z (W - 1 1'/n))^-1,    rho(x) = (1'/n) Z(x):
//
// Z and rho stay bounded as x falls to 0, where Z is a fundamental matrix and rho the
// stationary law. With a, b, c, d = G_uu, G_vv, G_uv, G_vu and D = ab - cd, the
// first visit after time 0 of a token at u to u or v is to u with transform 1 - b/D and to v with c/D. The
// passage from u to v has c/b. In D the square of the large term cancels exactly, so that no digits are lost
// near 0.

// A green holds Z and rho at one rate.
type green struct {
	x, odds float64 // odds is z/(1-z), +Inf at x = 0
	z       []float64
	rho     []float64
	error   float64 // bounds the error of every entry of both
}

// newGreen inverts the matrix. It measures the error: with R = I - M Z the error of an entry of Z is at most
// the largest of |R| times the norm of the inverse of M. If elimination without pivots is not accurate enough,
// it uses pivots.
func newGreen(w *sparse.Matrix, x float64) (*green, error) {
	g := &green{x: x, odds: 1 / math.Expm1(x), z: matrixAt(w, x)}
	var product tile.Product
	if product.Invert(g.z, w.N) {
		if g.measure(w); g.error <= wellInverted*largest(g.z) {
			return g, nil
		}
	}
	g.z = matrixAt(w, x)
	if invertByPivots(g.z, w.N); !finite(g.z) {
		return nil, fault.New(fmt.Sprintf("Green's function at rate %g has no inverse", x), "give a graph that mixes less slowly")
	}
	g.measure(w)
	return g, nil
}

// invertByPivots replaces a, n x n, by its inverse, by Gauss-Jordan elimination with the largest entry of each
// column as pivot. The result is not finite if a has no inverse.
func invertByPivots(a []float64, n int) {
	row := func(i int) []float64 { return a[i*n : (i+1)*n] }
	swaps := make([]int, n)
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if math.Abs(row(i)[k]) > math.Abs(row(best)[k]) {
				best = i
			}
		}
		swaps[k] = best
		for j, x := range row(k) {
			row(k)[j], row(best)[j] = row(best)[j], x
		}
		pivot := row(k)[k]
		row(k)[k] = 1
		sparse.Scale(row(k), 1/pivot)
		for i := range n {
			if i != k {
				factor := row(i)[k]
				row(i)[k] = 0
				sparse.Axpy(row(i), -factor, row(k))
			}
		}
	}
	for k := n - 1; k >= 0; k-- { // swapped rows are swapped columns of the inverse
		for i := range n {
			row(i)[k], row(i)[swaps[k]] = row(i)[swaps[k]], row(i)[k]
		}
	}
}

// wellInverted is the largest error of an inverse, relative to its largest entry.
const wellInverted = 1e-9

// matrixAt returns I - z (W - 1 1'/n).
func matrixAt(w *sparse.Matrix, x float64) []float64 {
	n, t := w.N, math.Exp(-x)
	m := make([]float64, n*n)
	for i := range n {
		row := m[i*n : (i+1)*n]
		for j := range row {
			row[j] = t / float64(n)
		}
		columns, values := w.Row(i)
		for k, j := range columns {
			row[j] -= float64(t * values[k])
		}
		row[i]++
	}
	return m
}

func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// measure computes rho and the error.
func (g *green) measure(w *sparse.Matrix) {
	n, t := w.N, math.Exp(-g.x)
	g.rho = make([]float64, n)
	row := make([]float64, n)
	for i := range n {
		sparse.Axpy(g.rho, 1/float64(n), g.z[i*n:(i+1)*n])
	}
	worst, residual, norm, largest, entries := 0.0, 0.0, 0.0, 0.0, 0
	for i := range n {
		own := g.z[i*n : (i+1)*n]
		for j := range row {
			row[j] = float64(t*g.rho[j]) + own[j]
		}
		columns, values := w.Row(i)
		entries = max(entries, len(columns))
		for k, from := range columns {
			sparse.Axpy(row, -t*values[k], g.z[int(from)*n:(int(from)+1)*n])
		}
		row[i]--
		sum, total := 0.0, 0.0
		for j, r := range row {
			worst = max(worst, math.Abs(r))
			sum += math.Abs(r)
			total += math.Abs(own[j])
			largest = max(largest, math.Abs(own[j]))
		}
		residual, norm = max(residual, sum), max(norm, total)
	}
	rounding := float64(float64(entries+n+8) * 0x1p-53 * largest) // of the sums above
	if g.error = float64(2 * norm * (worst + rounding)); !(residual+float64(float64(n)*rounding) < 0.5) {
		g.error = math.Inf(1)
	}
}

// A passage holds the transforms of a pair at one rate, and bounds of their errors: the gap from u back to u,
// from u to v without u, and from u to v.
type passage struct {
	back, hit, pass                float64
	backError, hitError, passError float64
}

// unknown is a passage with the trivial bounds.
var unknown = passage{backError: 1, hitError: 1, passError: 1}

// between returns the passage of a pair, given its entries of Z and rho.
func (g *green) between(uu, vv, uv, vu, p, q float64) passage {
	size := math.Abs(uu) + math.Abs(vv) + math.Abs(uv) + math.Abs(vu)
	if g.x == 0 {
		det := float64(p*(vv-uv)) + float64(q*(uu-vu))
		hit := q / det
		off := (g.error + float64(hit*g.error*(float64(2*(p+q))+size))) / det
		if !(off < 0.25) {
			return unknown
		}
		off = float64(2*off) + 0x1p-49
		return passage{back: 1 - hit, hit: hit, pass: 1, backError: off, hitError: off}
	}
	a := g.odds
	det := float64(a*(float64(p*(vv-uv))+float64(q*(uu-vu)))) + float64(uu*vv) - float64(uv*vu)
	b, c := float64(a*q)+vv, float64(a*q)+uv
	detOff := float64(g.error*(float64(a*(float64(2*(p+q))+size))+float64(2*size)+float64(2*g.error))) + float64(0x1p-50*size*(float64(a*(p+q))+size))
	own := float64((g.error + float64(0x1p-51*(q+size))) * (1 + a))
	if !(detOff < det/4) || !(own < b/4) {
		return unknown
	}
	off := 2 * (own + max(b, c)*detOff/det) / det
	return passage{
		back: 1 - b/det, hit: c / det, pass: 1 - (vv-uv)/b,
		backError: off + 0x1p-50, hitError: off, passError: 2*(float64(2*g.error)+math.Abs(vv-uv)*own/b)/b + 0x1p-50,
	}
}

// thinned returns the passage if u skips turns with probability skip. A share skip of the returns to u goes on
// from u as another gap.
func (p passage) thinned(skip float64) passage {
	if skip == 0 {
		return p
	}
	back, hit := min(1, p.back+p.backError), min(1, p.hit+p.hitError) // both results rise in both
	on := 1 - float64(skip*back)
	p.back, p.backError = (1-skip)*back/on, 0x1p-48
	p.hit, p.hitError = hit/on, 0x1p-48/(1-skip)
	return p
}
