package spread

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Against the definition, and Student's table: 2.776 for five numbers, 2.262 for ten.
func TestReachIsStudents(t *testing.T) {
	mean, deviation := Moments([]float64{1, 2, 3, 4, 10})
	if mean != 4 || math.Abs(deviation-math.Sqrt(50.0/4)) > 1e-12 {
		t.Errorf("%g, %g", mean, deviation)
	}
	for numbers, table := range map[int]float64{5: 2.776, 10: 2.262} {
		if got := Reach(1, numbers) * math.Sqrt(float64(numbers)); math.Abs(got-table) > 1e-3 {
			t.Errorf("of %d numbers %g instead of %g", numbers, got, table)
		}
	}
	if _, deviation := Moments([]float64{7}); deviation != 0 || !math.IsInf(Reach(deviation, 1), 1) {
		t.Error("one number has an interval")
	}
}

// The interval holds the true mean nineteen times of twenty: of 4,000 samples of six normal numbers 150 to 250 miss it, but for a false
// alarm once in 2,000 runs.
func TestIntervalMissesOnceInTwenty(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for range 4000 {
		numbers := make([]float64, 6)
		for i := range numbers {
			numbers[i] = 3 + 2*rng.NormFloat64()
		}
		mean, deviation := Moments(numbers)
		if math.Abs(mean-3) > Reach(deviation, 6) {
			missed++
		}
	}
	if missed < 150 || missed > 250 {
		t.Errorf("%d of 4000 miss", missed)
	}
}

// Wilson's interval as textbooks print it: 15 of 20 is 0.531 to 0.888, and all of 10 is 0.722 to 1.
func TestIntervalOfAShare(t *testing.T) {
	for _, c := range []struct {
		share     float64
		n         int
		low, high float64
	}{{0.75, 20, 0.5313, 0.8881}, {1, 10, 0.7225, 1}, {0, 10, 0, 0.2775}} {
		low, high := OfShare(c.share, c.n)
		if math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("%g of %d: %g to %g", c.share, c.n, low, high)
		}
	}
}

// Two and three numbers are warned of: 12.706 and 4.303 standard errors reach 8.98 and 2.48 deviations.
func TestCautionNamesTheReach(t *testing.T) {
	for n, want := range map[int]string{2: "mean of 2 reaches 9.0 times", 3: "mean of 3 reaches 2.5 times"} {
		if got := Caution(n, 1); !strings.Contains(got, want) || !strings.Contains(got, "of 5 it reaches 1.2 times") {
			t.Errorf("%d: %s", n, got)
		}
	}
	if Caution(1, 1) != "" || Caution(4, 1) != "" {
		t.Error("one or four numbers are warned of")
	}
}
