package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// validate refuses values that no experiment can have and fills in values that
// depend on others. Values that depend on data or on the graph are checked
// where those are known.
func (s *Spec) validate() error {
	for _, check := range []func() error{s.checkModel, s.checkParticipants, s.checkSize, s.checkData, s.checkAlgorithm, s.checkStepSize, s.checkPrivacy,
		s.checkUnit, s.Report.check} {
		if err := check(); err != nil {
			return err
		}
	}
	if s.Report.Every == 0 && s.Algorithm.Steps > 0 {
		s.Report.Every = max(1, s.Algorithm.Steps/200)
	}
	return nil
}

// Number is a named value with the interval it must lie in.
type Number struct {
	Key       string
	Value     float64
	Low, High float64
	Open      bool // Low itself is not allowed
}

func (n Number) check() error {
	if n.Value >= n.Low && n.Value <= n.High && (!n.Open || n.Value > n.Low) && !math.IsNaN(n.Value) {
		return nil
	}
	hint := "it must be " + n.interval()
	if n.Value == 0 {
		hint = "it must be given, and be " + n.interval()
	}
	return invalid(fmt.Sprintf("%s: %g is out of range", n.Key, n.Value), hint)
}

func (n Number) interval() string {
	switch {
	case n.High >= math.MaxFloat64 && n.Open:
		return fmt.Sprintf("more than %g", n.Low)
	case n.High >= math.MaxFloat64:
		return fmt.Sprintf("at least %g", n.Low)
	case n.Open:
		return fmt.Sprintf("more than %g and at most %g", n.Low, n.High)
	}
	return fmt.Sprintf("between %g and %g", n.Low, n.High)
}

// CheckAll returns the error of the first number outside its interval. It returns nil if there is none.
func CheckAll(numbers ...Number) error {
	for _, n := range numbers {
		if err := n.check(); err != nil {
			return err
		}
	}
	return nil
}

// OneOf returns an error if value is not one of allowed.
func OneOf(key, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return invalid(fmt.Sprintf("%s: %q is not known", key, value), "use one of "+strings.Join(allowed, ", "))
}

var inf = math.Inf(1)

func (s *Spec) checkSize() error {
	if s.Graph == "" && s.Nodes == 0 {
		return invalid("graph: is missing", "say who can talk to whom, such as graph: hypercube:11")
	}
	if s.Graph == "" {
		shape := "complete"
		if kind := s.Kind(); kind != nil && kind.Shape != "" {
			shape = kind.Shape
		}
		s.Graph = fmt.Sprintf("%s:%d", shape, s.Nodes)
	}
	return CheckAll(
		Number{Key: "trials", Value: float64(s.Trials), Low: 1, High: 1e6},
		Number{Key: "nodes", Value: float64(s.Nodes), Low: 0, High: math.MaxInt32},
		Number{Key: "report.every", Value: float64(s.Report.Every), Low: 0, High: inf},
	)
}

// mostMetrics limits the metrics besides that of privacy, because each takes a pass over all pairs.
const mostMetrics = 32

func (r *Report) check() error {
	seen := map[Metric]bool{}
	for key, list := range map[string][]float64{"report.deltas": r.Deltas, "report.orders": r.Orders} {
		for _, x := range list {
			n, m := Number{Key: key, Value: x, Low: 0, High: 0.5, Open: true}, Metric{Delta: x}
			if key == "report.orders" {
				n.Low, n.High, m = 1, 1e6, Metric{Order: x}
			}
			if err := n.check(); err != nil {
				return err
			}
			if seen[m] {
				return invalid(fmt.Sprintf("%s: %g stands there twice", key, x), "leave one out")
			}
			seen[m] = true
		}
	}
	if len(seen) > mostMetrics {
		return invalid(fmt.Sprintf("report: %d deltas and orders are more than %d", len(seen), mostMetrics), "state the losses in fewer metrics")
	}
	return nil
}

func (s *Spec) checkData() error {
	if s.Data.Source == "" {
		return invalid("data.source: is missing", "name a data set, such as houses, csv or two-gaussians")
	}
	for name, r := range s.Data.Ranges {
		if !(r[0] < r[1]) {
			return invalid(fmt.Sprintf("data.ranges.%s: [%g, %g] is not a range", name, r[0], r[1]), "give the lower bound first")
		}
	}
	if t := s.Data.Threshold; t != nil {
		if s.Data.Source != "houses" || s.Data.Task == "regression" {
			return invalid("data.threshold: only the classes of houses compare a label with a number", "leave it out")
		}
		if err := CheckAll(Number{Key: "data.threshold", Value: *t, Low: -1e100, High: 1e100}); err != nil {
			return err
		}
	}
	if v := s.Data.Validation; v != 0 {
		if s.Federated() {
			return invalid("data.validation: settings of a federation are chosen before it starts", "leave it out")
		}
		if err := CheckAll(Number{Key: "data.validation", Value: v, Low: 0, High: 0.99}); err != nil {
			return err
		}
	}
	if s.Data.Test == nil {
		return nil
	}
	return CheckAll(Number{Key: "data.test", Value: s.Data.Test.Share, Low: 0, High: 0.99})
}

func (s *Spec) checkAlgorithm() error {
	a := &s.Algorithm
	if err := OneOf("algorithm.kind", a.Kind, s.kinds.Names()...); err != nil {
		return err
	}
	if err := OneOf("algorithm.average", a.Average, "none", "half", "weighted"); err != nil {
		return err
	}
	kind := s.Kind()
	if err := s.checkTokens(kind); err != nil {
		return err
	}
	if err := kind.Family.Check(s); err != nil {
		return err
	}
	if err := cmp.Or(s.checkWeighRows(), s.checkMomentum(), s.checkLocalSteps(), s.checkClipEach(), s.checkEarlier()); err != nil {
		return err
	}
	least := 1.0
	if kind.SetsSteps {
		least = 0
	}
	return CheckAll(
		Number{Key: "algorithm.steps", Value: float64(a.Steps), Low: least, High: 1e12},
		Number{Key: "algorithm.clip", Value: a.Clip, Low: 0, High: math.MaxFloat64, Open: true},
		Number{Key: "algorithm.contributions", Value: float64(a.Contributions), Low: 0, High: math.MaxInt32},
		Number{Key: "algorithm.burn_in", Value: float64(a.BurnIn), Low: 0, High: 1e12},
		Number{Key: "algorithm.radius", Value: a.Radius, Low: 0, High: math.MaxFloat64},
		Number{Key: "algorithm.start", Value: float64(a.Start.Node), Low: 0, High: math.MaxInt32},
		Number{Key: "model.l2", Value: s.Model.L2, Low: 0, High: math.MaxFloat64},
	)
}

// mostTokens is far more than any use needs.
const mostTokens = 10_000

// checkTokens checks the number of tokens, their starts, and that a node may contribute to each
// at least once.
func (s *Spec) checkTokens(kind *Kind) error {
	a := &s.Algorithm
	switch {
	case a.Tokens != 1 && kind.Many == "":
		return invalid(fmt.Sprintf("algorithm.tokens: %d, but %s has not several", a.Tokens, a.Kind), "leave it out, or use kind: walk")
	case a.Start.Each != nil && len(a.Start.Each) != a.Tokens:
		return invalid(fmt.Sprintf("algorithm.start: %d nodes for algorithm.tokens: %d", len(a.Start.Each), a.Tokens), "list one for every token, or give one for all")
	case a.Contributions > 0 && a.Contributions < a.Tokens:
		return invalid(fmt.Sprintf("algorithm.contributions: %d of a node, shared out between %d tokens, leave nothing for some", a.Contributions, a.Tokens),
			fmt.Sprintf("give %d or more, best a multiple of it, or fewer tokens", a.Tokens))
	}
	return CheckAll(Number{Key: "algorithm.tokens", Value: float64(a.Tokens), Low: 1, High: mostTokens})
}

// checkWeighRows allows nodes to weigh by their rows, which takes the place of fill.
func (s *Spec) checkWeighRows() error {
	a := &s.Algorithm
	switch {
	case a.WeighRows == 0:
		return nil
	case a.StepSize.Theory:
		return invalid("algorithm.weigh_rows: the theorem behind step_size: theory is for nodes that weigh alike",
			"give a number as step_size, or leave weigh_rows out")
	}
	a.Fill = false
	return CheckAll(Number{Key: "algorithm.weigh_rows", Value: float64(a.WeighRows), Low: 1, High: math.MaxInt32})
}

// checkMomentum allows momentum only for kinds whose accountants ask nothing of a step, because it carries on earlier steps. It also
// refuses a radius and a step size of theory with momentum.
func (s *Spec) checkMomentum() error {
	a := &s.Algorithm
	switch {
	case a.Momentum == 0:
		return nil
	case !s.Kind().AnyStep:
		return invalid(fmt.Sprintf("algorithm.momentum: %g, but of kind %s what steps carry on would be a hidden state, which its accountants exclude", a.Momentum, a.Kind),
			"leave it out, or use kind: gossip-gd with accountant: local, which charges every message as public")
	case a.Radius != 0:
		return invalid(fmt.Sprintf("algorithm.radius: %g, but momentum carries on whole steps, and a projection cuts them off", a.Radius), "leave radius out, or momentum")
	case a.StepSize.Theory:
		return invalid("algorithm.step_size: the theorem behind theory is for steps without momentum", "give a number, or leave momentum out")
	}
	return CheckAll(Number{Key: "algorithm.momentum", Value: a.Momentum, Low: 0, High: 0.999})
}

// checkLocalSteps allows several local steps only as one contribution whose sum is clipped.
func (s *Spec) checkLocalSteps() error {
	a := &s.Algorithm
	if a.LocalSteps == 0 {
		return nil
	}
	if err := CheckAll(Number{Key: "algorithm.local_steps", Value: float64(a.LocalSteps), Low: 1, High: 1e6}); err != nil {
		return err
	}
	switch {
	case a.LocalSteps == 1: // so that it is the same spec as without the key
		a.LocalSteps = 0
	case !s.Kind().AnyStep:
		return invalid(fmt.Sprintf("algorithm.local_steps: %d, but accountants of kind %s count on one step along each row's clipped gradient", a.LocalSteps, a.Kind),
			"leave it out, or use kind: gossip-gd with accountant: local and clip_each: mean")
	case !a.ClipsMeans():
		return invalid(fmt.Sprintf("algorithm.local_steps: the sum of %d steps is what is clipped, and clip_each is row", a.LocalSteps), "give clip_each: mean, with privacy.unit: participant")
	case a.Radius != 0:
		return invalid(fmt.Sprintf("algorithm.radius: %g, but a sum of local steps is clipped, and a projection cuts steps off", a.Radius), "leave radius out, or local_steps")
	}
	return nil
}

// ClipsMeans reports whether nodes clip their mean gradients, and none of their rows'.
func (a *Algorithm) ClipsMeans() bool { return a.ClipEach == "mean" }

// checkClipEach allows clipped means only where accountants need nothing of a step but its sensitivity to all of a participant's data.
func (s *Spec) checkClipEach() error {
	a := &s.Algorithm
	if a.ClipEach == "" {
		return nil
	}
	if err := OneOf("algorithm.clip_each", a.ClipEach, "row", "mean"); err != nil || !a.ClipsMeans() {
		return err
	}
	const key = "algorithm.clip_each: mean"
	switch {
	case s.Records():
		return invalid(key+" protects participants: one record can turn a clipped mean from one end of the ball to the other, however many rows there are",
			"use clip_each: row, or privacy.unit: participant")
	case !s.Kind().AnyStep:
		return invalid(fmt.Sprintf("%s, but accountants of kind %s count on each row's gradient being clipped", key, a.Kind),
			"leave it out, or use kind: gossip-gd with accountant: local, which asks nothing of a step but its sensitivity")
	case a.StepSize.Theory:
		return invalid("algorithm.step_size: the theorem behind theory is for rows that are clipped one by one", "give a number, or leave clip_each out")
	}
	a.Fill = false // a scale of what may be clipped
	return nil
}

func (s *Spec) checkStepSize() error {
	size := s.Algorithm.StepSize
	if s.Kind().SetsSteps {
		return nil
	}
	if size.Theory && s.Model.L2 == 0 && !s.Model.is("mean") {
		return invalid("algorithm.step_size: theory needs a strongly convex objective", "set model.l2 above 0, or give a number")
	}
	if size.Theory {
		return nil
	}
	return CheckAll(
		Number{Key: "algorithm.step_size", Value: size.Base, Low: 0, High: math.MaxFloat64, Open: true},
		Number{Key: "algorithm.step_size.power", Value: size.Power, Low: 0, High: 10},
	)
}
