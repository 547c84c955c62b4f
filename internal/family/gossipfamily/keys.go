package gossipfamily

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
	"github.com/hearsay-dp/hearsay/spec"
)

// Family implements averaging between neighbours, alone or after gradient steps.
type Family struct{}

// Keys holds the keys of a spec's algorithm that only gossip has.
type Keys struct {
	TurnsPerRound int     `yaml:"gossip_steps,omitempty"`         // K: turns of averaging after each gradient step
	Acceleration  string  `yaml:"acceleration,omitempty"`         // chebyshev | none
	Noise         string  `yaml:"noise,omitempty"`                // step | turn: when noise is added
	Pairwise      float64 `yaml:"pairwise,omitempty"`             // noise that partners share and that cancels, over a node's own; 0: none
	Secrets       string  `yaml:"secrets,omitempty"`              // edges | regular:D | complete | FILE: the partners that share that noise; "": edges
	Absent        int     `yaml:"absent,omitempty"`               // with Pairwise: largest number of nodes that miss a step
	Wake          string  `yaml:"wake,omitempty"`                 // all | edges | matchings: the nodes that average in a turn
	Dropout       float64 `yaml:"dropout,omitempty"`              // probability that a node is away in a turn; with Absent: in a step
	Redraw        int     `yaml:"redraw,omitempty"`               // steps after which a random graph is drawn anew; 0: never
	Batch         int     `yaml:"batch,omitempty" either:"batch"` // examples of a gradient; for a Poisson sample the expected number; 0: all
	Rate          float64 `yaml:"rate,omitempty" either:"batch"`  // for a Poisson sample: probability with which each example is in it; 0: given by Batch
	Epoch         int     `yaml:"epoch,omitempty" either:"batch"` // for cyclic batches: the number of batches into which a node's rows are dealt, which take turns
	Sampling      string  `yaml:"sampling,omitempty"`             // poisson: examples are in a batch independently; cyclic: batches take turns; "", fixed: Batch examples
	Memory        string  `yaml:"memory,omitempty"`               // banded:B | sqrt | toeplitz:1,C,..: dependence of a step's noise on that of earlier steps; "": independent
}

// KeysOf returns the keys of a gossip spec.
func KeysOf(s *spec.Spec) *Keys { return s.Algorithm.Own.(*Keys) }

// File implements spec.OwnFile.
func (k *Keys) File() string {
	if graphfile.IsSecretsFile(k.Secrets) {
		return k.Secrets
	}
	return ""
}

// WithFile implements spec.OwnFile.
func (k *Keys) WithFile(name string) any {
	other := *k
	other.Secrets = name
	return &other
}

// The kinds of gossip are averaging alone, and averaging after steps on all of a node's examples or on a batch of them.
const averaging, full, stochastic = "gossip", "gossip-gd", "gossip-sgd"

// Kinds implements family.Family.
func (f Family) Kinds() []spec.Kind {
	var kinds []spec.Kind
	for _, name := range []string{averaging, full, stochastic} {
		kind := spec.Kind{
			Name: name, Family: f, OwnWeights: true, Changing: true, Accountants: []string{"published", "local"},
			Story: "every node keeps its own copy of the model, adds noise to what it lets out, and averages with its neighbours",
			Real:  flowName,
		}
		if name == averaging {
			kind.Accountants, kind.SetsSteps, kind.Pooled = append(kind.Accountants, "exact"), true, []string{"exact"}
			kind.Story = "every node adds noise to its own value, once, and then all take averages with their neighbours"
		} else {
			kind.OwnAverage, kind.AnyStart, kind.AnyStep, kind.OwnClips = true, true, true, true
			kind.Accountants, kind.Pooled = []string{"published", flowName, pairwiseName, "local"}, []string{flowName, pairwiseName}
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// Nodes add noise in each step alone, or before every turn of averaging.
const eachStep, eachTurn = "step", "turn"

// isAveraging reports whether nodes take averages only, without gradient steps.
func isAveraging(s *spec.Spec) bool { return s.Algorithm.Kind == averaging }

// isSequence reports whether each turn has a graph of its own.
func isSequence(s *spec.Spec) bool { return gen.IsSequence(s.Graph) }

// changes reports whether the matrix changes from turn to turn of a run.
func (k *Keys) changes(s *spec.Spec) bool {
	return k.Wake != "all" || k.Dropout > 0 || k.Redraw > 0 || isSequence(s)
}

// misses reports whether nodes miss steps of the run.
func (k *Keys) misses() bool { return k.Absent > 0 && k.Dropout > 0 }

// changesWithin reports whether the matrix changes within the averaging of one step.
func (k *Keys) changesWithin(s *spec.Spec) bool {
	return k.Wake != "all" || k.Dropout > 0 && !k.misses() || k.Redraw > 0 && isAveraging(s) || isSequence(s)
}

// Keys implements spec.Rules.
func (Family) Keys() any { return &Keys{} }

// Check implements spec.Rules.
func (Family) Check(s *spec.Spec) error {
	a, k := &s.Algorithm, KeysOf(s)
	switch {
	case a.BurnIn != 0:
		return fault.New("algorithm.burn_in: gossip has none", "leave it out")
	case !a.Start.Uniform:
		return fault.New("algorithm.start: gossip starts everywhere", "leave it out")
	}
	k.fill(s)
	if err := cmp.Or(
		spec.OneOf("algorithm.acceleration", k.Acceleration, "chebyshev", "none"),
		spec.OneOf("algorithm.noise", k.Noise, eachStep, eachTurn),
		spec.OneOf("algorithm.wake", k.Wake, "all", "edges", "matchings"),
		checkAveraging(s),
		spec.CheckAll(
			spec.Number{Key: "algorithm.gossip_steps", Value: float64(k.TurnsPerRound), Low: 1, High: 1e9},
			spec.Number{Key: "algorithm.pairwise", Value: k.Pairwise, Low: 0, High: pairwise.MostRatio},
			spec.Number{Key: "algorithm.absent", Value: float64(k.Absent), Low: 0, High: 1e6},
			spec.Number{Key: "algorithm.dropout", Value: k.Dropout, Low: 0, High: 0.999},
			spec.Number{Key: "algorithm.redraw", Value: float64(k.Redraw), Low: 0, High: 1e9},
			spec.Number{Key: "algorithm.batch", Value: float64(k.Batch), Low: 0, High: 1e9},
		),
		k.checkPairwise(s),
		k.checkSampling(s),
		k.checkMemory(s),
		k.checkAbsent(s),
	); err != nil {
		return err
	}
	switch {
	case k.Acceleration == "chebyshev" && k.Noise == eachTurn:
		return fault.New("algorithm.acceleration: chebyshev goes on from two values, and noise: turn from the one that was sent",
			"use acceleration: none with noise: turn")
	case k.Acceleration == "chebyshev" && k.changesWithin(s):
		return fault.New("algorithm.acceleration: chebyshev needs the same matrix at every turn of averaging",
			"use acceleration: none with wake: edges or matchings, dropout, redraw and sequences of graphs")
	case isSequence(s) && (k.Wake == "edges" || k.Redraw > 0):
		return fault.New("graph: a sequence says which graph a turn has, and so do wake: edges and redraw", "keep one of them")
	case k.Wake == "edges" && (k.Dropout > 0 || k.Redraw > 0):
		return fault.New("algorithm.wake: edges that wake one by one know no dropout and no redrawn graph", "keep one of them")
	case a.Momentum != 0 && k.changes(s) && !k.misses():
		return fault.New("algorithm.momentum: a node that is away, or has no neighbour in a turn, would carry on a step that nobody has seen",
			"leave out wake, dropout, redraw and a graph for each turn, or momentum")
	case isAveraging(s) && a.WeighRows != 0:
		return fault.New("algorithm.weigh_rows: gossip averages one value of each node", "leave it out, or use kind: gossip-gd")
	}
	return nil
}

// fill writes the defaults into the keys.
func (k *Keys) fill(s *spec.Spec) {
	if k.Wake == "" {
		k.Wake = "all"
	}
	if k.TurnsPerRound == 0 {
		k.TurnsPerRound = 1
	}
	if k.Secrets == graphfile.EdgeSecrets { // so that a spec without the key is the same spec
		k.Secrets = ""
	}
	if k.Rate != 0 && k.Sampling == "" {
		k.Sampling = poisson
	}
	if k.Epoch != 0 && k.Sampling == "" {
		k.Sampling = cyclic
	}
	if s.Algorithm.Kind == stochastic && k.Batch == 0 && k.Sampling != poisson && k.Sampling != cyclic {
		k.Batch = 1
	}
	if k.Noise == "" {
		k.Noise = eachStep
	}
	if k.Acceleration == "" {
		k.Acceleration = "none"
		if k.Noise == eachStep && !k.changesWithin(s) && (isAveraging(s) || k.TurnsPerRound > 1) {
			k.Acceleration = "chebyshev"
		}
	}
}

// A batch has a fixed number of examples, or each example is in it independently, or batches take turns.
const fixed, poisson, cyclic = "fixed", "poisson", "cyclic"

// checkSampling refuses Poisson samples of unknown size, and those under a unit of privacy other than one record. They hide one
// record, but not all data of a participant.
func (k *Keys) checkSampling(s *spec.Spec) error {
	if k.Sampling == "" {
		return nil
	}
	if err := spec.OneOf("algorithm.sampling", k.Sampling, fixed, poisson, cyclic); err != nil {
		return err
	}
	if k.Sampling == cyclic || k.Epoch != 0 {
		return k.checkCyclic(s)
	}
	switch {
	case k.Sampling == fixed && k.Rate != 0:
		return fault.New("algorithm.rate: batches of a fixed size have none", "use sampling: poisson, or batch instead of rate")
	case k.Sampling == fixed:
		return nil
	case (k.Rate != 0) == (k.Batch != 0):
		return fault.New("algorithm.sampling: poisson needs either rate, the probability with which a row enters a batch, or batch, the rows to expect in one",
			"give rate: 0.1, say")
	case k.Rate != 0 && !(k.Rate >= leastRate && k.Rate <= 1):
		return fault.New(fmt.Sprintf("algorithm.rate: %g is no probability from %g to 1", k.Rate, leastRate), "give rate: 0.1, say")
	case s.Data.Person != "":
		return fault.New("algorithm.sampling: poisson draws rows one by one, and no bound for all rows of a person is worked out", "use sampling: fixed, or leave data.person out")
	case !s.Records():
		return fault.New("algorithm.sampling: poisson hides a row that need not be in a batch; all the data of a participant it does not hide",
			"use privacy.unit: record, or sampling: fixed")
	}
	return nil
}

// checkCyclic refuses cyclic batches whose number is not given by epoch.
func (k *Keys) checkCyclic(s *spec.Spec) error {
	switch {
	case s.Data.Person != "":
		return fault.New("algorithm.sampling: cyclic deals rows one by one, so that a person is in several batches, and a row's loss counts one", "use sampling: fixed, or leave data.person out")
	case k.Sampling != cyclic:
		return fault.New(fmt.Sprintf("algorithm.epoch: %d, but with sampling: %s batches do not take turns", k.Epoch, k.Sampling), "use sampling: cyclic, or leave epoch out")
	case k.Batch != 0 || k.Rate != 0:
		return fault.New("algorithm.sampling: cyclic deals a node's rows into as many batches as epoch says, however many rows there are", "give epoch instead of batch or rate")
	}
	return spec.CheckAll(spec.Number{Key: "algorithm.epoch", Value: float64(k.Epoch), Low: 2, High: 1e9})
}

// leastRate is the least probability with which a row enters a batch.
const leastRate = 1e-6

// rate returns the probability with which each of rows rows of a node enters a batch.
func (k *Keys) rate(rows int) float64 {
	if k.Rate != 0 {
		return gossip.Rate(k.Rate)
	}
	return gossip.Rate(math.Min(1, math.Max(leastRate, float64(k.Batch)/float64(rows))))
}

// leastRows returns a lower bound on the rows of a batch over the weight of its node, min(1, rows/weigh), for all nodes with at
// least so many rows. A batch that takes turns has the rows of its node over epoch, rounded down or up, and at least 1. Of nodes
// with one row to spare in all but one batch that ratio is least, if they are not too many to weigh less than 1.
func (k *Keys) leastRows(rows, weigh int) int {
	if k.Epoch < 2 {
		return min(max(rows, weigh), k.Batch)
	}
	least := max(1, rows/k.Epoch)
	if most := min(weigh, k.Epoch*(least+1)-1); rows <= most {
		return max(1, min(least*weigh/most, weigh))
	}
	return least
}

// checkAveraging refuses keys that averaging one value a node does not have, and batches for gossip-gd.
func checkAveraging(s *spec.Spec) error {
	a, k := &s.Algorithm, KeysOf(s)
	if a.Kind == full && (k.Batch != 0 || k.Rate != 0 || k.Sampling != "") {
		return fault.New("algorithm.batch: gossip-gd uses all of a node's examples", "use kind: gossip-sgd, or leave batch, rate, epoch and sampling out")
	}
	if !isAveraging(s) {
		return nil
	}
	for _, wrong := range []struct {
		key   string
		given bool
	}{
		{"gossip_steps", k.TurnsPerRound != 1}, {"noise", k.Noise != eachStep}, {"batch", k.Batch != 0}, {"rate", k.Rate != 0}, {"sampling", k.Sampling != ""}, {"memory", k.Memory != ""}, {"step_size", a.StepSize != (spec.StepSize{})},
		{"contributions", a.Contributions > 1}, {"radius", a.Radius != 0},
	} {
		if wrong.given {
			return fault.New(fmt.Sprintf("algorithm.%s: gossip averages one value of each node, once", wrong.key),
				"leave it out, or use kind: gossip-gd")
		}
	}
	if s.Model.Kind != "mean" || s.Model.L2 != 0 {
		return fault.New("model: gossip averages values", "use model: {kind: mean}, without l2, or kind: gossip-gd to learn a model")
	}
	a.Contributions, a.Average = 1, "none"
	return nil
}

// leastPairwise is the least noise of an edge on a real network, over a node's own. Values of up to 2^20 times that noise, on a
// grid of a quarter of it, have at most 51 bits (federation.largestToken). Sums with it are thus exact.
const leastPairwise = 0.25

// CheckReal implements spec.Rules.
func (Family) CheckReal(s *spec.Spec) error {
	k := KeysOf(s)
	if k.Pairwise > 0 {
		if k.Pairwise < leastPairwise {
			return fault.New(fmt.Sprintf("algorithm.pairwise: %g, but on a real network the noise of an edge lies on no finer grid than a quarter of a node's own",
				k.Pairwise), fmt.Sprintf("give %g or more: 10, say", leastPairwise))
		}
		if a := s.Privacy.Accountant; a == "" || a == spec.Sound {
			s.Privacy.Accountant = pairwiseName
		}
	}
	if file := k.File(); file != "" {
		return fault.New(fmt.Sprintf("algorithm.secrets: %s is a file, which participants might have different copies of", file),
			"use secrets: regular:4, complete or edges")
	}
	if k.Absent > 0 {
		if err := k.checkAgreeing(s); err != nil {
			return err
		}
	}
	if k.Dropout > 0 {
		return fault.New("algorithm.dropout: simulates a federation whose participants are away at times",
			"leave it out; real participants come and go by themselves")
	}
	if s.FollowsFailures() {
		return fault.New("federation: gossip has no token that could go around or be succeeded", "use unreachable: wait without a lease")
	}
	return nil
}

// uses says how each accountant of gossip uses each key.
var uses = family.Uses{
	Columns: []string{"local", "exact", "published", flowName, pairwiseName},
	Rows: map[string][]family.Use{
		"kind":          family.All(5, family.Priced),
		"steps":         {family.Free, family.Priced, family.Priced, family.Priced, family.Priced},
		"step_size":     {family.Free, family.Absent, family.Free, family.Priced, family.Free},
		"clip":          {family.Free, family.Free, family.Free, family.Priced, family.Free}, // sigma is in units of the sensitivity, 2 clip
		"average":       {family.Free, family.Absent, family.Free, family.Free, family.Free},
		"fill":          {family.Free, family.Absent, family.Free, family.Priced, family.Free},   // the sensitivity stays 2 clip, the step at most 2/beta
		"weigh_rows":    {family.Free, family.Absent, family.Free, family.Free, family.Free},     // a weight of at most 1 on clipped gradients
		"local_steps":   {family.Free, family.Absent, family.Needed, family.Needed, family.Free}, // their sum is clipped: clip_each: mean
		"clip_each":     {family.Free, family.Absent, family.Needed, family.Needed, family.Free}, // mean: the sensitivity stays 2 clip, but the expansion of steps is not known
		"contributions": family.All(5, family.Priced),
		"tokens":        family.All(5, family.Priced), // one, says the spec
		"burn_in":       {family.Free, family.Absent, family.Absent, family.Absent, family.Absent},
		"momentum":      {family.Free, family.Absent, family.Needed, family.Needed, family.Free}, // local: a function of messages that are charged as public; elsewhere a hidden state
		"radius":        {family.Free, family.Absent, family.Free, family.Needed, family.Free},   // a projection is post-processing, except of sums of one draw
		"start":         {family.Free, family.Absent, family.Absent, family.Absent, family.Absent},
		"gossip_steps":  {family.Free, family.Absent, family.Priced, family.Priced, family.Free},
		"acceleration":  {family.Free, family.Free, family.Free, family.Priced, family.Free},       // messages span the same space
		"noise":         {family.Free, family.Absent, family.Needed, family.Priced, family.Needed}, // 002 Theorem 6.9 knows one draw a step
		"pairwise":      {family.Free, family.Absent, family.Needed, family.Needed, family.Priced}, // others know no noise that cancels
		"secrets":       {family.Free, family.Absent, family.Needed, family.Needed, family.Priced},
		"absent":        {family.Free, family.Absent, family.Needed, family.Needed, family.Priced},
		"wake":          {family.Free, family.Priced, family.Needed, family.Priced, family.Needed},
		"dropout":       {family.Free, family.Priced, family.Needed, family.Priced, family.Needed},
		"redraw":        {family.Free, family.Priced, family.Needed, family.Priced, family.Needed},
		"batch":         {family.Free, family.Absent, family.Free, family.Free, family.Free},         // no more than all of a node's rows
		"rate":          {family.Priced, family.Absent, family.Needed, family.Free, family.Priced},   // published: participants only
		"epoch":         {family.Priced, family.Absent, family.Needed, family.Needed, family.Priced}, // a row is in one batch of a pass: others count it in every batch
		"memory":        {family.Priced, family.Absent, family.Needed, family.Needed, family.Priced}, // others know noise of one round alone
		"sampling":      {family.Priced, family.Absent, family.Needed, family.Free, family.Priced},
		"unit":          {family.Priced, family.Priced, family.Needed, family.Priced, family.Priced}, // the papers' are about participants
		"limits":        {family.Priced, family.Absent, family.Needed, family.Priced, family.Priced}, // published: nodes that all clip alike
		"record_name":   family.All(5, family.Free),
		"sigma":         family.All(5, family.Priced),
		"calibrate":     family.All(5, family.Priced),
		"accountant":    family.All(5, family.Priced),
		"metric":        family.All(5, family.Priced),
		"release":       {family.Free, family.Needed, family.Needed, family.Priced, family.Free}, // where every message is charged as public, so are the last models
		"sender":        family.All(5, family.Free),
		"condition":     family.All(5, family.Free),
		"conversion":    family.All(5, family.Free),
		"coalition":     {family.Free, family.Free, family.Free, family.Free, family.Priced}, // besides all pairs, and by one accountant alone (spec)
	},
}

// Uses implements family.Family.
func (Family) Uses() family.Uses { return uses }
