package walklikelihood

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The attackers' belief about a sight is the mean over all paths with the same mark, and they are certain if there is only
// one.
func TestBeliefsAreMeansOverPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t, 6)
		w.Cap, w.BurnIn = 0, 0
		attackers, target := drawAttack(t, w.Nodes)
		knows := rapid.SampledFrom([]Knowledge{Hops, Ends}).Draw(t, "knows")
		h, err := NewHidden(w, attackers, target, knows)
		if err != nil {
			t.Fatal(err)
		}
		var paths [][]int
		everyPath(w, func(p []int, _ float64) { paths = append(paths, slices.Clone(p)) })
		track := trackOf(w, nil, rapid.SampledFrom(paths).Draw(t, "path"))
		attacks := func(v int) bool { return slices.Contains(attackers, v) }
		sights := Sights(track, 0, w.Final, attacks)
		marks := seenAs(knows, track, sights)
		means, all := make([][]float64, len(sights)), 0.0
		different := make([]map[string]bool, len(sights))
		for i := range means {
			means[i], different[i] = make([]float64, w.Nodes), map[string]bool{}
		}
		everyPath(w, func(p []int, chance float64) {
			other := trackOf(w, nil, p)
			same := Sights(other, 0, w.Final, attacks)
			if !slices.Equal(marks, seenAs(knows, other, same)) {
				return
			}
			all += chance
			for i, s := range same {
				key := ""
				for _, x := range p[s.Begin:s.End] {
					means[i][x] += chance
					key += string(rune('a' + x))
				}
				different[i][key] = true
			}
		})
		b := NewBoard(track, w.Nodes)
		for i, s := range sights {
			if got, want := h.Certain(track, s), len(different[i]) == 1 && s.Len() <= mostCertain; got != want {
				t.Fatalf("%+v %v: certain %v of %v", w, s, got, different[i])
			}
			row, _ := h.Believe(b, s)
			for x, mean := range means[i] {
				got := 0.0
				if k := slices.Index(row.Nodes, x); k >= 0 {
					got = row.Coefficients[k]
				}
				if math.Abs(got-mean/all) > 1e-9 {
					t.Fatalf("%+v, %v: %v visits of %d, all paths say %v", w, s, got, x, mean/all)
				}
			}
		}
	})
}
