package calibration

import (
	"fmt"
	"strings"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/spec"
)

// A TargetQuestion holds the targets to which noise can be calibrated.
type TargetQuestion struct {
	Mean, Worst, Beyond, Pair float64
	About, Observer           string
	Neighbours, Others        float64
	Policy                    string
}

// targets lists the flags of targets. At most one may be given, except that neighbours and others may be given together.
var targets = []string{"mean", "max", "max-beyond", "pair", "neighbours", "others", "policy"}

// target returns the target that the flags name, or the target of the spec if no flag is given. It returns an error if
// several flags or no target are given.
func (f *TargetQuestion) target(ask form.Asker, s *spec.Spec) (spec.Calibrate, error) {
	var given []string
	for _, name := range targets {
		if ask.Given(name) && !(name == "others" && ask.Given("neighbours")) {
			given = append(given, "--"+name)
		}
	}
	switch {
	case len(given) > 1:
		return spec.Calibrate{}, fault.New(strings.Join(given, " and ")+" are given", "keep one of them")
	case len(given) == 1:
		return f.given(given[0], s)
	case s.Privacy.Calibrate == nil:
		return spec.Calibrate{}, fault.New("the spec has no privacy.calibrate, and no target is given", "give one, such as --mean 1 or --max-beyond 1")
	}
	return *s.Privacy.Calibrate, nil
}

func (f *TargetQuestion) given(flag string, s *spec.Spec) (c spec.Calibrate, err error) {
	switch flag {
	case "--mean":
		c.Mean = f.Mean
	case "--max":
		c.Max = f.Worst
	case "--max-beyond":
		c.Beyond = f.Beyond
	case "--pair":
		if f.About == "" || f.Observer == "" {
			return c, fault.New("--pair without --about and --observer", "name the two nodes, such as --pair 1 --about 3 --observer 0")
		}
		c.Pair = &spec.PairTarget{About: spec.NodeName(f.About), Observer: spec.NodeName(f.Observer), Eps: f.Pair}
	case "--policy":
		c.Observers, err = f.ofPolicy(s)
		return c, err
	default:
		c.Observers = &spec.ObserverTargets{Neighbours: f.Neighbours, Others: f.Others}
	}
	losses := c.Losses()
	if len(losses) == 0 {
		losses[""] = 0
	}
	for _, loss := range losses {
		if !(loss > 0 && loss <= 1e6) {
			return c, fault.New(fmt.Sprintf("%s %g cannot be calibrated to", flag, loss), "give a loss above 0, such as 1")
		}
	}
	return c, nil
}

// ofPolicy returns the limits that the policy sets on a single observer. It returns an error if the policy's unit or delta does
// not fit the spec, or the policy limits neither neighbours nor others.
func (f *TargetQuestion) ofPolicy(s *spec.Spec) (*spec.ObserverTargets, error) {
	p, err := policy.Load(f.Policy)
	if err != nil {
		return nil, err
	}
	if s.Records() && p.Unit != privacy.Record {
		return nil, fault.New(fmt.Sprintf("%s limits what is learnt about all data of a participant, and the spec's losses are about a record", f.Policy),
			"write unit: record in the policy, if that is what it is about")
	}
	if delta := s.Privacy.Metric.Delta; delta == 0 || delta > p.Delta {
		return nil, fault.New(fmt.Sprintf("%s wants epsilon at a delta of at most %g, and the spec states %s", f.Policy, p.Delta, s.Privacy.Metric),
			fmt.Sprintf("use metric: {epsilon_at_delta: %g}", p.Delta))
	}
	o := &spec.ObserverTargets{}
	if !math.IsInf(p.Neighbours, 1) {
		o.Neighbours = p.Neighbours
	}
	if !math.IsInf(p.Others, 1) {
		o.Others = p.Others
	}
	if o.Neighbours == 0 && o.Others == 0 {
		return nil, fault.New(f.Policy+" limits neither neighbours nor others", "give a target, such as --mean 1")
	}
	return o, nil
}
