package gossipfamily

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/report"
)

// found caches the results of all accountants of one protocol. Energies do not depend on the noise multiplier.
type found struct {
	mu    sync.Mutex
	pairs map[string]*flow.Pairs // by plan
	worst [][2]int               // by distance, see choose
	some  [][2]int
}

// once returns the pairs of a plan. It calls make the first time.
func (f *found) once(plan string, make func() *flow.Pairs) *flow.Pairs {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pairs == nil {
		f.pairs = map[string]*flow.Pairs{}
	}
	if f.pairs[plan] == nil {
		f.pairs[plan] = make()
	}
	return f.pairs[plan]
}

// auditAccountant returns the accountant that stands beside the flow accountant. Its losses are those that explicit attacks
// attain: on all pairs where that is quick, else on the pairs that lose most.
func (a *Algorithm) auditAccountant(m privacy.Metric, stands func() bool) family.Accountant {
	return family.Accountant{
		Name: report.AuditAccountant, Beside: func() bool { return a.attackable() && (a.Spec.Privacy.Accountant == flowName || stands()) },
		Price: func(sigma *float64) (family.Account, float64, error) {
			account, err := a.audit(*sigma, family.Tightest(m))
			return account, *sigma, err
		},
	}
}

// attackable reports whether attacks attain their stated losses. They assume that a node's data is in all of its contributions,
// which does not hold for one row where nodes draw batches.
func (a *Algorithm) attackable() bool {
	return !a.Spec.Records() || a.Protocol.Batch == 0 && !a.Protocol.Noise.Sampled()
}

func (a *Algorithm) audit(sigma float64, m privacy.Metric) (family.Account, error) {
	workers := runtime.GOMAXPROCS(0)
	accountant, err := a.flow()
	if err != nil {
		return family.Account{}, err
	}
	bounds, err := a.flowPairs(workers)
	if err != nil {
		return family.Account{}, err
	}
	attacked, all := a.attack(accountant, bounds, workers)
	a.stage("losses that attacks attain")
	account, _, err := a.charge(report.AuditAccountant, attained(attacked), &sigma, m)
	if account.Audits = flowName; all || err != nil {
		return account, err
	}
	at := account.At
	account.At = func(u, v int) float64 {
		if math.IsNaN(attacked.At(u, v)) {
			return math.NaN()
		}
		return at(u, v)
	}
	return account, nil
}

// attained returns the pairs of an audit with 0 where no attack was made.
func attained(p *flow.Pairs) *flow.Pairs {
	q := *p
	q.Values = make([]float64, len(p.Values))
	for k, x := range p.Values {
		if !math.IsNaN(x) {
			q.Values[k] = x
		}
	}
	return &q
}

// attack returns the energies that attacks attain. all reports whether every pair was attacked. Otherwise only the worst pairs
// by distance were, and the others are NaN.
func (a *Algorithm) attack(accountant *flow.Accountant, bounds *flow.Pairs, workers int) (pairs *flow.Pairs, all bool) {
	quick := a.quick()
	movements := a.movements()
	if accountant.AuditCost(movements) <= quick {
		return a.found.once("audit", func() *flow.Pairs {
			return a.watched(accountant, "attacks on all pairs").AuditEvery(movements, workers)
		}), true
	}
	return a.found.once("audit of some", func() *flow.Pairs {
		some := a.choose(accountant, bounds)
		pairs := &flow.Pairs{Claim: accountant.AuditClaim(), N: bounds.N, Values: slices.Repeat([]float64{math.NaN()}, bounds.N*bounds.N)}
		for i, attained := range a.watched(accountant, "attacks on the pairs that lose most").AuditSome(some, workers) {
			pairs.Values[some[i][0]*bounds.N+some[i][1]] = attained
		}
		pairs.Assumptions = append(pairs.Assumptions, fmt.Sprintf("attacked were %d of %d pairs, of those at one distance the one that one plan for all says loses most, "+
			"at %d of %d distances; of the others nothing is said, and in the mean they count as 0", len(some), bounds.N*(bounds.N-1), len(some), len(a.found.worst)))
		return pairs
	}), false
}

// choose returns the pairs to examine closely where all are too many. These are the pairs that lose most by distance, as many
// as quick allows. The first choice is kept. The caller must hold the lock.
func (a *Algorithm) choose(accountant *flow.Accountant, bounds *flow.Pairs) [][2]int {
	f := a.found
	if f.worst == nil {
		search := graph.NewSearch(a.Graph)
		f.worst = flow.WorstByDistance(bounds.N, search.From, bounds.At)
		f.some = flow.Spread(f.worst, accountant.Attackable(a.quick()))
	}
	return f.some
}
