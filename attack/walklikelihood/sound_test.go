package walklikelihood

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
)

// beyond is by how much a proof may exceed a bound: rounding.
const beyond = 1 + 1e-9

// proved returns the hockey-stick divergence at e^eps that attackers reach with some knowledge. Their statistic is the sum
// added in all sights, weighted by expected contributions over noise. That is the best test if the path is known, and some
// test otherwise.
func proved(w schedule.Walk, attackers []int, target int, k Knowledge, eps, sigma float64) float64 {
	type class struct {
		p        float64
		expected []float64 // contributions by sight, times p
		noise    []float64
		shifts   [][]float64
		chances  []float64
	}
	classes, order := map[string]*class{}, []string{}
	attacks := func(v int) bool { return slices.Contains(attackers, v) }
	everyPath(w, func(p []int, chance float64) {
		track := trackOf(w, nil, p)
		sights := Sights(track, 0, w.Final, attacks)
		key := fmt.Sprint(seenAs(k, track, sights))
		if k == Route {
			key = fmt.Sprint(p)
		}
		c := classes[key]
		if c == nil {
			c = &class{expected: make([]float64, len(sights)), noise: make([]float64, len(sights))}
			classes[key], order = c, append(order, key)
		}
		b, shifts := NewBoard(track, w.Nodes), make([]float64, len(sights))
		for i, s := range sights {
			row := b.Row(s)
			c.noise[i] = row.Variance
			if at := slices.Index(row.Nodes, target); at >= 0 {
				shifts[i] = row.Coefficients[at]
			}
			c.expected[i] += chance * shifts[i]
		}
		c.p += chance
		c.shifts, c.chances = append(c.shifts, shifts), append(c.chances, chance)
	})
	delta := 0.0
	for _, key := range order {
		c := classes[key]
		norm := 0.0
		for i, e := range c.expected {
			norm += e * e / c.noise[i]
		}
		if norm == 0 {
			continue
		}
		weights, shifts := make([]float64, len(c.shifts)), make([]float64, len(c.shifts))
		for j, all := range c.shifts {
			weights[j] = c.chances[j] / c.p
			for i, s := range all {
				shifts[j] += c.expected[i] / c.noise[i] * s / (math.Sqrt(norm) * sigma)
			}
		}
		delta += c.p * MixtureDelta(weights, shifts, eps)
	}
	return delta
}

// No attack proves more than the sound number, on any graph, with any weights, start, burn-in and caps, for any coalition,
// noise and knowledge of the path. Its delta at any eps and its divergence of any order are at most those of the path
// accountant's law. Nor does less knowledge prove more in the mean of the energy. The moments of all pairs also bound the
// proofs of single attackers.
//
// go test ./attack/walklikelihood -run NoAttack -rapid.checks=10000
func TestNoAttackOnAWalkProvesMoreThanTheSoundNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t, 6)
		attackers, target := drawAttack(t, w.Nodes)
		eps, sigma := math.Exp(rapid.Float64Range(-3, 2).Draw(t, "ln eps")), math.Exp(rapid.Float64Range(-1.5, 2).Draw(t, "ln sigma"))
		sound := walkpath.Walk{Walk: w}
		law, err := sound.CoalitionLaw(target, attackers)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []Knowledge{Hops, Ends, Route} {
			if got, bound := proved(w, attackers, target, k, eps, sigma), law.Delta(eps, sigma); got > bound*beyond+1e-12 {
				t.Fatalf("%+v, attackers %v of %d who know %d: delta %v at eps %v and sigma %v, bound %v", w, attackers, target, k, got, eps, sigma, bound)
			}
		}
		if len(attackers) == 1 && sound.CanMoments() == "" {
			moments, err := sound.Moments(1)
			if err != nil {
				t.Fatal(err)
			}
			delta := proved(w, attackers, target, Route, eps, sigma)
			if delta > 0 && delta < 1 {
				if loss, err := moments.Loss(target, attackers[0], sigma, privacy.Metric{Delta: delta, Conversion: privacy.Tightest}); err != nil || eps > loss*beyond {
					t.Fatalf("%+v, %v of %d: eps %v at delta %v, by moments %v, %v", w, attackers, target, eps, delta, loss, err)
				}
			}
		}
	})
}

// The same of Renyi divergences, which are worked out without following paths, so that walks may be longer than laws
// follow path by path, holders may skip turns and tokens be several.
func TestNoMomentOfAnAttackIsAboveTheSoundOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWalk(t, rapid.SampledFrom([]int{4, 8, 8, 24}).Draw(t, "longest"))
		w.Cap = 0
		w.Skip = rapid.SampledFrom([]float64{0, 0, 0.4}).Draw(t, "skip")
		if rapid.Bool().Draw(t, "complete") {
			w.W = nil
		}
		attackers, target := drawAttack(t, w.Nodes)
		if w.Turns > 8 {
			attackers = attackers[:min(2, len(attackers))]
		}
		alpha, sigma := 1+math.Exp(rapid.Float64Range(-2, 2).Draw(t, "ln (alpha-1)")), math.Exp(rapid.Float64Range(-0.7, 2).Draw(t, "ln sigma"))
		w.Tokens = rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "tokens")
		law, err := walkpath.Walk{Walk: w}.CoalitionLaw(target, attackers)
		if err != nil {
			t.Fatal(err)
		}
		least := 0.0
		for _, k := range []Knowledge{Hops, Ends} {
			h, err := NewHidden(w.Token(0), attackers, target, k)
			if err != nil {
				t.Fatal(err)
			}
			got, err := h.RDP(alpha, sigma)
			if err != nil {
				t.Fatal(err)
			}
			got *= float64(w.Tokens) // they walk alike
			if bound := law.RDP(alpha, sigma); got > bound*beyond+1e-12 {
				t.Fatalf("%+v, attackers %v of %d who know %d: RDP %v at order %v and sigma %v, bound %v", w, attackers, target, k, got, alpha, sigma, bound)
			}
			if got < least*(1-1e-9)-1e-12 {
				t.Fatalf("%+v, attackers %v of %d: who know less tell more, %v against %v", w, attackers, target, least, got)
			}
			least = got
		}
	})
}
