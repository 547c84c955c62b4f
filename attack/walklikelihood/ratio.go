package walklikelihood

import (
	"iter"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Game holds the attackers' knowledge of one token apart from the sums added in their sights.
type Game struct {
	h     *Hidden
	marks []mark
	noise []float64 // variance of the noise of each sight, in units of the usual one's
	scale []float64 // for each sight: the weight of a contribution that laws count as 1

	scratch []term
	uneven  bool // contributions have different weights, and laws count them as equal
	skipped bool // some sights are too long and were ignored
}

// Exact reports whether ratios are exact likelihood ratios. They are not if contributions of different weights are counted as equal,
// if sums are rounded, or if sights are ignored while the target has a cap. They are scores then.
func (g *Game) Exact() bool {
	return g.h.visitsTell() && !g.uneven && !g.h.rounded && !(g.skipped && g.h.Walk.Cap > 0)
}

// Games prepares for sights of many tracks. It computes all laws that they need at once, and no others. If sights begin and end at
// many nodes, this needs far less memory than computing laws on demand, which covers all marks with the same beginning.
func (h *Hidden) Games(tracks iter.Seq2[[]Turn, []Sight]) (all []*Game) {
	wanted := map[mark]bool{}
	for track, sights := range tracks {
		g := h.game(track, sights)
		for _, m := range g.looks() {
			wanted[m] = true
		}
		all = append(all, g)
	}
	if h.counts() {
		h.find(slices.SortedFunc(maps.Keys(wanted), mark.order), 0, false)
	}
	return all
}

// counts reports whether laws are independent of earlier contributions.
func (h *Hidden) counts() bool { return h.even() || h.Walk.Cap == 0 }

// looks returns the marks of sights that are not ignored.
func (g *Game) looks() []mark {
	return slices.DeleteFunc(slices.Clone(g.marks), func(m mark) bool { return !g.looked(m) })
}

// game returns the game of sights, without laws.
func (h *Hidden) game(track []Turn, sights []Sight) *Game {
	g := &Game{h: h}
	weights := make([]float64, len(track))
	for _, s := range sights {
		turns, variance, scale := track[s.Begin:s.End], 0.0, 0.0
		w := weights[:len(turns)]
		weigh(w, turns)
		for j, turn := range turns {
			variance += float64((w[j] * turn.Noise) * (w[j] * turn.Noise))
			scale += w[j] / float64(len(turns))
		}
		if !h.even() {
			scale = 1
		}
		for _, weight := range w {
			g.uneven = g.uneven || h.even() && math.Abs(weight-scale) > 1e-12*scale
		}
		g.marks, g.noise, g.scale = append(g.marks, h.markOf(track, s)), append(g.noise, variance), append(g.scale, scale)
		g.skipped = g.skipped || h.Longest > 0 && s.Len() > h.Longest
	}
	return g
}

func (g *Game) looked(m mark) bool { return g.h.Longest == 0 || m.turns <= g.h.Longest }

// Ratio returns the log-likelihood ratio of the sums added in all sights. It compares contributions of the target that are longer by
// one along a line with known ones. added holds the excess of each sum along that line, in units of that difference. sigma > 0 is the
// noise along the line, in the same unit.
//
// It is exact for linear updates, unless sums were rounded or sights ignored. The used part of the target's cap is hidden too, and its
// law is carried from sight to sight.
func (g *Game) Ratio(added []float64, sigma float64) float64 { return g.Likelihood(1, added, sigma) }

// Likelihood returns Ratio for contributions that are longer by value. It panics if added has a wrong length or sigma is not above 0.
func (g *Game) Likelihood(value float64, added []float64, sigma float64) float64 {
	if len(added) != len(g.marks) || !(sigma > 0) {
		panic("attack/walklikelihood: a likelihood needs what was added in every sight, and noise")
	}
	used, log := []float64{1}, 0.0 // used[c] is the probability that c contributions were made
	for i, m := range g.marks {
		if g.looked(m) && g.noise[i] > 0 {
			seen := g.see(i, value, added[i], g.noise[i]*sigma*sigma, used)
			log, used = log+seen.log, seen.used
		}
	}
	return log
}

// A seen holds the log-likelihood ratio of a sight, and the law of the number of earlier contributions after it.
type seen struct {
	log  float64
	used []float64
}

// faint is the probability below which a number of contributions is left out. It is far below any rounding, because later sights may
// make an unlikely number e^100 times likelier.
const faint = 1e-60

// see evaluates one sight.
func (g *Game) see(i int, value, added, variance float64, used []float64) seen {
	h := g.h
	value = float64(value * g.scale[i])
	most, scratch := math.Inf(-1), g.scratch[:0]
	for c, p := range used {
		if p < faint {
			continue
		}
		law := h.law(g.marks[i], h.known(c))
		mass := 0.0
		for _, o := range law {
			mass += o.p
		}
		for _, o := range law {
			if o.p < faint*mass {
				continue
			}
			shift, count := h.outcome(o, c)
			shift = float64(shift * value)
			t := term{p * o.p / mass, (float64(added*shift) - float64(shift*shift/2)) / variance, count}
			most = max(most, t.exponent)
			scratch = append(scratch, t)
		}
	}
	g.scratch = scratch
	if h.Walk.Cap == 0 {
		total := 0.0
		for _, t := range scratch {
			total += float64(t.p * math.Exp(t.exponent-most))
		}
		return seen{most + math.Log(total), used}
	}
	next, total := make([]float64, h.Walk.Cap+1), 0.0
	for _, t := range scratch {
		weight := float64(t.p * math.Exp(t.exponent-most))
		total += weight
		next[t.count] += weight
	}
	for c := range next {
		next[c] /= total
	}
	return seen{most + math.Log(total), next}
}

// A term is an outcome after earlier contributions, with its probability p and its log-likelihood ratio.
type term struct {
	p, exponent float64
	count       int
}

// known returns the part of the number of earlier contributions that a law depends on. It is 0 if all weights are equal, because the
// law is then that of visits.
func (h *Hidden) known(before int) int {
	if h.even() {
		return 0
	}
	return before
}

// outcome returns the sum of contributions of an outcome after before earlier ones, and their number after it.
func (h *Hidden) outcome(o outcome, before int) (sum float64, count int) {
	if h.Walk.Cap == 0 {
		return o.sum, 0
	}
	if h.even() {
		more := min(o.count, h.Walk.Cap-before)
		return float64(more), before + more
	}
	return o.sum, before + o.count
}
