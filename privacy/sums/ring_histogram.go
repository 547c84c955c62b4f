package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A RingHistogram describes the private histogram on a directed ring (002,
// Algorithm 5.2). The token starts with floor(gamma n) random entries and goes
// round Rounds >= 1 times over Nodes >= 3 nodes, each of which adds one
// randomised answer per round.
type RingHistogram struct {
	Nodes, Rounds int
	Response      RandomResponse
	Final         bool // the last token is shown to everybody
	Sealed        bool // as many random entries join at the end, before the last token is shown
}

func (h RingHistogram) check() error {
	return cmp.Or(Ring{Nodes: h.Nodes, Rounds: h.Rounds}.check(), h.Response.Check())
}

// RandomAnswers returns the expected number of random entries: gamma n (K+1)
// (002, Theorem 5.7), and gamma n more if sealed.
func (h RingHistogram) RandomAnswers() float64 {
	if h.Sealed {
		return h.Response.Gamma * float64(h.Nodes) * float64(h.Rounds+2)
	}
	return h.Response.Gamma * float64(h.Nodes) * float64(h.Rounds+1)
}

// RingHistogramPublished returns the response that 002, Theorem 5.7 prescribes
// for eps per receipt, and the loss of all. eps < 1/2, delta < 1/100, nodes >
// 1000.
//
// The response is printed with the amplification turned round. Its local loss
// is 12 eps sqrt(ln(1/delta)/n), so shuffling by Theorem B.1 gives that times
// 12 sqrt(ln(1/delta)/n) again, not eps. Below n = 144 ln(1/delta) that is more
// than eps, and the theorem does not follow from its proof. Above it the
// answers are more random than eps needs without any shuffling, and there is no
// gain.
func RingHistogramPublished(nodes, rounds, values int, eps, delta, deltaPrime float64) (privacy.Guarantee, RandomResponse, error) {
	if err := cmp.Or(privacy.CheckLoss(eps), privacy.CheckDeltas(delta, deltaPrime), privacy.CheckCount(rounds, "rounds")); err != nil {
		return privacy.Guarantee{}, RandomResponse{}, err
	}
	if !(eps < 0.5 && delta < 0.01 && nodes > 1000) {
		return privacy.Guarantee{}, RandomResponse{}, fault.New(
			fmt.Sprintf("Theorem 5.7 for %d nodes, epsilon %g and delta %g is out of its range", nodes, eps, delta),
			"it needs more than 1000 nodes, epsilon below 0.5 and delta below 0.01; use the sound accountant")
	}
	local := 12 * eps * math.Sqrt(-math.Log(delta)/float64(nodes))
	k := float64(rounds)
	return privacy.Guarantee{
		Claim: privacy.Claim{Accountant: "ring histogram, Erlingsson et al.", Status: privacy.Published, Assumptions: []string{
			"one observer that sees the token at its own turns; no collusion, and the total is shown to nobody",
			"the response is the theorem's own",
		}},
		Epsilon: privacy.AdvancedComposition(k, eps, deltaPrime), Delta: float64(k*delta) + deltaPrime,
	}, Respond(values, local), nil
}

// Sound returns an upper bound on the loss at delta towards any single
// observer. It composes the losses of the segments between two receipts, each
// hidden among the random answers in the segment. Half of delta goes to the
// segments, half to the composition.
//
// The fewest answers are in the first segment of node 1, which has one answer
// beside the random entries of the start. The others have n-1. If the last
// token is shown, node n-2 sees the last answer by itself.
func (h RingHistogram) Sound(delta float64) (privacy.Guarantee, error) {
	return h.account(delta, func(b blanket, d float64) (float64, error) { return h.Response.hiddenEpsilon(d, b), nil })
}

// SoundFeldman returns Sound with the closed form of Theorem D.3 for the n-1 answers
// of a segment, where it is in its range. Elsewhere and for the first segment
// it takes the local loss. It is looser, and independent of the response.
func (h RingHistogram) SoundFeldman(delta float64) (privacy.Guarantee, error) {
	alone := h.Response.Epsilon()
	return h.account(delta, func(b blanket, d float64) (float64, error) {
		if b != h.Response.among(h.Nodes-1) {
			return alone, nil
		}
		eps, err := FeldmanEpsilon(alone, d, h.Nodes-1)
		if err != nil {
			return alone, nil
		}
		return min(eps, alone), nil
	})
}

func (h RingHistogram) account(delta float64, of func(b blanket, delta float64) (float64, error)) (privacy.Guarantee, error) {
	if err := cmp.Or(h.check(), privacy.CheckDeltas(delta)); err != nil {
		return privacy.Guarantee{}, err
	}
	each := delta / 2 / float64(h.Rounds)
	random := int(h.Response.Gamma * float64(h.Nodes))
	start, err := of(h.Response.beside(random), each)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	segment, err := of(h.Response.among(h.Nodes-1), each)
	if err != nil {
		return privacy.Guarantee{}, err
	}
	last := start // from u before v, or after v if the last token is shown
	if h.Final && !h.Sealed {
		last = max(start, h.Response.Epsilon())
	}
	var all composition
	all.add(segment, float64(h.Rounds-1))
	all.add(last, 1)
	return privacy.Guarantee{Claim: h.claim(), Epsilon: all.epsilon(delta / 2), Delta: delta}, nil
}

func (h RingHistogram) claim() privacy.Claim {
	total := "the last token is shown to nobody else"
	if h.Final {
		total = "the last token is shown to everybody"
	}
	return privacy.Claim{Accountant: "ring histogram, shuffled randomised response", Status: privacy.Sound, Final: h.Final, Assumptions: []string{
		"one observer, whoever it is, that sees the token at its own turns; no collusion", total,
		fmt.Sprintf("every node answers honestly, at random with probability %.4g", h.Response.Gamma),
	}}
}
