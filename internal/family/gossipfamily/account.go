package gossipfamily

import (
	"fmt"
	"runtime"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
)

// exactLimit is the largest number of nodes for which the exact accountant runs although the spec does not name it.
const exactLimit = 1024

// StoppingTime returns the number of turns of 002 Theorem 6.2, or of Theorem 6.4 where edges wake one by one.
func (a *Algorithm) StoppingTime(sigma float64) (int, error) {
	p := a.Protocol
	rate := a.Gap.Value
	switch edges, ok := a.Weights.(*graph.Activations); {
	case !a.Gap.Converged || rate <= 0:
		return 0, fault.New("algorithm.steps: is missing, and without a positive spectral gap no stopping time is known", "give steps, or weights: hamilton")
	case ok:
		rate = edges.Gap(1 - a.Gap.Second)
	case p.Gamma != 1:
		rate = math.Sqrt(rate)
	default:
		rate *= 2
	}
	std := sigma * p.Noise.Sensitivity()
	return gossip.StoppingTime(p.Nodes, rate, float64(p.Params)*std*std, p.Noise.Clip*p.Noise.Clip), nil
}

// Accountants implements family.Algorithm.
func (a *Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	few := func() bool {
		return a.Protocol.Nodes <= exactLimit && (!a.keys.changes(a.Spec) || a.entries() <= gossipview.MostEntries)
	}
	printed := func() bool {
		return a.Protocol.Nodes <= family.PairLimit && a.checkPublished() == nil && !a.Spec.Records()
	}
	all := []family.Accountant{
		{Name: "published", Check: a.checkPublished, Beside: printed, Price: a.priced("published", m)},
		a.local(m),
	}
	if a.averaging() {
		return append([]family.Accountant{{Name: "exact", Beside: few, Price: a.priced("exact", m)}}, all...)
	}
	if a.keys.Pairwise > 0 {
		return append([]family.Accountant{a.pairwiseAccountant(m)}, append(all, a.flowAccountants(m)...)...)
	}
	flows := a.flowAccountants(m)
	return append(append(flows[:1:1], all...), flows[1:]...)
}

// entries returns the approximate number of entries of the matrices of all turns.
func (a *Algorithm) entries() float64 {
	row := 2.0
	if a.keys.Wake == "all" {
		row += 2 * float64(a.Graph.Edges()) / float64(a.Protocol.Nodes)
	}
	return float64(a.Turns()) * float64(a.Protocol.Nodes) * (1 + row)
}

// priced returns the Price function of an accountant of pairs.
func (a *Algorithm) priced(name string, m privacy.Metric) func(*float64) (family.Account, float64, error) {
	return func(sigma *float64) (family.Account, float64, error) {
		if n := a.Protocol.Nodes; n > family.PairLimit {
			return family.Account{}, 0, fault.New(fmt.Sprintf("the %s accountant of all pairs of %d nodes would take %d GB", name, n, n*n*16>>30),
				"use privacy.accountant: local, which is one number for all pairs")
		}
		pairs, err := a.pairs(name)
		if err != nil {
			return family.Account{}, 0, err
		}
		a.stage("losses of all pairs")
		return a.charge(name, pairs, sigma, family.Tightest(m))
	}
}

// charge returns the account of pairs at sigma, or at the calibrated sigma if sigma is nil.
func (a *Algorithm) charge(name string, pairs *gossipview.Pairs, sigma *float64, m privacy.Metric) (family.Account, float64, error) {
	losses, err := a.losses(pairs, sigma, m)
	if err != nil {
		return family.Account{}, 0, err
	}
	account := family.Account{Accounted: family.Accounted(name, losses.Mean(), losses.Max(), losses.Claim), At: losses.Table()}
	account.In = func(u, v int, sigma float64, m privacy.Metric) (float64, error) {
		if pairs.Drawn != nil {
			return pairs.Drawn[u].Loss(pairs.At(u, v)/(sigma*sigma), m), nil
		}
		return privacy.GaussianLoss(pairs.At(u, v), sigma, m), nil
	}
	switch name {
	case flowName:
		account.Law = func(u, v int) *walkpath.Law { return a.ofEnergy(pairs.Claim, u, pairs.At(u, v)) }
	case pairwiseName:
		account.Law = func(u, v int) *walkpath.Law { return a.sampledLaw(pairs.Claim, u, pairs.At(u, v)) }
	}
	if value, some := beyond(pairs, a.Graph); some && losses.Sigma > 0 && pairs.Drawn == nil { // else the table says it
		loss := report.Number(m.GaussianView(value / (losses.Sigma * losses.Sigma)))
		account.MaxBeyondNeighbours = &loss
	}
	return account, losses.Sigma, nil
}

func (a *Algorithm) losses(pairs *gossipview.Pairs, sigma *float64, m privacy.Metric) (*gossipview.Losses, error) {
	if sigma != nil {
		return pairs.Losses(*sigma, m)
	}
	target, err := a.Target()
	if err != nil {
		return nil, err
	}
	var losses *gossipview.Losses
	switch {
	case target.Mean != 0:
		losses, _, err = pairs.Calibrate(privacy.Mean, target.Mean, m)
	case target.IsMax():
		losses, _, err = pairs.Calibrate(privacy.Max, target.Limits[0].Loss, m)
	default:
		losses, err = pairs.CalibrateLimits(target.Limits, m)
	}
	return losses, err
}

// beyond returns the largest value of ordered pairs of non-neighbours in g, and whether there are any.
func beyond(pairs *gossipview.Pairs, g *graph.Graph) (worst float64, some bool) {
	near := make([]int, pairs.N) // u+1: a neighbour of u
	for u := range near {
		near[u] = u + 1
		for _, v := range g.Neighbours(u) {
			near[v] = u + 1
		}
		for v, of := range near {
			if of != u+1 {
				some, worst = true, max(worst, pairs.At(u, v))
			}
		}
	}
	return worst, some
}

// pairs returns the energies or leakages of all pairs by the named accountant.
func (a *Algorithm) pairs(name string) (*gossipview.Pairs, error) {
	workers := runtime.GOMAXPROCS(0)
	switch name {
	case flowName:
		return a.flowPairs(workers)
	case pairwiseName:
		return a.pairwisePairs(workers)
	}
	if !a.averaging() {
		if err := a.checkPublished(); err != nil {
			return nil, err
		}
		rounds, err := gossipview.RoundsOf(a.schedule())
		if err != nil {
			return nil, err
		}
		return rounds.Published(workers), nil
	}
	s := a.schedule()
	accountant, err := gossipview.Of(s)
	if err != nil {
		return nil, err
	}
	if name == "published" {
		if err := a.checkPublished(); err != nil {
			return nil, err
		}
		return accountant.PublishedSum(workers), nil
	}
	if a.stage("what each node sees of all others"); a.Watch != nil {
		accountant = accountant.WithProgress(a.Watch.Progress)
	}
	return accountant.Leakage(workers).Of(s.Relatives(), a.Unit()), nil
}

// checkPublished returns an error if 002 Theorem 6.9 gives no number for this run.
func (a *Algorithm) checkPublished() error {
	if a.keys.Pairwise > 0 {
		return fault.New("privacy.accountant: 002 Theorem 6.9 knows no noise that cancels", "use accountant: pairwise or local")
	}
	if a.Protocol.Momentum != 0 {
		return fault.New("privacy.accountant: 002 Theorem 6.9 knows no momentum: what a node carries on would be a hidden state", "use accountant: local, which charges every message as public")
	}
	if a.Protocol.Noise.Together {
		return fault.New("privacy.accountant: 002 Theorem 6.9 is for rows that are clipped one by one, and algorithm.clip_each is mean", "use accountant: local, which asks nothing of a step but its sensitivity")
	}
	if a.Protocol.Noise.Clips != nil {
		return fault.New("privacy.accountant: 002 Theorem 6.9 is for nodes that all clip alike, and privacy.limits gives some a clip of their own", "use accountant: local, flow or pairwise")
	}
	if a.Protocol.Memory != nil || a.Protocol.Epoch > 1 {
		return fault.New("privacy.accountant: 002 Theorem 6.9 knows neither noise that remembers earlier rounds nor batches that take turns", "use accountant: local or pairwise")
	}
	if a.Protocol.Final {
		return fault.New("privacy.accountant: 002 Theorem 6.9 prices the messages that a node is sent, and privacy.release: final shows everybody the last models", "use accountant: flow or local")
	}
	if a.keys.Noise == eachTurn && !a.averaging() {
		return fault.New("privacy.accountant: 002 Theorem 6.9 prices noise in each step, not in each turn", "use accountant: local or flow")
	}
	if err := CheckPublished(a.Transition, "privacy.accountant: published", a.soundHint()); err != nil {
		return err
	}
	if a.averaging() || !a.keys.changes(a.Spec) {
		return nil
	}
	return fault.New("privacy.accountant: 002 Theorem 6.9 prices gossip rounds on a fixed graph only", "use accountant: local")
}

// CheckPublished refuses a given matrix that is not symmetric, because 002 defines gossip matrices as symmetric. asked says how
// the accountant was asked for.
func CheckPublished(t *graph.Transition, asked, hint string) error {
	if !t.Own() {
		return nil
	}
	return t.CheckSymmetric(asked+" (002 Theorems 6.1 and 6.9)", graph.Tolerance, hint)
}

// soundHint names the accountants whose only condition on a matrix is that it keeps the mean.
func (a *Algorithm) soundHint() string {
	if a.averaging() {
		return "use privacy.accountant: exact or local, which take any doubly stochastic matrix"
	}
	return "use privacy.accountant: flow or local, which take any doubly stochastic matrix"
}

// Schedule implements family.Algorithm.
func (a *Algorithm) Schedule() schedule.Schedule {
	s := a.schedule()
	return &s
}

// schedule returns the schedule of the protocol, with the matrices of its turns. Averaging takes one step, onto a node's own
// value.
func (a *Algorithm) schedule() schedule.Gossip {
	guarantees := a.Guarantees
	if a.averaging() {
		guarantees = a.Protocol.Objective.Guarantees(a.Federation.Bound)
	}
	s := a.Protocol.Schedule(a.Weights, guarantees)
	if !a.keys.changes(a.Spec) {
		s.W = a.Weights.Matrix(0) // the balanced matrix, as it runs
	}
	return s
}
