package price

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/textfile"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
)

// A ForgetQuestion holds the settings of `hearsay forget`: a spec of learning gossip, or a graph with steps and noise.
type ForgetQuestion struct {
	form.GraphQuestion
	Spec             string // "": the graph and the fields below
	Leaves           string // the node that leaves; "": every node
	Contributed      int    // number of rounds, from the first
	After            []int  // rounds after the last contribution
	Lipschitz, Delta float64
	Sigma            float64
	Cache            form.Cache

	grounds []string // further assumptions of a spec's numbers
}

// A ForgetAnswer holds the result of `hearsay forget`, with its JSON.
type ForgetAnswer struct {
	Graph       string `json:"graph"`
	N           int    `json:"n"`
	Contributed int    `json:"contributed"`
	form.Claim
	Observer string      `json:"observer"`
	Sigma    float64     `json:"sigma"`
	Delta    float64     `json:"delta"`
	Left     []Remainder `json:"left"`
	Listened Listener    `json:"listened"`
	names    func(int) string
	metric   privacy.Metric
	each     bool
}

// A Remainder is the remaining loss after some rounds since the last contribution, for the node with the largest one.
type Remainder struct {
	After    int            `json:"after"`
	About    int            `json:"about"`
	Energy   report.Number  `json:"energy"` // mu^2 sigma^2 at most
	Attained *report.Number `json:"attained,omitempty"`
	Mu       report.Number  `json:"mu"`
	Epsilon  report.Number  `json:"eps"`
}

// A Listener is an observer who received the node's messages at the time.
type Listener struct {
	Energy  report.Number `json:"energy"`
	Epsilon report.Number `json:"eps"`
	Says    string        `json:"says"`
}

// latecomers describes the observers of a ForgetAnswer.
const latecomers = "whoever sees no message before that round, alone or together, and everything from then on"

// Answer answers the question.
func (f *ForgetQuestion) Answer() (*ForgetAnswer, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	s, g, err := f.gossip()
	if err != nil {
		return nil, err
	}
	u := -1
	if f.Leaves != "" {
		if u, err = nodeOf(g, "--u", f.Leaves); err != nil {
			return nil, err
		}
	}
	watch, err := f.Cache.Watch(f.Context, f.Stderr)
	if err != nil {
		return nil, err
	}
	answer := &ForgetAnswer{Graph: g.Name(), N: g.Len(), Contributed: f.Contributed, Observer: latecomers, Sigma: f.Sigma, Delta: f.Delta,
		names: g.Label, metric: privacy.Metric{Delta: f.Delta}, each: u < 0}
	for _, after := range f.After {
		a, err := flow.Forgetting(*s, f.Contributed, after)
		if err != nil {
			return nil, err
		}
		left, err := f.left(a.WithKeeper(watch.Keeper), movementsOf(g), u)
		if err != nil {
			return nil, err
		}
		left.After = after
		left.Mu, left.Epsilon = report.Number(math.Sqrt(float64(left.Energy))/f.Sigma), answer.loss(left.Energy)
		claim := a.ForgettingClaim()
		claim.Assumptions = append(claim.Assumptions, f.grounds...)
		answer.Left, answer.Claim = append(answer.Left, left), form.NewClaim(claim)
		if answer.Listened.Energy = report.Number(a.Local()); u >= 0 {
			answer.Listened.Energy = report.Number(a.LocalOf(u))
		}
	}
	answer.Listened.Epsilon = answer.loss(answer.Listened.Energy)
	answer.Listened.Says = "Whoever was sent the node's messages at the time forgets nothing: what it learnt stays, and leaving takes nothing back."
	return answer, nil
}

func (a *ForgetAnswer) loss(energy report.Number) report.Number {
	return report.Number(privacy.GaussianLoss(float64(energy), a.Sigma, a.metric))
}

func (f *ForgetQuestion) check() error {
	if (f.Spec == "") == (f.Graph == "") {
		return fault.New("forget asks about a spec, or about a graph", "give one: hearsay forget SPEC.yaml --contributed 10, or hearsay forget --graph ring:64 --contributed 10 --sigma 4")
	}
	if f.Contributed < 1 || f.Contributed > mostRounds {
		return fault.New(fmt.Sprintf("--contributed %d is out of range", f.Contributed), fmt.Sprintf("give a number of rounds from 1 to %d", mostRounds))
	}
	if len(f.After) == 0 {
		return fault.New("--after names no round", "give some, such as --after 0,1,5,10")
	}
	for _, after := range f.After {
		if after < 0 || f.Contributed+after > mostRounds {
			return fault.New(fmt.Sprintf("--after %d is out of range", after), fmt.Sprintf("give rounds from 0 to %d", mostRounds-f.Contributed))
		}
	}
	if f.Spec != "" {
		return nil
	}
	if f.Sigma == 0 {
		return fault.New("--sigma 0 is not above 0", "give the noise in units of the sensitivity, such as --sigma 4")
	}
	flow := FlowQuestion{Lipschitz: f.Lipschitz, Sigma: f.Sigma}
	if err := flow.checkNoise(); err != nil {
		return err
	}
	return form.CheckDelta(f.Delta)
}

// gossip returns the schedule in question and its graph.
func (f *ForgetQuestion) gossip() (*schedule.Gossip, *graph.Graph, error) {
	if f.Spec != "" {
		return f.ofSpec()
	}
	t, err := f.Open()
	if err != nil {
		return nil, nil, err
	}
	flow := FlowQuestion{GraphQuestion: f.GraphQuestion, Rounds: f.Contributed, Every: 1, Steps: 1, Acceleration: "none", Lipschitz: f.Lipschitz, Sigma: f.Sigma}
	s, err := flow.schedule(t)
	return &s, t.Graph(), err
}

// ofSpec returns the schedule of the run of a spec. It sets the noise, the delta and the rounds from the spec.
func (f *ForgetQuestion) ofSpec() (*schedule.Gossip, *graph.Graph, error) {
	s, err := form.LoadSpec(f.Context, f.Spec)
	if err != nil {
		return nil, nil, err
	}
	if s.Federated() {
		return nil, nil, fault.New("forget: noise of a federation lies on a grid, which forget does not price", "ask about its graph: hearsay forget --graph G --contributed 10 --sigma 4")
	}
	setup, err := experiment.OpenForPairs(f.Context, s, func(what string) { fmt.Fprintln(f.Stderr, what) })
	if err != nil {
		return nil, nil, err
	}
	gossip, ok := setup.Algorithm.Schedule().(*schedule.Gossip)
	if !ok {
		return nil, nil, fault.New(fmt.Sprintf("algorithm.kind: forget prices gossip that learns, and this is %s; of a walk nobody has proven what is left of contributions that ended", s.Algorithm.Kind),
			"use kind: gossip-gd or gossip-sgd")
	}
	f.grounds = family.TakenAsPublic(setup.Algorithm, true)
	if average := s.Algorithm.Average; average != "none" {
		f.grounds = append(f.grounds, "whoever comes late is given no model: here it is a mean over rounds (average: "+average+"), and tells of messages before it is given away")
	}
	shown := *gossip
	shown.Final = true
	if err := flow.Covers(shown); err != nil { // no other accountant has a number for what is left
		return nil, nil, fault.Wrap(err, "forget", fmt.Sprintf("a node that leaves is charged what it has given until then: hearsay plan %s --set algorithm.contributions=%d", textfile.Quoted(f.Spec), f.Contributed))
	}
	f.Sigma, f.Delta = setup.Accounting.Sigma, s.Privacy.Metric.Delta
	if f.Delta == 0 {
		f.Delta = 1e-6 // if the metric is Renyi divergence
	}
	if err := privacy.CheckSigma(f.Sigma); err != nil {
		return nil, nil, err
	}
	last := gossip.Rounds - f.Contributed
	if f.After = slices.DeleteFunc(slices.Clone(f.After), func(after int) bool { return after > last }); len(f.After) == 0 {
		return nil, nil, fault.New(fmt.Sprintf("--contributed %d in a run of %d rounds leaves no round of --after", f.Contributed, gossip.Rounds), "give fewer rounds of contributions, or --after 0")
	}
	return gossip, setup.Algorithm.Of().Graph, nil
}

// left returns the remaining loss of u, or of the node with the largest one if u < 0.
func (f *ForgetQuestion) left(a *flow.Accountant, movements [][]int32, u int) (Remainder, error) {
	if u >= 0 {
		best, err := a.Optimal(u)
		if err != nil {
			return Remainder{}, err
		}
		low, err := a.Audit(u)
		attained := report.Number(low)
		return Remainder{About: u, Energy: report.Number(best.Energy), Attained: &attained}, err
	}
	by := a.PublicMethod(movements, quickFlow)
	if cost := a.PublicCost(movements, by); cost > quickFlow*100 {
		return Remainder{}, fault.New(fmt.Sprintf("forget: every node of %d would take %.3g hours", a.Problem().Weights[0].N, cost/perSecond/3600), "name one node: --u U")
	}
	side, err := a.Public(movements, by, form.Workers())
	if err != nil {
		return Remainder{}, err
	}
	most := slices.Max(side.Values)
	return Remainder{About: slices.Index(side.Values, most), Energy: report.Number(most)}, nil
}

// Print writes the remaining loss round by round, and the loss to a listener.
func (a *ForgetAnswer) Print(w io.Writer) error {
	whose := "of node " + a.names(a.Left[0].About)
	if a.each {
		whose = "of the node of which most is left"
	}
	fmt.Fprintf(w, "%s: what is left %s after contributions in rounds 0 to %d, towards %s; %s, noise multiplier %s\n\n", a.Graph, whose, a.Contributed-1, a.Observer, a.metric,
		report.Upwards(a.Sigma, 6))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "rounds after\tenergy at most\tmu\teps\t")
	if a.Left[0].Attained != nil {
		fmt.Fprint(t, "energy attained\t")
	}
	fmt.Fprintln(t)
	for _, left := range a.Left {
		s := report.Status(a.Status)
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t", left.After, form.Loss(left.Energy, s), form.Loss(left.Mu, s), form.Loss(left.Epsilon, s))
		if left.Attained != nil {
			fmt.Fprintf(t, "%s\t", form.Loss(*left.Attained, report.Audit))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s Its energy is at most %s, eps %s, whatever is forgotten by others.\n", a.Listened.Says, form.Loss(a.Listened.Energy, report.Status(a.Status)),
		form.Loss(a.Listened.Epsilon, report.Status(a.Status)))
	form.PrintIf(w, a.Claim)
	for _, assumption := range a.Assumptions {
		fmt.Fprintf(w, "%s assumes: %s\n", a.Status, assumption)
	}
	return nil
}
