package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/attack/membership"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/audit"
	"github.com/hearsay-dp/hearsay/report"
)

// A MembershipQuestion states whose membership is to be inferred, by whom, and with how many runs.
type MembershipQuestion struct {
	Target     int
	Attackers  [][]int // sets of nodes that collude; an empty one receives the final model only
	Canary     string  // CanaryWorst or CanaryReal
	Row        int     // of the target's, which a real record is
	Runs       int     // of each world, on which losses are measured
	Shadows    int     // of each world, on which attackers fit and choose; half for each
	Confidence float64
	Seed       uint64 // of the runs
	Workers    int
}

// Canaries: the two worlds of an attack differ in this.
const (
	CanaryWorst = "worst" // data as far apart as the bounds of the data allow (family.Holdings.Canary)
	CanaryReal  = "real"  // the target's own data, or other rows in their place
)

// Membership holds the loss of a node that attackers prove, beside the accountants' bounds.
type Membership struct {
	Target     int                `json:"target"`
	TargetName string             `json:"target_name"`
	Unit       string             `json:"unit"`
	Adjacency  string             `json:"neighbouring"` // between which data sets accountants and worlds differ
	Canary     string             `json:"canary"`
	Worlds     string             `json:"worlds"`               // in words
	Reach      report.Number      `json:"share_of_sensitivity"` // by which the worlds' first contributions differ; NaN: not known
	Metric     string             `json:"metric"`
	Sigma      float64            `json:"sigma"`
	Runs       int                `json:"runs"`
	Shadows    int                `json:"shadow_runs"`
	Confidence float64            `json:"confidence"` // of each attacker's bounds
	Seed       uint64             `json:"seed"`
	Whole      bool               `json:"gaussian_views"` // whether local, exact, flow and pairwise numbers claim that a view is no easier to tell apart than a Gaussian one
	Attackers  []MembershipProved `json:"attackers"`
	Notes      []string           `json:"notes,omitempty"`
}

// MembershipProved holds the loss that one set of attackers proves.
type MembershipProved struct {
	Nodes     []int             `json:"nodes"` // none: who receives the final model
	Names     []string          `json:"names"`
	Hops      int               `json:"hops"`     // from the target to the nearest of them; 0: the final model, -1: there is no way
	Places    int               `json:"places"`   // numbers that an attack looked at; 0: of a token, as many as came
	Proved    report.Number     `json:"proved"`   // at least, in the metric
	Mu        report.Number     `json:"mu"`       // no claim of a Gaussian view with a smaller shift is true
	Gaussian  report.Number     `json:"gaussian"` // the loss of a Gaussian view of that shift
	Power     float64           `json:"power"`    // of the best test, at least
	Size      float64           `json:"size"`     // of the best test, at most
	AUC       float64           `json:"auc"`      // not a bound
	Sound     report.Number     `json:"sound"`    // the least of Bounds that is sound
	By        string            `json:"sound_by"` // whose that is
	Published *report.Number    `json:"published,omitempty"`
	Refuted   bool              `json:"refuted"`                    // more was proved than a sound number allows
	Broken    bool              `json:"published_broken,omitempty"` // more was proved than the published number says
	Bounds    []family.PairLoss `json:"-"`
}

// Membership attacks. Every run is a run of the spec's own algorithm, with a seed of its own; the result does not depend
// on the number of workers. say is called with the current stage and its expected time, progress with the numbers of finished
// runs and of all. Either may be nil.
func (s *Priced) Membership(ctx context.Context, q MembershipQuestion, say func(string), progress func(done, total int)) (*Membership, error) {
	m, err := family.Metric(&s.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	if err := s.CheckMembership(&q); err != nil {
		return nil, err
	}
	switch {
	case s.Accounting.Sigma == 0:
		return nil, fault.New("no noise is added, so nothing bounds what anybody learns",
			"set privacy.sigma above 0, or privacy.calibrate; without noise see hearsay attack gradients")
	case len(q.Attackers) == 0:
		return nil, fault.New("nobody attacks", "name attackers")
	}
	worlds, words, err := s.worlds(ctx, &q)
	if err != nil {
		return nil, err
	}
	found := &Membership{
		Target: q.Target, TargetName: s.Name(q.Target), Unit: string(s.Unit()), Adjacency: s.Unit().Adjacency(), Canary: q.Canary, Worlds: words,
		Reach: report.Number(reach(worlds, q.Target)), Metric: m.String(), Sigma: s.Accounting.Sigma, Runs: q.Runs, Shadows: q.Shadows,
		Confidence: q.Confidence, Seed: q.Seed, Whole: !s.Algorithm.Local().Noise.Sampled() && family.OffGrid(s.Algorithm) == "",
	}
	for _, set := range q.Attackers { // before anything runs
		one := MembershipProved{Nodes: set, Names: []string{}, Hops: s.hops(q.Target, set)}
		for _, v := range set {
			one.Names = append(one.Names, s.Name(v))
		}
		if one.Nodes == nil {
			one.Nodes = []int{}
		}
		if one.Bounds, err = s.boundsTowards(ctx, q.Target, set); err != nil {
			return nil, err
		}
		found.Attackers = append(found.Attackers, one)
	}
	if err := Hearable(s.Algorithm); err != nil {
		found.Notes = append(found.Notes, "Nodes do not attack here: "+err.Error()+".")
	}
	game := &game{question: q, worlds: worlds, target: q.Target, report: progress, say: say, began: time.Now()}
	scores, places, err := game.play(ctx)
	if err != nil {
		return nil, err
	}
	for k := range found.Attackers {
		proof, err := membership.Prove(scores[k].choosing, scores[k].measuring, m, 1-q.Confidence)
		if err != nil {
			return nil, err
		}
		found.Attackers[k].Places = places[k]
		found.Attackers[k].compare(proof, found.Whole)
	}
	return found, nil
}

// compare compares the proved loss with the bounds. If an accountant takes the view for Gaussian, the shift is compared
// too, whatever the metric.
func (p *MembershipProved) compare(proof *membership.Proof, whole bool) {
	p.Proved, p.Mu, p.Gaussian = report.Number(proof.Loss), report.Number(proof.Mu), report.Number(proof.Gaussian)
	p.Power, p.Size, p.AUC = proof.Test.Power, proof.Test.Size, proof.AUC
	p.Sound = report.Number(math.Inf(1))
	for _, b := range p.Bounds {
		least := p.Proved
		if whole && slices.Contains(gaussianViews, b.Accountant) {
			least = max(least, p.Gaussian)
		}
		switch b.Status {
		case report.Sound:
			if b.Loss < p.Sound {
				p.Sound, p.By = b.Loss, b.Accountant
			}
			p.Refuted = p.Refuted || least > b.Loss
		case report.Published:
			if p.Published == nil || b.Loss < *p.Published {
				loss := b.Loss
				p.Published = &loss
			}
			p.Broken = p.Broken || p.Proved > b.Loss
		}
	}
}

// gaussianViews lists the accountants that state that a view is no easier to tell apart than a Gaussian of one shift.
var gaussianViews = []string{"exact", "flow", "pairwise", report.LocalAccountant}

// CheckMembership refuses targets that cannot be attacked, or cannot be audited so, with the reason. It checks all that is known
// before the pairs are priced. Attackers that are not named yet are no error.
func (s *Prepared) CheckMembership(q *MembershipQuestion) error {
	m, err := family.Metric(&s.Spec.Privacy)
	if err != nil {
		return err
	}
	return cmp.Or(s.checkWorlds(q), audit.Check(q.Runs, m, 1-q.Confidence), audit.Check(q.Shadows/2, m, 1-q.Confidence))
}

func (s *Prepared) checkWorlds(q *MembershipQuestion) error {
	n, a := s.Spec.Nodes, s.Algorithm
	if q.Target < 0 || q.Target >= n {
		return fault.New(fmt.Sprintf("there is no node %d among %d", q.Target, n), "number nodes from 0")
	}
	rows := 0
	if !s.Public {
		rows = s.Records(q.Target)
	}
	switch {
	case s.Public:
		return fault.New("the participants' rows are not here, and attacks on membership run the protocol on them", "attack a spec with data: one participant's own, or generated")
	case rows == 0:
		return fault.New(fmt.Sprintf("%s holds no rows, so there is nothing to learn about it", s.Name(q.Target)), "attack a node that holds data")
	case q.Row < 0 || q.Row >= rows:
		return fault.New(fmt.Sprintf("%s has no %s %d among %d", s.Name(q.Target), s.Spec.RecordWord(), q.Row, rows), "number them from 0")
	case q.Canary != CanaryWorst && q.Canary != CanaryReal:
		return fault.New(fmt.Sprintf("canary %.20q: there is no such one", q.Canary), "use worst or real")
	}
	if s.Spec.Kind().Shows {
		return fault.New(fmt.Sprintf("algorithm.kind: a %s shows what follows from data once, before it runs, and all runs of a spec begin with what was shown", s.Spec.Algorithm.Kind),
			"attack kind: walk")
	}
	for _, set := range q.Attackers {
		if err := s.checkAttackers(a, q.Target, set); err != nil {
			return err
		}
	}
	return nil
}

func (s *Prepared) checkAttackers(a family.Algorithm, target int, set []int) error {
	for k, v := range set {
		switch {
		case v < 0 || v >= s.Spec.Nodes:
			return fault.New(fmt.Sprintf("there is no node %d among %d", v, s.Spec.Nodes), "number nodes from 0")
		case v == target:
			return fault.New(fmt.Sprintf("%s attacks itself", s.Name(v)), "name other nodes")
		case slices.Contains(set[:k], v):
			return fault.New(fmt.Sprintf("%s attacks twice", s.Name(v)), "name different nodes")
		}
	}
	if len(set) == 0 {
		return nil
	}
	return Hearable(a)
}

// Hearable returns nil if the messages that nodes see of a run can be attacked, else the reason. The final model always can.
func Hearable(a family.Algorithm) error {
	if closed, ok := a.(family.Closed); ok {
		if err := closed.CheckHeard(); err != nil {
			return err
		}
	}
	switch a.(type) {
	case family.Overheard, family.Followed:
		return nil
	}
	return fault.New(fmt.Sprintf("algorithm.kind: what nodes see of a %s is not attacked", a.Of().Spec.Algorithm.Kind),
		"attack by whoever receives the final model (--attackers model), or attack a walk or gossip")
}

// hops returns the hops from the target to the nearest node of a set. It returns 0 for an empty set, and 1 without a graph.
func (s *Priced) hops(target int, set []int) int {
	if len(set) == 0 {
		return 0
	}
	if s.Graph == nil {
		return 1
	}
	return int(graph.NewSearch(s.Graph).Nearest(set)[target])
}

// Nearby returns attackers worth looking at. For every distance it takes the one node with the largest loss by the accountants,
// at most most of them. The last attacker receives the final model.
func (s *Priced) Nearby(target, most int) [][]int {
	model := [][]int{nil}
	if Hearable(s.Algorithm) != nil || s.Spec.Kind().Shows {
		return model
	}
	if s.Graph == nil {
		return append([][]int{{(target + 1) % s.Spec.Nodes}}, model...)
	}
	var best []int
	hops, leading := graph.NewSearch(s.Graph).From(target), s.Accounting.Leading()
	loss := func(v int) float64 {
		if leading.At == nil {
			return 0
		}
		return leading.At(target, v)
	}
	for v, d := range hops {
		if d < 1 || int(d) > most {
			continue
		}
		for len(best) < int(d) {
			best = append(best, -1)
		}
		if at := best[d-1]; at < 0 || loss(v) > loss(at) {
			best[d-1] = v
		}
	}
	var sets [][]int
	for _, v := range best {
		if v >= 0 {
			sets = append(sets, []int{v})
		}
	}
	return append(sets, model...)
}
