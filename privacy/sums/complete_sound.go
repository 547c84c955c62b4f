package sums

import (
	"cmp"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Law bounds what any v learns about any u before the walk is known, by the
// path accountant: the sum only adds to the token, which is as non-expansive an
// update as there is. final says that the total is shown to everybody; if it is
// not, Sound is tighter.
func (c Complete) Law(final bool) (*walkpath.Law, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	law, err := walkpath.Walk{Walk: c.Schedule(final)}.Law(0, 1)
	if err != nil {
		return nil, err
	}
	law.Claim = c.soundClaim("path", final)
	return law, nil
}

// Schedule is what the sum releases, in units of one value's sensitivity and with
// noise of one: its update only adds, so it needs no model to be non-expansive.
func (c Complete) Schedule(final bool) schedule.Walk {
	return schedule.Walk{
		Nodes: c.Nodes, Start: schedule.AnyStart, Turns: c.Turns, Final: final, Sensitivity: 1, Noise: 1, Update: model.Adding(1),
	}
}

// soundClaim says what the accountants of a known path take for granted.
func (c Complete) soundClaim(how string, final bool) privacy.Claim {
	total := "the total is shown to nobody else"
	if final {
		total = "the total is shown to everybody"
	}
	return privacy.Claim{Accountant: "complete graph sum, " + how, Status: privacy.Sound, Final: final, Assumptions: []string{
		"the token goes to a uniform node each turn, whatever the data; an observer may know to whom",
		"every turn adds fresh Gaussian noise", "one observer, which sees the token at its own turns", total,
	}}
}

// SoundCycles is the proof of 002, Theorem 7.1 with its steps computed, a bound
// on the loss at delta for every pair at noise multiplier sigma. A cycle picks
// among the n-1 nodes other than the observer; the delta of a cycle is
// CycleDelta; the worst length from 1 to n is taken; visits are counted exactly.
// A third of delta goes to the count, to the cycles and to the composition. It
// is never above the local loss of all turns that u may have; below a thousand
// nodes it is hardly better, and Sound is.
func (c Complete) SoundCycles(sigma, delta float64) (privacy.Guarantee, error) {
	if err := cmp.Or(c.check(), privacy.CheckSigma(sigma), privacy.CheckDeltas(delta)); err != nil {
		return privacy.Guarantee{}, err
	}
	visits := privacy.BinomialUpper(c.Turns, 1/float64(c.Nodes), delta/3)
	k := float64(visits + c.Turns/c.Nodes)
	var all composition
	all.add(c.cycleLoss(sigma, delta/3/k), k)
	made := privacy.BinomialUpper(c.Turns, 1/float64(c.Nodes), delta/2)
	local := privacy.GaussianLoss(float64(made), sigma, privacy.Metric{Delta: delta / 2})
	return privacy.Guarantee{Claim: privacy.Claim{Accountant: "complete graph, subsampled cycles of Gaussians", Status: privacy.Sound, Assumptions: []string{
		"the token goes to a uniform node each turn, and nobody learns from or to whom",
		"every turn adds fresh Gaussian noise",
		"one observer, and the total is shown to nobody",
	}}, Epsilon: min(all.epsilon(delta/3), local), Delta: delta}, nil
}

// cycleLoss is the largest loss at delta of any cycle of 1..n turns: the
// smallest eps whose delta is low enough, subsampled. Lengths are taken in
// groups of about 2 %, with the noise of the shortest and the turns of the
// longest; only a group for which the worst so far is not enough is worth a
// bisection.
func (c Complete) cycleLoss(sigma, delta float64) float64 {
	users, worst := c.Nodes-1, 0.0
	for shortest := 1; shortest <= c.Nodes; {
		longest := min(c.Nodes, shortest+shortest/50)
		of := func(eps float64) float64 {
			return cycleDelta(eps, 1/(sigma*math.Sqrt(float64(shortest))), longest, users)
		}
		// The eps before subsampling that would make this group the worst.
		eps := math.Log1p(math.Expm1(worst) / inCycle(longest, users))
		if of(eps) > delta {
			worst = CycleEpsilon(leastEpsilon(of, delta, eps), longest, users)
		}
		shortest = longest + 1
	}
	return worst
}

// leastEpsilon is an eps above least whose delta is at most target, and no more
// than a relative 1e-9 above the smallest.
func leastEpsilon(delta func(eps float64) float64, target, least float64) float64 {
	most := max(1, 2*least)
	for delta(most) > target {
		most *= 2
	}
	for most-least > 1e-9*most {
		mid := (least + most) / 2
		if delta(mid) > target {
			least = mid
		} else {
			most = mid
		}
	}
	return most
}
