package walkpath

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// Runs that are short enough are followed through all their paths. Paths that the accountant cannot tell apart
// are merged.
const (
	exactTurns  = 64      // a turn is a bit of a word
	exactStates = 1 << 13 // kept at most
)

// A partialRun is the part of the first turns of a run that later turns depend on.
type partialRun struct {
	at     int     // the state of the chain that the token goes to next
	used   int     // contributions of u
	energy float64 // of closed excursions
	open   turnSet // turns of the contributions that v has not received
	since  int     // first turn of the excursion, if audited
}

// A turnSet has bit t set if turn t, one of the first exactTurns, is in the set.
type turnSet uint64

// compare orders sets in the lexicographic order of their turns.
func (a turnSet) compare(b turnSet) int {
	if a == b {
		return 0
	}
	first := (a ^ b) & -(a ^ b) // the first turn that only one of them has
	if a&first == 0 {
		return -b.compare(a)
	}
	if b >= first { // b has a later turn
		return -1
	}
	return 1
}

// A likelyRun is a partial run and its probability.
type likelyRun struct {
	partialRun
	p float64
}

// exactLaw returns the law of the energy of a short run. For an audit it is the energy of the even spread. It
// returns nil if the run has too many different paths.
func (w Walk) exactLaw(u, v int, audit bool) *Law {
	if w.Turns > exactTurns {
		return nil
	}
	var law *Law
	w.followAll(w.chainOf(u, v), audit, func(turns int, runs []likelyRun) {
		if turns == w.Turns {
			law = w.lawOf(runs, turns, audit)
		}
	})
	return law
}

// followAll follows all paths of a short run, and passes the runs to show after every number of turns from 1
// on, in order. It returns false once there are too many different ones.
func (w Walk) followAll(c *chain, audit bool, show func(turns int, runs []likelyRun)) bool {
	var now []likelyRun
	for at, p := range c.start {
		if p > 0 {
			now = append(now, likelyRun{partialRun{at: at}, p})
		}
	}
	next := make(map[partialRun]float64)
	for turn := range w.Turns {
		clear(next)
		for _, run := range now {
			held := w.hold(run.partialRun, turn, c.observed(run.at), audit)
			columns, values := c.w.Row(run.at)
			for k, to := range columns {
				if values[k] > 0 {
					held.at = int(to)
					next[held] += float64(run.p * values[k])
				}
			}
			if len(next) > exactStates {
				return false
			}
		}
		now = inOrder(now[:0], next)
		show(turn+1, now)
	}
	return true
}

// shortLaw returns the exact law of a short run, or nil if the run has too many different paths.
func (w Walk) shortLaw(u, v int) *Law {
	if w.Start == AnyStart {
		return w.exactLaw(u, v, false)
	}
	if h := w.horizonsOf(u, v); h != nil {
		return h.law(w, w.arrivalOf(u).law)
	}
	return nil
}

// horizons holds the laws from u in 1, 2, .. turns, by number of turns.
type horizons []*Law

// horizonsOf returns the horizons of a pair, or nil if there are too many different paths.
func (w Walk) horizonsOf(u, v int) horizons {
	if w.Turns > exactTurns {
		return nil
	}
	laws := make(horizons, w.Turns+1)
	if !w.followAll(w.fromUTo(u, v), false, func(turns int, runs []likelyRun) { laws[turns] = w.lawOf(runs, turns, false) }) {
		return nil
	}
	return laws
}

// law returns the law of a token that first comes to u in turn t with probability arrive[t].
func (h horizons) law(w Walk, arrive []float64) *Law {
	weights, never := make(map[float64]float64), 1.0
	for t, p := range arrive {
		if p == 0 {
			continue
		}
		never -= p
		from := h[w.Turns-t]
		for i, e := range from.Energies {
			weights[e] += float64(p * from.Weights[i])
		}
	}
	if never > 0 {
		weights[0] += never
	}
	return w.exactly(weights)
}

// hold returns the run after the given turn.
func (w Walk) hold(run partialRun, turn int, observed, audit bool) partialRun {
	switch {
	case observed:
		run.energy, run.open = run.energy+run.close(turn, audit), 0
		if audit {
			run.since = turn + 1
		}
	case run.at == atU && (w.Cap == 0 || run.used < w.Cap):
		run.used++
		run.open |= 1 << turn
	}
	return run
}

// close returns the energy of the open excursion if it ends in the given turn.
func (run partialRun) close(turn int, audit bool) float64 {
	s, now := staircase{since: float64(run.since)}, float64(turn)
	for open := uint64(run.open); open != 0; open &= open - 1 {
		s.contribute(float64(bits.TrailingZeros64(open)), 1)
	}
	if audit {
		return s.closeEven(now, now+1)
	}
	return s.close(now, now+1)
}

// inOrder appends runs to the list in a fixed order, so that sums over them are reproducible.
func inOrder(list []likelyRun, runs map[partialRun]float64) []likelyRun {
	for run, p := range runs {
		list = append(list, likelyRun{run, p})
	}
	slices.SortFunc(list, func(a, b likelyRun) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.used != b.used:
			return a.used - b.used
		case a.energy != b.energy:
			return cmp.Compare(a.energy, b.energy)
		case a.open != b.open:
			return a.open.compare(b.open)
		}
		return a.since - b.since
	})
	return list
}

// lawOf returns the law of the energies of runs that end after so many turns. Energies that differ by rounding
// only are merged.
func (w Walk) lawOf(runs []likelyRun, turns int, audit bool) *Law {
	weights := make(map[float64]float64)
	for _, run := range runs {
		energy := run.energy
		if w.Final {
			energy += run.close(turns, audit)
		}
		weights[gathered(energy, audit)] += run.p
	}
	return w.exactly(weights)
}

// gathered rounds an energy up to a multiple of 1e-12, after adding the rounding error of up to 64 turns. For
// an audit it rounds down.
func gathered(energy float64, audit bool) float64 {
	const steps, lost = 1e12, 1e-14
	if audit {
		return math.Floor(energy*(1-lost)*steps) / steps
	}
	return math.Ceil(energy*(1+lost)*steps) / steps
}

// exactly returns the law with these weights.
func (w Walk) exactly(weights map[float64]float64) *Law {
	l := &Law{Most: w.Most(), exact: true}
	l.Claim = w.claim("walk, path", "all paths were followed")
	for e := range weights {
		l.Energies = append(l.Energies, e)
	}
	slices.Sort(l.Energies)
	for _, e := range l.Energies {
		l.Weights = append(l.Weights, weights[e])
	}
	return l
}
