package admmwalk

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/admmview"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
)

// The path accountant makes a plan for each pair on the one public route: which nodes hide which contributions (docs/ADMM.md).
// The result is one energy a pair, and no law.

// mostRoute is the length of the longest public route, which is kept in memory.
const mostRoute = 20_000_000

// mostNodes is the largest number of nodes for which pairs are listed.
const mostNodes = 4096

// besidePlans bounds the turns of all plans if the account stands beside another one, mostPlans in any case. docs/ADMM.md
// says what a turn costs. Pairs beyond the limit are charged all contributions.
const besidePlans, mostPlans = 8e6, 4e8

// An energies caches the results for the route, once for an algorithm and its copies.
type energies struct {
	once   sync.Once
	visits []admmview.Visit
	made   []int // contributions of each node
	of     []float64
	exact  int // number of nodes about which plans were made
	err    error
}

// checkPath refuses runs that the theorem of the plan does not cover (docs/ADMM.md).
func (a Algorithm) checkPath() error {
	g := a.Guarantees
	switch {
	case !a.PublicRoute:
		return fault.New("privacy.accountant: path prices a route that is known beforehand, and algorithm.route is secret", "use route: public, or accountant: local")
	case a.Protocol.Nodes > mostNodes:
		return fault.New(fmt.Sprintf("privacy.accountant: path looks at every pair of up to %d nodes, and here are %d", mostNodes, a.Protocol.Nodes),
			"use accountant: local, which is one number for all pairs")
	case !g.Convex() || !g.ClipSafe() && !g.Unclipped(a.Protocol.Noise.Clip):
		return fault.New(fmt.Sprintf("privacy.accountant: path needs a convex loss that stays so when clipped, and %s with a clip of %g does not", a.Objective.Name(), a.Protocol.Noise.Clip),
			"use accountant: local")
	}
	return a.CheckCap()
}

// work returns the number of turns of the plans of all pairs.
func (a Algorithm) work() float64 {
	n := float64(a.Protocol.Nodes)
	return n * (n - 1) * float64(a.Turns())
}

func (a Algorithm) pathAccountant(m privacy.Metric) family.Accountant {
	return family.Accountant{
		Name: path, Check: a.checkPath, Beside: func() bool { return a.checkPath() == nil && a.work() <= besidePlans },
		Price: func(sigma *float64) (family.Account, float64, error) { return a.priceRoute(family.Tightest(m), sigma) },
	}
}

// walk returns the run in the form that the accountant of plans takes.
func (a Algorithm) walk() admmview.Walk {
	l, g := a.local, a.Guarantees
	s := admmview.Step{
		Lambda: l.Lambda, Shrink: 1 / (1 + float64(l.Gamma*l.Objective.L2)), Regularised: !l.Regulariser.None(), Kept: a.Spec.Records(),
		Inexact: l.Tolerance / a.leastShare(),
	}
	if beta := g.Smoothness() - l.Objective.L2; beta >= 0 && beta < math.Inf(1) {
		inner := float64(l.Gamma * s.Shrink * beta)
		s.Memory = min(1, float64(max(inner/(1+inner), 1e-9)*(1+1e-12)))
	}
	s.Source = "every local objective is convex and as Lipschitz as its sensitivity says: losses are functions of a margin, whose slopes are clipped"
	s.Asserted = a.Local().Update(g).IsAsserted()
	return admmview.Walk{Step: s, Walk: a.PathWalk().Walk, AtCap: admmview.Stays}
}

// leastShare returns the least share of a unit of privacy in its node's contribution.
func (a Algorithm) leastShare() float64 {
	n := a.Protocol.Noise
	if n.Relatives() == nil {
		return 1
	}
	return slices.Min(n.Relatives()) * n.Sensitivity() / (2 * n.Clip)
}

// follow computes the route and each node's contributions.
func (e *energies) follow(a Algorithm) {
	e.made = make([]int, a.Protocol.Nodes)
	for _, r := range a.Route() {
		if int(r.Turn) < a.Protocol.BurnIn {
			continue
		}
		visit := admmview.Visit{Turn: admmview.Turn{Holder: int(r.From), How: admmview.Stays}}
		if r.Contributed {
			visit.How = admmview.Updates
			e.made[r.From]++
		}
		e.visits = append(e.visits, visit)
	}
}

// energy returns the energy of a pair, in units of the node's own sensitivity.
func (e *energies) energy(w admmview.Walk, about int, seen func(node int) bool) float64 {
	return min(w.Energy(e.visits, about, seen), float64(e.made[about]))
}

// all computes the energies of all pairs, about as many nodes as mostPlans allows.
func (e *energies) all(a Algorithm) {
	e.follow(a)
	n, w := a.Protocol.Nodes, a.walk()
	e.of, e.exact = make([]float64, n*n), min(n, int(mostPlans/(float64(n)*float64(len(e.visits)))))
	if 4*e.exact < n {
		e.exact = 0 // too few nodes would gain
	}
	ctx, done := context.Background(), func() {}
	if a.stage("plans of all pairs"); a.Watch != nil {
		if a.Watch.Context != nil {
			ctx = a.Watch.Context
		}
		done = family.CountUp(a.Watch, e.exact)
	}
	for i := range e.of {
		e.of[i] = float64(e.made[i/n])
	}
	e.err = sim.Each(ctx, e.exact, runtime.GOMAXPROCS(0), func(_ context.Context, u int) error {
		for v := range n {
			if v != u {
				e.of[u*n+v] = e.energy(w, u, func(node int) bool { return node == v })
			}
		}
		done()
		return nil
	})
}

// stage reports the next stage to the watch, if there is one.
func (a Algorithm) stage(what string) {
	if a.Watch != nil && a.Watch.Stage != nil {
		a.Watch.Stage(what)
	}
}

// squared returns the squared sensitivity of a node over the largest.
func (a Algorithm) squared() func(u int) float64 {
	relatives := a.Protocol.Noise.Relatives()
	return func(u int) float64 {
		if relatives == nil {
			return 1
		}
		return relatives[u] * relatives[u]
	}
}

// priceRoute returns the account of the plans at sigma, or calibrated if sigma is nil.
func (a Algorithm) priceRoute(m privacy.Metric, sigma *float64) (family.Account, float64, error) {
	e := a.found
	if e.once.Do(func() { e.all(a) }); e.err != nil {
		return family.Account{}, 0, e.err
	}
	n, square := a.Protocol.Nodes, a.squared()
	at := func(u, v int) float64 { return e.of[u*n+v] * square(u) }
	low := 0.0
	if sigma == nil {
		found, err := a.calibrate(at, m)
		if err != nil {
			return family.Account{}, 0, err
		}
		sigma, low = &found.Sigma, found.Low
	}
	a.stage("losses of all pairs")
	losses, mean, worst := lossesOf(n, at, *sigma, m, make(map[float64]float64))
	claim := a.claim()
	if e.exact < n {
		claim.Assumptions = append(claim.Assumptions, fmt.Sprintf("of %d nodes no plan was worked out, for there are too many pairs and turns: all that they contribute is charged as if it were public", n-e.exact))
	}
	account := family.Account{Accounted: family.Accounted(path, mean, worst, claim), Low: low,
		At: func(u, v int) float64 { return losses[u*n+v] },
		In: func(u, v int, sigma float64, m privacy.Metric) (float64, error) {
			return privacy.GaussianLoss(at(u, v), sigma, m), nil
		},
		Law: func(u, v int) *walkpath.Law { return a.law(u, e.of[u*n+v]) },
	}
	return account, *sigma, nil
}

// claim returns the claim of the energies of a route.
func (a Algorithm) claim() privacy.Claim {
	claim := a.walk().Claim()
	claim.Assumptions = append(claim.Assumptions, "the route is public: it follows from the seed of the spec, and so does who skips a turn")
	return claim
}

// law returns the law of one energy.
func (a Algorithm) law(u int, energy float64) *walkpath.Law {
	l := &walkpath.Law{Claim: a.claim(), Energies: []float64{energy}, Weights: []float64{1}, Most: a.Protocol.Cap}
	if relatives := a.Protocol.Noise.Relatives(); relatives != nil {
		l.Relative = relatives[u]
	}
	return l
}

// calibrate returns the least noise that meets the spec's target.
func (a Algorithm) calibrate(at func(u, v int) float64, m privacy.Metric) (privacy.Calibration, error) {
	target, err := a.Target()
	if err != nil {
		return privacy.Calibration{}, err
	}
	n := a.Protocol.Nodes
	if target.Mean != 0 {
		known := make(map[float64]float64) // by squared shift over noise, rounded to few different values
		return privacy.SmallestSigma(func(sigma float64) (float64, error) {
			a.stage(fmt.Sprintf("calibrating, losses of all pairs at noise multiplier %.6g", sigma))
			_, mean, _ := lossesOf(n, func(u, v int) float64 { return roundUp(at(u, v) / (sigma * sigma)) }, 1, m, known)
			return mean, nil
		}, privacy.LeastSigma, target.Mean)
	}
	return privacy.Strictest(target.Limits, func(limit privacy.Limit) (found privacy.Calibration, some bool, err error) {
		energy, some := limit.Worst(n, at)
		if some {
			found, err = privacy.SmallestSigma(func(sigma float64) (float64, error) { return privacy.GaussianLoss(energy, sigma, m), nil }, privacy.LeastSigma, limit.Loss)
		}
		return found, some, err
	})
}

// roundUp returns x rounded up to ten bits.
func roundUp(x float64) float64 {
	const mask = 1<<42 - 1
	return math.Float64frombits((math.Float64bits(x) + mask) &^ mask)
}

// lossesOf returns the losses of all pairs at a noise multiplier, and their mean and maximum. The loss of a node towards itself
// is 0. known caches the losses of energies.
func lossesOf(n int, energy func(u, v int) float64, sigma float64, m privacy.Metric, known map[float64]float64) (losses []float64, mean, worst float64) {
	losses = make([]float64, n*n)
	for i := range losses {
		u, v := i/n, i%n
		if u == v {
			continue
		}
		e := energy(u, v)
		loss, found := known[e]
		if !found {
			loss = privacy.GaussianLoss(e, sigma, m)
			known[e] = loss
		}
		losses[i] = loss
		mean, worst = mean+loss, max(worst, loss)
	}
	return losses, mean / float64(n) / float64(n-1), worst
}

// single returns the energy of one pair, or of the joint view of several nodes.
func (a Algorithm) single(about int, observers ...int) float64 {
	var e energies
	e.follow(a)
	return e.energy(a.walk(), about, func(node int) bool { return slices.Contains(observers, node) })
}

// Towards implements family.Algorithm.
func (a Algorithm) Towards(ctx context.Context, u int) ([]*walkpath.Law, error) {
	if a.Spec.Privacy.Accountant == local {
		return a.Algorithm.Towards(ctx, u)
	}
	var e energies
	e.follow(a)
	w, laws := a.walk(), make([]*walkpath.Law, a.Protocol.Nodes)
	for v := range laws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if v != u {
			laws[v] = a.law(u, e.energy(w, u, func(node int) bool { return node == v }))
		}
	}
	return laws, nil
}

// mostCoalitions is the largest number of coalitions of a node that are planned one by one. If there are more, they are charged
// all contributions.
const mostCoalitions = 64

// Together implements family.Algorithm. A plan is good but not optimal: a coalition's plan may have less energy than that of
// one member alone. The larger energy then counts.
func (a Algorithm) Together(ctx context.Context, u, size int, alone []*walkpath.Law) ([]walkpath.Coalition, error) {
	var others []int
	for v := range a.Protocol.Nodes {
		if v != u {
			others = append(others, v)
		}
	}
	sets := walkpath.Subsets(others, size, mostCoalitions+1)
	if a.Spec.Privacy.Accountant == local || len(sets) > mostCoalitions || float64(len(sets))*float64(a.Turns()) > besidePlans {
		return nil, nil
	}
	var e energies
	e.follow(a)
	w, all := a.walk(), []walkpath.Coalition(nil)
	for _, members := range sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		energy := e.energy(w, u, func(node int) bool { return slices.Contains(members, node) })
		for _, v := range members {
			energy = max(energy, alone[v].Energies[0])
		}
		law := a.law(u, energy)
		law.Assumptions = append(law.Assumptions, fmt.Sprintf("the %d members of the coalition follow the protocol, and put together all that they see", size))
		all = append(all, walkpath.Coalition{Members: members, Law: law})
	}
	return all, nil
}

// OnGrid implements family.Algorithm.
func (a Algorithm) OnGrid(energy, slack float64) float64 {
	if a.Spec.Privacy.Accountant == local {
		return a.Algorithm.OnGrid(energy, slack)
	}
	var e energies
	e.follow(a)
	visits := make([]int, a.Protocol.Nodes)
	for _, v := range e.visits {
		visits[v.Holder]++
	}
	return admmview.OnGrid(energy, len(e.visits), slices.Max(visits), slack)
}

// RoundOff implements family.Rounder. The search for a proximal point starts up to three widths of the box away. It stops
// within 2^-50 of that and of the gradients there.
func (a Algorithm) RoundOff(bend float64) float64 {
	l, n := a.local, float64(a.Protocol.Nodes)
	inner := l.Gamma / (1 + float64(l.Gamma*l.Objective.L2))
	return float64(8*l.Lambda/n*(6+float64(3*inner*bend))) + float64(4*float64(l.Params)*l.StepSize.Largest()*bend)
}

// explainPath adds the energy of the pair's plan to its explanation.
func (a Algorithm) explainPath(e *family.Explanation, sigma float64) {
	claim, energy := a.claim(), a.single(e.About, e.Observer)
	e.Accountant, e.Status, e.Assumptions = path, report.Status(claim.Status), claim.Grounds()
	e.Why.Charged, e.Why.Seen = "", energy
	epsilon := func(a Algorithm, sigma float64) float64 {
		return e.EpsilonOf(a.single(e.About, e.Observer), family.Multiplier(a, e.About, sigma))
	}
	e.ChargeEnergy(energy, e.Why.Sigma)
	e.Remedies = nil
	if half := a; a.Protocol.Cap >= 2 {
		half.Algorithm = a.Copied(a.Protocol.Noise.Multiplier, nothing)
		half.Protocol.Cap /= 2
		e.Remedies = append(e.Remedies, family.Remedy{Change: fmt.Sprintf("algorithm.contributions: %d", half.Protocol.Cap), Epsilon: epsilon(half, sigma)})
	}
	e.Remedies = append(e.Remedies, family.Remedy{Change: fmt.Sprintf("privacy.sigma: %.4g", family.Noisier*sigma), Epsilon: epsilon(a, family.Noisier*sigma), Sigma: family.Noisier * sigma})
	if quiet := a; a.Protocol.Final {
		quiet.Algorithm = a.Copied(a.Protocol.Noise.Multiplier, nothing)
		quiet.Protocol.Final = false
		e.Remedies = append(e.Remedies, family.Remedy{Change: "privacy.release: none", Epsilon: epsilon(quiet, sigma)})
	}
}

// checkRoute refuses a public route that is too long to be kept in memory.
func (a Algorithm) checkRoute() error {
	if turns := a.Turns(); a.PublicRoute && turns > mostRoute {
		return fault.New(fmt.Sprintf("algorithm.route: public, but %d turns are too many to be known beforehand", turns), fmt.Sprintf("take at most %d, or use route: secret", mostRoute))
	}
	return nil
}
