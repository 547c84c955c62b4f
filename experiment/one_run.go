package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/audit"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A OneRun holds the lower bounds of all observers of a single run on the losses of its canaries.
type OneRun struct {
	Canaries   int           `json:"canaries"` // nodes that hold one of two data sets, by a coin
	Unit       string        `json:"unit"`
	Confidence float64       `json:"confidence"` // with which all bounds hold together
	Delta      float64       `json:"delta"`
	Sigma      float64       `json:"sigma"`
	Status     report.Status `json:"status"`
	Observers  []OneRunView  `json:"observers"` // every node, then everybody together
	Refuted    bool          `json:"refuted"`   // a sound number is below a lower bound
	Assumes    []string      `json:"assumptions"`
}

// A OneRunView holds the lower bound of one observer.
type OneRunView struct {
	Observer *int   `json:"observer,omitempty"` // nil: everybody together, by all messages
	Name     string `json:"name"`
	audit.Guessed
	Eps     report.Number  `json:"eps"` // the loss of some canary is at least this
	Claimed report.Number  `json:"claimed"`
	By      string         `json:"claimed_by"`
	Mu      *report.Number `json:"mu,omitempty"`         // of everybody: least shift over noise of a canary, where each node's noise is its own
	Said    *report.Number `json:"claimed_mu,omitempty"` // that of all its contributions seen alone
	Refuted bool           `json:"refuted"`
}

// checkOneRun refuses runs that do not meet the conditions of an audit of one run.
func (s *Priced) checkOneRun(confidence float64) error {
	holders := 0
	for v := range s.Spec.Nodes {
		if !s.Public && s.Records(v) > 0 {
			holders++
		}
	}
	_, innovates := s.Algorithm.(family.Innovating)
	_, follows := s.Algorithm.(family.Followed)
	switch {
	case s.Spec.Privacy.Metric.Order != 0:
		return fault.New("privacy.metric: one run is audited for an epsilon at a delta", "use --set 'privacy.metric={epsilon_at_delta: 1.0e-6}'")
	case s.Accounting.Sigma == 0:
		return fault.New("no noise is added, so nothing bounds what anybody learns", "set privacy.sigma above 0, or privacy.calibrate")
	case s.Spec.External():
		return fault.New("model.kind: canaries are rows that Hearsay makes, and what an external model answers about them is not known", "audit a built-in model")
	case s.Algorithm.Local().Noise.Sampled():
		return fault.New("algorithm.sampling: a canary that is not in a batch is seen by nobody, and a canary is one row", "use sampling: fixed")
	case keepsNoise(s.Algorithm):
		return fault.New("algorithm: the noise of one message depends on that of others, and the audit takes each message's for its own", "leave out pairwise and memory")
	case Hearable(s.Algorithm) != nil:
		return Hearable(s.Algorithm)
	case !innovates && !follows:
		return fault.New(fmt.Sprintf("algorithm.kind: what nodes see of a %s is not audited in one run", s.Spec.Algorithm.Kind), "audit a walk or gossip")
	case s.Spec.Nodes*s.Spec.Nodes*s.Algorithm.Local().Params > mostNumbers:
		return fault.New(fmt.Sprintf("what %d nodes see of each other is more than is kept of one run", s.Spec.Nodes), "audit fewer nodes or a smaller model")
	}
	return cmp.Or(s.checkWorlds(&MembershipQuestion{Target: 0, Canary: CanaryWorst}), audit.CheckOneRun(holders, confidence))
}

// keepsNoise reports whether noise is shared by nodes or by rounds.
func keepsNoise(a family.Algorithm) bool {
	g, ok := a.Schedule().(*schedule.Gossip)
	return ok && (g.Pairwise > 0 || g.Memory != nil)
}

// A canary is a node whose data were drawn.
type canary struct {
	node   int
	heads  bool
	toward []float64 // the direction in which heads moves messages
}

// canaries draws a corner and a coin for each node that holds data, and returns the algorithm on their data. The coins are drawn
// apart from all noise.
func (s *Priced) canaries(ctx context.Context, seed uint64) (family.Algorithm, []canary, error) {
	var stream step.Stream
	var all []canary
	local, rows := s.Algorithm.Local(), map[int]model.Examples{}
	for v := range s.Spec.Nodes {
		if s.Records(v) == 0 {
			continue
		}
		draw := stream.At(seed, step.NodeID(v), 0, 0, step.Audit)
		corner := make([]float64, s.Train.Features)
		for i := range corner {
			corner[i] = float64(2*draw.IntN(2) - 1)
		}
		c := canary{node: v, heads: draw.IntN(2) == 1}
		worlds := [2]model.Examples{s.CanaryAlong(local, step.NodeID(v), corner, 1), s.CanaryAlong(local, step.NodeID(v), corner, -1)}
		if rows[v] = worlds[1]; c.heads {
			rows[v] = worlds[0]
		}
		c.toward = s.toward(worlds)
		all = append(all, c)
	}
	a, err := s.world(ctx, rows)
	return a, all, err
}

// toward returns the unit vector by which the first rows of two worlds move the first model apart, from the second to the first.
func (s *Priced) toward(worlds [2]model.Examples) []float64 {
	local := s.Algorithm.Local()
	at, moved := make([]float64, local.Params), [2][]float64{}
	copy(at, local.Initial)
	for w, ex := range worlds {
		moved[w] = make([]float64, local.Params)
		x, y := ex.Row(0)
		s.Objective.Gradient(moved[w], at, x, y)
	}
	sparse.Axpy(moved[1], -1, moved[0])
	if norm := sparse.Norm(moved[1]); norm > 0 {
		sparse.Scale(moved[1], 1/norm)
	}
	return moved[1]
}

// OneRun runs the spec once with canaries, lets everybody guess their coins, and compares the lower bounds with the accounts.
func (s *Priced) OneRun(ctx context.Context, confidence float64) (*OneRun, error) {
	if err := s.checkOneRun(confidence); err != nil {
		return nil, err
	}
	a, all, err := s.canaries(ctx, s.Spec.Seed)
	if err != nil {
		return nil, err
	}
	return s.oneRunOf(ctx, a, all, confidence)
}

// oneRunOf audits one run of an algorithm on data with canaries.
func (s *Priced) oneRunOf(ctx context.Context, a family.Algorithm, all []canary, confidence float64) (*OneRun, error) {
	ears, err := listenAll(ctx, a, s.Spec.Seed)
	if err != nil {
		return nil, err
	}
	found := &OneRun{Canaries: len(all), Unit: string(s.Unit()), Confidence: confidence, Delta: s.Spec.Privacy.Metric.Delta, Sigma: s.Accounting.Sigma,
		Status: report.Audit, Assumes: []string{s.Unit().Adjacency(), "coins of canaries are fair, each drawn for itself, and unknown to observers",
			fmt.Sprintf("all bounds together are false with probability at most %.6g", 1-confidence)}}
	n := s.Spec.Nodes
	for v := range n + 1 {
		failure := (1 - confidence) / float64(2*n) // half for nodes; everybody's eps and shift have a quarter each
		if v == n {
			failure = (1 - confidence) / 4
		}
		one, err := s.proved(ears[v], all, v, failure)
		if err != nil {
			return nil, err
		}
		found.Refuted = found.Refuted || one.Refuted
		found.Observers = append(found.Observers, one)
	}
	return found, nil
}

// proved returns the lower bound of observer v, n for everybody.
func (s *Priced) proved(e hearing, all []canary, v int, failure float64) (OneRunView, error) {
	var scores []float64
	var coins []bool
	for _, c := range all {
		if c.node != v {
			scores, coins = append(scores, e.score(c)), append(coins, c.heads)
		}
	}
	best, eps := audit.Best(scores, coins, s.Spec.Privacy.Metric.Delta, failure)
	one := OneRunView{Name: "everybody together", Guessed: best, Eps: report.Number(eps)}
	if v < s.Spec.Nodes {
		one.Observer, one.Name = &v, s.Name(v)
		one.Claimed, one.By = s.claimedTowards(v, all)
	} else {
		loss, mu, err := s.claimedTogether()
		if err != nil {
			return one, err
		}
		whole := audit.Guess(scores, coins, len(coins))
		shift := report.Number(whole.Shift(failure))
		one.Claimed, one.By, one.Mu, one.Said = loss, report.LocalAccountant, &shift, &mu
		one.Refuted = shift > mu
	}
	one.Refuted = one.Refuted || one.Eps > one.Claimed
	return one, nil
}

// claimedTowards returns the largest loss of a canary towards v, each by its least sound account, and the account of that. Without a
// sound account it is infinite.
func (s *Priced) claimedTowards(v int, all []canary) (most report.Number, by string) {
	for _, c := range all {
		least, whose := report.Number(math.Inf(1)), ""
		for _, account := range s.Accounting.Accounts {
			if account.Status != report.Sound || account.At == nil || c.node == v {
				continue
			}
			if loss := report.Number(account.At(c.node, v)); loss < least {
				least, whose = loss, account.Accountant
			}
		}
		if whose != "" && (least > most || by == "") {
			most, by = least, whose
		}
	}
	if by == "" {
		most = report.Number(math.Inf(1))
	}
	return most, by
}

// claimedTogether returns the loss and the shift over noise of all of a node's contributions seen alone.
func (s *Priced) claimedTogether() (loss, mu report.Number, err error) {
	charged := s.Algorithm.Contributions()
	if c, ok := s.Algorithm.(family.Charger); ok {
		charged = c.Charged()
	}
	found, _, err := privacy.LocalLoss(charged, s.Accounting.Sigma, privacy.Metric{Delta: s.Spec.Privacy.Metric.Delta})
	return report.Number(found), report.Number(math.Sqrt(float64(charged)) / s.Accounting.Sigma), err
}

// A hearing holds the unforeseen part of an observer's messages, by sender; node -1 stands for unknown senders.
type hearing map[int]*unforeseen

type unforeseen struct {
	sum    []float64
	weight float64 // variance of the sum, in units of that of one message
}

func (e hearing) hear(w int, x []float64, weight float64) {
	if e[w] == nil {
		e[w] = &unforeseen{sum: make([]float64, len(x))}
	}
	sparse.Axpy(e[w].sum, weight, x)
	e[w].weight += weight
}

// score says how surely the canary's coin is heads: from the messages of its node, if these were heard, or from those of all others.
func (e hearing) score(c canary) float64 {
	total, weight := 0.0, 0.0
	for _, w := range e.senders() {
		if e[c.node] == nil || w == c.node || w < 0 {
			total += sparse.Dot(e[w].sum, c.toward)
			weight += e[w].weight
		}
	}
	return total / math.Sqrt(math.Max(weight, 1e-300))
}

// senders returns who was heard, ascending, so that sums do not depend on the order of a map.
func (e hearing) senders() (all []int) {
	for w := range e {
		all = append(all, w)
	}
	slices.Sort(all)
	return all
}

// listenAll runs an algorithm once and returns the hearings of each node, and of everybody together.
func listenAll(ctx context.Context, a family.Algorithm, seed uint64) ([]hearing, error) {
	n := a.Of().Spec.Nodes
	ears := make([]hearing, n+1)
	for v := range ears {
		ears[v] = hearing{}
	}
	if g, ok := a.(family.Innovating); ok {
		return ears, g.Innovations(ctx, seed, func(v, w int, x []float64) { ears[v].hear(w, x, 1) })
	}
	walk := a.(family.Followed)
	last, sent := walk.Begins(), make([]map[int][]float64, n) // by lane: the token, and as a node last sent it
	turn := make([]map[int]step.Turn, n)
	for v := range n {
		sent[v], turn[v] = map[int][]float64{}, map[int]step.Turn{}
	}
	return ears, walk.Follow(ctx, seed, func(r step.Release, token []float64) {
		v, lane := int(r.From), int(r.Lane)
		before := sent[v][lane]
		since := int(r.Turn) // turns of others
		if before == nil {
			before = walk.Begins()[lane]
		} else {
			since -= int(turn[v][lane]) + 1
		}
		if since > 0 {
			moved := slices.Clone(last[lane])
			sparse.Axpy(moved, -1, before)
			ears[v].hear(-1, moved, 1/float64(since))
		}
		moved := slices.Clone(token)
		sparse.Axpy(moved, -1, last[lane])
		ears[n].hear(v, moved, 1)
		copy(last[lane], token)
		sent[v][lane], turn[v][lane] = slices.Clone(token), r.Turn
	})
}
