package gradientinversion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func drawn(r *rand.Rand, m, n int) *mat.Dense {
	d := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			d.Set(i, j, r.NormFloat64())
		}
	}
	return d
}

// Products in strips equal products entry by entry, for any number of workers, also of a part of a matrix, and right of the diagonal
// if they are symmetric.
func TestProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		length, m, n := rapid.IntRange(1, 20).Draw(t, "length"), rapid.IntRange(1, 2*strip+3).Draw(t, "m"), rapid.IntRange(1, 40).Draw(t, "n")
		a, b := drawn(r, length+2, m).Slice(0, length, 0, m).(*mat.Dense), drawn(r, length, n)
		var want mat.Dense
		want.Mul(a.T(), b)
		one, many := mat.NewDense(m, n, nil), mat.NewDense(m, n, nil)
		addProduct(one, columns(a), columns(b), length, false, 1)
		addProduct(many, columns(a), columns(b), length, false, 3)
		if !mat.EqualApprox(one, &want, 1e-12) || !slices.Equal(one.RawMatrix().Data, many.RawMatrix().Data) {
			t.Fatalf("products of %d columns with %d are off", m, n)
		}
		turned, across := mat.NewDense(length, length, nil), mat.Dense{}
		addProduct(turned, rows(a), rows(a), m, true, 2)
		across.Mul(a, a.T())
		for i := range length {
			for j := i; j < length; j++ {
				if math.Abs(turned.At(i, j)-across.At(i, j)) > 1e-10 {
					t.Fatalf("entry %d, %d is %g, not %g", i, j, turned.At(i, j), across.At(i, j))
				}
			}
		}
	})
}

// The solution is that of the normal equations, and project returns its derivatives.
func TestLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		m, n, width := rapid.IntRange(1, 12).Draw(t, "m"), rapid.IntRange(1, 9).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "width")
		noise := rapid.Float64Range(0.1, 2).Draw(t, "noise")
		a, b := drawn(r, m, n), drawn(r, m, width)
		s := newLeastSquares(a, noise)
		var normal, right, want mat.Dense
		normal.Mul(a.T(), a)
		for i := range n {
			normal.Set(i, i, normal.At(i, i)+noise*noise)
		}
		right.Mul(a.T(), b)
		if err := want.Solve(&normal, &right); err != nil {
			t.Fatal(err)
		}
		if got := mat.NewDense(n, width, s.solve(b)); !mat.EqualApprox(got, &want, 1e-9) {
			t.Fatalf("solution %v, by the normal equations %v", mat.Formatted(got), mat.Formatted(&want))
		}
		var unit mat.Dense
		unit.Mul(&normal, s.inverse())
		left, follow := s.project(b, 2)
		if !mat.EqualApprox(follow, &want, 1e-9) {
			t.Fatal("what follows is not the solution")
		}
		for i := range n {
			for j := range n {
				if math.Abs(unit.At(i, j)-map[bool]float64{true: 1}[i == j]) > 1e-9 {
					t.Fatalf("the inverse is off at %d, %d", i, j)
				}
			}
		}
		var rest mat.Dense
		rest.Mul(a, &want)
		rest.Sub(b, &rest)
		if !mat.EqualApprox(left.Slice(0, m, 0, width), &rest, 1e-9) {
			t.Fatal("what is left is not what the solution leaves")
		}
	})
}
