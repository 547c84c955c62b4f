package walklikelihood

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Games of many tracks are those of each, to the bit, and they find the laws of the sights that there are and no others.
func TestGamesFindWhatIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t, 6)
		attackers, target := drawAttack(t, w.Nodes)
		knows := rapid.SampledFrom([]Knowledge{Hops, Ends}).Draw(t, "knows")
		attacks := func(v int) bool { return slices.Contains(attackers, v) }
		var paths [][]int
		everyPath(w, func(p []int, _ float64) { paths = append(paths, slices.Clone(p)) })
		hidden := func() *Hidden {
			h, err := NewHidden(w, attackers, target, knows)
			if err != nil {
				t.Fatal(err)
			}
			h.Longest = rapid.SampledFrom([]int{0, 3}).Draw(t, "longest")
			return h
		}
		h, marks := hidden(), map[mark]bool{}
		var tracks [][]Turn
		var sights [][]Sight
		for range rapid.IntRange(1, 5).Draw(t, "tracks") {
			track := trackOf(w, nil, rapid.SampledFrom(paths).Draw(t, "path"))
			tracks, sights = append(tracks, track), append(sights, Sights(track, 0, w.Final, attacks))
		}
		games := h.Games(func(yield func([]Turn, []Sight) bool) {
			for i, track := range tracks {
				if !yield(track, sights[i]) {
					return
				}
			}
		})
		for i, g := range games {
			single := *h
			single.laws = map[lawKey][]outcome{}
			var added []float64
			for k := range sights[i] {
				added = append(added, float64(k)-0.7)
			}
			for _, m := range g.looks() {
				marks[m] = true
			}
			if got, want := g.Ratio(added, 1.3), single.Game(tracks[i], sights[i]).Ratio(added, 1.3); got != want {
				t.Fatalf("track %d: ratio %v, alone %v", i, got, want)
			}
		}
		if len(h.laws) > len(marks) {
			t.Fatalf("%d laws for %d marks", len(h.laws), len(marks))
		}
	})
}
