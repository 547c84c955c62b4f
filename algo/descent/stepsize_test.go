package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestStepSizes(t *testing.T) {
	for _, c := range []struct {
		size StepSize
		t    int
		want float64
	}{
		{StepSize{Base: 0.25}, 0, 0.25}, {StepSize{Base: 0.25}, 1e6, 0.25},
		{StepSize{Base: 2, Power: 1}, 0, 2}, {StepSize{Base: 2, Power: 1}, 7, 0.25},
		{StepSize{Base: 2, Power: 0.5}, 3, 1}, {StepSize{Base: 1, Power: 2}, 9, 0.01},
	} {
		if got := c.size.At(c.t); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v at %d is %g, want %g", c.size, c.t, got, c.want)
		}
	}
}

// Steps never grow: Largest is the first, and the largest of all.
func TestStepSizesNeverGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := StepSize{Base: rapid.Float64Range(1e-9, 1e3).Draw(t, "base"), Power: rapid.SampledFrom([]float64{0, 0.5, 0.75, 1, 2}).Draw(t, "power")}
		at := rapid.IntRange(0, 1e6).Draw(t, "t")
		if s.At(0) != s.Largest() || s.At(at+1) > s.At(at) {
			t.Fatalf("%+v: %g at 0, %g at %d, then %g", s, s.At(0), s.At(at), at, s.At(at+1))
		}
	})
}
