package drawntest

import "testing"

func TestTooFewIsToldFromHowManyWereDrawn(t *testing.T) {
	for _, c := range []struct {
		hits, draws int
		rate        float64
		want        bool
	}{
		{0, 20, 0.5, true},  // 2^-20 is below a millionth
		{0, 19, 0.5, false}, // 2^-19 is above
		{1, 20, 0.5, false},
		{0, 100, 0.13, true},
		{0, 20, 0.13, false},
		{0, 0, 0.5, false},
	} {
		if got := tooFew(c.hits, c.draws, c.rate); got != c.want {
			t.Errorf("%d of %d at %g: too few is %v", c.hits, c.draws, c.rate, got)
		}
	}
}
