package gossipfamily

import (
	"context"
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

// pairwiseName is the accountant of noise that cancels between partners (docs/PAIRWISE.md).
const pairwiseName = "pairwise"

// checkPairwise refuses keys that cancelling noise cannot have. It sets the accountant to pairwise if the spec names none.
func (k *Keys) checkPairwise(s *spec.Spec) error {
	if k.Pairwise == 0 {
		if s.Privacy.Accountant == pairwiseName {
			return fault.New("privacy.accountant: pairwise prices noise that cancels between partners, and this spec has none",
				"give algorithm.pairwise: 10, the noise of a secret over a node's own, or another accountant")
		}
		if k.Secrets != "" {
			return fault.New(fmt.Sprintf("algorithm.secrets: %s, but no noise follows from secrets without algorithm.pairwise", k.Secrets), "give algorithm.pairwise: 10, say, or leave secrets out")
		}
		if k.Absent != 0 {
			return fault.New(fmt.Sprintf("algorithm.absent: %d, but without algorithm.pairwise nobody shares noise that a missing participant would leave behind", k.Absent),
				"give algorithm.pairwise: 10, say, or leave absent out; dropout alone simulates who is away")
		}
		return nil
	}
	switch {
	case gen.IsExpression(k.Secrets) && graphfile.IsSecretsFile(k.Secrets):
		return fault.New(fmt.Sprintf("algorithm.secrets: %s is a generator that secrets are not drawn by", k.Secrets), "use edges, regular:4, complete, or the path of a graph file")
	case isAveraging(s):
		return fault.New("algorithm.pairwise: gossip averages one value of each node, under noise of its own", "leave it out, or use kind: gossip-gd")
	case k.changesWithin(s) || k.Redraw > 0:
		return fault.New("algorithm.pairwise: noise cancels where all nodes take part in all turns of a step, on one graph",
			"leave out wake, dropout, redraw and sequences of graphs, or pairwise; with absent: 1 dropout has one node miss a step")
	case k.Noise == eachTurn:
		return fault.New("algorithm.pairwise: what was sent once costs nothing to average again, and noise: turn adds more noise before every turn",
			"use noise: step")
	}
	if s.Privacy.Accountant == "" {
		s.Privacy.Accountant = pairwiseName
	}
	return nil
}

// openSecrets opens the secrets graph and returns its pairs as the protocol takes them.
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

// pairwise returns the accountant of the schedule.
func (a *Algorithm) pairwise() (*pairwise.Accountant, error) {
	accountant, err := pairwise.Of(a.schedule(), a.pairClass())
	if err != nil {
		return nil, fault.New("privacy.accountant: pairwise: "+err.Error(), fault.Hint(err))
	}
	return accountant, nil
}

// pairClass returns the known symmetries of the generator of the secrets graph. It returns nil if none are known.
func (a *Algorithm) pairClass() func(u, v int) int {
	if s, ok := a.secrets.Symmetry(); ok {
		if class, known := walkpath.SymmetricClass(s.Family, s.Sides); known {
			return class
		}
	}
	return nil
}

// pairwiseAccountant returns the accountant of all pairs. It stands beside others where that is quick.
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

// pairwisePairs returns the energies of all pairs. It computes them once.
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

// drawn returns for every node how its rows are sampled. It returns nil if they are no Poisson samples. A round is then still
// one Gaussian view, whose shift is that of a row that is in the sample, or zero (docs/PAIRWISE.md).
func (a *Algorithm) drawn() (all []privacy.Poisson) {
	for _, rate := range a.Protocol.Noise.Rates() {
		all = append(all, privacy.Poisson{Rate: rate, Steps: a.Charged()})
	}
	return all
}

// lossOf returns the loss of an energy of node u at a noise multiplier.
func (a *Algorithm) lossOf(u int, energy, sigma float64, m privacy.Metric) float64 {
	if rate := a.Protocol.Noise.Rate(step.NodeID(u)); rate < 1 {
		return privacy.Poisson{Rate: rate, Steps: a.Charged()}.Loss(energy/(sigma*sigma), m)
	}
	return privacy.GaussianLoss(energy, sigma, m)
}

// raised returns the account at a noise that also keeps coalitions below the target. It does so where the spec names a
// coalition size and a largest loss.
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

// worstLoss returns the largest loss of nodes with these energies, as a function of sigma.
func (a *Algorithm) worstLoss(energies []float64, m privacy.Metric) func(sigma float64) float64 {
	largest := map[float64]int{} // by rate: the node with the largest energy
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

// worst returns the energies of all nodes towards the worst coalition of the spec's size.
func (a *Algorithm) worst() ([]float64, privacy.Claim, error) {
	accountant, err := a.pairwise()
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	return accountant.Worst(a.Spec.Privacy.Coalition, runtime.GOMAXPROCS(0))
}

// pooled returns the leakage of each node towards the worst coalition of the spec's size. It returns nil if none is priced.
func (a *Algorithm) pooled(ctx context.Context, sigma float64) (*report.Coalition, error) {
	switch {
	case a.Spec.Privacy.Coalition > 0 && a.flows():
		return a.pooledFlows(ctx, sigma)
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

// explainPairwise sets the accountant's results for one pair, and returns its energy.
func (a *Algorithm) explainPairwise(e *family.Explanation) (energy float64, err error) {
	accountant, err := a.pairwise()
	if err != nil {
		return 0, err
	}
	energies, claim, err := accountant.Towards(e.About, runtime.GOMAXPROCS(0))
	if err != nil {
		return 0, err
	}
	energy = energies[e.Observer]
	if relatives := a.Protocol.Noise.Relatives(); relatives != nil { // to units of the node's own sensitivity, as e.Why.Sigma is
		energy /= relatives[e.About] * relatives[e.About]
	}
	e.Accountant, e.Assumptions = pairwiseName, claim.Grounds()
	if e.Rate > 0 {
		e.Assumptions = append(e.Assumptions, privacy.PoissonAssumption)
	}
	e.Why.Cancels, e.Why.Absent, e.Why.Partners, e.Why.Seen = a.keys.Pairwise, a.keys.Absent, a.secrets.HasEdge(e.About, e.Observer), energy
	others := a.secrets.Degree(e.About)
	if e.Why.Partners {
		others--
	}
	e.Why.Bare = others <= a.keys.Absent
	return energy, nil
}
