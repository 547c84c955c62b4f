package sumsfamily

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// Accountants implements family.Algorithm.
func (a *Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	sound := family.Tightest(m)
	var own []family.Accountant
	switch a.Spec.Algorithm.Kind {
	case ringSum:
		own = []family.Accountant{a.accountant(localName, nil, a.ringLocal(sound)), a.accountant(exactName, nil, a.ringExact(sound))}
	case ringHistogram:
		own = []family.Accountant{a.accountant(localName, nil, a.answersLocal(m)), a.accountant(shuffleName, nil, a.ringShuffle(m))}
	case completeSum:
		own = []family.Accountant{family.Local(&a.Holdings, a.protocol.Cap, a.protocol.Noise, m, a.checkCap),
			a.accountant(pathName, nil, a.completePath(sound)), a.accountant(renewalName, a.checkHidden, a.completeRenewal(sound))}
		own[0].Beside = func() bool { return a.protocol.Cap > 0 }
		own[1].Beside = func() bool { return a.checkHidden() != nil }
		own[2].Beside = func() bool { return a.checkHidden() == nil }
	default:
		own = []family.Accountant{a.accountant(localName, nil, a.answersLocal(m))}
	}
	printed := a.accountant(publishedName, a.checkPrinted(m), a.published(m))
	printed.Beside = func() bool { return a.checkPrinted(m)() == nil }
	return append([]family.Accountant{printed}, own...)
}

// checkCap refuses runs without a cap, because nothing else bounds contributions.
func (a *Algorithm) checkCap() error {
	if a.protocol.Cap > 0 {
		return nil
	}
	return fault.New("algorithm.contributions: without a cap nothing bounds what a node gives away",
		fmt.Sprintf("set contributions, such as %d (1.2 times the mean number of visits)", int(math.Ceil(1.2*float64(a.Turns())/float64(a.Spec.Nodes)))))
}

// checkHidden refuses runs that the renewal accountant does not cover.
func (a *Algorithm) checkHidden() error {
	switch {
	case a.protocol.Final:
		return fault.New("privacy.accountant: renewal is for a total that is shown to nobody", "use accountant: path, or release: none")
	case a.walk().Start >= 0:
		return fault.New("privacy.accountant: renewal is for a token that starts anywhere, and here all know where", "use accountant: path")
	}
	return nil
}

// checkPrinted refuses runs that the formulas in print do not cover.
func (a *Algorithm) checkPrinted(m privacy.Metric) func() error {
	return func() error {
		switch {
		case m.Delta == 0:
			return fault.New("privacy.accountant: the papers' sums state an epsilon at a delta", "give metric: {epsilon_at_delta: 1.0e-6}")
		case a.Spec.Records():
			return fault.New("privacy.accountant: the papers' sums are about participants", "use accountant: sound, or leave privacy.unit out")
		case a.protocol.Final:
			return fault.New("privacy.accountant: the papers' totals are shown to nobody", "use release: none")
		}
		return nil
	}
}

// losses holds the losses of all pairs at some noise, with their mean and maximum.
type losses struct {
	privacy.Claim
	mean, most float64
	at         func(u, v int) float64
}

// same returns losses that are the same for all pairs.
func same(x float64, c privacy.Claim) losses {
	return losses{c, x, x, func(int, int) float64 { return x }}
}

// A pricing returns the losses of an accountant at some noise.
type pricing func(noise float64) (losses, error)

// accountant returns an accountant that prices by p. Calibration calls p repeatedly.
func (a *Algorithm) accountant(name string, check func() error, p pricing) family.Accountant {
	return family.Accountant{Name: name, Check: check, Beside: family.Always, Price: func(noise *float64) (family.Account, float64, error) {
		low := 0.0
		if noise == nil {
			found, err := a.calibrate(p)
			if err != nil {
				return family.Account{}, 0, err
			}
			noise, low = &found.Sigma, found.Low
		}
		l, err := p(*noise)
		if err != nil {
			return family.Account{}, 0, err
		}
		account := family.Account{Accounted: family.Accounted(name, l.mean, l.most, l.Claim), At: l.at, Low: low}
		if a.Spec.Nodes > family.PairLimit { // there are too many pairs to look for the worst of non-neighbours
			account.MaxBeyondNeighbours = &account.Max
		}
		return account, *noise, nil
	}}
}

// calibrate returns the least noise that meets the spec's target. It is a multiplier, or for a histogram a probability.
func (a *Algorithm) calibrate(p pricing) (privacy.Calibration, error) {
	target, err := a.Target()
	if err != nil {
		return privacy.Calibration{}, err
	}
	if target.Mean != 0 {
		return a.least(target.Mean, p, func(l losses) float64 { return l.mean })
	}
	return privacy.Strictest(target.Limits, func(limit privacy.Limit) (privacy.Calibration, bool, error) {
		found, err := a.least(limit.Loss, p, func(l losses) float64 { return a.worst(limit, l) })
		return found, true, err
	})
}

// worst returns the largest loss of the pairs that a limit concerns. If there are too many pairs to look at, it returns the
// largest of all.
func (a *Algorithm) worst(limit privacy.Limit, l losses) float64 {
	if limit.Of == nil || a.Spec.Nodes > family.PairLimit {
		return l.most
	}
	worst, _ := limit.Worst(a.Spec.Nodes, l.at)
	return worst
}

func (a *Algorithm) least(target float64, p pricing, of func(losses) float64) (privacy.Calibration, error) {
	at := func(noise float64) (float64, error) {
		l, err := p(noise)
		return of(l), err
	}
	if isHistogram(a.Spec) {
		return leastGamma(target, at)
	}
	if high, err := at(privacy.MostSigma); err == nil && math.IsInf(high, 1) {
		return privacy.Calibration{}, fault.New("privacy: no noise meets this target: somebody sees a value without noise of its own",
			"use algorithm.spread: true, or the exact accountant of one observer")
	}
	return privacy.SmallestSigma(at, privacy.LeastSigma, target)
}

// leastGamma returns the least probability of random answers that meets a target, by bisection.
func leastGamma(target float64, at func(gamma float64) (float64, error)) (privacy.Calibration, error) {
	c := privacy.Calibration{Low: 0, Sigma: mostGamma}
	loss, err := at(c.Sigma)
	if err != nil {
		return c, err
	}
	if c.Loss = loss; !(loss <= target) {
		return c, fault.New(fmt.Sprintf("privacy.calibrate: answers that are almost all random still lose %s", report.Loss(loss, report.Sound)), "raise the target, or take fewer rounds")
	}
	for c.Sigma-c.Low > 1e-9*c.Sigma {
		mid := (c.Low + c.Sigma) / 2
		loss, err := at(mid)
		if err != nil {
			return c, err
		}
		if c.Steps++; loss <= target {
			c.Sigma, c.Loss = mid, loss
		} else {
			c.Low = mid
		}
	}
	return c, nil
}

// ringExact returns the exact Gaussian losses of all pairs on a ring.
func (a *Algorithm) ringExact(m privacy.Metric) pricing {
	ring, n := sums.RingOf(a.ring(a.protocol.Local)), a.Spec.Nodes
	if a.Spec.Records() {
		return a.ringOfRecords(m)
	}
	return func(sigma float64) (losses, error) {
		exact := func(energy float64) float64 { return privacy.GaussianLoss(energy, sigma, m) }
		of := known(exact)
		if n > family.PairLimit {
			of = rounded(exact)
		}
		before, after := make([]float64, n), make([]float64, n) // by the observer's place
		for v := range n {
			before[v], after[v] = of(ring.Energy(0, v)), of(ring.Energy(n-1, v))
		}
		l := a.byObserver(ring.Claim(), before, after)
		if n <= family.PairLimit {
			return l, nil
		}
		worst, err := ring.Worst()
		l.most = exact(worst)
		first, last := lazily(n, func(v int) float64 { return exact(ring.Energy(0, v)) }), lazily(n, func(v int) float64 { return exact(ring.Energy(n-1, v)) })
		l.at = func(u, v int) float64 {
			if at := a.place[v]; a.place[u] > at {
				return last(at)
			}
			return first(a.place[v])
		}
		return l, err
	}
}

// rounded returns of at an energy rounded up by above, because there are few different values.
func rounded(of func(energy float64) float64) func(energy float64) float64 {
	each := known(of)
	return func(energy float64) float64 { return each(above(energy)) }
}

// lazily returns a function with n values, each of which is computed at its first call. It is safe for concurrent use.
func lazily(n int, of func(i int) float64) func(i int) float64 {
	bits := make([]atomic.Uint64, n)
	return func(i int) float64 {
		if known := bits[i].Load(); known != 0 {
			return math.Float64frombits(known)
		}
		x := of(i)
		bits[i].Store(math.Float64bits(x))
		return x
	}
}

// byObserver returns losses that depend on the observer's place, and on whether a node is before or after that.
func (a *Algorithm) byObserver(claim privacy.Claim, before, after []float64) losses {
	l, n := losses{Claim: claim}, len(before)
	pairs := float64(n) * float64(n-1)
	for v := range n {
		if v > 0 {
			l.mean, l.most = l.mean+before[v]*float64(v)/pairs, max(l.most, before[v])
		}
		if v < n-1 {
			l.mean, l.most = l.mean+after[v]*float64(n-1-v)/pairs, max(l.most, after[v])
		}
	}
	l.at = func(u, v int) float64 {
		if at := a.place[v]; a.place[u] > at {
			return after[at]
		}
		return before[a.place[v]]
	}
	return l
}

// known returns of with its values cached. It is safe for concurrent use.
func known(of func(float64) float64) func(float64) float64 {
	var lock sync.Mutex
	all := map[float64]float64{}
	return func(x float64) float64 {
		lock.Lock()
		defer lock.Unlock()
		y, ok := all[x]
		if !ok {
			y = of(x)
			all[x] = y
		}
		return y
	}
}

// ringLocal returns the loss of a node towards an observer of all its releases.
func (a *Algorithm) ringLocal(m privacy.Metric) pricing {
	ring, n := sums.RingOf(a.ring(a.protocol.Local)), a.Spec.Nodes
	claim := privacy.LocalClaim(a.protocol.Cap)
	claim.Assumptions = append(claim.Assumptions, "a turn without noise of its own hides nothing here")
	return func(sigma float64) (losses, error) {
		relatives := a.relatives(sigma)
		of := known(func(energy float64) float64 { return privacy.GaussianLoss(energy, sigma, m) })
		alone := make([]float64, n) // by place
		l := losses{Claim: a.ofUnit(claim), at: func(u, _ int) float64 { return alone[a.place[u]] }}
		for p, u := range a.order {
			r := relatives.At(int(u))
			alone[p] = of(ring.Alone(p) * r * r)
			l.mean, l.most = l.mean+alone[p]/float64(n), max(l.most, alone[p])
		}
		return l, nil
	}
}

// ringShuffle returns the losses of all pairs of a ring's histogram.
func (a *Algorithm) ringShuffle(m privacy.Metric) pricing {
	return func(gamma float64) (losses, error) {
		if gamma == 0 {
			return same(math.Inf(1), privacy.Claim{Status: privacy.Sound}), nil
		}
		if a.Spec.Records() {
			return a.shuffledRecords(a.histogramAt(gamma), m.Delta)
		}
		pairs, err := a.histogramAt(gamma).Pairs(m.Delta)
		if err != nil {
			return losses{}, err
		}
		n := a.Spec.Nodes
		before, after := make([]float64, n), make([]float64, n)
		for v := range n {
			before[v], after[v] = pairs.At(v-1, v), pairs.At(v+1, v)
		}
		return a.byObserver(pairs.Claim, before, after), nil
	}
}

// histogramAt returns the ring's histogram with another probability of random answers.
func (a *Algorithm) histogramAt(gamma float64) sums.RingHistogram {
	local := a.protocol.Local
	local.Noise.Multiplier = gamma
	return sums.RingHistogramOf(a.ring(local))
}

// response returns the mechanism of a node's answer.
func (a *Algorithm) response(gamma float64) sums.RandomResponse {
	return sums.RandomResponse{Values: a.protocol.Params, Gamma: gamma}
}

// answersLocal returns the loss of a node towards an observer of all its answers.
func (a *Algorithm) answersLocal(m privacy.Metric) pricing {
	return func(gamma float64) (losses, error) {
		r := a.response(gamma)
		switch {
		case gamma == 0:
			return same(math.Inf(1), privacy.Claim{Status: privacy.Sound}), nil
		case a.Spec.Records():
			return a.byKind(a.records, func(records float64) (float64, privacy.Claim, error) { return a.answersOf(r.Among(records), m.Delta) })
		}
		x, claim, err := a.answersOf(r.Epsilon(), m.Delta)
		return same(x, claim), err
	}
}

// answersOf returns the loss at delta of all answers of a node, each of which has loss each.
func (a *Algorithm) answersOf(each, delta float64) (float64, privacy.Claim, error) {
	if a.protocol.Cap > 0 {
		x, claim := sums.LocalAnswers(each, a.protocol.Cap, delta)
		return x, claim, nil
	}
	g, err := sums.CompleteHistogram{Nodes: a.Spec.Nodes, Turns: int(a.Turns())}.Local(each, delta)
	return g.Epsilon, g.Claim, err
}

// completeRenewal returns the one loss of all pairs, for a sum by a walk, by the renewal accountant.
func (a *Algorithm) completeRenewal(m privacy.Metric) pricing {
	c := sums.CompleteOf(a.walk())
	return func(sigma float64) (losses, error) {
		return a.byNode(sigma, func(own float64) (float64, privacy.Claim, error) { return c.Sound(own, m) })
	}
}

// completePath returns the same loss by the path accountant, where the total is shown or the start is known.
func (a *Algorithm) completePath(m privacy.Metric) pricing {
	all := sync.OnceValues(a.pathWalk().CompleteLaws)
	return func(sigma float64) (losses, error) {
		laws, err := all()
		if err != nil {
			return losses{}, err
		}
		return a.byNode(sigma, func(own float64) (float64, privacy.Claim, error) { return walkpath.Most(laws, own, m) })
	}
}

// law returns the law of one pair.
func (a *Algorithm) law(u, v int) (*walkpath.Law, error) {
	return a.pathWalk().Law(u, v)
}

func (a *Algorithm) pathWalk() walkpath.Walk { return walkpath.Walk{Walk: a.walk(), Watch: a.Watch} }

// published returns the losses of the formulas in print.
func (a *Algorithm) published(m privacy.Metric) pricing {
	n, turns := a.Spec.Nodes, int(a.Turns())
	return func(noise float64) (losses, error) {
		var g privacy.Guarantee
		var err error
		switch a.Spec.Algorithm.Kind {
		case ringSum:
			g, err = sums.RingOf(a.ring(a.protocol.Local)).PublishedAt(noise, m.Delta)
		case ringHistogram:
			g, err = a.histogramAt(noise).PrintedAt(m.Delta)
		case completeSum:
			g, err = sums.Complete{Nodes: n, Turns: turns}.PublishedAt(noise, m.Delta)
		default:
			g, err = sums.CompleteHistogram{Nodes: n, Turns: turns}.PublishedAt(a.response(noise).Epsilon(), m.Delta)
		}
		if err != nil {
			return losses{}, fmt.Errorf("%w: %w", family.ErrOutOfRange, err)
		}
		return same(g.Epsilon, g.Claim), nil
	}
}
