package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

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

// flowFlags are what `privacy flow` is asked.
type flowFlags struct {
	onGraph
	rounds, every int
	steps         int
	acceleration  string
	lipschitz     float64
	release, plan string
	sigma, delta  float64
	eps           float64
	u, v          int
	colluders     []int
	showPlan      bool
	picture       string
	cache         form.Cache
}

func newPrivacyFlowCommand() *cobra.Command {
	f := flowFlags{}
	cmd := &cobra.Command{
		Use:   "flow --graph G --rounds T --sigma S [--u U] [--v V]",
		Short: "What gossip that learns tells every node about every other, gradients included",
		Long: `Flow prices T rounds of a local step, noise on every message and averaging with
neighbours (D-GD), where steps may depend on all that was received. The sound
accountant absorbs the difference that a node's data makes in the noise of others
before the observer sees it; energy is mu^2 sigma^2 of the Gaussian that bounds
the view. The audit is what losses attain that are as flat as the Lipschitz
constant allows; of one pair also what curved ones attain at best.

With --v alone it prices everybody towards one observer, with --u alone one node
towards everybody, without either all pairs: near the optimum where that is quick
or the graph is symmetric, elsewhere by a quick plan of each pair, and by one plan
for all where that takes long too; then the pairs that lose most are refined until the
largest losses, of all and beyond neighbours, are near the optimum. Where all pairs would
take long to attack, the one that loses most at each distance is.

With --gossip-steps K noise is drawn once a round and averaged on for K turns
(Muffliato-GD); what that hides is dense, so all pairs take hundreds of nodes at most.`,
		Example: "  hearsay privacy flow --graph hypercube:11 --rounds 100 --sigma 6.2 --u 3 --v 0\n" +
			"  hearsay privacy flow --graph hypercube:8 --rounds 50 --sigma 4\n" +
			"  hearsay privacy flow --graph friends.edges --rounds 20 --sigma 4 --v 0\n" +
			"  hearsay privacy flow --graph friends.edges --rounds 20 --every 4 --eps 1",
		Args: cobra.NoArgs,
		RunE: answering(f.account),
	}
	f.register(cmd)
	registerCache(cmd, &f.cache)
	flags := cmd.Flags()
	flags.IntVar(&f.rounds, "rounds", 0, "rounds, T")
	flags.IntVar(&f.every, "every", 1, "nodes contribute in rounds 0, K, 2K, ..; in others they only add noise and average")
	flags.IntVar(&f.steps, "gossip-steps", 1, "turns of averaging on one draw of noise, K; with 1 every message has noise of its own")
	flags.StringVar(&f.acceleration, "acceleration", "none", "of several turns: none or chebyshev")
	flags.Float64Var(&f.lipschitz, "lipschitz", 1, "how far a local step may spread two points; below 1 with an l2 penalty")
	flags.StringVar(&f.release, "release", "none", "what is public: none, or final (a function of the last round's messages)")
	flags.StringVar(&f.plan, "plan", "auto", "of more than one pair: optimal, aimed (two flows a pair, mostly within 20 % of it), cheap (one plan for all), or auto, the nearest that takes some seconds")
	flags.Float64Var(&f.sigma, "sigma", 0, "noise of a message over its sensitivity")
	flags.Float64Var(&f.delta, "delta", 1e-6, "delta of eps")
	flags.Float64Var(&f.eps, "eps", 0, "find the smallest sigmas for this epsilon")
	flags.IntVar(&f.u, "u", -1, "whose data; without --v: towards everybody")
	flags.IntVar(&f.v, "v", -1, "who observes; without --u: everybody's data")
	flags.IntSliceVar(&f.colluders, "colluders", nil, "one pair: nodes that pool what they see with v")
	flags.BoolVar(&f.showPlan, "show-plan", false, "one pair: the plan behind the bound, which anybody can evaluate (docs/FLOW.md)")
	flags.StringVar(&f.picture, "picture", "", "one pair: a file for a picture of that plan (SVG), turn by turn")
	required(cmd, "rounds")
	return cmd
}

// check refuses what makes no sense on a graph of n nodes.
func (f *flowFlags) check(n int) error {
	return cmp.Or(
		form.OneOf("--release", f.release, "none", "final"),
		form.OneOf("--acceleration", f.acceleration, "none", "chebyshev"),
		form.OneOf("--plan", f.plan, "auto", "optimal", "aimed", "cheap"),
		f.checkCounts(), f.checkNoise(), f.checkPairOf(n), form.CheckDelta(f.delta),
	)
}

func (f *flowFlags) checkCounts() error {
	if f.rounds < 1 || f.rounds > mostRounds {
		return fault.New(fmt.Sprintf("--rounds %d is out of range", f.rounds), fmt.Sprintf("give a number from 1 to %d", mostRounds))
	}
	if f.every < 1 {
		return fault.New(fmt.Sprintf("--every %d", f.every), "give 1 for a contribution in every round, or more")
	}
	if f.steps < 1 || float64(f.steps)*float64(f.rounds) > mostRounds {
		return fault.New(fmt.Sprintf("--gossip-steps %d in each of %d rounds is out of range", f.steps, f.rounds),
			fmt.Sprintf("give 1 or more, and at most %d turns in all", mostRounds))
	}
	if f.steps > 1 && f.picture != "" {
		return fault.New("--picture of rounds of several turns of averaging", "leave --gossip-steps out, or the picture")
	}
	if f.steps == 1 && f.acceleration != "none" {
		return fault.New("--acceleration of rounds of one turn", "give --gossip-steps 2 or more")
	}
	return nil
}

func (f *flowFlags) checkNoise() error {
	if !(f.lipschitz > 0 && f.lipschitz <= mostLipschitz) {
		return fault.New(fmt.Sprintf("--lipschitz %g is not between 0 and %g", f.lipschitz, float64(mostLipschitz)),
			"give 1 for convex smooth losses with a step of at most 2/smoothness")
	}
	if f.eps != 0 {
		return privacy.CheckTarget(f.eps, f.delta)
	}
	if f.sigma == 0 {
		return fault.New("--sigma 0 is not above 0", "give the noise in units of the sensitivity, such as 4, or --eps to find it")
	}
	return privacy.CheckSigma(f.sigma)
}

// mostLipschitz is far beyond any step of use.
const mostLipschitz = 1e6

func (f *flowFlags) checkPairOf(n int) error {
	pair := f.u != -1 && f.v != -1
	switch {
	case !pair && (len(f.colluders) > 0 || f.showPlan || f.picture != ""):
		return fault.New("--colluders, --show-plan or --picture without a pair", "name it with --u and --v")
	case min(f.u, f.v) < -1 || max(f.u, f.v) >= n:
		return fault.New(fmt.Sprintf("--u %d --v %d are not nodes of %d", f.u, f.v, n), "give numbers from 0 to n-1, or leave one or both out")
	case pair && f.u == f.v:
		return fault.New(fmt.Sprintf("--u %d --v %d is not a pair of different nodes of %d", f.u, f.v, n), "give two, from 0 to n-1, or leave one or both out")
	}
	return nil
}

// schedule is that of the run that the flags describe, of a model that they do not.
// No spec has rounds without contributions that add noise, or messages that are
// published.
func (f *flowFlags) schedule(t *graph.Transition) (schedule.Gossip, error) {
	asserted := model.AssertSteps(f.lipschitz, "the loss and its step are such, and steps that only add noise are too")
	a, err := experiment.Outline(f.cmd.Context(), "gossip-gd", t, asserted, func(s *spec.Spec) {
		s.Algorithm.Steps, s.Privacy.Sigma = f.rounds, &f.sigma
	})
	if err != nil {
		return schedule.Gossip{}, err
	}
	s := *a.Schedule().(*schedule.Gossip)
	s.Every, s.NoiseAlways, s.Final, s.TurnsPerRound = f.every, true, f.release == "final", f.steps
	if f.acceleration == "none" {
		return s, nil
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

// what is priced, in words.
func (f *flowFlags) what() string {
	switch {
	case f.u >= 0 && f.v >= 0:
		return "a pair of nodes"
	case f.v >= 0:
		return "everybody towards one observer"
	case f.u >= 0:
		return "one node towards everybody"
	}
	return "all pairs of nodes"
}

// account answers the question.
func (f *flowFlags) account() (*flowAnswer, error) {
	t, err := f.open()
	if err != nil {
		return nil, err
	}
	if err := f.check(t.Len()); err != nil {
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
	says := terminal.PulseOf(f.cmd.ErrOrStderr())
	says.Enter("pricing " + f.what())
	watch, err := f.cache.Watch(f.cmd.Context(), f.cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	a = a.WithProgress(says.Progress).WithKeeper(watch.Keeper)
	answer := &flowAnswer{N: t.Len(), graph: t.Graph(), metric: privacy.Metric{Delta: f.delta}, target: f.eps, sigma: f.sigma}
	answer.Accountants.Local = answer.energy(form.NewClaim(a.LocalClaim()), a.Local())
	switch {
	case f.u >= 0 && f.v >= 0:
		return answer, f.pair(answer, a)
	case f.u >= 0 || f.v >= 0:
		return answer, f.side(answer, a)
	}
	if err := form.CheckMatrix(t.Len()); err != nil {
		return nil, err
	}
	return answer, f.pairs(answer, a, t)
}

// pair prices one pair.
func (f *flowFlags) pair(answer *flowAnswer, a *flow.Accountant) error {
	observers := append([]int{f.v}, slices.DeleteFunc(slices.Clone(f.colluders), func(w int) bool { return w == f.v })...)
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
	answer.Accountants.Sound = answer.energy(form.NewClaim(a.Claim()), best.Energy)
	answer.Accountants.Sound.Plan = "optimal"
	if f.showPlan {
		answer.Accountants.Sound.Absorbed = &best.Plan
		if answer.Accountants.Sound.Certificate, err = a.Certify(best.Plan, best.Energy); err != nil {
			return err
		}
	}
	if f.picture != "" {
		if err := drawFlow(f.picture, a.Problem(), best.Plan, answer.graph); err != nil {
			return err
		}
	}
	answer.Accountants.Audit = answer.energy(form.NewClaim(flow.AuditClaim()), low)
	answer.Accountants.Audit.Best = answer.energy(form.NewClaim(flow.AttackClaim()), attack.Energy)
	return nil
}

// pairs prices all pairs.
func (f *flowFlags) pairs(answer *flowAnswer, a *flow.Accountant, t *graph.Transition) error {
	var movements [][]int32
	if s, ok := t.Graph().Symmetry(); ok {
		movements = flow.Movements(s.Family, s.Sides)
	}
	plan, every := f.plan, 0.0
	if plan == "auto" || plan == "optimal" {
		every = a.EveryCost(movements)
	}
	if plan == "auto" {
		switch plan = "cheap"; {
		case every <= quickFlow:
			plan = "optimal"
		case a.AimedCost() <= aimedFlow && f.steps == 1:
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

// quickFlow is how many multiplications all pairs may cost before one plan has
// to do for all: some ten seconds.
const quickFlow = 1e10

// aimedFlow is how many all pairs with a plan of each may take: half a minute.
const aimedFlow = 1e11
