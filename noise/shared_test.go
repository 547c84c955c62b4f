package noise

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/step"
)

// What one end of an edge adds the other takes away, and both draw the standard deviation
// that was asked for. Six standard errors: false alarm 2e-9.
func TestSharedNoiseCancels(t *testing.T) {
	const n = 100_000
	a, b, alone := make([]float64, n), make([]float64, n), make([]float64, n)
	NewSimulated(5).AddShared(a, 3, 7, 2, 4, 1)
	NewSimulated(5).AddShared(b, 3, 2, 7, 4, 1)
	NewSimulated(5).Add(alone, 3, 2, 4, 1)
	squares, with := 0.0, 0.0
	for i, x := range a {
		if x+b[i] != 0 {
			t.Fatalf("entry %d: %g and %g", i, x, b[i])
		}
		squares += x * x / 9
		with += x * alone[i] / 9
	}
	if math.Abs(squares/n-1) > 6*math.Sqrt(2./n) || math.Abs(with/n) > 6/math.Sqrt(n) {
		t.Errorf("variance %g of the one asked for, correlation %g with a node's own noise", squares/n, with/n)
	}
	var s step.Stream
	first := 3 * s.AtPair(5, 2, 7, 4, 1, step.Noise).NormFloat64()
	if b[0] != first {
		t.Errorf("the lower number adds %g, and the stream draws %g", b[0], first)
	}
}
