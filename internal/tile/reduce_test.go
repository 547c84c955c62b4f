package tile

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Every kernel gives the residue nearest 0, the same bits as plain Go.
func TestReduceIsTheNearestResidue(t *testing.T) {
	for _, p := range []float64{1, 2, 3, 1<<23 - 15, 1 << 26} {
		m := NewModulus(p)
		for length := range 140 {
			reducedByEveryKernel(t, m, p, length)
		}
	}
}

func reducedByEveryKernel(t *testing.T, m Modulus, p float64, length int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(length), uint64(p)))
	x := make([]float64, length)
	most := min(p*(1<<51), 1<<53) - 1
	for i := range x {
		x[i] = math.Trunc((2*rng.Float64() - 1) * most)
	}
	want := make([]float64, length)
	for i, v := range x {
		want[i] = m.Nearest(v)
		off := new(big.Int).Sub(integer(v), integer(want[i]))
		if math.Abs(want[i]) > (p+1)/2 || new(big.Int).Mod(off, integer(p)).Sign() != 0 {
			t.Fatalf("%.0f modulo %.0f is %v", v, p, want[i])
		}
	}
	eachKernel(func() {
		got := append([]float64(nil), x...)
		m.Reduce(got)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("entry %d of %d differs: %v for %v", i, length, got[i], want[i])
			}
		}
	})
}

func integer(x float64) *big.Int {
	i, _ := big.NewFloat(x).Int(nil)
	return i
}
