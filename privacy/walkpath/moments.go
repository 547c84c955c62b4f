package walkpath

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// The increment of an exponential moment by a gap depends only on the rate, the grid of gaps and the number of
// contributions, and on neither pair nor horizon. Laws of one walk that are followed together therefore compute
// it once (lanes.go does the same for energies). Each has the bits that it has alone.

// momentLane holds the state of excursionModel.follow for one lane: mass and excess of the energy at each
// distance, and the laws so far.
type momentLane struct {
	step               [][]float64
	mass, excess       []float64
	nextMass, nextMore []float64
	laws               [][]float64
}

// followTogether returns excursionModel.follow of every lane. Their tables must be over the same gaps.
func (r moment) followTogether(list []lane, most int, enough float64) [][][]float64 {
	gaps := list[0].table.gaps
	all := make([]*momentLane, len(list))
	for l, one := range list {
		all[l] = r.newLane(one, gaps)
	}
	running := slices.Clone(all)
	gain := make([]float64, len(gaps))
	for m := 2; m <= most; m++ {
		running = slices.DeleteFunc(running, func(l *momentLane) bool { return !(r.mass(l.laws[m-1]) > enough) })
		if len(running) == 0 {
			break
		}
		for i, from := range gaps {
			for t := i; t < len(gaps); t++ {
				gain[t] = math.Expm1(float64(r) * spreadCost(m, from, gaps[t]))
			}
			for _, l := range running {
				l.leave(i, gain)
			}
		}
		for _, l := range running {
			l.arrive()
		}
	}
	laws := make([][][]float64, len(all))
	for l, one := range all {
		laws[l] = one.laws
	}
	return laws
}

// newLane returns the state after one contribution.
func (r moment) newLane(one lane, gaps grid) *momentLane {
	n := len(gaps)
	l := &momentLane{step: one.table.step, mass: make([]float64, n), excess: make([]float64, n), nextMass: make([]float64, n), nextMore: make([]float64, n)}
	for i, p := range one.first {
		law := []float64{0, 0}
		r.put(law, spreadCost(1, 0, gaps[i]), p)
		l.mass[i], l.excess[i] = law[0], law[1]
	}
	l.laws = [][]float64{nil, l.energy()}
	return l
}

// leave does as moment.shift from distance i to every distance from i on. gain[t] is the increment of the move
// to t.
func (l *momentLane) leave(i int, gain []float64) {
	step, mass, excess, both := l.step[i], l.mass[i], l.excess[i], l.mass[i]+l.excess[i]
	toMass, toMore := l.nextMass[:len(gain)], l.nextMore[:len(gain)]
	for t := i; t < len(gain); t++ {
		if w := step[t]; w != 0 {
			toMass[t] += float64(w * mass)
			toMore[t] += float64(w * (excess + float64(gain[t]*both)))
		}
	}
}

// arrive ends a move.
func (l *momentLane) arrive() {
	l.mass, l.nextMass = l.nextMass, l.mass
	l.excess, l.nextMore = l.nextMore, l.excess
	clear(l.nextMass)
	clear(l.nextMore)
	l.laws = append(l.laws, l.energy())
}

// energy returns the law of the energy, summed over distances.
func (l *momentLane) energy() []float64 { return []float64{sum(l.mass), sum(l.excess)} }

// logMoments returns upper bounds of ln E exp(rate V) of renewals of the same turns and cap. It returns +Inf if
// it finds no bound.
func logMoments(rate float64, all []*renewal) []float64 {
	var list []lane
	most, enough := min(all[0].turns, manyEnough), fewEnough
	if all[0].counts() {
		most, enough = all[0].cap, 0
	}
	for _, r := range all {
		for _, table := range r.tables {
			list = append(list, lane{table, table.direct})
			if r.counts() {
				list = append(list, lane{table, table.anyhow})
			}
		}
	}
	laws, bounds := moment(rate).followTogether(list, most, enough), make([]float64, len(all))
	each := len(list) / len(all)
	for i, r := range all {
		bounds[i] = r.logMoment(rate, laws[i*each:(i+1)*each])
	}
	return bounds
}

// logMoment returns the bound of one renewal, given the laws of its lanes.
func (r *renewal) logMoment(rate float64, laws [][][]float64) float64 {
	least := math.Inf(1)
	for k, horizon := range r.rates() {
		scale := math.Exp(horizon)
		if r.weighted != nil {
			scale *= r.weighted[k]
		}
		if scale == 0 {
			return 0 // u is never visited
		}
		m, first, again := r.at(k, moment(rate))
		var change []float64
		if r.counts() {
			change = r.capped(m, laws[2*k], laws[2*k+1], first, again)
		} else {
			change = r.uncapped(m, m.ofAnyNumber(laws[k], r.turns), first, again)
		}
		if excess := change[1]; !math.IsNaN(excess) {
			least = min(least, math.Log1p(max(0, excess)*scale))
		}
	}
	return least
}
