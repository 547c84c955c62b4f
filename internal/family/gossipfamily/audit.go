package gossipfamily

import (
	"context"
	"fmt"
	"runtime"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// Audit implements family.Algorithm. Averaging is attacked through the part of a node's value that its messages reveal. For
// learning no attack on runs is known here that need not follow all nodes' gradients. The flow accountant has lower bounds of
// its own.
func (a *Algorithm) Audit() (family.Audit, error) {
	if a.averaging() {
		return a, nil
	}
	return nil, fault.New(fmt.Sprintf("algorithm.kind: walks and averaging are attacked, and the spec's is %s", a.Spec.Algorithm.Kind),
		"hearsay plan and explain price it; privacy.accountant: flow has lower bounds beside it")
}

// mostAttacked is the largest number of nodes whose messages are solved again in every run.
const mostAttacked = 512

// Game implements family.Audit. The observer projects its messages onto the node's noisy value. Up to a factor this is the
// likelihood-ratio test of its view (gossip.View.AuditMu).
func (a *Algorithm) Game(about, observer int) (func(ctx context.Context, i int) (float64, error), error) {
	if n := a.Protocol.Nodes; n > mostAttacked {
		return nil, fault.New(fmt.Sprintf("the messages of %d nodes would be solved in every run", n), fmt.Sprintf("audit at most %d nodes", mostAttacked))
	}
	rows := a.Examples.Examples(step.NodeID(about)).Len()
	if rows == 0 {
		return nil, fault.New(fmt.Sprintf("node %d holds no rows, so there is nothing to learn about it", about), "audit a node that holds data")
	}
	averaging, err := gossipview.Of(a.schedule())
	if err != nil {
		return nil, err
	}
	attacked, err := attack.NewGossip(averaging, []int{observer})
	if err != nil {
		return nil, err
	}
	worlds := [2]sim.Holdings{a.world(about, rows, 1), a.world(about, rows, -1)}
	return func(ctx context.Context, i int) (float64, error) {
		messages, err := a.overhear(ctx, worlds[i%2], observer, i)
		if err != nil {
			return 0, err
		}
		found, err := attacked.Values(messages, a.Protocol.Gamma)
		if err != nil {
			return 0, err
		}
		score := 0.0
		for _, x := range found.Projection[about] {
			score += x
		}
		return score, nil
	}, nil
}

// overhear returns the messages that the observer receives in run i, and its own value.
func (a *Algorithm) overhear(ctx context.Context, h sim.Holdings, observer, i int) (messages []attack.Message, err error) {
	var stream step.Stream
	run := &sim.Gossip{Protocol: a.Protocol, Holdings: h, Seed: stream.At(a.Spec.Seed, 0, step.Turn(i)+1, 0, step.Audit).Uint64()}
	if run.Weights, err = a.weights(); err != nil { // a sequence serves one run
		return nil, err
	}
	_, err = run.Bulk(ctx, sim.GossipWatcher{Values: func(t step.Turn, x []float64) {
		if t < a.Protocol.Turns() {
			messages = attack.Heard(messages, run.Weights.Matrix(t), []int{observer}, int(t), x, a.Protocol.Params)
		}
	}})
	return messages, err
}

// world returns the spec's data with all rows of one node at one corner of their range, or at the opposite one by sign. The two
// values of the node are then as far apart as clipping allows.
func (a *Algorithm) world(about, rows int, sign float64) sim.Holdings {
	features := a.Federation.Shards.Features
	norm := a.Federation.Bound
	if math.IsInf(norm, 1) {
		norm = 2 * a.Protocol.Noise.ClipOf(step.NodeID(about)) // clipped
	}
	own := model.Examples{Features: features}
	for range rows {
		for range features {
			own.X = append(own.X, sign*norm/math.Sqrt(float64(features)))
		}
		own.Y = append(own.Y, 1)
	}
	return &world{a.Examples, step.NodeID(about), own}
}

// A world is the spec's data with those of one node replaced.
type world struct {
	sim.Holdings
	about step.NodeID
	own   model.Examples
}

// Examples implements sim.Holdings.
func (w *world) Examples(v step.NodeID) model.Examples {
	if v == w.about {
		return w.own
	}
	return w.Holdings.Examples(v)
}

// PairLosses implements family.Audit. It returns the exact loss, the local loss, and the published loss if all pairs were
// priced by it.
func (a *Algorithm) PairLosses(about, observer int, priced family.Accounting) ([]family.PairLoss, error) {
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	m = family.Tightest(m)
	leakage, assumptions, err := a.leakage(about, observer)
	if err != nil {
		return nil, err
	}
	exact := family.PairLoss{Accountant: "exact", Status: report.Sound, Assumptions: assumptions,
		Loss: report.Number(m.GaussianView(leakage / (priced.Sigma * priced.Sigma)))}
	local, claim, err := privacy.LocalLoss(a.Charged(), priced.Sigma, m)
	if err != nil {
		return nil, err
	}
	all := []family.PairLoss{exact, family.NewPairLoss(report.LocalAccountant, local, claim)}
	for _, account := range priced.Accounts {
		if account.Status == report.Published && account.At != nil {
			all = append(all, family.PairLoss{Accountant: account.Accountant, Status: account.Status,
				Loss: report.Number(account.At(about, observer)), Assumptions: account.Assumptions})
		}
	}
	return all, nil
}

// PoolLosses implements family.Pooled, by the accountant that covers the algorithm.
func (a *Algorithm) PoolLosses(_ context.Context, u int, pool []int, priced family.Accounting) ([]family.PairLoss, error) {
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	energy, name, claim := 0.0, flowName, privacy.Bound("", "", "the observers follow the protocol and pool what they see")
	claim.Unit = a.Unit()
	switch {
	case a.averaging():
		accountant, err := gossipview.Of(a.schedule())
		if err != nil {
			return nil, err
		}
		view, err := accountant.View(pool)
		if err != nil {
			return nil, err
		}
		relative := 1.0
		if relatives := a.Protocol.Noise.Relatives(); relatives != nil {
			relative = relatives[u]
		}
		energy, name = view.Leakage(u)*relative*relative, "exact"
	case a.keys.Pairwise > 0:
		accountant, err := a.pairwise()
		if err != nil {
			return nil, err
		}
		energies, by, err := accountant.Beside(pool, runtime.GOMAXPROCS(0))
		if err != nil {
			return nil, err
		}
		if a.Protocol.Noise.Sampled() {
			by.Assumptions = append(by.Assumptions, privacy.PoissonAssumption)
		}
		energy, name, claim = energies[u], pairwiseName, by
	default:
		energies, by := a.FlowEnergies(pool)
		energy, claim = energies[u], by
	}
	loss := a.lossOf(u, energy, priced.Sigma, family.Tightest(m))
	if name == flowName { // the flow accountant charges every row as if it were in every batch
		loss = privacy.GaussianLoss(energy, priced.Sigma, family.Tightest(m))
	}
	return []family.PairLoss{family.NewPairLoss(name, loss, claim)}, nil
}
