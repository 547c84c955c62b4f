package gossipfamily

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// pairwiseName is the accountant of noise that cancels between neighbours
// (docs/PAIRWISE.md).
const pairwiseName = "pairwise"

// checkPairwise says what noise that cancels asks of the other keys, and makes its
// accountant the one that a spec relies on if it names none.
func (k *Keys) checkPairwise(s *spec.Spec) error {
	if k.Pairwise == 0 {
		if s.Privacy.Accountant == pairwiseName {
			return fault.New("privacy.accountant: pairwise prices noise that cancels between partners, and this spec has none",
				"give algorithm.pairwise: 10, the noise of a secret over a node's own, or another accountant")
		}
		if k.Secrets != "" {
			return fault.New(fmt.Sprintf("algorithm.secrets: %s, but no noise follows from secrets without algorithm.pairwise", k.Secrets), "give algorithm.pairwise: 10, say, or leave secrets out")
		}
		return nil
	}
	switch {
	case gen.IsExpression(k.Secrets) && graphfile.IsSecretsFile(k.Secrets):
		return fault.New(fmt.Sprintf("algorithm.secrets: %s is a generator that secrets are not drawn by", k.Secrets), "use edges, regular:4, complete, or the path of a graph file")
	case isAveraging(s):
		return fault.New("algorithm.pairwise: gossip averages one value of each node, under noise of its own", "leave it out, or use kind: gossip-gd")
	case k.changes(s):
		return fault.New("algorithm.pairwise: noise cancels where all nodes take part in all turns, on one graph", "leave out wake, dropout, redraw and sequences of graphs, or pairwise")
	case k.Noise == eachTurn:
		return fault.New("algorithm.pairwise: what was sent once costs nothing to average again, and noise: turn adds more noise before every turn",
			"use noise: step")
	}
	if s.Privacy.Accountant == "" {
		s.Privacy.Accountant = pairwiseName
	}
	return nil
}

// openSecrets sets who shares secrets, and returns the pairs of them as the protocol takes them.
func (a *Algorithm) openSecrets() (*sparse.Matrix, error) {
	var err error
	if a.secrets, a.secretsNote, err = graphfile.OpenSecrets(a.keys.Secrets, a.Graph, a.Spec.Seed); err != nil {
		return nil, fault.New("algorithm."+err.Error(), fault.Hint(err))
	}
	if a.keys.Secrets == "" {
		return a.Transition.Sparse(), nil
	}
	t, err := graph.NewTransition(a.secrets, "")
	if err != nil {
		return nil, err
	}
	return t.Sparse(), nil
}

// Secrets implements family.Sharer.
func (a *Algorithm) Secrets() *graph.Graph {
	if a.keys.Pairwise == 0 {
		return nil
	}
	return a.secrets
}

// pairwise is the accountant of the schedule.
func (a *Algorithm) pairwise() (*pairwise.Accountant, error) {
	accountant, err := pairwise.Of(a.schedule(), a.pairClass())
	if err != nil {
		return nil, fault.New("privacy.accountant: pairwise: "+err.Error(), fault.Hint(err))
	}
	return accountant, nil
}

// pairClass are the symmetries that the generator of the secrets graph is known for, nil for none.
func (a *Algorithm) pairClass() func(u, v int) int {
	if s, ok := a.secrets.Symmetry(); ok {
		if class, known := walkpath.SymmetricClass(s.Family, s.Sides); known {
			return class
		}
	}
	return nil
}

// pairwiseAccountant stands beside others where all pairs are worked out at once.
func (a *Algorithm) pairwiseAccountant(m privacy.Metric) family.Accountant {
	quick := func() bool {
		accountant, err := a.pairwise()
		return err == nil && a.Protocol.Nodes <= family.PairLimit && accountant.EveryCost() <= besideFlow
	}
	price := func(sigma *float64) (family.Account, float64, error) {
		account, found, err := a.priced(pairwiseName, m)(sigma)
		if err != nil || sigma != nil {
			return account, found, err
		}
		return a.raised(account, found, m)
	}
	check := func() error {
		_, err := a.pairwise()
		return err
	}
	return family.Accountant{Name: pairwiseName, Check: check, Beside: quick, Price: price}
}

// pairwisePairs are the energies of all pairs, worked out once.
func (a *Algorithm) pairwisePairs(workers int) (*gossipview.Pairs, error) {
	accountant, err := a.pairwise()
	if err != nil {
		return nil, err
	}
	return a.found.once(pairwiseName, func() *gossipview.Pairs {
		pairs := accountant.Every(workers)
		if pairs.Drawn = a.drawn(); pairs.Drawn != nil {
			pairs.Gaussian, pairs.Assumptions = false, append(pairs.Assumptions, privacy.PoissonAssumption)
		}
		return pairs
	}), nil
}

// drawn says of every node how its rows are in what it releases where those are Poisson
// samples, else nil. A round is then still one Gaussian view, whose shift is that of a row that
// is in, or none (docs/PAIRWISE.md).
func (a *Algorithm) drawn() (all []privacy.Poisson) {
	for _, rate := range a.Protocol.Noise.Rates() {
		all = append(all, privacy.Poisson{Rate: rate, Steps: a.Charged()})
	}
	return all
}

// lossOf is that of an energy of node u's at a noise multiplier.
func (a *Algorithm) lossOf(u int, energy, sigma float64, m privacy.Metric) float64 {
	if rate := a.Protocol.Noise.Rate(step.NodeID(u)); rate < 1 {
		return privacy.Poisson{Rate: rate, Steps: a.Charged()}.Loss(energy/(sigma*sigma), m)
	}
	return privacy.GaussianLoss(energy, sigma, m)
}

// raised is an account at the noise that keeps coalitions too, where the spec names a
// size and asks for a largest loss.
func (a *Algorithm) raised(account family.Account, sigma float64, m privacy.Metric) (family.Account, float64, error) {
	target, err := a.Target()
	if size := a.Spec.Privacy.Coalition; err != nil || size == 0 || !target.IsMax() {
		return account, sigma, err
	}
	worst, _, err := a.worst()
	if err != nil {
		return account, sigma, err
	}
	shown := func(sigma float64) float64 { return privacy.GaussianLoss(slices.Max(worst), sigma, family.Tightest(m)) }
	found, err := privacy.Calibrate(shown, privacy.LeastSigma, target.Limits[0].Loss)
	if a.Protocol.Noise.Sampled() && err == nil {
		found, err = privacy.CalibrateBelow(shown, a.worstLoss(worst, family.Tightest(m)), privacy.LeastSigma, target.Limits[0].Loss)
	}
	if err != nil || found.Sigma <= sigma {
		return account, sigma, err
	}
	return a.priced(pairwiseName, m)(&found.Sigma)
}

// worstLoss is the largest loss of nodes with these energies, as a function of sigma.
func (a *Algorithm) worstLoss(energies []float64, m privacy.Metric) func(sigma float64) float64 {
	largest := map[float64]int{} // by rate: who has the most
	for u, energy := range energies {
		rate := a.Protocol.Noise.Rate(step.NodeID(u))
		if first, found := largest[rate]; !found || energy > energies[first] {
			largest[rate] = u
		}
	}
	return func(sigma float64) float64 {
		most := 0.0
		for _, u := range largest {
			most = max(most, a.lossOf(u, energies[u], sigma, m))
		}
		return most
	}
}

// worst are the energies of all nodes towards any so many others as the spec says.
func (a *Algorithm) worst() ([]float64, privacy.Claim, error) {
	accountant, err := a.pairwise()
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	return accountant.Worst(a.Spec.Privacy.Coalition, runtime.GOMAXPROCS(0))
}

// pooled is what the worst so many nodes as the spec says learn of each node.
func (a *Algorithm) pooled(sigma float64) (*report.Coalition, error) {
	switch {
	case a.Spec.Privacy.Coalition > 0 && a.averaging() && a.Spec.Privacy.Accountant == "exact":
		return a.pooledExactly(sigma)
	case a.Spec.Privacy.Coalition == 0 || a.Spec.Privacy.Accountant != pairwiseName:
		return nil, nil
	}
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	worst, claim, err := a.worst()
	if err != nil {
		return nil, err
	}
	if a.Protocol.Noise.Sampled() {
		claim.Assumptions = append(claim.Assumptions, privacy.PoissonAssumption)
	}
	type member struct{ rate, energy float64 }
	c, total, known := &report.Coalition{Size: a.Spec.Privacy.Coalition, Status: report.Status(claim.Status),
		Assumptions: claim.Grounds()}, 0.0, map[member]float64{}
	for u, energy := range worst {
		key := member{a.Protocol.Noise.Rate(step.NodeID(u)), energy}
		loss, found := known[key]
		if !found {
			loss = a.lossOf(u, energy, sigma, family.Tightest(m))
			known[key] = loss
		}
		total += loss
		if c.Max < report.Number(loss) {
			c.Max, c.About = report.Number(loss), u
		}
	}
	c.Mean = report.Number(total / float64(len(worst)))
	return c, nil
}

// explainPairwise sets what the accountant says of one pair.
func (a *Algorithm) explainPairwise(e *family.Explanation) (energy float64, err error) {
	accountant, err := a.pairwise()
	if err != nil {
		return 0, err
	}
	energies, err := accountant.Towards(e.About, runtime.GOMAXPROCS(0))
	if err != nil {
		return 0, err
	}
	energy = energies[e.Observer]
	if relatives := a.Protocol.Noise.Relatives(); relatives != nil { // in units of the node's own sensitivity, as e.Why.Sigma is
		energy /= relatives[e.About] * relatives[e.About]
	}
	e.Accountant, e.Assumptions = pairwiseName, accountant.Claim().Grounds()
	if e.Rate > 0 {
		e.Assumptions = append(e.Assumptions, privacy.PoissonAssumption)
	}
	e.Why.Cancels, e.Why.Partners, e.Why.Seen = a.keys.Pairwise, a.secrets.HasEdge(e.About, e.Observer), energy
	return energy, nil
}
