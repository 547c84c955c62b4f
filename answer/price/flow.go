package price

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// A FlowQuestion holds the settings of `hearsay privacy flow`.
type FlowQuestion struct {
	form.GraphQuestion
	Between
	Rounds, Every int
	Steps         int
	Acceleration  string
	Lipschitz     float64
	Release, Plan string
	Sigma, Delta  float64
	Eps           float64
	ShowPlan      bool
	Picture       string
	Cache         form.Cache
}

// check refuses invalid settings.
func (f *FlowQuestion) check() error {
	return cmp.Or(
		form.OneOf("--release", f.Release, "none", "final"),
		form.OneOf("--acceleration", f.Acceleration, "none", "chebyshev"),
		form.OneOf("--plan", f.Plan, "auto", "optimal", "aimed", "cheap"),
		f.checkCounts(), f.checkNoise(), f.checkPair(), f.checkPublic(), form.CheckDelta(f.Delta),
	)
}

func (f *FlowQuestion) checkCounts() error {
	if f.Rounds < 1 || f.Rounds > mostRounds {
		return fault.New(fmt.Sprintf("--rounds %d is out of range", f.Rounds), fmt.Sprintf("give a number from 1 to %d", mostRounds))
	}
	if f.Every < 1 {
		return fault.New(fmt.Sprintf("--every %d", f.Every), "give 1 for a contribution in every round, or more")
	}
	if f.Steps < 1 || float64(f.Steps)*float64(f.Rounds) > mostRounds {
		return fault.New(fmt.Sprintf("--gossip-steps %d in each of %d rounds is out of range", f.Steps, f.Rounds),
			fmt.Sprintf("give 1 or more, and at most %d turns in all", mostRounds))
	}
	if f.Steps > 1 && f.Picture != "" {
		return fault.New("--picture of rounds of several turns of averaging", "leave --gossip-steps out, or the picture")
	}
	if f.Steps == 1 && f.Acceleration != "none" {
		return fault.New("--acceleration of rounds of one turn", "give --gossip-steps 2 or more")
	}
	return nil
}

func (f *FlowQuestion) checkNoise() error {
	if !(f.Lipschitz > 0 && f.Lipschitz <= mostLipschitz) {
		return fault.New(fmt.Sprintf("--lipschitz %g is not between 0 and %g", f.Lipschitz, float64(mostLipschitz)),
			"give 1 for convex smooth losses with a step of at most 2/smoothness")
	}
	if f.Eps != 0 {
		return privacy.CheckTarget(f.Eps, f.Delta)
	}
	if f.Sigma == 0 {
		return fault.New("--sigma 0 is not above 0", "give the noise in units of the sensitivity, such as 4, or --eps to find it")
	}
	return privacy.CheckSigma(f.Sigma)
}

// mostLipschitz is the largest --lipschitz. It is far above any useful value.
const mostLipschitz = 1e6

func (f *FlowQuestion) checkPair() error {
	if !f.onePair() && (len(f.colluders) > 0 || f.ShowPlan || f.Picture != "") {
		return fault.New("--colluders, --show-plan or --picture without a pair", "name it with --u and --v")
	}
	return nil
}

// schedule returns the schedule of the run that the flags describe. The model is
// not known. No spec has rounds that add noise without contributions, or publishes
// messages.
func (f *FlowQuestion) schedule(t *graph.Transition) (schedule.Gossip, error) {
	asserted := model.AssertSteps(f.Lipschitz, "the loss and its step are such, and steps that only add noise are too")
	a, err := experiment.Outline(f.Context, "gossip-gd", t, asserted, func(s *spec.Spec) {
		s.Algorithm.Steps, s.Privacy.Sigma = f.Rounds, &f.Sigma
	})
	if err != nil {
		return schedule.Gossip{}, err
	}
	s := *a.Schedule().(*schedule.Gossip)
	s.Every, s.NoiseAlways, s.Final, s.TurnsPerRound = f.Every, true, f.Release == "final" || f.Public, f.Steps
	if f.Acceleration == "none" {
		return s, nil
	}
	if err := t.CheckSymmetric("--acceleration chebyshev", 0, "leave it out, or make W_uv and W_vu the same digits"); err != nil {
		return s, err
	}
	gap, err := t.SpectralGap()
	if err == nil && (!gap.Converged || gap.Value <= 0) {
		err = fault.New("--acceleration chebyshev needs the spectral gap, and it is not positive or not known", "leave it out")
	}
	if err == nil {
		s.Gamma = gossip.Acceleration(gap.Value)
	}
	return s, err
}

// what describes the priced pairs.
func (f *FlowQuestion) what() string {
	switch {
	case f.onePair() && f.Public:
		return "a node towards the public"
	case f.onePair():
		return "a pair of nodes"
	case f.Public:
		return "everybody towards the public"
	case f.v >= 0:
		return "everybody towards one observer"
	case f.u >= 0:
		return "one node towards everybody"
	}
	return "all pairs of nodes"
}

// Answer answers the question.
func (f *FlowQuestion) Answer() (*FlowAnswer, error) {
	t, err := f.Open()
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(f.find(t.Graph()), f.check()); err != nil {
		return nil, err
	}
	s, err := f.schedule(t)
	if err != nil {
		return nil, err
	}
	a, err := flow.Of(s)
	if err != nil {
		return nil, err
	}
	says := terminal.PulseOf(f.Stderr)
	says.Enter("pricing " + f.what())
	watch, err := f.Cache.Watch(f.Context, f.Stderr)
	if err != nil {
		return nil, err
	}
	a = a.WithProgress(says.Progress).WithKeeper(watch.Keeper)
	answer := &FlowAnswer{N: t.Len(), Public: f.Public, graph: t.Graph(), metric: privacy.Metric{Delta: f.Delta}, target: f.Eps, sigma: f.Sigma}
	answer.Accountants.Local = answer.energy(form.NewClaim(a.LocalClaim()), a.Local())
	switch {
	case f.onePair():
		return answer, f.pair(answer, a)
	case f.oneSide():
		return answer, f.side(answer, a)
	}
	if err := form.CheckMatrix(t.Len()); err != nil {
		return nil, err
	}
	return answer, f.pairs(answer, a, t)
}

// pair computes the loss of one pair.
func (f *FlowQuestion) pair(answer *FlowAnswer, a *flow.Accountant) error {
	observers := f.observers()
	best, err := a.Optimal(f.u, observers...)
	if err != nil {
		return err
	}
	low, err := a.Audit(f.u, observers...)
	if err != nil {
		return err
	}
	attack, err := a.Attack(f.u, observers...)
	if err != nil {
		return err
	}
	claim := a.Claim()
	if f.Public {
		claim = a.PublicClaim()
	}
	answer.Accountants.Sound = answer.energy(form.NewClaim(claim), best.Energy)
	answer.Accountants.Sound.Plan = "optimal"
	if f.ShowPlan {
		answer.Accountants.Sound.Absorbed = &best.Plan
		if answer.Accountants.Sound.Certificate, err = a.Certify(best.Plan, best.Energy); err != nil {
			return err
		}
	}
	if f.Picture != "" {
		if err := drawFlow(f.Picture, a.Problem(), best.Plan, answer.graph); err != nil {
			return err
		}
	}
	answer.Accountants.Audit = answer.energy(form.NewClaim(flow.AuditClaim()), low)
	answer.Accountants.Audit.Best = answer.energy(form.NewClaim(flow.AttackClaim()), attack.Energy)
	return nil
}

// pairs computes the losses of all pairs.
func (f *FlowQuestion) pairs(answer *FlowAnswer, a *flow.Accountant, t *graph.Transition) error {
	movements, plan, every := movementsOf(t.Graph()), f.Plan, 0.0
	if plan == "auto" || plan == "optimal" {
		every = a.EveryCost(movements)
	}
	if plan == "auto" {
		switch plan = "cheap"; {
		case every <= quickFlow:
			plan = "optimal"
		case a.AimedCost() <= aimedFlow && f.Steps == 1:
			plan = "aimed"
		}
	}
	cost := map[string]func() float64{"optimal": func() float64 { return every }, "aimed": a.AimedCost, "cheap": a.CheapCost}[plan]()
	if err := f.lasts(cost, "--plan cheap is quicker, and so is one node or pair: --u U, --v V"); err != nil {
		return err
	}
	if plan != "optimal" {
		if err := a.CheckPairs(); err != nil {
			return err
		}
		price := a.Cheap
		if plan == "aimed" {
			price = a.Aimed
		}
		bounds := price(form.Workers())
		a.Refine(bounds, quickFlow, form.Workers())
		sound, err := answer.all(a, bounds)
		if err != nil {
			return err
		}
		search := graph.NewSearch(answer.graph)
		answer.Accountants.Sound = sound.by(plan)
		answer.Attacked = answer.attack(a, flow.WorstByDistance(a.Problem().Weights[0].N, search.From, bounds.At), bounds.At)
		return nil
	}
	lower, err := answer.all(a, a.AuditEvery(movements, form.Workers()))
	if err != nil {
		return err
	}
	sound, err := answer.all(a, a.Every(movements, form.Workers()))
	answer.Accountants.Audit, answer.Accountants.Sound = lower, sound.by(plan)
	return err
}

// movementsOf returns the symmetries that the graph's generator declares.
func movementsOf(g *graph.Graph) [][]int32 {
	if s, ok := g.Symmetry(); ok {
		return flow.Movements(s.Family, s.Sides)
	}
	return nil
}

// quickFlow is the largest number of multiplications for all pairs before a single
// plan serves all of them. It takes about ten seconds.
const quickFlow = 1e10

// aimedFlow is the largest number for all pairs with a plan for each, about half a
// minute.
const aimedFlow = 1e11
