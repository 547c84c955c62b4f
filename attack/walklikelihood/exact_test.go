package walklikelihood

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// drawWalk is a short walk on any few nodes with any weights, some of them 0, from any of them or anywhere.
func drawWalk(t *rapid.T, turns int) schedule.Walk {
	n := rapid.IntRange(3, 5).Draw(t, "nodes")
	dense := make([]float64, n*n)
	for i := range n {
		row, sum := dense[i*n:(i+1)*n], 0.0
		for j := range row {
			row[j] = rapid.SampledFrom([]float64{0, 0, 1, 1, 2, 5}).Draw(t, "weight")
			sum += row[j]
		}
		if sum == 0 {
			row[(i+1)%n], sum = 1, 1
		}
		for j := range row {
			row[j] /= sum
		}
	}
	w := schedule.Walk{
		Nodes: n, W: sparse.FromDense(n, dense), Start: rapid.IntRange(schedule.AnyStart, n-1).Draw(t, "start"),
		Turns: rapid.IntRange(1, turns).Draw(t, "turns"), BurnIn: rapid.IntRange(0, 2).Draw(t, "burn-in"),
		Final: rapid.Bool().Draw(t, "final"), Update: model.Adding(1),
	}
	if rapid.Bool().Draw(t, "capped") {
		w.Cap = rapid.IntRange(1, 3).Draw(t, "cap")
	}
	return w
}

// drawAttack is who attacks whom.
func drawAttack(t *rapid.T, n int) (attackers []int, target int) {
	order := rapid.Permutation(makeRange(n)).Draw(t, "who")
	return order[1:rapid.IntRange(2, n).Draw(t, "attackers")], order[0]
}

func makeRange(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// everyPath shows each path of a walk with its probability.
func everyPath(w schedule.Walk, show func(path []int, p float64)) {
	h := &Hidden{Walk: w}
	path := make([]int, 0, w.Turns)
	var extend func(law []float64, p float64)
	extend = func(law []float64, p float64) {
		if len(path) == w.Turns {
			show(path, p)
			return
		}
		for x, q := range law {
			if q > 0 {
				path = append(path, x)
				next := make([]float64, w.Nodes)
				h.row(x, func(y int, p float64) { next[y] += p })
				extend(next, p*q)
				path = path[:len(path)-1]
			}
		}
	}
	extend(h.start(), 1)
}

// trackOf returns a path with its updates of the token.
func trackOf(w schedule.Walk, keep func(int) float64, path []int) []Turn {
	used, track := make([]int, w.Nodes), []Turn{}
	for t, x := range path {
		turn := Turn{Holder: x, Size: math.Pow(float64(t+1), -w.Power), Keep: 1, Noise: 1}
		if keep != nil {
			turn.Keep = keep(t)
		}
		if turn.Contributed = w.Cap == 0 || used[x] < w.Cap; turn.Contributed {
			used[x]++
		}
		track = append(track, turn)
	}
	return track
}

// seenAs returns the marks of a path for attackers with some knowledge.
func seenAs(k Knowledge, track []Turn, sights []Sight) (marks []mark) {
	h := &Hidden{Knows: k, Walk: schedule.Walk{Power: 1}} // which turn it is is told apart
	for _, s := range sights {
		marks = append(marks, h.markOf(track, s))
	}
	return marks
}

// Ratios are those of all paths that look alike, followed one by one: for any graph, weights, coalition, cap and
// start, with steps that fall, tokens that shrink, with the ends of excursions known and without.
func TestRatioIsThatOfAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t, 6)
		if rapid.SampledFrom([]bool{false, false, true}).Draw(t, "complete") {
			w.Nodes, w.W, w.Turns, w.Start = 4, nil, min(w.Turns, 5), min(w.Start, 3)
		}
		attackers, target := drawAttack(t, w.Nodes)
		knows := rapid.SampledFrom([]Knowledge{Hops, Ends}).Draw(t, "knows")
		w.Power = rapid.SampledFrom([]float64{0, 0, 0.5}).Draw(t, "power")
		keep := func(int) float64 { return 0.75 }
		if rapid.Bool().Draw(t, "keeps all") {
			keep = nil
		}
		h, err := NewHidden(w, attackers, target, knows)
		if err != nil {
			t.Fatal(err)
		}
		h.Keep = keep
		var paths [][]int
		everyPath(w, func(p []int, _ float64) { paths = append(paths, slices.Clone(p)) })
		track := trackOf(w, keep, rapid.SampledFrom(paths).Draw(t, "path"))
		attacks := func(v int) bool { return slices.Contains(attackers, v) }
		sights := Sights(track, 0, w.Final, attacks)
		if len(sights) == 0 {
			t.Skip("nothing is seen")
		}
		sigma, value := math.Exp(rapid.Float64Range(-1, 1).Draw(t, "ln sigma")), rapid.SampledFrom([]float64{1, 1, 0.3, -2}).Draw(t, "value")
		var added []float64
		for range sights {
			added = append(added, rapid.Float64Range(-3, 5).Draw(t, "added"))
		}
		marks, likely, all := seenAs(knows, track, sights), 0.0, 0.0
		everyPath(w, func(p []int, chance float64) {
			other := trackOf(w, keep, p)
			same := Sights(other, 0, w.Final, attacks)
			if !slices.Equal(marks, seenAs(knows, other, same)) {
				return
			}
			all += chance
			b, log := NewBoard(other, w.Nodes), 0.0
			for i, s := range same {
				row, shift := b.Row(s), 0.0
				if k := slices.Index(row.Nodes, target); k >= 0 {
					shift = value * row.Coefficients[k]
				}
				log += (added[i]*shift - shift*shift/2) / (row.Variance * sigma * sigma)
			}
			likely += chance * math.Exp(log)
		})
		got, want := h.Game(track, sights).Likelihood(value, added, sigma), math.Log(likely/all)
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("%+v, attackers %v of %d, %v: ratio %v, all paths say %v", w, attackers, target, track, got, want)
		}
	})
}

// With one attacker who knows hops alone, the moments are those of the accountant's own audit.
func TestMomentsAreThoseOfTheAudit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t, 8)
		w.Cap = 0
		order := rapid.Permutation(makeRange(w.Nodes)).Draw(t, "who")
		u, v := order[0], order[1]
		alpha, sigma := 1+math.Exp(rapid.Float64Range(-2, 2).Draw(t, "ln (alpha-1)")), math.Exp(rapid.Float64Range(-0.7, 2).Draw(t, "ln sigma"))
		want, err := walkpath.Walk{Walk: w}.HiddenRDP(u, v, alpha, sigma)
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewHidden(w, []int{v}, u, Hops)
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.RDP(alpha, sigma)
		if err != nil || math.Abs(got-want) > 1e-9*(1+want) {
			t.Fatalf("RDP %v, the audit says %v, %v", got, want, err)
		}
	})
}
