package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// validate refuses values that no experiment can have, and fills in what
// depends on other values. What depends on data or on the graph is checked
// where those are known.
func (s *Spec) validate() error {
	for _, check := range []func() error{s.checkParticipants, s.checkSize, s.checkData, s.checkAlgorithm, s.checkStepSize, s.checkPrivacy} {
		if err := check(); err != nil {
			return err
		}
	}
	if s.Report.Every == 0 && s.Algorithm.Steps > 0 {
		s.Report.Every = max(1, s.Algorithm.Steps/200)
	}
	return nil
}

// number is a named value with the interval it must lie in.
type number struct {
	key       string
	value     float64
	low, high float64
	open      bool // low itself is not allowed
}

func (n number) check() error {
	if n.value >= n.low && n.value <= n.high && (!n.open || n.value > n.low) && !math.IsNaN(n.value) {
		return nil
	}
	hint := "it must be " + n.interval()
	if n.value == 0 {
		hint = "it must be given, and be " + n.interval()
	}
	return invalid(fmt.Sprintf("%s: %g is out of range", n.key, n.value), hint)
}

func (n number) interval() string {
	switch {
	case n.high >= math.MaxFloat64 && n.open:
		return fmt.Sprintf("more than %g", n.low)
	case n.high >= math.MaxFloat64:
		return fmt.Sprintf("at least %g", n.low)
	case n.open:
		return fmt.Sprintf("more than %g and at most %g", n.low, n.high)
	}
	return fmt.Sprintf("between %g and %g", n.low, n.high)
}

func checkAll(numbers ...number) error {
	for _, n := range numbers {
		if err := n.check(); err != nil {
			return err
		}
	}
	return nil
}

func oneOf(key, value string, allowed ...string) error {
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
		s.Graph = fmt.Sprintf("complete:%d", s.Nodes)
	}
	return checkAll(
		number{key: "trials", value: float64(s.Trials), low: 1, high: 1e6},
		number{key: "nodes", value: float64(s.Nodes), low: 0, high: math.MaxInt32},
		number{key: "report.every", value: float64(s.Report.Every), low: 0, high: inf},
	)
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
	if s.Data.Test == nil {
		return nil
	}
	return checkAll(number{key: "data.test", value: s.Data.Test.Share, low: 0, high: 0.99})
}

// Kinds are the algorithms that a spec can name.
func Kinds() []string {
	return []string{"walk", "gossip", "gossip-gd", "gossip-sgd", "local", "central"}
}

func (s *Spec) checkAlgorithm() error {
	a := &s.Algorithm
	if err := oneOf("algorithm.kind", a.Kind, Kinds()...); err != nil {
		return err
	}
	if err := oneOf("algorithm.average", a.Average, "none", "half", "weighted"); err != nil {
		return err
	}
	if a.Tokens != 1 {
		return invalid(fmt.Sprintf("algorithm.tokens: %d tokens cannot walk yet", a.Tokens), "use tokens: 1, or leave it out")
	}
	if err := s.checkGossip(); err != nil {
		return err
	}
	if err := s.checkWeighRows(); err != nil {
		return err
	}
	least := 1.0
	if a.Averaging() {
		least = 0 // as many as the theorem says
	}
	return checkAll(
		number{key: "algorithm.steps", value: float64(a.Steps), low: least, high: 1e12},
		number{key: "algorithm.clip", value: a.Clip, low: 0, high: math.MaxFloat64, open: true},
		number{key: "algorithm.contributions", value: float64(a.Contributions), low: 0, high: math.MaxInt32},
		number{key: "algorithm.burn_in", value: float64(a.BurnIn), low: 0, high: 1e12},
		number{key: "algorithm.radius", value: a.Radius, low: 0, high: math.MaxFloat64},
		number{key: "algorithm.start", value: float64(a.Start.Node), low: 0, high: math.MaxInt32},
		number{key: "model.l2", value: s.Model.L2, low: 0, high: math.MaxFloat64},
	)
}

// checkWeighRows lets rows count instead of nodes, which takes the place of fill.
func (s *Spec) checkWeighRows() error {
	a := &s.Algorithm
	switch {
	case a.WeighRows == 0:
		return nil
	case a.Averaging():
		return invalid("algorithm.weigh_rows: gossip averages one value of each node", "leave it out, or use kind: gossip-gd")
	case a.StepSize.Theory:
		return invalid("algorithm.weigh_rows: the theorem behind step_size: theory is for nodes that weigh alike", "give a number as step_size, or leave weigh_rows out")
	}
	a.Fill = false
	return checkAll(number{key: "algorithm.weigh_rows", value: float64(a.WeighRows), low: 1, high: math.MaxInt32})
}

func (s *Spec) checkStepSize() error {
	size := s.Algorithm.StepSize
	if s.Algorithm.Averaging() {
		return nil // set by the protocol: the step that lands on a node's own value
	}
	if size.Theory && s.Model.L2 == 0 && s.Model.Kind != "mean" {
		return invalid("algorithm.step_size: theory needs a strongly convex objective", "set model.l2 above 0, or give a number")
	}
	if size.Theory {
		return nil
	}
	return checkAll(
		number{key: "algorithm.step_size", value: size.Base, low: 0, high: math.MaxFloat64, open: true},
		number{key: "algorithm.step_size.power", value: size.Power, low: 0, high: 10},
	)
}
