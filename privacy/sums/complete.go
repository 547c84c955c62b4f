package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Complete describes the private sum by a random walk on the complete graph (002,
// Algorithm 7.1). In each of Turns >= 1 turns a uniform one of Nodes >= 3 nodes adds
// a value and Gaussian noise to the token. Nodes see the token in their own turns,
// and neither who had it before nor who has it next.
type Complete struct{ Nodes, Turns int }

func (c Complete) check() error {
	return cmp.Or(privacy.CheckNodes(c.Nodes), privacy.CheckCount(c.Turns, "turns"))
}

// Cycles returns the number of sums that the observer sees in the proof of 002, Theorem 7.1,
// except with probability deltaHat. They are N_v visits of its own and T/n fictive ones, one
// every n turns. N_v is by Chernoff in its range and by the exact tail elsewhere. how names
// the bound.
func (c Complete) Cycles(deltaHat float64) (cycles float64, how string) {
	visits, how := privacy.CountUpper(c.Turns, 1/float64(c.Nodes), deltaHat)
	return visits + float64(c.Turns)/float64(c.Nodes), how
}

// Published returns the full formula of 002, section D.1, as printed, for
// contributions of local loss eps0 <= 1:
//
//	sqrt(2 k ln(1/deltaPrime)) 3 eps0/sqrt(n) + sqrt(k) eps0 (exp(3 eps0/sqrt(n)) - 1)
//
// with k cycles, at delta = k deltaCycle + deltaPrime + deltaHat.
//
// Advanced composition has k 3 eps0/sqrt(n) where the second term has sqrt(k) eps0,
// which is smaller as soon as k exceeds n/9: see Proved. The section takes
// deltaCycle to be the delta of one contribution. cycleDelta computes the delta of a
// cycle, which is larger.
func (c Complete) Published(eps0, deltaCycle, deltaPrime, deltaHat float64) (privacy.Guarantee, error) {
	return c.theorem(eps0, deltaCycle, deltaPrime, deltaHat, 3,
		func(k, each float64) float64 {
			return float64(math.Sqrt(2*k*-math.Log(deltaPrime))*each) + float64(math.Sqrt(k)*eps0*math.Expm1(each))
		})
}

// Proved returns the loss that the proof of section D.1 gives: Published with
// advanced composition as it is.
func (c Complete) Proved(eps0, deltaCycle, deltaPrime, deltaHat float64) (privacy.Guarantee, error) {
	return c.theorem(eps0, deltaCycle, deltaPrime, deltaHat, 3,
		func(k, each float64) float64 { return privacy.AdvancedComposition(k, each, deltaPrime) })
}

// theorem composes the cycles, each of loss factor eps0/sqrt(n). It returns an error
// for eps0 > 1.
func (c Complete) theorem(eps0, deltaCycle, deltaPrime, deltaHat, factor float64, compose func(k, each float64) float64) (privacy.Guarantee, error) {
	if err := cmp.Or(c.check(), privacy.CheckLoss(eps0), privacy.CheckDeltas(deltaCycle, deltaPrime, deltaHat)); err != nil {
		return privacy.Guarantee{}, err
	}
	if eps0 > 1 {
		return privacy.Guarantee{}, fault.New(fmt.Sprintf("the published sum and histogram need a local epsilon of at most 1: it is %g", eps0),
			"add more noise, or use a sound accountant")
	}
	k, how := c.Cycles(deltaHat)
	return privacy.Guarantee{Claim: c.publishedClaim(how), Epsilon: compose(k, factor*eps0/math.Sqrt(float64(c.Nodes))),
		Delta: float64(k*deltaCycle) + deltaPrime + deltaHat}, nil
}

func (c Complete) publishedClaim(how string) privacy.Claim {
	return privacy.Claim{Accountant: "complete graph, subsampled cycles", Status: privacy.Published, Assumptions: []string{
		"the token goes to a uniform node each turn, and nobody learns from or to whom",
		"one observer, and the total is shown to nobody",
		"visits are bounded by " + how,
	}}
}

// CycleEpsilon returns the loss of equation D.2 for a cycle of m >= 1 turns in which
// each turn picks one of users. It is hidden which of them contributed. eps is the
// loss of the sum of m contributions.
func CycleEpsilon(eps float64, m, users int) float64 {
	return math.Log1p(inCycle(m, users) * math.Expm1(eps))
}

// inCycle returns the probability that a node has one of m turns.
func inCycle(m, users int) float64 {
	return -math.Expm1(float64(m) * math.Log1p(-1/float64(users)))
}

// cycleDelta returns the exact delta at eps of a cycle of m turns that each pick one of users:
// delta_cycle of section D.1.1. shift is the shift over noise of one turn.
func cycleDelta(eps, shift float64, m, users int) float64 {
	delta, p := 0.0, 1/float64(users)
	for k := 1; k <= m; k++ {
		if tail := privacy.BinomialTail(m, p, k); tail < 1e-25 {
			return delta + tail
		}
		delta += math.Exp(privacy.LogBinomial(m, p, k) + privacy.LogDeltaGaussian(float64(k)*shift, eps))
	}
	return delta
}
