package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Singles of any bits become the same doubles with and without a vector kernel, wherever they begin, and nothing behind them is written.
func TestWidenIsTheConversionOfEachNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		for range 50 {
			singles := make([]byte, 4*n+3)
			for i := range singles {
				singles[i] = byte(rng.Uint32())
			}
			if n > 0 && rng.IntN(2) == 0 { // subnormal, infinite or no number
				singles[3], singles[2] = byte(rng.IntN(2)*127), byte(rng.IntN(2)*128)
			}
			from := rng.IntN(4)
			got, want := make([]float64, n+1), make([]float64, n)
			got[n] = 7
			Widen(got[:n], singles[from:])
			widen(want, singles[from:])
			for i := range want {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					t.Fatalf("%d of %d: %g instead of %g", i, n, got[i], want[i])
				}
			}
			if got[n] != 7 {
				t.Fatal("a number behind the last one was written")
			}
		}
	}
}
