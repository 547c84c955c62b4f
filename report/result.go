package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/scatter"
)

// Result is the whole result of a run, except the pairwise losses (Losses), which are too many for one JSON value.
type Result struct {
	Name           string            `json:"name"`
	Algorithm      string            `json:"algorithm"` // as in the spec: walk, gossip, ...
	Story          string            `json:"-"`         // a clause on how it trains; "": only its name is known
	Model          string            `json:"model"`     // as in the spec: logistic, ridge, ...
	Spec           any               `json:"spec"`
	WallSeconds    float64           `json:"wall_seconds"`
	ScoringSeconds float64           `json:"-"`                   // of these, the time for scoring; see StepsPerSecond
	Simulated      *Seconds          `json:"simulated,omitempty"` // mean over trials; nil: time is not simulated
	Steps          int               `json:"steps"`               // per trial
	StepsPerSecond float64           `json:"steps_per_second"`    // of all trials, without the time for scoring
	Final          Final             `json:"final"`
	Estimate       *Estimated        `json:"estimate,omitempty"` // nil: only a model is estimated
	Baselines      *Baselines        `json:"baselines"`          // null if none were computed
	Privacy        Privacy           `json:"privacy"`
	Trials         List[Trial]       `json:"trials"`
	TrialsVary     string            `json:"trials_vary,omitempty"` // differences between trials; "": there is one
	Curve          List[Point]       `json:"curve"`
	Data           Data              `json:"data"`
	Graph          Graph             `json:"graph"`
	Notes          List[string]      `json:"notes"`
	Versions       map[string]string `json:"versions"`
	Recipe         Recipe            `json:"-"` // how to predict with the models; without a kind: Data describes it
}

// Seconds is simulated time in a network with the latency of the spec.
type Seconds struct {
	Seconds Number `json:"seconds"`        // until the last token has finished
	Serial  Number `json:"serial_seconds"` // if the tokens had run one after the other
}

// Final scores the released model on all rows: mean over trials. Losses are plain: means over rows without penalty,
// clipping or weights.
type Final struct {
	TrainLoss    Number   `json:"train_loss"`
	TestLoss     Number   `json:"test_loss"`
	TestAccuracy *float64 `json:"test_accuracy"` // in [0,1]; null if the model does not classify
	// Objective is the minimised objective on the training rows: clipped losses, weighted by node, and the penalty
	// (docs/SPEC.md). It is null if nothing is minimised.
	Objective *Number `json:"objective"`
	// Penalty is l2/2 times the squared norm of the parameters, part of the objective.
	Penalty        Number          `json:"penalty"`
	Classification *Classification `json:"classification,omitempty"` // for classifiers with test rows
	Regression     *Regression     `json:"regression,omitempty"`     // for models that predict numbers
	// Consensus is the mean squared distance of the nodes' own models from their mean, the scored one. It is null if
	// there is one model only.
	Consensus *Number `json:"consensus,omitempty"`
	// Scored says whose models are scored if every node has one. It is "" for a single model.
	Scored Scored `json:"scored,omitempty"`
	// Shown says that everybody is shown the final models.
	Shown bool `json:"-"`
	// MeanModel scores the mean of the nodes' models, beside ScoredOwn.
	MeanModel *MeanModel `json:"mean_model,omitempty"`
}

// Scored says whose models are scored.
type Scored string

// ScoredOwn scores are means over the nodes' own models. ScoredMean scores are of the mean of these models, which nobody
// has unless everybody is shown these.
const (
	ScoredOwn  Scored = "own"
	ScoredMean Scored = "mean"
	// ScoredTokens scores are means over tokens that are kept apart.
	ScoredTokens Scored = "tokens"
)

// owners returns the owners of these models.
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
	TestAccuracy *float64 `json:"test_accuracy"` // null if the model does not classify
	Seen         bool     `json:"seen"`          // everybody can take it of the models that are shown; false: nobody has it
}

// Classification holds the scores of a classifier on the test rows.
type Classification struct {
	Threshold float64      `json:"threshold,omitempty"` // with two classes: the least probability at which the positive one is predicted
	Classes   List[string] `json:"classes"`             // in the order of the confusion matrix, the positive one last
	// Confusion counts rows by true class (row) and predicted class (column). Counts are means over trials, hence
	// fractions.
	Confusion List[Vector] `json:"confusion"`
	BaseRate  Number       `json:"base_rate"`         // share of the positive class; null with more than two classes
	Majority  Number       `json:"majority_accuracy"` // of always predicting the most frequent class
	Balanced  Number       `json:"balanced_accuracy"` // mean recall over classes; null if a class does not occur
	AUC       Number       `json:"auc"`               // null if a class does not occur, and with more than two
}

// Regression holds the errors of predictions in the unit of the label.
type Regression struct {
	Label     string `json:"label"`      // the target, whose unit all errors have
	TrainRMSE Number `json:"train_rmse"` // root mean squared error
	TestRMSE  Number `json:"test_rmse"`
	TestMAE   Number `json:"test_mae"`  // mean absolute error
	MeanRMSE  Number `json:"mean_rmse"` // on the test rows, of always predicting the mean of the training rows
	R2        Number `json:"r2"`        // 1 - (test_rmse/mean_rmse)^2
}

// An Estimated is the estimate of a sum or histogram, with the truth that only a simulation knows.
type Estimated struct {
	Of    string       `json:"of"` // sum over nodes, or nodes by value
	Names List[string] `json:"names"`
	Value Vector       `json:"value"` // mean over trials
	Truth Vector       `json:"truth"`
	Error Number       `json:"error"`     // root mean squared, over trials and names
	Noise Number       `json:"noise_std"` // theoretical standard deviation from noise alone
}

// A Trial is one independent run.
type Trial struct {
	Simulated *Seconds `json:"simulated,omitempty"` // by the spec's latency; nil: it gives none
	Seed      uint64   `json:"seed,string"`         // text, because many exceed the integers that JSON readers keep exactly
	Final     Final    `json:"final"`
	Model     Vector   `json:"model"` // the parameters; the intercept last
}

// A Point summarises all trials at one step.
type Point struct {
	Step         int    `json:"step"`
	TrainLoss    Spread `json:"train_loss"`
	TestLoss     Spread `json:"test_loss"`
	TestAccuracy Spread `json:"test_accuracy"` // meaningless if Final.TestAccuracy is nil
	Objective    Spread `json:"objective"`     // meaningless if Final.Objective is nil
	Penalty      Spread `json:"penalty"`
	Consensus    Spread `json:"consensus"` // see Final; meaningless if Final.Consensus is nil
}

// A Spread summarises a number over trials.
type Spread struct {
	Mean Number `json:"mean"`
	Std  Number `json:"std"` // sample standard deviation, 0 for one trial
	Min  Number `json:"min"`
	Max  Number `json:"max"`
}

// A Status says how far a privacy number can be trusted.
type Status string

// Statuses. Only Sound numbers may decide whether a run is accepted.
const (
	Published Status = "published" // as printed in a paper; not always a bound
	Sound     Status = "sound"     // an upper bound whose every step is justified and whose assumptions are checked
	SoundIf   Status = "sound if"  // an upper bound under an assumption that is only asserted
	Audit     Status = "audit"     // a lower bound: attained by an attack
	Estimate  Status = "estimate"  // of a mean over a sample of pairs, each with its own bound
	Unclaimed Status = "none"      // for a model file that no number covers
)

// LocalAccountant is the accountant of one node's own noise alone. It bounds the loss to an observer of every message
// of that node. No position in the graph protects less, so charts draw it as a line.
const LocalAccountant = "local"

// AuditAccountant is the name of the losses that explicit attacks attain.
const AuditAccountant = "audit"

// Deviation describes NoiseStd in words.
func (p *Privacy) Deviation() string {
	if p.Fresh == 0 {
		return "standard deviation " + number(p.NoiseStd, 4)
	}
	return fmt.Sprintf("worth independent noise of standard deviation %s, and %.4g times that drawn afresh", number(p.NoiseStd, 4), p.Fresh)
}

// Privacy is the privacy cost of the run, by the accountant of the spec, with the others beside it.
type Privacy struct {
	Accounted
	Unit       string          `json:"unit"`                      // difference between neighbouring data sets: all the data of a participant, or one record of it
	RecordName string          `json:"record_name,omitempty"`     // name of a record
	PersonRows int             `json:"rows_per_person,omitempty"` // a record is all rows of a person, at most this many; 0: one row
	Calibrated bool            `json:"calibrated"`                // sigma was calibrated by Accounted, not given
	Sigma      float64         `json:"sigma"`                     // noise multiplier
	Noise      string          `json:"noise,omitempty"`           // meaning of sigma if it is no multiplier, such as random answers
	NoiseStd   float64         `json:"noise_std"`                 // sigma x sensitivity
	Fresh      float64         `json:"fresh,omitempty"`           // of correlated noise: standard deviation of the fresh part over NoiseStd, which is then the equivalent independent noise; 0: the noise is independent
	Clip       float64         `json:"clip"`                      // per-example clipping norm
	Metric     string          `json:"metric"`                    // "epsilon at delta 1e-06" or "Renyi at order 2"
	Delta      float64         `json:"delta"`                     // 0 for a Renyi metric
	Order      float64         `json:"order"`                     // 0 for epsilon at delta
	Sender     string          `json:"sender"`                    // hidden or known
	Simulated  bool            `json:"simulated"`                 // noise came from a seed: not for release
	Others     List[Accounted] `json:"others"`
	Coalition  *Coalition      `json:"coalition,omitempty"`   // nil: the spec requests none
	Public     *Public         `json:"public,omitempty"`      // nil: the public sees nothing, or no accountant prices it separately
	Limits     List[Limit]     `json:"limits,omitempty"`      // of nodes' own, by name; empty: none has one
	BeginsWith []string        `json:"begins_with,omitempty"` // hashes of the specs of the runs whose models the run goes back to, latest first; empty: it began anew
	// Nodes is by the best sound accountant, or else the first. It is null if there are no pairs, or too many.
	Nodes *NodeLosses `json:"nodes,omitempty"`
	// Brackets holds one bracket for each distance, of a pair with the largest loss there. It is empty if nothing was
	// attacked.
	Brackets List[Bracket] `json:"brackets,omitempty"`
}

// OneRecord describes the protected record in words such as "one patient’s row". It returns "" if all the data of a
// participant are protected.
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

// person returns the name of a person whose rows are all protected.
func (p *Privacy) person() string {
	if p.RecordName == "" || p.RecordName == "row" {
		return "person"
	}
	return p.RecordName
}

// A Bracket holds the loss that an explicit attack attains for one pair, and a bound. The true loss is between the two.
type Bracket struct {
	Distance   int    `json:"distance"` // hops
	About      int    `json:"about"`    // whose data
	Observer   int    `json:"observer"`
	Audit      Number `json:"audit"` // lower bound
	Sound      Number `json:"sound"` // upper bound, by Accountant
	Accountant string `json:"accountant"`
}

// nearest describes the ratio of attacks to bounds. It returns "" if nothing was attacked.
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

// A Coalition summarises the loss of each node to the worst coalition of Size honest but curious nodes.
type Coalition struct {
	Size        int          `json:"size"`
	Status      Status       `json:"status"`
	Mean        Number       `json:"mean"` // over nodes, for the worst coalition of each
	Max         Number       `json:"max"`
	About       int          `json:"about"` // the node with the largest loss
	Worst       List[int]    `json:"worst"` // that coalition; empty if one bound holds for all coalitions
	Assumptions List[string] `json:"assumptions"`

	MaxBeyondNeighbours *Number `json:"max_beyond_neighbours,omitempty"` // towards coalitions without a neighbour of the node; nil: not computed
}

// String returns the coalition as one sentence.
func (c *Coalition) String() string {
	s := fmt.Sprintf("any %d together, honest but curious (%s): mean %s, worst %s", c.Size, c.Status, Loss(float64(c.Mean), c.Status), Loss(float64(c.Max), c.Status))
	if far := c.MaxBeyondNeighbours; far != nil {
		s += fmt.Sprintf(", worst without a neighbour %s", Loss(float64(*far), c.Status))
	}
	return s
}

// Accounted summarises one accountant over all ordered pairs of distinct nodes.
type Accounted struct {
	Accountant string `json:"accountant"`
	Status     Status `json:"status"`
	// Observer is the observer towards whom the losses hold (privacy.Observer): "own messages", "all messages" or
	// "everybody together".
	Observer string `json:"observer"`
	// ModelCharged says whether the losses also hold if everyone sees the final model.
	ModelCharged bool   `json:"model_charged"`
	Mean         Number `json:"mean"`
	MeanStatus   Status `json:"mean_status"` // Status, or Estimate if pairs were sampled
	// MeanInterval is a confidence interval of the mean, from the sample. It is null unless the mean is an estimate.
	MeanInterval *Interval `json:"mean_interval,omitempty"`
	// Unpriced counts the ordered pairs without a loss of their own. Max and MaxBeyondNeighbours cover these pairs too,
	// with the local loss.
	Unpriced int    `json:"unpriced_pairs,omitempty"`
	Max      Number `json:"max"`
	// Also holds the losses in the further metrics of the spec's report.
	Also []Restated `json:"also,omitempty"`
	// Gaussian says whether views are dominated by Gaussian ones. The loss at one delta then determines it at any
	// other.
	Gaussian bool `json:"gaussian,omitempty"`
	// Guess is the largest probability, over all pairs, that a guess between two equally likely data sets is right. A
	// coin has 0.5. 0 means unknown.
	Guess float64 `json:"guess,omitempty"`
	// MaxBeyondNeighbours is over non-neighbours. It is null if there are none.
	MaxBeyondNeighbours *Number      `json:"max_beyond_neighbours"`
	Assumptions         List[string] `json:"assumptions"` // the unit of privacy first, after an assertion that nobody has checked
}

// Restated holds an accountant's losses in a further metric: epsilon at a delta, or a Renyi divergence of an order.
type Restated struct {
	Delta float64 `json:"delta,omitempty"`
	Order float64 `json:"order,omitempty"`
	Mean  Number  `json:"mean"`
	Max   Number  `json:"max"`
}

// in describes the metric with its losses.
func (r Restated) in(status Status) string {
	metric := fmt.Sprintf("epsilon at delta %g", r.Delta)
	if r.Order != 0 {
		metric = fmt.Sprintf("Renyi at order %g", r.Order)
	}
	return fmt.Sprintf("%s: mean %s, worst pair %s", metric, Loss(float64(r.Mean), status), Loss(float64(r.Max), status))
}

// suffix returns the end of the name of the array with the losses of all pairs. It follows the name of the accountant's
// own array.
func (r Restated) suffix() string {
	if r.Order != 0 {
		return "_order_" + strconv.FormatFloat(r.Order, 'g', -1, 64)
	}
	return "_delta_" + strconv.FormatFloat(r.Delta, 'g', -1, 64)
}

// Beyond formats the largest loss between non-neighbours.
func (a Accounted) Beyond() string {
	if a.MaxBeyondNeighbours == nil {
		return "–"
	}
	return bound(float64(*a.MaxBeyondNeighbours), a.Status)
}

// Estimated reports whether the mean is an estimate and no bound, though losses of pairs may be bounds.
func (a Accounted) Estimated() bool { return a.MeanStatus == Estimate }

// meanStatus returns the status of the mean. It is Status if MeanStatus is empty.
func (a Accounted) meanStatus() Status {
	if a.MeanStatus == "" {
		return a.Status
	}
	return a.MeanStatus
}

// MeanNote returns " (estimate)" with its interval if the mean is an estimate, and "" otherwise.
func (a Accounted) MeanNote() string {
	switch {
	case !a.Estimated():
		return ""
	case a.MeanInterval == nil:
		return " (" + string(Estimate) + ")"
	}
	return fmt.Sprintf(" (%s, %.3g to %.3g)", Estimate, float64(a.MeanInterval.Low), float64(a.MeanInterval.High))
}

// An Interval holds the true value of an estimated number, except with probability 1 - Confidence over samples.
type Interval struct {
	Low        Number  `json:"low"`
	High       Number  `json:"high"`
	Confidence float64 `json:"confidence"`
}

// TakenAsPublic joins the assumptions about preprocessing. It returns "" if there are none. They must stand wherever a
// status does.
func (p Privacy) TakenAsPublic() string { return p.assumed("preprocessing is public") }

// BeginsWith starts the assumption of a run that begins with an earlier model.
const BeginsWith = "the run begins with numbers that are given as the model of an earlier run"

// Begins returns a sentence on the earlier model that the run begins with, "" if there is none.
func (p Privacy) Begins() string {
	said := p.assumed(BeginsWith)
	if said == "" {
		return ""
	}
	return "T" + said[1:] + "."
}

// assumed joins the assumptions that begin with a text.
func (p Privacy) assumed(begin string) string {
	var all []string
	for _, a := range p.Assumptions {
		if strings.HasPrefix(a, begin) {
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

// Data describes the data of a run.
type Data struct {
	Source        string       `json:"source"`
	Target        string       `json:"target"`
	Positive      string       `json:"positive"` // with two classes, the meaning of the label +1; otherwise ""
	Classes       List[string] `json:"classes"`  // meaning of the labels -1 and +1 (or 0, 1, ...); empty if labels are numbers
	Features      List[string] `json:"features"`
	Preprocessing List[string] `json:"preprocessing"` // in the order applied

	Categories map[string][]string `json:"categories,omitempty"` // values of text columns: feature column=value is 1 if the column has that value, and 0 otherwise
	Fill       map[string]string   `json:"fill,omitempty"`       // replacement of a missing value, by column

	Columns   List[Scaling]     `json:"columns"`            // the same in numbers, one for each feature; empty: none is scaled
	Encoding  *scatter.Encoding `json:"encoding,omitempty"` // encoding of the scaled columns; omitted: none
	RowNorm   *float64          `json:"row_norm"`           // norm to which each row is then scaled; null: none
	Label     *Scaling          `json:"label"`              // of a regression's target: models predict the scaled label; null: not scaled
	Train     int               `json:"train"`              // rows held by nodes
	Test      int               `json:"test"`
	SetAside  int               `json:"set_aside,omitempty"` // unused test rows, if rows held out of the training part replace them
	Unused    int               `json:"unused"`              // rows left over by equal shards
	Partition string            `json:"partition"`
}

// Tested returns the kind of rows that Test counts.
func (d *Data) Tested() string {
	if d.SetAside > 0 {
		return "validation"
	}
	return "test"
}

// A Scaling scales one column: v becomes (v - shift) x factor, then is limited to [-limit, limit]. A scaled label is
// converted back by /factor, then + shift.
type Scaling struct {
	Name   string  `json:"name"`
	Shift  float64 `json:"shift"`
	Factor float64 `json:"factor"`
	Limit  Number  `json:"limit"` // null: none
}

// Graph describes the communication graph.
type Graph struct {
	Name        string  `json:"name"`
	Weights     string  `json:"weights"`
	Nodes       int     `json:"nodes"`
	Edges       int     `json:"edges"`
	MinDegree   int     `json:"min_degree"`
	MaxDegree   int     `json:"max_degree"`
	Diameter    int     `json:"diameter"`     // -1 if not computed
	SpectralGap float64 `json:"spectral_gap"` // -1 if not computed; never NaN

	Secrets *Secrets `json:"secrets,omitempty"` // if noise cancels
}

// Secrets is the graph of the pairs of nodes that share a secret.
type Secrets struct {
	Name        string `json:"name"` // edges, or as the spec has it
	Pairs       int    `json:"pairs"`
	MinPartners int    `json:"min_partners"`
	MaxPartners int    `json:"max_partners"`
}

// String describes the graph of secrets in a line.
func (s *Secrets) String() string {
	return fmt.Sprintf("%s: %d pairs, %d to %d partners each", s.Name, s.Pairs, s.MinPartners, s.MaxPartners)
}
