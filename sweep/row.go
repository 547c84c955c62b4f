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

// A Row is what a cell gave.
type Row struct {
	Cell       Cell          `json:"-"`
	Values     []string      `json:"values"`
	Error      string        `json:"error,omitempty"` // why there is nothing else
	Hint       string        `json:"hint,omitempty"`  // what to do about it
	Score      report.Number `json:"score"`           // test accuracy, or where nothing is classified the test loss; mean over trials and repeats
	Std        report.Number `json:"score_std"`       // that of Spread.Score
	Classifies bool          `json:"classifies"`
	Validated  bool          `json:"validated,omitempty"` // scores are of rows kept from the training part (data.validation)
	TrainLoss  report.Number `json:"train_loss"`
	TestLoss   report.Number `json:"test_loss"`
	Sigma      float64       `json:"sigma"`
	Accountant string        `json:"accountant"` // the sound one with the least mean loss, or the spec's own if none is
	Status     report.Status `json:"status"`
	By         string        `json:"by,omitempty"` // the worker whose word the losses are, as it calls itself; "": they were found here
	Unit       string        `json:"unit"`
	Metric     string        `json:"metric"`
	Mean       report.Number `json:"mean"`
	Max        report.Number `json:"max"`
	Observer   string        `json:"observer"`     // towards whom the losses hold (privacy.Observer)
	Covers     bool          `json:"covers_model"` // whether they also hold if everybody is shown the final model
	Repeats    int           `json:"repeats"`      // runs of the setting, each with a seed of its own
	Spread     Spreads       `json:"spread"`       // over repeats, or over the trials of one run
	Varies     string        `json:"varies"`       // what differs between what the spreads are over; "": there is one
	Trials     int           `json:"trials"`
	Steps      int           `json:"steps"`
	Seconds    float64       `json:"seconds"`
	Best       bool          `json:"best"` // no other cell loses less, of what is calibrated, and scores no worse, or as much and scores better
}

// NewRow takes from a result what a table shows.
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

// priced has the losses of a row those of an account.
func (r *Row) priced(a report.Accounted) {
	r.Accountant, r.Status, r.Mean, r.Max, r.Observer, r.Covers = a.Accountant, a.Status, a.Mean, a.Max, a.Observer, a.ModelCharged
}

// asWorkerSays stands after an accountant whose losses a worker sent, and nobody has found here.
const asWorkerSays = ", as a worker says"

// as returns the row of a result that is a worker's word; by "": of one that was found here.
func (r Row) as(by string) Row {
	if by == "" || r.Error != "" {
		return r
	}
	if r.By, r.Accountant = by, r.Accountant+asWorkerSays; r.Status == report.Sound {
		r.Status = report.SoundIf
	}
	return r
}

// equal losses differ by less than this part: calibration ends there.
const equal = 1e-3

// A kind is what a number of privacy is about: losses of two kinds are not compared.
type kind struct {
	metric, unit, observer string
	status                 report.Status
	covers                 bool
}

func (r Row) kind() kind { return kind{r.Metric, r.Unit, r.Observer, r.Status, r.Covers} }

// towards are observers as a sentence has them.
var towards = map[string]string{
	string(privacy.OneParticipant): "towards one participant by the messages that reach it",
	string(privacy.AllMessages):    "towards one participant who sees all messages",
	string(privacy.Everybody):      "towards everybody together",
}

// words are the kind as a sentence has it.
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

// brief is the kind without its observer.
func (k kind) brief() string {
	text := fmt.Sprintf("%s, %s", k.metric, k.status)
	if k.unit != "" {
		text += ", of a " + k.unit
	}
	return text
}

// beats reports whether a is as good as b by a loss and by the score, and better in one.
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

// Frontier marks the rows that no other beats.
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

// Header names the columns of a table, Record has them of a row. What a cell came to stands under another name where a
// field has its own.
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

// Why is the error with its hint, "" if there is none.
func (r Row) Why() string {
	if r.Hint == "" {
		return r.Error
	}
	return r.Error + " (" + r.Hint + ")"
}

// Record is the row as text, empty where there is nothing.
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

// shown is a value of a column as text: eight digits of a number, of seconds the hundredths.
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

// scoreIs names the score.
func (r Row) scoreIs() string {
	return strings.ReplaceAll(ScoreName([]Row{r}), " ", "_")
}
