package sums

import (
	"cmp"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Law bounds the loss from any u towards any v before the walk is known, by the
// path accountant. The sum only adds to the token, which is a non-expansive
// update. final says that the total is shown to everybody. Without it Sound is
// tighter.
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

// Schedule returns the schedule of the sum, in units of one value's sensitivity
// and with noise multiplier 1. Its update only adds, so it is non-expansive for
// any model.
func (c Complete) Schedule(final bool) schedule.Walk {
	return schedule.Walk{
		Nodes: c.Nodes, Start: schedule.AnyStart, Turns: c.Turns, Final: final, Sensitivity: 1, Noise: 1, Update: model.Adding(1),
	}
}

// soundClaim returns the claim of the accountants of a known path.
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

// SoundCycles returns an upper bound on the loss at delta for every pair at noise
// multiplier sigma, by the proof of 002, Theorem 7.1 with its steps computed. A
// cycle picks among the n-1 nodes other than the observer. The delta of a cycle
// is cycleDelta, the worst length from 1 to n is taken, and visits are counted
// exactly. A third of delta each goes to the count, the cycles and the
// composition. The bound is never above the local loss of all turns that u may
// have. Below a thousand nodes it is hardly better than that, and Sound is.
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

// cycleLoss returns the largest loss at delta of any cycle of 1..n turns: the
// smallest eps whose delta is low enough, subsampled. Lengths are taken in groups
// of about 2 %, with the noise of the shortest and the turns of the longest. A
// group is bisected only if the worst loss so far is too small for it.
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

// leastEpsilon returns an eps above least whose delta is at most target, and at
// most a relative 1e-9 above the smallest.
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
