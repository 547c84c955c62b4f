package walkpublished

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

func TestEquationD13AddsOverTheCoalition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawConnected(t, 12)
		walk, err := New(w, rapid.IntRange(1, 100).Draw(t, "T"), Exact)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := walk.Sums(1)
		if err != nil {
			t.Fatal(err)
		}
		const sigma, contributions, order = 5.0, 3, 2.0
		losses, err := walk.Pairs(sums, Hidden).Losses(sigma, Charge{contributions, privacy.Metric{Order: order}, privacy.Needed})
		if err != nil {
			t.Fatal(err)
		}
		u := rapid.IntRange(0, w.N-1).Draw(t, "u")
		var members []int
		want := 0.0
		for v := range w.N {
			if v != u && rapid.Bool().Draw(t, "in") {
				members = append(members, v)
				want += losses.At(u, v)
			}
		}
		if len(members) == 0 {
			return
		}
		want = min(want, contributions*order/(2*sigma*sigma)) // the local loss
		got, err := losses.Coalition(u, append(members, members[0]))
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v learn %g about %d, want %g (%v)", members, got, u, want, err)
		}
	})
}

func TestEquationD12RefusesWhatIsNoCoalition(t *testing.T) {
	walk := mustWalk(t, ringOf(6), 10, Exact)
	losses, err := walk.Pairs(mustSums(t, walk), Hidden).Losses(5, Charge{1, privacy.Metric{Order: 2}, privacy.Needed})
	if err != nil {
		t.Fatal(err)
	}
	for name, members := range map[string][]int{"empty": nil, "of u": {1, 2}, "of a stranger": {6}, "negative": {-1}} {
		if _, err := losses.Coalition(2, members); err == nil {
			t.Errorf("a coalition %s was accepted", name)
		}
	}
	if _, err := losses.Coalition(9, []int{1}); err == nil {
		t.Error("an unknown u was accepted")
	}
}
