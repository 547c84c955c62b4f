package admm

import (
	"fmt"
	"math"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	loss "github.com/hearsay-dp/hearsay/privacy/admm"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/report"
)

// means is the accountant of who sees nothing but means of the variables of all nodes
// (docs/ADMM.md), each of which updates in every round.
const means = "means"

// everyRound reports whether all nodes update in every round.
func (a *Algorithm) everyRound() bool {
	return a.Protocol.Sampled == a.Protocol.Nodes && a.Protocol.Contributions() == a.Protocol.Rounds
}

// checkMeans refuses what the theorem is not about.
func (a *Algorithm) checkMeans() error {
	update := a.update()
	switch {
	case !a.everyRound():
		return fault.New(fmt.Sprintf("privacy.accountant: %s is for rounds in which all nodes update, and here %d of %d are drawn, each in at most %d of %d", means,
			a.Protocol.Sampled, a.Protocol.Nodes, a.Contributions(), a.Protocol.Rounds), "leave sampled and contributions out, or use accountant: local")
	case update.Expansive() != "":
		return fault.New(fmt.Sprintf("privacy.accountant: %s counts on convex losses, but %s", means, update.Expansive()), "use accountant: local")
	case a.hiding(-1) < 1:
		return fault.New("nodes: too few to hide among", "use accountant: local")
	}
	return nil
}

// update is what is known of proximal steps on the losses.
func (a *Algorithm) update() model.Update {
	return a.Guarantees.Proximal(model.Descent{Step: a.Protocol.Gamma, Clip: a.Protocol.Noise.Clip})
}

// step is what is known of the updates, for accountants.
func (a *Algorithm) step() loss.Step {
	s, update := a.schedule(), a.update()
	shrink := 1 / (1 + s.Gamma*s.Strong)
	step := loss.Step{
		Lambda: s.Lambda, Shrink: shrink, Regularised: !a.Protocol.Regulariser.None(), Kept: s.Relatives() != nil, Inexact: s.Tolerance,
		Source: update.Source(), Asserted: update.IsAsserted(),
	}
	if relatives := s.Relatives(); relatives != nil { // in units of what one record can move the node with most rows by
		step.Inexact /= slices.Min(relatives) * s.Sensitivity / (2 * s.Clip)
	}
	if bend := shrink * s.Gamma * a.Guarantees.LossSmoothness(); bend >= 0 && bend < math.MaxFloat64 {
		step.Memory = min(1, bend/(1+bend)*(1+1e-12))
	}
	if step.Memory == 0 {
		step.Memory = 1
	}
	return step
}

// hiding is how many nodes' variables an observer, negative for who takes no part, knows
// the sum of and nothing else: all but its own. 0: it sees every change.
func (a *Algorithm) hiding(observer int) int {
	switch server := int(a.Protocol.Server); {
	case server < 0:
		return a.Protocol.Nodes
	case observer == server && !a.keys.SecureSum:
		return 0
	}
	return a.Protocol.Nodes - 1
}

// view is what an observer sees of each node.
func (a *Algorithm) view(observer int) (energy float64, claim privacy.Claim, err error) {
	nodes := a.hiding(observer)
	if nodes == 0 {
		return float64(a.Contributions()), privacy.LocalClaim(a.Contributions()), nil
	}
	c := loss.Curated{Step: a.step(), Nodes: nodes, Rounds: a.Protocol.Rounds}
	if energy, err = c.Energy(); err != nil {
		return 0, claim, err
	}
	_, claim, err = c.Loss(loss.Consensus{Lipschitz: a.Protocol.Noise.Clip, Gamma: a.Protocol.Gamma}.WithMultiplier(1), privacy.Metric{Delta: 1e-6})
	return energy, claim, err
}

// meansAccountant prices every pair by what its observer sees.
func (a *Algorithm) meansAccountant(m privacy.Metric) family.Accountant {
	return family.Accountant{Name: means, Check: a.checkMeans, Beside: func() bool { return a.checkMeans() == nil },
		Price: func(sigma *float64) (family.Account, float64, error) {
			at, claim, err := a.pairs()
			if err != nil {
				return family.Account{}, 0, err
			}
			low := 0.0
			if sigma == nil {
				found, err := a.calibrate(at, m)
				if err != nil {
					return family.Account{}, 0, err
				}
				sigma, low = &found.Sigma, found.Low
			}
			all := a.losses(at, *sigma, m)
			beyond := report.Number(all.beyond)
			account := family.Account{Accounted: family.Accounted(means, all.mean, all.most, claim), Low: low,
				At: func(u, v int) float64 { return at(u, v, *sigma, m) },
				In: func(u, v int, sigma float64, m privacy.Metric) (float64, error) { return at(u, v, sigma, m), nil }}
			account.MaxBeyondNeighbours = &beyond
			return account, *sigma, nil
		}}
}

// priced is the loss of a pair at a noise multiplier.
type priced func(u, v int, sigma float64, m privacy.Metric) float64

// pairs are the losses of all.
func (a *Algorithm) pairs() (priced, privacy.Claim, error) {
	server, relatives := int(a.Protocol.Server), a.Protocol.Noise.Relatives()
	hidden, claim, err := a.view(-1)
	bare := hidden
	if err == nil && server >= 0 {
		bare, _, err = a.view(server)
	}
	if server >= 0 && !a.keys.SecureSum {
		claim.Assumptions = append(slices.Clone(claim.Assumptions), fmt.Sprintf("%s sees every change, and towards it the local loss counts", a.Name(server)))
	}
	known := map[[3]float64]float64{}
	return func(u, v int, sigma float64, m privacy.Metric) float64 {
		energy, own := hidden, sigma
		if v == server {
			energy = bare
		}
		if relatives != nil {
			own /= relatives[u]
		}
		key := [3]float64{energy, own, m.Delta + m.Order} // one of them is 0
		x, found := known[key]
		if !found {
			x = privacy.GaussianLoss(energy, own, family.Tightest(m))
			known[key] = x
		}
		return x
	}, claim, err
}

// summary is what is told of all pairs.
type summary struct{ mean, most, beyond float64 } // beyond: the largest of pairs that exchange no messages

// losses sums up all pairs. Nodes of one sensitivity lose alike, but for the one who sums.
func (a *Algorithm) losses(at priced, sigma float64, m privacy.Metric) (s summary) {
	n, server := a.Protocol.Nodes, int(a.Protocol.Server)
	add := func(u, v, pairs int) {
		if pairs == 0 {
			return
		}
		x := at(u, v, sigma, m)
		s.mean += x * (float64(pairs) / (float64(n) * float64(n-1)))
		if s.most = max(s.most, x); u != server && v != server {
			s.beyond = max(s.beyond, x)
		}
	}
	for _, like := range a.alike {
		u := like.node
		v := 0 // an observer who does not sum
		for v == u || v == server {
			v++
		}
		if server >= 0 && u != server {
			add(u, server, like.nodes)
			add(u, v, like.nodes*(n-2))
		} else {
			add(u, v, like.nodes*(n-1))
		}
	}
	return s
}

// A class is a node, and how many there are like it.
type class struct{ node, nodes int }

// classes are those of nodes of one sensitivity, and of the one who sums.
func (a *Algorithm) classes() (all []class) {
	relatives, known := a.Protocol.Noise.Relatives(), map[float64]int{}
	for u := range a.Protocol.Nodes {
		if u == int(a.Protocol.Server) {
			all = append(all, class{u, 1})
			continue
		}
		relative := 1.0
		if relatives != nil {
			relative = relatives[u]
		}
		at, found := known[relative]
		if !found {
			at = len(all)
			known[relative] = at
			all = append(all, class{u, 0})
		}
		all[at].nodes++
	}
	return all
}

// calibrate is the least multiplier that meets the spec's target.
func (a *Algorithm) calibrate(at priced, m privacy.Metric) (privacy.Calibration, error) {
	target, err := a.Target()
	if err != nil {
		return privacy.Calibration{}, err
	}
	least := func(target float64, of func(sigma float64) float64) (privacy.Calibration, error) {
		return privacy.SmallestSigma(func(sigma float64) (float64, error) { return of(sigma), nil }, privacy.LeastSigma, target)
	}
	if target.Mean != 0 {
		return least(target.Mean, func(sigma float64) float64 { return a.losses(at, sigma, m).mean })
	}
	var most privacy.Calibration
	for _, limit := range target.Limits {
		found, err := least(limit.Loss, func(sigma float64) float64 {
			if limit.Of == nil || a.Spec.Nodes > family.PairLimit {
				return a.losses(at, sigma, m).most
			}
			worst, _ := limit.Worst(a.Spec.Nodes, func(u, v int) float64 { return at(u, v, sigma, m) })
			return worst
		})
		if err != nil {
			return found, err
		}
		if found.Sigma > most.Sigma {
			most = found
		}
	}
	return most, nil
}

// law is that of what an observer sees of node u.
func (a *Algorithm) law(u, observer int) (*pathloss.Law, error) {
	if a.Spec.Privacy.Accountant != means || a.hiding(observer) == 0 {
		return family.LocalLaws(a.Contributions(), a.Protocol.Noise, a.Spec.Nodes, u)[observer], nil
	}
	energy, claim, err := a.view(observer)
	law := &pathloss.Law{Claim: claim, Energies: []float64{energy}, Weights: []float64{1}, Most: a.Contributions()}
	if relatives := a.Protocol.Noise.Relatives(); relatives != nil {
		law.Relative, law.Unit = relatives[u], privacy.Record
	}
	return law, err
}
