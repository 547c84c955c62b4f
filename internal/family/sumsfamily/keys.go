package sumsfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/spec"
)

// Family implements sums and histograms that a token gathers.
type Family struct{}

// The kinds run on a directed ring, by a uniform walk, or by a walk on any graph.
const (
	ringSum           = "ring-sum"
	ringHistogram     = "ring-histogram"
	completeSum       = "complete-sum"
	completeHistogram = "complete-histogram"
	averaging         = "averaging-walk" // a sum by a walk on any graph, over its turns
)

// These are the names of accountants.
const (
	exactName     = "exact"   // sums on a ring: composed Gaussians
	renewalName   = "renewal" // sums by a walk: sums/Complete.RDP
	pathName      = "path"    // sums by a walk, where the total is shown
	shuffleName   = "shuffle" // histograms on a ring
	publishedName = "published"
	localName     = "local"
)

// Keys holds the keys of a spec's algorithm that only sums and histograms have.
type Keys struct {
	Rounds int  `yaml:"rounds,omitempty"` // number of rounds of the token on a ring
	Spread bool `yaml:"spread,omitempty"` // every node of a ring adds a share of the noise
}

// Walk implements walk.Walker. Several tokens of an averaging walk are averaged.
func (*Keys) Walk() walkfamily.Keys { return walkfamily.Averaged() }

// KeysOf returns the keys of a spec of this family.
func KeysOf(s *spec.Spec) *Keys { return s.Algorithm.Own.(*Keys) }

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{
		{Name: ringSum, Family: f, SetsSteps: true, OwnRoute: true, Shape: "ring", Accountants: []string{publishedName, localName, exactName}, Pooled: []string{exactName},
			Story: "a token goes round, every node adds its value to it, and noise joins it on the way"},
		{Name: ringHistogram, Family: f, SetsSteps: true, OwnRoute: true, Shape: "ring", Noise: answers, Accountants: []string{publishedName, localName, shuffleName},
			Story: "a token goes round and counts one answer of every node, some of them random"},
		{Name: completeSum, Family: f, SetsSteps: true, OwnRoute: true, Graphless: true, Real: pathName, Accountants: []string{publishedName, localName, pathName, renewalName}, Pooled: []string{pathName},
			Story: "a token goes to nodes at random, and each adds its value and noise to it"},
		{Name: completeHistogram, Family: f, SetsSteps: true, OwnRoute: true, Graphless: true, Noise: answers, Accountants: []string{publishedName, localName},
			Story: "a token goes to nodes at random and counts an answer of each, some of them random"},
		{Name: averaging, Family: f, SetsSteps: true, Accountants: []string{publishedName, localName, pathName}, Pooled: []string{pathName},
			Story: "a token walks from node to node, each adds its value and noise to it, and their mean so far is the estimate",
			Many:  "%d tokens walk from node to node, each node adds its value and noise to them, and the mean of their means so far is the estimate"},
	}
}

// answers is the name of a histogram's noise in a report.
const answers = "random answers"

// Keys implements spec.Rules.
func (Family) Keys() any { return &Keys{} }

func isRing(s *spec.Spec) bool {
	return s.Algorithm.Kind == ringSum || s.Algorithm.Kind == ringHistogram
}

func isHistogram(s *spec.Spec) bool {
	return s.Algorithm.Kind == ringHistogram || s.Algorithm.Kind == completeHistogram
}

// mostTurns is the largest number of turns of a sum. mostGamma is the largest probability of random answers, because estimates
// divide by the remaining share of true ones.
const mostTurns, mostGamma = 1e12, 1 - 0x1p-20

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	if err := checkShape(s); err != nil {
		return err
	}
	a, k := &s.Algorithm, KeysOf(s)
	wanted := (model.Mean{}).Name()
	if isHistogram(s) {
		wanted = (model.Histogram{}).Name()
	}
	for _, wrong := range []struct {
		bad        bool
		what, hint string
	}{
		{s.Model.Kind != wanted || s.Model.L2 != 0, fmt.Sprintf("model: %s estimates no %s", a.Kind, s.Model.Kind), fmt.Sprintf("use model: {kind: %s}, without l2", wanted)},
		{a.StepSize != (spec.StepSize{}), "algorithm.step_size: what nodes give is added up as it is", "leave it out"},
		{a.Average != "none", "algorithm.average: the token at the end is the result", "leave it out"},
		{a.Radius != 0 || a.BurnIn != 0 && a.Kind != averaging, "algorithm: a sum has no radius and no burn_in", "leave them out"},
		{isHistogram(s) && a.WeighRows != 0, "algorithm.weigh_rows: an answer is one row's", "leave it out"},
		{isHistogram(s) && a.Clip != 0 && a.Clip != 0.5, "algorithm.clip: answers are counted, not clipped", "leave it out"},
		{isHistogram(s) && s.Privacy.Metric.Order != 0, "privacy.metric: the loss of randomised answers is an epsilon at a delta", "give metric: {epsilon_at_delta: 1.0e-6}"},
		{isHistogram(s) && s.Privacy.Sigma != nil && !(*s.Privacy.Sigma >= 0 && *s.Privacy.Sigma <= mostGamma),
			"privacy.sigma: of a histogram it is the probability of a random answer", "give a number from 0 to below 1, such as 0.5, or calibrate"},
	} {
		if wrong.bad {
			return fault.New(wrong.what, wrong.hint)
		}
	}
	a.Fill = false
	if isHistogram(s) {
		a.Clip, s.Model.Intercept = 0.5, false // an answer changes two counts by one: with this clip sigma is in units of one
	}
	if isRing(s) {
		a.Contributions = k.Rounds
	}
	return nil
}

// checkShape sets the default number of rounds and refuses keys that a ring, or a walk, does not have.
func checkShape(s *spec.Spec) error {
	a, k := &s.Algorithm, KeysOf(s)
	if !isRing(s) {
		switch {
		case k.Rounds != 0 || k.Spread:
			return fault.New(fmt.Sprintf("algorithm: %s takes no rounds and no spread", a.Kind), "leave them out, and give steps")
		case !a.Start.Uniform && a.Kind != averaging:
			return fault.New(fmt.Sprintf("algorithm.start: %s goes to nodes at random from the first turn on", a.Kind), "leave it out")
		}
		return spec.CheckAll(spec.Number{Key: "algorithm.steps", Value: float64(a.Steps), Low: 1, High: mostTurns})
	}
	if k.Rounds == 0 {
		k.Rounds = 1
	}
	switch {
	case !a.Start.Uniform:
		return fault.New("algorithm.start: the turns of a ring begin at its first node", "leave it out")
	case a.Contributions != 0 && a.Contributions != k.Rounds:
		return fault.New("algorithm.contributions: every node gives once a round", "leave it out, and give rounds")
	case k.Spread && s.Algorithm.Kind == ringHistogram:
		return fault.New("algorithm.spread: every answer has noise of its own", "leave it out")
	}
	return spec.CheckAll(spec.Number{Key: "algorithm.rounds", Value: float64(k.Rounds), Low: 1, High: mostTurns})
}

// OnlyLocal implements spec.Rules.
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// CheckReal implements spec.Rules.
func (Family) CheckReal(s *spec.Spec) error {
	switch {
	case s.FollowsFailures() && s.Algorithm.Kind != averaging:
		return fault.New("federation: a sum in which somebody's turn is skipped or taken twice is none", "use unreachable: wait and no lease")
	case s.Algorithm.Kind == ringSum && !KeysOf(s).Spread:
		return fault.New("algorithm.spread: without it most participants add no noise of their own, and the two beside one can work out what it gives",
			"set spread: true")
	case !isRing(s) && s.Algorithm.Contributions == 0:
		return fault.New("algorithm.contributions: without a cap nothing bounds what a participant gives away",
			"set contributions, such as 1.2 times steps over participants")
	case s.Algorithm.Kind == averaging:
		return walkfamily.Family{}.CheckReal(s)
	}
	return nil
}

// uses says how each accountant of sums uses each key.
var uses = family.Uses{
	Columns: []string{exactName, shuffleName, renewalName, pathName, localName, publishedName},
	Rows: map[string][]family.Use{
		"kind":          family.All(6, family.Priced),
		"steps":         family.All(6, family.Priced),
		"rounds":        family.All(6, family.Priced),
		"spread":        family.All(6, family.Priced),
		"step_size":     family.All(6, family.Needed), // there is none
		"clip":          family.All(6, family.Free),   // sigma is in units of the sensitivity, 2 clip
		"average":       family.All(6, family.Needed),
		"fill":          family.All(6, family.Needed),
		"weigh_rows":    family.All(6, family.Free),   // a weight of at most 1 on clipped values
		"local_steps":   family.All(6, family.Needed), // refused
		"clip_each":     family.All(6, family.Needed), // mean: refused
		"contributions": {family.Priced, family.Priced, family.Free, family.Priced, family.Priced, family.Free},
		"tokens":        family.All(6, family.Priced), // one, says the spec
		"burn_in":       {family.Needed, family.Needed, family.Needed, family.Priced, family.Free, family.Free},
		"momentum":      family.All(6, family.Needed), // refused: a hidden state
		"radius":        family.All(6, family.Needed),
		"start":         {family.Needed, family.Needed, family.Needed, family.Priced, family.Free, family.Free},
		"unit":          {family.Priced, family.Priced, family.Priced, family.Priced, family.Priced, family.Needed},
		"record_name":   family.All(6, family.Free),
		"sigma":         family.All(6, family.Priced),
		"calibrate":     family.All(6, family.Priced),
		"accountant":    family.All(6, family.Priced),
		"metric":        {family.Priced, family.Needed, family.Priced, family.Priced, family.Priced, family.Needed},
		"release":       {family.Priced, family.Priced, family.Needed, family.Priced, family.Free, family.Claimed},
		"sender":        {family.Free, family.Free, family.Free, family.Free, family.Free, family.Priced},
		"condition":     {family.Free, family.Free, family.Free, family.Free, family.Free, family.Priced},
		"conversion":    {family.Free, family.Free, family.Priced, family.Free, family.Free, family.Priced},
		"limits":        family.All(6, family.Absent),
		"coalition":     {family.Priced, family.Free, family.Free, family.Priced, family.Free, family.Free},
	},
}

// Uses implements family.Family.
func (Family) Uses() family.Uses { return uses }
