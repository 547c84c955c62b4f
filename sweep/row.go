package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// A Row is the result of a cell.
type Row struct {
	Cell       Cell          `json:"-"`
	Values     []string      `json:"values"`
	Error      string        `json:"error,omitempty"` // reason why there are no results
	Hint       string        `json:"hint,omitempty"`  // advice about the error
	Score      report.Number `json:"score"`           // test accuracy, or test loss without classes; mean over trials and repeats
	Std        report.Number `json:"score_std"`       // Spread.Score.Std
	Classifies bool          `json:"classifies"`
	Validated  bool          `json:"validated,omitempty"` // scores are on rows held out of the training part (data.validation)
	TrainLoss  report.Number `json:"train_loss"`
	TestLoss   report.Number `json:"test_loss"`
	Sigma      float64       `json:"sigma"`
	Accountant string        `json:"accountant"` // the sound one with the least mean loss; the spec's own if none is sound
	Status     report.Status `json:"status"`
	By         string        `json:"by,omitempty"` // name of the worker that computed the losses; "": they were computed here
	Unit       string        `json:"unit"`
	Metric     string        `json:"metric"`
	Mean       report.Number `json:"mean"`
	Max        report.Number `json:"max"`
	Observer   string        `json:"observer"`     // observer for whom the losses hold (privacy.Observer)
	Covers     bool          `json:"covers_model"` // whether the losses also hold if everyone sees the final model
	Repeats    int           `json:"repeats"`      // number of runs of the setting, each with its own seed
	Spread     Spreads       `json:"spread"`       // over repeats, or over the trials of one run
	Varies     string        `json:"varies"`       // the parts of a run that differ between the spreads' samples; "" for a single one
	Trials     int           `json:"trials"`
	Steps      int           `json:"steps"`
	Seconds    float64       `json:"seconds"`
	Best       bool          `json:"best"` // on the Pareto front of loss (LossAxis) and score: no other cell is better in one and no worse in the other
}

// NewRow returns the row of a result.
func NewRow(c Cell, r *report.Result) Row {
	p := r.Privacy
	row := Row{
		Cell: c, Values: c.Values, TrainLoss: r.Final.TrainLoss, TestLoss: r.Final.TestLoss, Score: r.Final.TestLoss, Sigma: p.Sigma,
		Unit: p.Unit, Metric: p.Metric, Repeats: 1, Varies: r.TrialsVary, Trials: len(r.Trials), Steps: r.Steps, Seconds: r.WallSeconds, Validated: r.Data.SetAside > 0,
	}
	row.priced(p.Accounted)
	for _, a := range p.All() {
		if a.Status == report.Sound && (row.Status != report.Sound || a.Mean < row.Mean) {
			row.priced(a)
		}
	}
	if r.Final.TestAccuracy != nil {
		row.Classifies, row.Score = true, report.Number(*r.Final.TestAccuracy)
	}
	row.spread(r.Trials)
	return row
}

// priced sets the losses of a row to those of an account.
func (r *Row) priced(a report.Accounted) {
	r.Accountant, r.Status, r.Mean, r.Max, r.Observer, r.Covers = a.Accountant, a.Status, a.Mean, a.Max, a.Observer, a.ModelCharged
}

// asWorkerSays follows the name of an accountant whose losses come from a worker and were not computed here.
const asWorkerSays = ", as a worker says"

// as returns the row of a result that worker by sent. If by is "" the losses were computed here and the row is
// unchanged.
func (r Row) as(by string) Row {
	if by == "" || r.Error != "" {
		return r
	}
	if r.By, r.Accountant = by, r.Accountant+asWorkerSays; r.Status == report.Sound {
		r.Status = report.SoundIf
	}
	return r
}

// equal is the relative difference below which losses count as equal, because calibration stops there.
const equal = 1e-3

// A kind describes the guarantee behind a loss. Losses of different kinds are not compared.
type kind struct {
	metric, unit, observer string
	status                 report.Status
	covers                 bool
}

func (r Row) kind() kind { return kind{r.Metric, r.Unit, r.Observer, r.Status, r.Covers} }

// towards describes observers in a sentence.
var towards = map[string]string{
	string(privacy.OneParticipant): "towards one participant by the messages that reach it",
	string(privacy.AllMessages):    "towards one participant who sees all messages",
	string(privacy.Everybody):      "towards everybody together",
}

// words returns the kind as a phrase.
func (k kind) words() string {
	text := k.brief()
	if k.observer != "" {
		text += ", " + cmp.Or(towards[k.observer], k.observer)
	}
	if k.covers {
		return text + ", the final model covered"
	}
	return text + ", the final model not covered"
}

// brief returns the kind without its observer.
func (k kind) brief() string {
	text := fmt.Sprintf("%s, %s", k.metric, k.status)
	if k.unit != "" {
		text += ", of a " + k.unit
	}
	return text
}

// beats reports whether a is at least as good as b in loss and score, and better in one of them.
func (a Row) beats(b Row, x Axis) bool {
	if a.Error != "" || b.Error != "" || a.Classifies != b.Classifies || a.kind() != b.kind() || x.dataOf(a) != x.dataOf(b) {
		return false
	}
	better, worse := a.Score < b.Score, a.Score > b.Score
	if a.Classifies {
		better, worse = worse, better
	}
	return !worse && x.Of(a) <= x.Of(b)*(1+equal) && (better || x.Of(a) < x.Of(b)*(1-equal))
}

// Frontier marks the rows on the Pareto front.
func Frontier(rows []Row, x Axis) {
	for i := range rows {
		rows[i].Best = rows[i].Error == ""
		for _, other := range rows {
			if other.beats(rows[i], x) {
				rows[i].Best = false
			}
		}
	}
}

// Header returns the names of the columns of a table; Record returns the values of a row. A result column is renamed
// if a field has the same name.
func Header(fields []Field) (names []string) {
	for _, f := range fields {
		names = append(names, f.Key)
	}
	for _, c := range found() {
		name := c.name
		for slices.Contains(names, name) {
			name += "_found"
		}
		names = append(names, name)
	}
	return names
}

// Why returns the error with its hint. It returns "" if there is no error.
func (r Row) Why() string {
	if r.Hint == "" {
		return r.Error
	}
	return r.Error + " (" + r.Hint + ")"
}

// Record returns the row as text. Missing values are empty.
func (r Row) Record() []string {
	var text []string
	for _, value := range r.Values {
		text = append(text, Plain(value))
	}
	for _, c := range found() {
		text = append(text, shown(c, c.value(r)))
	}
	return text
}

// shown formats a value of a column: numbers with eight digits, seconds with two decimals.
func shown(c outcome, value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case float64:
		if c.name == "seconds" {
			return strconv.FormatFloat(x, 'f', 2, 64)
		}
		return strconv.FormatFloat(x, 'g', 8, 64)
	}
	return fmt.Sprint(value)
}

// scoreIs returns the name of the score.
func (r Row) scoreIs() string {
	return strings.ReplaceAll(ScoreName([]Row{r}), " ", "_")
}
