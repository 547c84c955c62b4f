package sparse

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Norm is right to a few units in the last place for every finite vector, by
// arithmetic of 200 bits whose exponents have no end.
func TestNormOfAnyFiniteVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64(), 0, 6).Draw(t, "x")
		sum := new(big.Float).SetPrec(200)
		for i, v := range x {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				x[i], v = 1, 1
			}
			term := new(big.Float).SetPrec(200).SetFloat64(v)
			sum.Add(sum, term.Mul(term, term))
		}
		want, _ := new(big.Float).Sqrt(sum).Float64()
		if got := Norm(x); got != want && math.Abs(got-want) > 1e-14*want+5e-324 {
			t.Fatalf("norm of %g is %g, want %g", x, got, want)
		}
		sum.Add(sum, big.NewFloat(1))
		want, _ = new(big.Float).Sqrt(sum).Float64()
		if got := NormWithOne(x); got != want && math.Abs(got-want) > 1e-14*want {
			t.Fatalf("norm of (%g, 1) is %g, want %g", x, got, want)
		}
	})
}

func TestNormOfWhatIsNotFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, x := range [][]float64{{nan, 1}, {inf, nan}, {nan, 1e308}} {
		if got := Norm(x); !math.IsNaN(got) {
			t.Errorf("norm of %g is %g", x, got)
		}
	}
	if got := Norm([]float64{-inf, 1}); got != inf {
		t.Errorf("norm of an infinity is %g", got)
	}
}
