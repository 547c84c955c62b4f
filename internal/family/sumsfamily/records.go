package sumsfamily

import (
	"slices"
	"sort"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Where one record is the unit of privacy, a sum's nodes add means of clipped rows. One row moves the mean of node u by at most
// 2 clip over the number of u's rows. Noise is the same for all, so that u's own multiplier is larger. Energies are in units of
// the largest sensitivity, times the square of u's over it. An answer of a histogram is one of a node's rows, drawn anew: one
// record is in it with probability one over their number (subsampled).

// relatives returns sensitivities over the largest at a noise multiplier. nil: all are equal.
func (a *Algorithm) relatives(sigma float64) schedule.Relatives {
	local := a.protocol.Local
	local.Noise.Multiplier = sigma
	if a.Spec.Algorithm.Kind == ringSum {
		return a.ring(local).Relatives()
	}
	return local.Noise.Relatives()
}

// ofUnit returns a claim with the spec's unit.
func (a *Algorithm) ofUnit(c privacy.Claim) privacy.Claim {
	c.Unit = a.Unit()
	return c
}

// byNode returns losses that depend on the node's own noise multiplier.
func (a *Algorithm) byNode(sigma float64, of func(own float64) (float64, privacy.Claim, error)) (losses, error) {
	relatives := a.relatives(sigma)
	if relatives == nil {
		x, claim, err := of(sigma)
		return same(x, claim), err
	}
	return a.byKind(func(u int) float64 { return relatives[u] }, func(relative float64) (float64, privacy.Claim, error) { return of(sigma / relative) })
}

// byKind returns losses that depend on one number of the node.
func (a *Algorithm) byKind(kind func(u int) float64, of func(kind float64) (float64, privacy.Claim, error)) (l losses, err error) {
	known, all := map[float64]float64{}, make([]float64, a.Spec.Nodes)
	for u := range all {
		x, found := known[kind(u)]
		if !found {
			if x, l.Claim, err = of(kind(u)); err != nil {
				return losses{}, err
			}
			known[kind(u)] = x
		}
		all[u] = x
		l.mean, l.most = l.mean+x/float64(len(all)), max(l.most, x)
	}
	l.Claim, l.at = a.ofUnit(l.Claim), func(u, _ int) float64 { return all[u] }
	return l, nil
}

// records returns a lower bound on the number of records of node u.
func (a *Algorithm) records(u int) float64 {
	if !a.Spec.Records() {
		return 1
	}
	return float64(max(1, a.Records(u)))
}

// energy returns the energy of the view that the node at place v has of that at place u, in units of the usual sensitivity. It
// rounds up by less than a thousandth where pairs differ too much to price each.
func (a *Algorithm) energy(ring sums.Ring, u, v int) float64 {
	energy := ring.Energy(u, v)
	if !a.Spec.Records() || a.Spec.Nodes*len(different(a.protocol.Noise.Relatives())) <= 2*family.PairLimit {
		return energy
	}
	return above(energy)
}

// different returns the different values of a list, ascending.
func different(x []float64) []float64 { return slices.Compact(slices.Sorted(slices.Values(x))) }

// above returns an energy rounded up by less than a thousandth.
func above(energy float64) float64 {
	if !(energy > 0) || math.IsInf(energy, 0) {
		return energy
	}
	fraction, exponent := math.Frexp(energy)
	return math.Ldexp(math.Ceil(fraction*(1<<11))/(1<<11), exponent)
}

// ringOfRecords returns the losses of ringExact where one record is the unit.
func (a *Algorithm) ringOfRecords(m privacy.Metric) pricing {
	ring, n := sums.RingOf(a.ring(a.protocol.Local)), a.Spec.Nodes
	before, after := make([]float64, n), make([]float64, n) // energies by the observer's place
	for v := range n {
		before[v], after[v] = a.energy(ring, 0, v), a.energy(ring, n-1, v)
	}
	return func(sigma float64) (losses, error) {
		relatives := a.relatives(sigma)
		of := known(func(energy float64) float64 { return privacy.GaussianLoss(energy, sigma, m) })
		return a.byPlace(ring.Claim(), relatives,
			func(r float64, v int) float64 { return of(before[v] * r * r) }, func(r float64, v int) float64 { return of(after[v] * r * r) }), nil
	}
}

// byPlace returns losses on a ring that depend on one number of the node, kind, and on whether its turn of a round is before or
// after that of the observer at a place.
func (a *Algorithm) byPlace(claim privacy.Claim, kind []float64, before, after func(kind float64, place int) float64) losses {
	l := losses{Claim: a.ofUnit(claim), at: func(u, v int) float64 {
		if a.place[u] > a.place[v] {
			return after(kind[u], a.place[v])
		}
		return before(kind[u], a.place[v])
	}}
	kinds := different(kind)
	passed, left := make([]int, len(kinds)), make([]int, len(kinds)) // nodes before and after a place
	at := func(v step.NodeID) int { return sort.SearchFloat64s(kinds, kind[v]) }
	for _, v := range a.order {
		left[at(v)]++
	}
	for p, v := range a.order {
		left[at(v)]--
		for k, of := range kinds {
			if passed[k] > 0 {
				l.count(before(of, p), passed[k], len(kind))
			}
			if left[k] > 0 {
				l.count(after(of, p), left[k], len(kind))
			}
		}
		passed[at(v)]++
	}
	return l
}

// count adds pairs pairs of loss x to the mean and maximum over n nodes.
func (l *losses) count(x float64, pairs, n int) {
	l.mean += x * float64(pairs) / (float64(n) * float64(n-1))
	l.most = max(l.most, x)
}

// shuffledRecords returns the losses of ringShuffle where one record is the unit.
func (a *Algorithm) shuffledRecords(h sums.RingHistogram, delta float64) (losses, error) {
	rows, all := make([]float64, a.Spec.Nodes), map[float64]*sums.Pairs{}
	for u := range rows {
		rows[u] = a.records(u)
	}
	var claim privacy.Claim
	for _, k := range different(rows) {
		pairs, err := h.PairsOf(delta, k)
		if err != nil {
			return losses{}, err
		}
		all[k], claim = pairs, pairs.Claim
	}
	return a.byPlace(claim, rows, func(k float64, v int) float64 { return all[k].At(v-1, v) }, func(k float64, v int) float64 { return all[k].At(v+1, v) }), nil
}
