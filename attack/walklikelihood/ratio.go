package walklikelihood

import (
	"iter"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Game is what attackers know of one token before they look at what was added in their sights.
type Game struct {
	h     *Hidden
	marks []mark
	noise []float64 // variance of the noise of each sight, in units of the usual one's
	scale []float64 // of each sight: what a contribution weighs that laws count as 1

	scratch []term
	uneven  bool // contributions weigh differently, and laws count them alike
	skipped bool // some sights are too long to be looked at
}

// Exact reports whether ratios are those of likelihoods of what is looked at: not where contributions that weigh
// differently are counted alike, sums are rounded, or sights not looked at in which a target nears its cap. Otherwise they
// are scores like any other.
func (g *Game) Exact() bool {
	return g.h.visitsTell() && !g.uneven && !g.h.rounded && !(g.skipped && g.h.Walk.Cap > 0)
}

// Games prepares for sights of many tracks: what they need is found at once, and nothing else. Of many that begin and end at many nodes
// that takes far less memory than Game, which finds whatever else may begin alike.
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

// counts reports whether laws depend on no contributions that were made before.
func (h *Hidden) counts() bool { return h.even() || h.Walk.Cap == 0 }

// looks are the marks of sights that are looked at.
func (g *Game) looks() []mark {
	return slices.DeleteFunc(slices.Clone(g.marks), func(m mark) bool { return !g.looked(m) })
}

// game is what is known of sights, without laws.
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

// Ratio is the logarithm of how much likelier is what was added in each sight, if contributions of the target
// are one longer along a line than if they are as known: added is what it is longer by, along that line, in
// units of that difference, and sigma > 0 the noise along it, in the same unit.
//
// It is exact for linear updates, unless sums were rounded or sights not looked at. What is hidden
// besides is how much of its cap the target has used, whose law is carried from sight to sight.
func (g *Game) Ratio(added []float64, sigma float64) float64 { return g.Likelihood(1, added, sigma) }

// Likelihood is Ratio of contributions that are value longer.
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

// seen is how much likelier a sight is made by a value, and what it says of how often the target contributed.
type seen struct {
	log  float64
	used []float64
}

// faint is the probability below which how often the target contributed is left out. What is seen later may make e^100 times likelier what
// looked unlikely before, so it is far below any rounding.
const faint = 1e-60

// see looks at one sight.
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

// A term is an outcome after so many contributions, of probability p, and how much likelier it is made.
type term struct {
	p, exponent float64
	count       int
}

// known is the number of contributions before as far as a law depends on it: where all weigh the same it is
// the law of visits up to the cap.
func (h *Hidden) known(before int) int {
	if h.even() {
		return 0
	}
	return before
}

// outcome is the sum of contributions of an outcome after so many before, and how many there are then.
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
