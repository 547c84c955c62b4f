package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/scatter"
)

// Result is everything a run has to say, except the pairwise losses (Losses),
// which are too many for one JSON value.
type Result struct {
	Name           string            `json:"name"`
	Algorithm      string            `json:"algorithm"` // as in the spec: walk, gossip, ...
	Story          string            `json:"-"`         // how it trains, in a clause; "": only its name is known
	Model          string            `json:"model"`     // as in the spec: logistic, ridge, ...
	Spec           any               `json:"spec"`
	WallSeconds    float64           `json:"wall_seconds"`
	ScoringSeconds float64           `json:"-"`                   // of these, those in which no step was taken; see StepsPerSecond
	Simulated      *Seconds          `json:"simulated,omitempty"` // mean over trials; nil: no time is simulated
	Steps          int               `json:"steps"`               // per trial
	StepsPerSecond float64           `json:"steps_per_second"`    // of all trials, in the seconds that are not of scoring
	Final          Final             `json:"final"`
	Estimate       *Estimated        `json:"estimate,omitempty"` // nil: nothing but a model is estimated
	Baselines      *Baselines        `json:"baselines"`          // null where none were computed
	Privacy        Privacy           `json:"privacy"`
	Trials         List[Trial]       `json:"trials"`
	TrialsVary     string            `json:"trials_vary,omitempty"` // what differs between trials; "": there is one
	Curve          List[Point]       `json:"curve"`
	Data           Data              `json:"data"`
	Graph          Graph             `json:"graph"`
	Notes          List[string]      `json:"notes"`
	Versions       map[string]string `json:"versions"`
	Recipe         Recipe            `json:"-"` // how to predict with its models; of no kind: what Data says
}

// Seconds is simulated time, of a network of which a spec gives the latency.
type Seconds struct {
	Seconds Number `json:"seconds"`        // until the last of the tokens has come to its end
	Serial  Number `json:"serial_seconds"` // if one token had gone after the other
}

// Final scores the released model on all rows: mean over trials. Losses are
// plain: means over rows without penalty, clipping or weights.
type Final struct {
	TrainLoss    Number   `json:"train_loss"`
	TestLoss     Number   `json:"test_loss"`
	TestAccuracy *float64 `json:"test_accuracy"` // in [0,1]; null when the model does not classify
	// Objective is what was minimised, on the training rows: clipped losses, each
	// node with its weight, and the penalty (docs/SPEC.md); null where nothing is.
	Objective *Number `json:"objective"`
	// Penalty is l2/2 times the squared norm of the parameters, part of the objective.
	Penalty        Number          `json:"penalty"`
	Classification *Classification `json:"classification,omitempty"` // where the model classifies and there are test rows
	Regression     *Regression     `json:"regression,omitempty"`     // where it predicts numbers
	// Consensus is the mean squared distance of the nodes' own models from the
	// scored one, their mean; null where there is one model only.
	Consensus *Number `json:"consensus,omitempty"`
	// Scored says whose the scores are where every node has a model; "": there is one.
	Scored Scored `json:"scored,omitempty"`
	// MeanModel is how the mean of the nodes' models does, which nobody has or sees,
	// beside ScoredOwn.
	MeanModel *MeanModel `json:"mean_model,omitempty"`
}

// Scored says whose scores are given.
type Scored string

// ScoredOwn are means over nodes, of what each has; ScoredMean are of the mean of
// their models, which nobody has or sees.
const (
	ScoredOwn  Scored = "own"
	ScoredMean Scored = "mean"
	// ScoredTokens are means over tokens that are kept apart.
	ScoredTokens Scored = "tokens"
)

// owners are whose models those are.
func (s Scored) owners() string {
	if s == ScoredTokens {
		return "tokens"
	}
	return "nodes"
}

// MeanModel scores the mean of all nodes' models: mean over trials.
type MeanModel struct {
	TrainLoss    Number   `json:"train_loss"`
	TestLoss     Number   `json:"test_loss"`
	TestAccuracy *float64 `json:"test_accuracy"` // null when the model does not classify
	Seen         bool     `json:"seen"`          // by anybody: false
}

// Classification is how a classifier does on the test rows.
type Classification struct {
	Threshold float64      `json:"threshold,omitempty"` // of two classes: the probability from which on the positive one is predicted
	Classes   List[string] `json:"classes"`             // in the order of the confusion matrix, the positive one last
	// Confusion counts rows by true class (row) and predicted class (column): mean
	// over trials, hence fractions.
	Confusion List[Vector] `json:"confusion"`
	BaseRate  Number       `json:"base_rate"`         // share of the positive class; null of more than two
	Majority  Number       `json:"majority_accuracy"` // of always answering the most frequent class
	Balanced  Number       `json:"balanced_accuracy"` // mean over classes of the share that is found; null if one does not occur
	AUC       Number       `json:"auc"`               // null if a class does not occur, and of more than two
}

// Regression is how far predictions are off, in the label's own unit.
type Regression struct {
	Label     string `json:"label"`      // the target, whose unit all of these have
	TrainRMSE Number `json:"train_rmse"` // root mean squared error
	TestRMSE  Number `json:"test_rmse"`
	TestMAE   Number `json:"test_mae"`  // mean absolute error
	MeanRMSE  Number `json:"mean_rmse"` // on the test rows, of always answering the mean of the training rows
	R2        Number `json:"r2"`        // 1 - (test_rmse/mean_rmse)^2
}

// An Estimated is what a sum or histogram came to, beside what only a simulation knows.
type Estimated struct {
	Of    string       `json:"of"` // sum over nodes, or nodes by value
	Names List[string] `json:"names"`
	Value Vector       `json:"value"` // mean over trials
	Truth Vector       `json:"truth"`
	Error Number       `json:"error"`     // root mean squared, over trials and names
	Noise Number       `json:"noise_std"` // standard deviation that noise alone makes, in theory
}

// A Trial is one independent run.
type Trial struct {
	Simulated *Seconds `json:"simulated,omitempty"` // by the spec's latency; nil: it gives none
	Seed      uint64   `json:"seed,string"`         // text: most are beyond the whole numbers that JSON readers keep
	Final     Final    `json:"final"`
	Model     Vector   `json:"model"` // the parameters; the intercept last
}

// A Point summarises all trials at one step.
type Point struct {
	Step         int    `json:"step"`
	TrainLoss    Spread `json:"train_loss"`
	TestLoss     Spread `json:"test_loss"`
	TestAccuracy Spread `json:"test_accuracy"` // meaningless when Final.TestAccuracy is nil
	Objective    Spread `json:"objective"`     // meaningless when Final.Objective is nil
	Penalty      Spread `json:"penalty"`
	Consensus    Spread `json:"consensus"` // see Final; meaningless when Final.Consensus is nil
}

// Spread of a number over trials.
type Spread struct {
	Mean Number `json:"mean"`
	Std  Number `json:"std"` // sample standard deviation, 0 for one trial
	Min  Number `json:"min"`
	Max  Number `json:"max"`
}

// Status says how far a privacy number can be trusted.
type Status string

// The statuses. Only Sound numbers may decide whether a run is accepted.
const (
	Published Status = "published" // as printed in a paper; not always a bound
	Sound     Status = "sound"     // an upper bound whose every step is defended and whose assumptions are checked
	SoundIf   Status = "sound if"  // an upper bound if something holds that somebody only asserts
	Audit     Status = "audit"     // a lower bound: what an attacker really achieves
	Estimate  Status = "estimate"  // of a mean over a sample of pairs, each with a bound of its own
	Unclaimed Status = "none"      // of a model file that no number covers
)

// LocalAccountant names the accountant of one node's own noise alone: what an
// observer of every message of that node could learn. No place in the graph
// protects less, so charts draw it as a line.
const LocalAccountant = "local"

// AuditAccountant names what explicit attacks attain.
const AuditAccountant = "audit"

// Deviation says in words what NoiseStd is.
func (p *Privacy) Deviation() string {
	if p.Fresh == 0 {
		return "standard deviation " + number(p.NoiseStd, 4)
	}
	return fmt.Sprintf("worth independent noise of standard deviation %s, and %.4g times that drawn afresh", number(p.NoiseStd, 4), p.Fresh)
}

// Privacy is what the run cost, on the accountant of the spec, with the others
// beside it.
type Privacy struct {
	Accounted
	Unit       string          `json:"unit"`                      // what neighbouring data sets differ in: all the data of a participant, or one record of it
	RecordName string          `json:"record_name,omitempty"`     // what a record is, in a word
	PersonRows int             `json:"rows_per_person,omitempty"` // a record is all rows of a person, so many at most; 0: one row
	Calibrated bool            `json:"calibrated"`                // sigma was set by Accounted, not given
	Sigma      float64         `json:"sigma"`                     // noise multiplier
	Noise      string          `json:"noise,omitempty"`           // what sigma counts where that is no multiplier, such as random answers
	NoiseStd   float64         `json:"noise_std"`                 // sigma x sensitivity
	Fresh      float64         `json:"fresh,omitempty"`           // of noise that remembers earlier steps: what is drawn afresh, over NoiseStd, which is then its worth
	Clip       float64         `json:"clip"`                      // per-example clipping norm
	Metric     string          `json:"metric"`                    // "epsilon at delta 1e-06" or "Renyi at order 2"
	Delta      float64         `json:"delta"`                     // 0 for a Renyi metric
	Order      float64         `json:"order"`                     // 0 for epsilon at delta
	Sender     string          `json:"sender"`                    // hidden or known
	Simulated  bool            `json:"simulated"`                 // noise came from a seed: not for release
	Others     List[Accounted] `json:"others"`
	Coalition  *Coalition      `json:"coalition,omitempty"` // nil: the spec asks for none
	Public     *Public         `json:"public,omitempty"`    // nil: nothing is shown to everybody, or nobody prices it apart
	// Nodes are by the best sound accountant, else the first; null where there are no
	// pairs, or too many.
	Nodes *NodeLosses `json:"nodes,omitempty"`
	// Brackets are, by distance, of one pair that loses most there; empty where nothing
	// was attacked.
	Brackets List[Bracket] `json:"brackets,omitempty"`
}

// OneRecord is what is protected where that is a record, in words such as "one patient’s
// row"; "" where it is all the data of a participant.
func (p *Privacy) OneRecord() string {
	switch {
	case p.Unit != "record":
		return ""
	case p.PersonRows > 0:
		return fmt.Sprintf("all rows of one %s, at most %d", p.person(), p.PersonRows)
	case p.RecordName == "" || p.RecordName == "row":
		return "one row"
	}
	return "one " + p.RecordName + "’s row"
}

// person is what is protected with all of its rows, in a word.
func (p *Privacy) person() string {
	if p.RecordName == "" || p.RecordName == "row" {
		return "person"
	}
	return p.RecordName
}

// A Bracket is what an explicit attack attains of one pair, and a bound: the truth is
// between the two.
type Bracket struct {
	Distance   int    `json:"distance"` // hops
	About      int    `json:"about"`    // whose data
	Observer   int    `json:"observer"`
	Audit      Number `json:"audit"` // at least
	Sound      Number `json:"sound"` // at most, by Accountant
	Accountant string `json:"accountant"`
}

// nearest says how near bounds and attacks are, "" where nothing was attacked.
func (p *Privacy) nearest() string {
	if len(p.Brackets) == 0 {
		return ""
	}
	attained, least := 0, 1.0
	for _, b := range p.Brackets {
		if b.Sound > 0 {
			least, attained = min(least, float64(b.Audit/b.Sound)), attained+1
		}
	}
	if attained == 0 {
		return ""
	}
	return fmt.Sprintf("Explicit attacks attain %.0f %% or more of the %s bound of the worst pair at %s.",
		math.Floor(100*least), p.Brackets[0].Accountant, plural(attained, "distance"))
}

// A Coalition summarises what the worst so many honest but curious nodes, who
// pool what they see, learn of each node.
type Coalition struct {
	Size        int          `json:"size"`
	Status      Status       `json:"status"`
	Mean        Number       `json:"mean"` // over nodes, of the worst coalition of each
	Max         Number       `json:"max"`
	About       int          `json:"about"` // the node that loses most
	Worst       List[int]    `json:"worst"` // to whom; empty where one bound holds for all coalitions
	Assumptions List[string] `json:"assumptions"`
}

// String is the coalition as one sentence.
func (c *Coalition) String() string {
	return fmt.Sprintf("any %d together, honest but curious (%s): mean %s, worst %s", c.Size, c.Status, Loss(float64(c.Mean), c.Status), Loss(float64(c.Max), c.Status))
}

// Accounted summarises one accountant over all ordered pairs of distinct nodes.
type Accounted struct {
	Accountant string `json:"accountant"`
	Status     Status `json:"status"`
	// Observer is who the losses hold towards (privacy.Observer): "own messages", "all messages" or "everybody together".
	Observer string `json:"observer"`
	// ModelCharged is whether the losses also hold if everybody is shown the final model.
	ModelCharged bool   `json:"model_charged"`
	Mean         Number `json:"mean"`
	MeanStatus   Status `json:"mean_status"` // Status, but Estimate where pairs were sampled
	// MeanInterval is where the mean is, as far as a sample can tell; null unless it is an
	// estimate.
	MeanInterval *Interval `json:"mean_interval,omitempty"`
	// Unpriced counts the ordered pairs of which the accountant says nothing, each by
	// itself; Max and MaxBeyondNeighbours hold of them too: they are the local loss there.
	Unpriced int    `json:"unpriced_pairs,omitempty"`
	Max      Number `json:"max"`
	// Also is the same in the further metrics of the spec's report.
	Also []Restated `json:"also,omitempty"`
	// Gaussian is whether views are no better than Gaussian ones: the loss at one delta then says the one at any.
	Gaussian bool `json:"gaussian,omitempty"`
	// Guess is the probability at most, over all pairs, with which a guess between two equally likely data sets is right; a
	// coin's is 0.5. 0: it is not known.
	Guess float64 `json:"guess,omitempty"`
	// MaxBeyondNeighbours is over pairs that no edge joins, null where there are none.
	MaxBeyondNeighbours *Number      `json:"max_beyond_neighbours"`
	Assumptions         List[string] `json:"assumptions"` // the unit of privacy first
}

// Restated are an accountant's losses in one more metric: epsilon at a delta, or a Renyi divergence of an order.
type Restated struct {
	Delta float64 `json:"delta,omitempty"`
	Order float64 `json:"order,omitempty"`
	Mean  Number  `json:"mean"`
	Max   Number  `json:"max"`
}

// in words, the metric with its losses.
func (r Restated) in(status Status) string {
	metric := fmt.Sprintf("epsilon at delta %g", r.Delta)
	if r.Order != 0 {
		metric = fmt.Sprintf("Renyi at order %g", r.Order)
	}
	return fmt.Sprintf("%s: mean %s, worst pair %s", metric, Loss(float64(r.Mean), status), Loss(float64(r.Max), status))
}

// suffix of the array that has the losses of all pairs, after the name of the accountant's own.
func (r Restated) suffix() string {
	if r.Order != 0 {
		return "_order_" + strconv.FormatFloat(r.Order, 'g', -1, 64)
	}
	return "_delta_" + strconv.FormatFloat(r.Delta, 'g', -1, 64)
}

// Beyond is the largest loss between nodes that are no neighbours, as people read it.
func (a Accounted) Beyond() string {
	if a.MaxBeyondNeighbours == nil {
		return "–"
	}
	return bound(float64(*a.MaxBeyondNeighbours), a.Status)
}

// Estimated reports whether the mean is no bound, though losses of pairs may be.
func (a Accounted) Estimated() bool { return a.MeanStatus == Estimate }

// meanStatus is that of the mean, Status where none is said.
func (a Accounted) meanStatus() Status {
	if a.MeanStatus == "" {
		return a.Status
	}
	return a.MeanStatus
}

// MeanNote is " (estimate)" where the mean is one, with its interval.
func (a Accounted) MeanNote() string {
	switch {
	case !a.Estimated():
		return ""
	case a.MeanInterval == nil:
		return " (" + string(Estimate) + ")"
	}
	return fmt.Sprintf(" (%s, %.3g to %.3g)", Estimate, float64(a.MeanInterval.Low), float64(a.MeanInterval.High))
}

// An Interval holds a number that was estimated from a sample, but for a probability of
// 1 - Confidence over samples.
type Interval struct {
	Low        Number  `json:"low"`
	High       Number  `json:"high"`
	Confidence float64 `json:"confidence"`
}

// TakenAsPublic joins the assumptions about preprocessing, "" if there are none: they are said wherever a status is.
func (p Privacy) TakenAsPublic() string {
	var all []string
	for _, a := range p.Assumptions {
		if strings.HasPrefix(a, "preprocessing is public") {
			all = append(all, a)
		}
	}
	return strings.Join(all, "; and ")
}

// All lists every accountant that has a name, the calibrated one first.
func (p *Privacy) All() []Accounted {
	all := make([]Accounted, 0, 1+len(p.Others))
	if p.Accountant != "" {
		all = append(all, p.Accounted)
	}
	return append(all, p.Others...)
}

// Data describes what was learnt from.
type Data struct {
	Source        string       `json:"source"`
	Target        string       `json:"target"`
	Positive      string       `json:"positive"` // of two classes, what the label +1 means; else ""
	Classes       List[string] `json:"classes"`  // what the labels -1 and +1 (or 0, 1, ...) mean; empty when labels are numbers
	Features      List[string] `json:"features"`
	Preprocessing List[string] `json:"preprocessing"` // in the order applied

	Categories map[string][]string `json:"categories,omitempty"` // values of text columns: feature column=value is 1 where the column is that value, else 0
	Fill       map[string]string   `json:"fill,omitempty"`       // what stands for a missing value, by column

	Columns   List[Scaling]     `json:"columns"`            // the same in numbers, a feature each; empty: none is scaled
	Encoding  *scatter.Encoding `json:"encoding,omitempty"` // what the scaled columns become; left out: they stay
	RowNorm   *float64          `json:"row_norm"`           // to which each row is then scaled; null: not
	Label     *Scaling          `json:"label"`              // of a regression's target: models predict the scaled label; null: not scaled
	Train     int               `json:"train"`              // rows held by nodes
	Test      int               `json:"test"`
	SetAside  int               `json:"set_aside,omitempty"` // test rows that nobody looks at, where rows kept from the training part take their place
	Unused    int               `json:"unused"`              // rows left over by equal shards
	Partition string            `json:"partition"`
}

// Tested says what kind of rows Test counts.
func (d *Data) Tested() string {
	if d.SetAside > 0 {
		return "validation"
	}
	return "test"
}

// A Scaling of one column: v becomes (v - shift) x factor, then is limited to
// [-limit, limit]. A scaled label is turned back by /factor, then + shift.
type Scaling struct {
	Name   string  `json:"name"`
	Shift  float64 `json:"shift"`
	Factor float64 `json:"factor"`
	Limit  Number  `json:"limit"` // null: none
}

// Graph describes who can talk to whom.
type Graph struct {
	Name        string  `json:"name"`
	Weights     string  `json:"weights"`
	Nodes       int     `json:"nodes"`
	Edges       int     `json:"edges"`
	MinDegree   int     `json:"min_degree"`
	MaxDegree   int     `json:"max_degree"`
	Diameter    int     `json:"diameter"`     // -1 when not computed
	SpectralGap float64 `json:"spectral_gap"` // NaN is never written: -1 when not computed

	Secrets *Secrets `json:"secrets,omitempty"` // where noise cancels
}

// Secrets is the graph of who shares a secret with whom.
type Secrets struct {
	Name        string `json:"name"` // edges, or as the spec has it
	Pairs       int    `json:"pairs"`
	MinPartners int    `json:"min_partners"`
	MaxPartners int    `json:"max_partners"`
}

// String says who shares secrets in a line.
func (s *Secrets) String() string {
	return fmt.Sprintf("%s: %d pairs, %d to %d partners each", s.Name, s.Pairs, s.MinPartners, s.MaxPartners)
}
