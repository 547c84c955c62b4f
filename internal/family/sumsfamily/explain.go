package sumsfamily

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/step"
)

// class returns the place of a label.
func (a *Algorithm) class(y float64) int { return model.ClassOf(y, a.protocol.Params) }

// Towards implements family.Algorithm.
func (a *Algorithm) Towards(_ context.Context, u int) ([]*walkpath.Law, error) {
	laws := make([]*walkpath.Law, a.Spec.Nodes)
	for v := range laws {
		if v == u {
			continue
		}
		law, err := a.towards(u, v)
		if err != nil {
			return nil, err
		}
		laws[v] = law
	}
	return laws, nil
}

// towards returns the law of the leakage of node u towards v.
func (a *Algorithm) towards(u, v int) (*walkpath.Law, error) {
	local := a.Spec.Privacy.Accountant == localName
	switch a.Spec.Algorithm.Kind {
	case ringSum:
		ring := sums.RingOf(a.ring(a.protocol.Local))
		if local {
			return a.about(u, ring.Alone(a.place[u]), privacy.LocalClaim(a.protocol.Cap)), nil
		}
		return a.about(u, a.energy(ring, a.place[u], a.place[v]), ring.Claim()), nil
	case completeSum:
		if local {
			return family.LocalLaws(a.protocol.Cap, a.protocol.Noise, a.Spec.Nodes, u)[v], nil
		}
		return a.law(u, v)
	}
	return a.curve(u, v, local)
}

// about returns the law of a Gaussian view of node u with an energy in units of the usual sensitivity.
func (a *Algorithm) about(u int, energy float64, claim privacy.Claim) *walkpath.Law {
	law := walkpath.Gaussian(energy, a.ofUnit(claim))
	if relatives := a.relatives(a.protocol.Noise.Multiplier); relatives != nil {
		law.Relative = relatives[u]
	}
	return law
}

// curve returns the law of the answers of u, at any probability of random ones.
func (a *Algorithm) curve(u, v int, local bool) (*walkpath.Law, error) {
	at := a.answersLocal
	if !local && isRing(a.Spec) {
		at = a.ringShuffle
	}
	first, err := at(privacy.Metric{Delta: 1e-6})(max(a.protocol.Noise.Multiplier, privacy.LeastSigma))
	return walkpath.Curved(first.Claim, func(delta, gamma float64) float64 {
		l, err := at(privacy.Metric{Delta: delta})(min(gamma, mostGamma))
		if err != nil {
			return math.Inf(1)
		}
		return l.at(u, v)
	}), err
}

// OnGrid implements family.Algorithm. On a ring with noise spread over n nodes each node hides its share of a contribution
// under its share of the noise. With m contributions over l turns, each of which has to hide rho more, the energy grows by 2
// rho m sqrt(n) + l rho^2.
func (a *Algorithm) OnGrid(energy, slack float64) float64 {
	contributions := a.Contributions()
	if isRing(a.Spec) && KeysOf(a.Spec).Spread {
		contributions *= int(math.Ceil(math.Sqrt(float64(a.Spec.Nodes))))
	}
	if a.Spec.Records() && isRing(a.Spec) {
		slack *= 3 // a value cut down to noise.Grain moves by up to 4 more steps of the grid; slack has 2
	}
	return family.HopsOnGrid(energy, contributions, a.Turns(), slack)
}

// LocalEnergy implements family.Uneven.
func (a *Algorithm) LocalEnergy(u, contributions int) float64 {
	switch a.Spec.Algorithm.Kind {
	case ringSum:
		return sums.RingOf(a.ring(a.protocol.Local)).Alone(a.place[u]) * float64(contributions) / float64(a.protocol.Cap)
	case completeSum:
		return float64(contributions)
	}
	gamma := a.protocol.Noise.Multiplier
	mu := privacy.PureMu(a.response(gamma).Among(a.records(u)))
	return float64(contributions) * mu * mu * gamma * gamma
}

// Share implements family.Uneven.
func (a *Algorithm) Share(t step.Turn) float64 {
	if a.Spec.Algorithm.Kind == ringSum {
		return a.ring(a.protocol.Local).Share(int(t))
	}
	return 1
}

// OffGrid implements family.Uneven.
func (a *Algorithm) OffGrid() string {
	if isHistogram(a.Spec) {
		return "randomised response"
	}
	return ""
}

// Active implements family.Algorithm. All nodes know the turns of a ring. A sender's message therefore changes neither the
// contributions of others to it nor the noise that joins it before it returns.
func (a *Algorithm) Active() bool { return isRing(a.Spec) }

// Together implements family.Algorithm. On a ring the two neighbours of a node see all that it adds, and no coalition sees
// more. The same holds for an answer, which is charged the local loss.
func (a *Algorithm) Together(_ context.Context, u, size int, _ []*walkpath.Law) ([]walkpath.Coalition, error) {
	switch {
	case size < 2 || isHistogram(a.Spec) || a.Spec.Privacy.Accountant == localName:
		return nil, nil
	case a.Spec.Algorithm.Kind == completeSum:
		return a.pathWalk().CompleteCoalitions(u, size)
	}
	n, at := a.Spec.Nodes, a.place[u]
	members := []int{int(a.order[(at+n-1)%n]), int(a.order[(at+1)%n])}
	claim := privacy.Bound("ring sum, those before and after a node", "", "they see the token before and after each of its turns, and nobody sees more of what it adds")
	return []walkpath.Coalition{{Members: members, Law: a.about(u, sums.RingOf(a.ring(a.protocol.Local)).Alone(at), claim)}}, nil
}

// Coalition implements family.Algorithm.
func (a *Algorithm) Coalition(ctx context.Context, priced family.Accounting) (*report.Coalition, error) {
	size := a.Spec.Privacy.Coalition
	m, err := family.Metric(&a.Spec.Privacy)
	if size == 0 || err != nil {
		return nil, err
	}
	m = family.Tightest(m)
	if a.Spec.Algorithm.Kind == completeSum {
		return walkfamily.CompleteCoalition(a.pathWalk(), size, priced.Sigma, m)
	}
	c, total := &report.Coalition{Size: size, Status: report.Sound}, 0.0
	of := known(func(energy float64) float64 { return privacy.GaussianLoss(energy, priced.Sigma, m) })
	noisy, err := a.WithNoise(priced.Sigma)
	if err != nil {
		return nil, err
	}
	a = noisy.(*Algorithm)
	relatives := a.relatives(priced.Sigma)
	for u := range a.Spec.Nodes {
		r := relatives.At(u)
		loss := of(a.LocalEnergy(u, a.Contributions()) * r * r)
		if total += loss; c.Max < report.Number(loss) {
			worst, err := a.Together(ctx, u, size, nil)
			if err != nil {
				return nil, err
			}
			c.Max, c.About, c.Worst, c.Assumptions = report.Number(loss), u, worst[0].Members, worst[0].Grounds()
		}
	}
	c.Mean = report.Number(total / float64(a.Spec.Nodes))
	return c, nil
}

// Explain implements family.Algorithm.
func (a *Algorithm) Explain(about, observer int, priced family.Accounting) (*family.Explanation, error) {
	e := family.NewExplanation(a, about, observer, priced.Sigma)
	law, err := a.towards(about, observer)
	if err != nil {
		return nil, err
	}
	e.Accountant, e.Status, e.Assumptions = a.Spec.Privacy.Accountant, report.Status(law.Status), law.Grounds()
	if e.Accountant == publishedName {
		e.Accountant = localName
	}
	why := &e.Why
	why.Steps, why.Visits, why.Seen = int(a.Turns()), float64(a.Turns())/float64(a.Spec.Nodes), law.Mean()
	why.Final, why.Sender = a.protocol.Final, a.Spec.Privacy.Sender
	why.Local = e.EpsilonOf(a.LocalEnergy(about, a.Contributions()), priced.Sigma)
	if a.Spec.Algorithm.Kind == completeHistogram || a.Spec.Privacy.Accountant == localName {
		why.Charged = "nothing smaller is proved before the walk is known"
	}
	e.ChargeView(law.Epsilon(e.Delta, priced.Sigma), law.Guess(priced.Sigma, e.Delta))
	if why.Random = isHistogram(a.Spec); why.Random {
		one := privacy.PureMu(a.response(priced.Sigma).Among(a.records(about)))
		why.Seen = min(float64(a.Contributions()), math.Pow(privacy.MuGaussian(e.Epsilon, e.Delta)/one, 2))
	}
	more := priced.Sigma * family.Noisier
	if isHistogram(a.Spec) {
		more = 1 - (1-priced.Sigma)/family.Noisier
	}
	e.Remedies = append(e.Remedies, family.Remedy{Change: fmt.Sprintf("privacy.sigma: %.4g", more), Epsilon: law.Epsilon(e.Delta, more)})
	return e, nil
}

// Pairs implements family.Algorithm.
func (a *Algorithm) Pairs() error { return nil }

// Audit implements family.Algorithm.
func (a *Algorithm) Audit() (family.Audit, error) {
	return nil, fault.New(fmt.Sprintf("algorithm.kind: nobody attacks a %s", a.Spec.Algorithm.Kind), "audit a walk, or gossip")
}

// Utility implements family.Algorithm.
func (a *Algorithm) Utility() family.Utility {
	u := family.Utility{NoisePerHop: family.NoiseNorm(a.Local())}
	if isHistogram(a.Spec) {
		u.NoisePerHop = a.protocol.Noise.Multiplier
	}
	each := a.noiseStd() / float64(a.Spec.Nodes)
	distance := float64(a.protocol.Params) * each * each
	u.Distance2 = &distance
	u.Why = "of the mean of what is given, noise alone: estimates of sums are unbiased (002 Theorems 5.5, 5.7, 7.1 and D.1)"
	return u
}

// Cost implements family.Algorithm.
func (a *Algorithm) Cost() family.Cost {
	hops, size := int(a.Turns())-1, a.protocol.Bytes()
	return family.Cost{Unit: "hop", Hops: hops, BytesPerHop: size, Bytes: hops * size, PerNode: float64(hops) / float64(a.Spec.Nodes)}
}

// Notes implements family.Algorithm.
func (a *Algorithm) Notes() (notes []string) {
	if isHistogram(a.Spec) {
		notes = append(notes, "privacy.sigma is the probability of a random answer; estimates take away what random answers count on average. "+
			"Each answer is of one of a node's rows, drawn anew.")
	}
	if !isRing(a.Spec) && a.protocol.Cap > 0 {
		notes = append(notes, "A node that has given all that it may adds noise only: it counts as zero in a mean, and as every value alike in a histogram.")
	}
	if isRing(a.Spec) && !KeysOf(a.Spec).Spread && a.Spec.Algorithm.Kind == ringSum {
		notes = append(notes, "Most nodes add no noise of their own: the two beside a node can work out together what it gives. algorithm.spread: true has all add some.")
	}
	return notes
}

// Conditions implements family.Algorithm.
func (a *Algorithm) Conditions() []string {
	if !isHistogram(a.Spec) {
		return nil
	}
	return []string{"an answer is random with the probability that is given, rounded up to 53 binary digits, by the operating system's randomness through ChaCha8"}
}
