package sums

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Ring describes the private sum on a directed ring (002, Algorithm 5.1). The
// token goes round Rounds >= 1 times over Nodes >= 3 nodes 0..n-1. Each adds one
// value per round. Noise of one standard deviation joins the token every n-1
// steps, from the first on. The loss from u towards v depends on both positions.
type Ring struct {
	Nodes, Rounds int
	Spread        bool // noise of variance 1/n at every step, and 1 at the first (Remark 5.6)
	Final         bool // the total is shown to everybody
	Sealed        bool // also noise of variance 1 in the last step, which a public total needs
}

func (r Ring) check() error {
	if r.Nodes < 3 {
		return fault.New(fmt.Sprintf("a ring of %d nodes hides nobody", r.Nodes), "give at least 3 nodes")
	}
	if err := privacy.CheckCount(r.Rounds, "rounds"); err != nil {
		return err
	}
	if float64(r.Nodes)*float64(r.Rounds) > mostRing {
		return fault.New(fmt.Sprintf("%d rounds over %d nodes are more turns than are priced", r.Rounds, r.Nodes),
			fmt.Sprintf("stay below %g turns", float64(mostRing)))
	}
	return nil
}

// The largest numbers of turns: mostRing in closed form, which a float counts
// exactly, and mostFollowed one by one, which takes a minute.
const mostRing, mostFollowed = 1e15, 2e9

// checkFollowed returns an error for a ring with too many turns to follow one by
// one.
func (r Ring) checkFollowed() error {
	if err := r.check(); err != nil {
		return err
	}
	if turns := float64(r.Nodes) * float64(r.Rounds); turns > mostFollowed || r.Nodes > mostFollowed/20 {
		return fault.New(fmt.Sprintf("%d rounds over %d nodes are too many turns to follow", r.Rounds, r.Nodes),
			fmt.Sprintf("stay below %g turns of %g nodes, or name no observers", float64(mostFollowed), mostFollowed/20))
	}
	return nil
}

// NoiseVariance returns the variance of the noise in the total, in units of one
// release. Smaller is more accurate.
//
// 002, Theorem 5.5 counts floor(K n/(n-1)) terms. The algorithm makes one more:
// steps 1, n, 2n-1, .. add noise, floor((K n - 1)/(n-1)) + 1 of them.
func (r Ring) NoiseVariance() float64 {
	steps := float64(float64(r.Nodes) * float64(r.Rounds))
	sealed := 0.0
	switch {
	case r.Sealed && r.Spread:
		sealed = 1 - 1/float64(r.Nodes)
	case r.Sealed && r.bareEnd():
		sealed = 1
	}
	if r.Spread {
		return 1 + (steps-1)/float64(r.Nodes) + sealed
	}
	return math.Floor((steps-1)/float64(r.Nodes-1)) + 1 + sealed
}

// variance returns the variance of the noise added in a step, counted from 0.
func (r Ring) variance(step int) float64 {
	switch {
	case step == 0 || r.Sealed && step == r.Nodes*r.Rounds-1:
		return 1
	case r.Spread:
		return 1 / float64(r.Nodes)
	case step%(r.Nodes-1) == 0:
		return 1
	}
	return 0
}

// Energies sets dst[u], for every node, to the energy of u towards the observers
// together. Their view is exactly Gaussian with a squared shift of
// dst[u]/sigma^2. It is +Inf if they see a sum without noise of others. An
// observer's own entry is 0. The observers know the noise they added themselves.
// Energies panics if dst has another length than Nodes. It takes Nodes*Rounds
// steps.
//
// Between two of their turns the observers see one sum, of values of others that
// each occur once and of noise of variance s. Sums of different segments have
// independent noise. So the energy is the sum of 1/s over the segments that u is
// in.
func (r Ring) Energies(dst []float64, observers ...int) error {
	if err := cmp.Or(r.checkFollowed(), r.checkObservers(observers)); err != nil {
		return err
	}
	if len(dst) != r.Nodes {
		panic("privacy/sums: Ring.Energies with a slice of the wrong length")
	}
	clear(dst)
	watches := make([]bool, r.Nodes)
	for _, v := range observers {
		watches[v] = true
	}
	first, noise := 0, 0.0 // the open segment
	for step := range r.Nodes * r.Rounds {
		if watches[step%r.Nodes] {
			r.close(dst, first, step, noise)
			first, noise = step+1, 0
			continue
		}
		noise += r.variance(step)
	}
	if r.Final {
		r.close(dst, first, r.Nodes*r.Rounds, noise)
	}
	return nil
}

// close charges the nodes whose steps are first..end-1.
func (r Ring) close(dst []float64, first, end int, noise float64) {
	for step := first; step < end; step++ {
		dst[step%r.Nodes] += 1 / noise
	}
}

func (r Ring) checkObservers(observers []int) error {
	if len(observers) == 0 {
		return fault.New("nobody observes the ring", "name at least one observer")
	}
	for _, v := range observers {
		if v < 0 || v >= r.Nodes {
			return fault.New(fmt.Sprintf("node %d is not in a ring of %d nodes", v, r.Nodes), "nodes are 0..n-1")
		}
	}
	return nil
}

// Worst returns the largest energy over all u, towards the given observers, or
// towards any single node if none is given.
//
// For one observer and no release of the total it is Rounds with lumped noise,
// because each round brings one segment of n-1 steps of others with one noise in
// it. With spread noise it is 1 + (Rounds-1) n/(n-1), because the observer's own
// share of the noise hides nothing from it. So every node would have to add
// 1/(n-1) of the variance, not the 1/n of Remark 5.6.
func (r Ring) Worst(observers ...int) (float64, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	if len(observers) == 0 {
		return r.worstSingle(), nil
	}
	if err := r.checkFollowed(); err != nil {
		return 0, err
	}
	dst := make([]float64, r.Nodes)
	if err := r.Energies(dst, observers...); err != nil {
		return 0, err
	}
	worst := 0.0
	for _, e := range dst {
		worst = max(worst, e)
	}
	return worst, nil
}

// worstSingle returns the largest energy over all single observers.
func (r Ring) worstSingle() float64 {
	n, k := float64(r.Nodes), float64(r.Rounds)
	switch {
	case r.Sealed:
		return r.worstSealed()
	case !r.Spread && r.Final && r.bareEnd():
		return math.Inf(1)
	case !r.Spread:
		return k
	case r.Final: // node n-2 sees the last node's last step alone
		return (k-1)*n/(n-1) + n
	}
	return (k-1)*n/(n-1) + 1 // node 1 sees the first step alone
}

// worstSealed returns the largest energy over observers, one by one: of a node
// before and one after each.
func (r Ring) worstSealed() (worst float64) {
	for v := range r.Nodes {
		if v > 0 {
			worst = max(worst, r.Energy(0, v))
		}
		if v < r.Nodes-1 {
			worst = max(worst, r.Energy(r.Nodes-1, v))
		}
	}
	return worst
}

// bareEnd reports whether the last step that adds noise is not the last step of
// all. A node that holds the token in between can then subtract the sum it knew.
func (r Ring) bareEnd() bool { return (r.Nodes*r.Rounds-1)%(r.Nodes-1) != 0 }

// Published returns the loss of 002, Theorem 5.5: K receipts of a mechanism that
// is (eps0, delta0)-DP in the local model, by advanced composition.
func (r Ring) Published(eps0, delta0, deltaPrime float64) (privacy.Guarantee, error) {
	if err := cmp.Or(r.check(), privacy.CheckLoss(eps0), privacy.CheckDeltas(delta0, deltaPrime)); err != nil {
		return privacy.Guarantee{}, err
	}
	k := float64(r.Rounds)
	return privacy.Guarantee{
		Claim: privacy.Claim{Accountant: "ring sum, advanced composition", Status: privacy.Published, Assumptions: []string{
			"one observer that sees the token at its own turns; no collusion, and the total is shown to nobody",
			"the local mechanism's own loss and delta are as given",
		}},
		Epsilon: privacy.AdvancedComposition(k, eps0, deltaPrime), Delta: float64(k*delta0) + deltaPrime,
	}, nil
}

// Sound returns the exact loss at noise multiplier sigma, the standard deviation
// of one release over the largest change of one value. It is that of a Gaussian
// of mu = sqrt(energy)/sigma for the worst pair. Without observers it is towards
// any single node.
func (r Ring) Sound(sigma float64, m privacy.Metric, observers ...int) (float64, privacy.Claim, error) {
	if err := cmp.Or(m.Check(), privacy.CheckSigma(sigma)); err != nil {
		return 0, privacy.Claim{}, err
	}
	energy, err := r.Worst(observers...)
	if err != nil {
		return 0, privacy.Claim{}, err
	}
	return privacy.GaussianLoss(energy, sigma, m), r.claim(observers), nil
}

// Tight returns the smallest noise with Sound at most target.
func (r Ring) Tight(target float64, m privacy.Metric, observers ...int) (privacy.Noise, privacy.Calibration, error) {
	energy, err := r.Worst(observers...)
	if err != nil {
		return privacy.Noise{}, privacy.Calibration{}, err
	}
	cal, err := privacy.TightGaussian(energy, target, m)
	return privacy.Noise{Claim: r.claim(observers), Multiplier: cal.Sigma}, cal, err
}

func (r Ring) claim(observers []int) privacy.Claim {
	who := "one observer, whoever it is, that sees the token at its own turns"
	if len(observers) > 0 {
		who = fmt.Sprintf("nodes %v pool what they see at their turns", observers)
	}
	total := "the total is shown to nobody else"
	if r.Final {
		total = "the total is shown to everybody"
	}
	return privacy.Claim{Accountant: "ring sum, composed Gaussians", Status: privacy.Sound, Final: r.Final, Gaussian: true, Assumptions: []string{
		who, total, "the noise is Gaussian, and every node adds its own honestly",
	}}
}
