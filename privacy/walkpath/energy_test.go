package walkpath

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// simpleEnergy is the same energy by the min-max formula of isotonic
// regression: turn j of an excursion gets the largest over a <= j of the
// smallest over b >= j of the mean contribution of turns a..b.
func simpleEnergy(contributed []bool) float64 {
	energy := 0.0
	for j := range contributed {
		slope := 0.0
		for a := 0; a <= j; a++ {
			slope = max(slope, leastMean(contributed, a, j))
		}
		energy += slope * slope
	}
	return energy
}

// leastMean is the smallest mean over a..b with b >= j.
func leastMean(contributed []bool, a, j int) float64 {
	least, made := math.Inf(1), 0
	for b := a; b < len(contributed); b++ {
		if contributed[b] {
			made++
		}
		if b >= j {
			least = min(least, float64(made)/float64(b-a+1))
		}
	}
	return least
}

// turns lists when something was contributed.
func turns(contributed []bool) (list []int) {
	for t, c := range contributed {
		if c {
			list = append(list, t)
		}
	}
	return list
}

func drawExcursion(t *rapid.T) []bool {
	return rapid.SliceOfN(rapid.Bool(), 1, 30).Draw(t, "contributed")
}

func TestExcursionEnergyIsThatOfTheConvexMinorant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawExcursion(t)
		got, want := ExcursionEnergy(turns(c), len(c)), simpleEnergy(c)
		if math.Abs(got-want) > 1e-12*max(1, want) {
			t.Fatalf("%v: energy %v, min-max formula %v", c, got, want)
		}
	})
}

// Every way to spread the shifts that respects causality costs at least V.
func TestNoSpreadHasLessEnergy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawExcursion(t)
		waiting, energy := 0.0, 0.0
		for j := range c {
			if c[j] {
				waiting++
			}
			a := waiting
			if j+1 < len(c) {
				a *= rapid.Float64Range(0, 1).Draw(t, "share")
			}
			waiting -= a
			energy += a * a
		}
		if v := ExcursionEnergy(turns(c), len(c)); energy < v*(1-1e-12) {
			t.Fatalf("%v: a spread of energy %v is below V=%v", c, energy, v)
		}
	})
}

func TestEnergyLiesBetweenTheEvenSpreadAndTheLocalLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawExcursion(t)
		m, l := float64(len(turns(c))), float64(len(c))
		v := ExcursionEnergy(turns(c), len(c))
		if v < m*m/l*(1-1e-12) || v > m {
			t.Fatalf("%v: V=%v is not in [%v, %v]", c, v, m*m/l, m)
		}
	})
}

// fromGaps is the energy of contributions so many turns apart.
func fromGaps(gaps []int) float64 {
	at, list := 0, []int{}
	for _, g := range gaps {
		list = append(list, at)
		at += g
	}
	return ExcursionEnergy(list, at)
}

// The spread that the dynamic programme charges, contribution by contribution
// from the receipt backwards, is never below the least energy.
func TestSpreadCostsAreNotBelowTheEnergy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gaps := rapid.SliceOfN(rapid.IntRange(1, 50), 1, 12).Draw(t, "gaps")
		cost, before := 0.0, 0.0
		for j := 1; j <= len(gaps); j++ {
			now := before + float64(gaps[len(gaps)-j])
			cost += spreadCost(j, before, now)
			before = now
		}
		if v := fromGaps(gaps); cost < v*(1-1e-12) {
			t.Fatalf("gaps %v: charged %v, energy %v", gaps, cost, v)
		}
	})
}

// Energy is convex and falls in every gap, which is what lets gaps be rounded
// to a grid with their mean kept.
func TestEnergyIsConvexAndFallsInEveryGap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.SliceOfN(rapid.IntRange(1, 30), 1, 8).Draw(t, "low")
		mid, high := make([]int, len(low)), make([]int, len(low))
		for i, g := range low {
			d := rapid.IntRange(-g+1, 30).Draw(t, "change")
			if g+2*d < 1 {
				d = 0
			}
			mid[i], high[i] = g+d, g+2*d
		}
		if v, mean := fromGaps(mid), (fromGaps(low)+fromGaps(high))/2; v > mean*(1+1e-12) {
			t.Fatalf("%v, %v, %v: the middle has %v, the mean is %v", low, mid, high, v, mean)
		}
		longer := append([]int(nil), low...)
		longer[rapid.IntRange(0, len(low)-1).Draw(t, "which")]++
		if fromGaps(longer) > fromGaps(low)*(1+1e-12) {
			t.Fatalf("%v has less energy than %v", low, longer)
		}
	})
}

func BenchmarkExcursionEnergy(b *testing.B) {
	list := make([]int, 64)
	for i := range list {
		list[i] = i * i / 3
	}
	for i := 1; i < len(list); i++ {
		list[i] = max(list[i], list[i-1]+1)
	}
	for b.Loop() {
		ExcursionEnergy(list, 2000)
	}
}
