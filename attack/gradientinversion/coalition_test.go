package gradientinversion

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The bounds hold the size of the smallest coalition, members can, and with questions enough sizes up
// to two are found, with enough for all sets every size.
func TestSmallestCoalition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "n")
		candidates := rapid.Permutation(make([]int, 0)).Draw(t, "none")
		for u := range n {
			candidates = append(candidates, u)
		}
		candidates = rapid.Permutation(candidates).Draw(t, "order")
		enough := rapid.SliceOfN(rapid.IntRange(1, 1<<7-1), 0, 3).Draw(t, "sets that can") // as bits
		can := func(set []int) (bool, error) {
			bits := 0
			for _, u := range set {
				bits |= 1 << u
			}
			return slices.ContainsFunc(enough, func(e int) bool { return bits&e == e }), nil
		}
		least := 0
		for bits := 1; bits < 1<<n; bits++ {
			var set []int
			for u := range n {
				if bits>>u&1 == 1 {
					set = append(set, u)
				}
			}
			if yes, _ := can(set); yes && (least == 0 || len(set) < least) {
				least = len(set)
			}
		}
		budget := rapid.OneOf(rapid.IntRange(0, 60), rapid.Just(400)).Draw(t, "budget")
		c, possible, err := Smallest(candidates, can, budget)
		if err != nil || possible != (least > 0) {
			t.Fatalf("possible %v, %v; the smallest has %d", possible, err, least)
		}
		if !possible {
			return
		}
		if yes, _ := can(c.Members); !yes || len(c.Members) != c.High || c.Low > least || c.High < least {
			t.Fatalf("%+v; the smallest has %d", c, least)
		}
		if budget >= 60 && least <= 2 && c.High != least || budget >= 400 && (c.High != least || c.Low != least) {
			t.Fatalf("%+v; the smallest has %d", c, least)
		}
	})
}
