package admmfamily

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/admmview"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
)

// means is the accountant of observers who see only means of the variables of all nodes (docs/ADMM.md).
const means = "means"

// checkMeans refuses runs that the theorem does not cover, or whose plans take too long.
func (a *Algorithm) checkMeans() error {
	update := a.update()
	switch {
	case a.planWork() > mostPlanWork:
		return fault.New(fmt.Sprintf("privacy.accountant: %s would plan for %d nodes of which %d are drawn in %d rounds, which takes too long", means,
			a.Protocol.Nodes, a.keys.Sampled, a.Protocol.Rounds), "leave sampled out, or use accountant: local")
	case update.Expansive() != "":
		return fault.New(fmt.Sprintf("privacy.accountant: %s counts on convex losses, but %s", means, update.Expansive()), "use accountant: local")
	case a.hiding(-1) < 1:
		return fault.New("nodes: too few to hide among", "use accountant: local")
	}
	return nil
}

// update returns the known properties of proximal steps on the losses.
func (a *Algorithm) update() model.Update {
	return a.Guarantees.Proximal(model.Descent{Step: a.Protocol.Gamma, Clip: a.Protocol.Noise.Clip})
}

// step returns the known properties of the updates, for accountants.
func (a *Algorithm) step() admmview.Step {
	s, update := a.schedule(), a.update()
	shrink := 1 / (1 + float64(s.Gamma*s.Strong))
	step := admmview.Step{
		Lambda: s.Lambda, Shrink: shrink, Regularised: !a.Protocol.Regulariser.None(), Kept: s.Relatives() != nil, Inexact: s.Tolerance,
		Source: update.Source(), Asserted: update.IsAsserted(),
	}
	if relatives := s.Relatives(); relatives != nil { // in units of the largest change by one record at the node with most rows
		step.Inexact /= slices.Min(relatives) * s.Sensitivity / (2 * s.Clip)
	}
	if bend := float64(shrink * s.Gamma * a.Guarantees.LossSmoothness()); bend >= 0 && bend < math.MaxFloat64 {
		step.Memory = min(1, float64(bend/(1+bend)*(1+1e-12)))
	}
	if step.Memory == 0 {
		step.Memory = 1
	}
	return step
}

// hiding returns the number of nodes of whose variables an observer knows the sum only. These are all nodes but its own. A
// negative observer takes no part. 0: the observer sees every change.
func (a *Algorithm) hiding(observer int) int {
	switch server := int(a.Protocol.Server); {
	case server < 0:
		return a.Protocol.Nodes
	case observer == server && !a.keys.SecureSum:
		return 0
	}
	return a.Protocol.Nodes - 1
}

// A seen holds the energy of views, in units of one unprotected contribution.
type seen struct {
	privacy.Claim
	energy func(u, v int) float64
	groups [][]int // of observers with equal views
}

// views returns the energies of all pairs. It computes them once.
func (a *Algorithm) views() (*seen, error) {
	if a.found.seen != nil {
		return a.found.seen, nil
	}
	see, err := a.everyRound()
	if err == nil && a.Protocol.Rota != nil {
		see, err = a.someRounds(see.Claim)
	}
	if server := int(a.Protocol.Server); err == nil && a.hiding(server) == 0 {
		hidden := see.energy
		see.energy = func(u, v int) float64 {
			if v == server {
				return float64(a.turns[u])
			}
			return hidden(u, v)
		}
		see.Assumptions = append(slices.Clone(see.Assumptions), fmt.Sprintf("%s sees every change, and towards it the local loss counts", a.Name(server)))
	}
	if err == nil {
		a.found.seen = see
	}
	return see, err
}

// everyRound returns the energies where all nodes update in every round. All observers have the same energy.
func (a *Algorithm) everyRound() (*seen, error) {
	c := admmview.Curated{Step: a.step(), Nodes: a.hiding(-1), Rounds: a.Protocol.Rounds}
	energy, err := c.Energy()
	if err != nil {
		return nil, err
	}
	_, claim, err := c.Loss(admmview.Consensus{Lipschitz: a.Protocol.Noise.Clip, Gamma: a.Protocol.Gamma}.WithMultiplier(1), privacy.Metric{Delta: 1e-6})
	return &seen{claim, func(int, int) float64 { return energy }, a.observers(1)}, err
}

// someRounds returns the energies for a rota. It makes a plan for every node and every group of observers, whose own updates
// count as hiding nothing.
func (a *Algorithm) someRounds(like privacy.Claim) (*seen, error) {
	n, groups := a.Protocol.Nodes, a.observers(a.parts())
	table, of, step := make([]float64, n*len(groups)), make([]int, n), a.step()
	for g, members := range groups {
		for _, v := range members {
			of[v] = g
		}
	}
	err := sim.Each(context.Background(), n, runtime.GOMAXPROCS(0), func(_ context.Context, u int) error {
		for g := range groups {
			table[u*len(groups)+g] = min(float64(a.turns[u]), upwards(admmview.RoundsEnergy(step, n, u, a.hidden(u, g, of))))
		}
		return nil
	})
	all := func(says string) bool { return strings.Contains(says, "each of which updates in every round") }
	like.Assumptions = append(slices.DeleteFunc(slices.Clone(like.Assumptions), all),
		fmt.Sprintf("nothing is seen of %d rounds but means of the variables of all %d nodes; the seed says, for all to know, who updates in which", a.Protocol.Rounds, n))
	return &seen{like, func(u, v int) float64 { return table[u*len(groups)+of[v]] }, groups}, err
}

// upwards returns x rounded up to eight binary digits, by less than a hundredth, so that few different energies are priced.
func upwards(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	return math.Ldexp(math.Ceil(fraction*256)/256, exponent)
}

// hidden returns, round by round, the turns in which u or a node outside a group of observers updates. With a curator all nodes
// count, because an observer takes no part.
func (a *Algorithm) hidden(u, group int, of []int) [][]admmview.Turn {
	rounds := make([][]admmview.Turn, a.Protocol.Rounds)
	for t, drawn := range a.Protocol.Rota {
		for _, v := range drawn {
			if int(v) == u || a.Protocol.Server < 0 || of[v] != group {
				rounds[t] = append(rounds[t], admmview.Turn{Holder: int(v)})
			}
		}
	}
	return rounds
}

// observers divides all nodes into parts groups. The server is in a group of its own.
func (a *Algorithm) observers(parts int) [][]int {
	groups := make([][]int, parts, parts+1)
	for v := range a.Protocol.Nodes {
		if v == int(a.Protocol.Server) {
			groups = append(groups, []int{v})
			continue
		}
		groups[v%parts] = append(groups[v%parts], v)
	}
	return groups
}

// parts returns the number of groups of observers. A group's share of all nodes stays small, because its own updates hide
// nothing. Up to 48 nodes each are a group of their own.
func (a *Algorithm) parts() int {
	switch n := a.Protocol.Nodes; {
	case a.Protocol.Server < 0:
		return 1
	case n <= 48:
		return n
	}
	return 12
}

// planWork returns the approximate number of multiplications of all plans.
func (a *Algorithm) planWork() float64 {
	if a.Protocol.Rota == nil {
		return 0
	}
	return float64(a.Protocol.Nodes) * float64(a.parts()) * a.Draws() * float64(a.Contributions())
}

const mostPlanWork = 1e9

// meansAccountant returns the accountant that prices every pair by its observer's view.
func (a *Algorithm) meansAccountant(m privacy.Metric) family.Accountant {
	return family.Accountant{Name: means, Check: a.checkMeans, Beside: func() bool { return a.checkMeans() == nil },
		Price: func(sigma *float64) (family.Account, float64, error) {
			see, err := a.views()
			if err != nil {
				return family.Account{}, 0, err
			}
			at := a.priced(see)
			low := 0.0
			if sigma == nil {
				found, err := a.calibrate(see, at, m)
				if err != nil {
					return family.Account{}, 0, err
				}
				sigma, low = &found.Sigma, found.Low
			}
			all := a.losses(see, at, *sigma, m)
			beyond := report.Number(all.beyond)
			account := family.Account{Accounted: family.Accounted(means, all.mean, all.most, see.Claim), Low: low,
				At: func(u, v int) float64 { return at(u, v, *sigma, m) },
				In: func(u, v int, sigma float64, m privacy.Metric) (float64, error) { return at(u, v, sigma, m), nil }}
			account.MaxBeyondNeighbours = &beyond
			return account, *sigma, nil
		}}
}

// A priced function returns the loss of a pair at a noise multiplier.
type priced func(u, v int, sigma float64, m privacy.Metric) float64

// priced returns the losses of the energies see.
func (a *Algorithm) priced(see *seen) priced {
	relatives, known := a.Protocol.Noise.Relatives(), map[[4]float64]float64{}
	var lock sync.Mutex
	return func(u, v int, sigma float64, m privacy.Metric) float64 {
		if relatives != nil {
			sigma /= relatives[u]
		}
		key := [4]float64{see.energy(u, v), sigma, m.Delta, m.Order}
		lock.Lock()
		defer lock.Unlock()
		x, found := known[key]
		if !found {
			x = privacy.GaussianLoss(key[0], sigma, family.Tightest(m))
			known[key] = x
		}
		return x
	}
}

// A summary holds the statistics of the losses of all pairs.
type summary struct{ mean, most, beyond float64 } // beyond: the largest loss of pairs that exchange no messages

// losses sums up the losses of all pairs. It evaluates one pair for each class of nodes and group of observers.
func (a *Algorithm) losses(see *seen, at priced, sigma float64, m privacy.Metric) (s summary) {
	n, server := a.Protocol.Nodes, int(a.Protocol.Server)
	for _, like := range a.alike {
		for _, group := range see.groups {
			if len(group) == 0 {
				continue
			}
			pairs, v := like.nodes*len(group), group[0]
			if slices.Contains(group, like.node) { // then the group contains the whole class
				if pairs -= like.nodes; pairs == 0 {
					continue
				}
				if v == like.node {
					v = group[1]
				}
			}
			x := at(like.node, v, sigma, m)
			s.mean += float64(x * (float64(pairs) / (float64(n) * float64(n-1))))
			if s.most = max(s.most, x); like.node != server && v != server {
				s.beyond = max(s.beyond, x)
			}
		}
	}
	return s
}

// A class is a node with the number of nodes like it.
type class struct{ node, nodes int }

// classes returns the classes of nodes of equal sensitivity. The server is a class of its own. With a rota every node is.
func (a *Algorithm) classes() (all []class) {
	relatives, known := a.Protocol.Noise.Relatives(), map[float64]int{}
	for u := range a.Protocol.Nodes {
		if u == int(a.Protocol.Server) || a.Protocol.Rota != nil {
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

// calibrate returns the least multiplier that meets the spec's target.
func (a *Algorithm) calibrate(see *seen, at priced, m privacy.Metric) (privacy.Calibration, error) {
	target, err := a.Target()
	if err != nil {
		return privacy.Calibration{}, err
	}
	least := func(target float64, of func(sigma float64) float64) (privacy.Calibration, error) {
		return privacy.SmallestSigma(func(sigma float64) (float64, error) { return of(sigma), nil }, privacy.LeastSigma, target)
	}
	if target.Mean != 0 {
		return least(target.Mean, func(sigma float64) float64 { return a.losses(see, at, sigma, m).mean })
	}
	return privacy.Strictest(target.Limits, func(limit privacy.Limit) (privacy.Calibration, bool, error) {
		found, err := least(limit.Loss, func(sigma float64) float64 {
			if limit.Of == nil || a.Spec.Nodes > family.PairLimit {
				return a.losses(see, at, sigma, m).most
			}
			worst, _ := limit.Worst(a.Spec.Nodes, func(u, v int) float64 { return at(u, v, sigma, m) })
			return worst
		})
		return found, true, err
	})
}

// law returns the law of an observer's view of node u.
func (a *Algorithm) law(u, observer int) (*walkpath.Law, error) {
	if a.Spec.Privacy.Accountant != means || a.hiding(observer) == 0 {
		return family.LocalLaws(a.Contributions(), a.Protocol.Noise, a.Spec.Nodes, u)[observer], nil
	}
	see, err := a.views()
	if err != nil {
		return nil, err
	}
	law := &walkpath.Law{Claim: see.Claim, Energies: []float64{see.energy(u, observer)}, Weights: []float64{1}, Most: a.Contributions()}
	if relatives := a.Protocol.Noise.Relatives(); relatives != nil {
		law.Relative, law.Unit = relatives[u], privacy.Record
	}
	return law, err
}
