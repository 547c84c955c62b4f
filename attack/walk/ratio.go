package walk

import (
	"math"
	"slices"
)

// A Game is what attackers know of one token before they look at what was added in their sights.
type Game struct {
	h     *Hidden
	marks []mark
	noise []float64 // variance of the noise of each sight, in units of the usual one's
}

// Game prepares for sights of a track.
func (h *Hidden) Game(track []Turn, sights []Sight) *Game {
	g := &Game{h: h}
	weights := make([]float64, len(track))
	for _, s := range sights {
		turns, variance := track[s.Begin:s.End], 0.0
		w := weights[:len(turns)]
		weigh(w, turns)
		for j, turn := range turns {
			variance += (w[j] * turn.Noise) * (w[j] * turn.Noise)
		}
		g.marks, g.noise = append(g.marks, h.markOf(track, s)), append(g.noise, variance)
	}
	if h.even() || h.Walk.Cap == 0 {
		h.find(slices.DeleteFunc(slices.Clone(g.marks), func(m mark) bool { return !g.looked(m) }), 0)
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
		panic("attack/walk: a likelihood needs what was added in every sight, and noise")
	}
	used, log := []float64{1}, 0.0 // used[c] is the probability that c contributions were made
	var terms []float64
	for i, m := range g.marks {
		if !g.looked(m) || g.noise[i] == 0 {
			continue
		}
		variance := g.noise[i] * sigma * sigma
		next, most, seen := make([]float64, len(used)), math.Inf(-1), 0.0
		for pass := range 2 { // the largest term first, so that none overflows
			terms = terms[:0]
			for c, p := range used {
				if p == 0 {
					continue
				}
				law := g.h.law(m, g.h.known(c))
				mass := 0.0
				for _, o := range law {
					mass += o.p
				}
				for _, o := range law {
					shift, count := g.h.outcome(o, c)
					shift *= value
					exponent := (added[i]*shift - shift*shift/2) / variance
					if pass == 0 {
						most = max(most, exponent)
						continue
					}
					weight := p * o.p / mass * math.Exp(exponent-most)
					seen += weight
					if g.h.Walk.Cap > 0 {
						for len(next) <= count {
							next = append(next, 0)
						}
						next[count] += weight
					}
				}
			}
		}
		log += most + math.Log(seen)
		if g.h.Walk.Cap > 0 {
			for c := range next {
				next[c] /= seen
			}
			used = next
		}
	}
	return log
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
