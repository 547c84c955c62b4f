package federation

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/federation/budget"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// OtherRunsFile holds the totals of other runs in the budget book, from when the node began or last
// stopped.
const OtherRunsFile = "other_runs.json"

// OtherRuns holds the other runs on the same rows, according to the participant's budget book. nil: no book is
// known.
type OtherRuns struct {
	DataSet string         `json:"data_set,omitempty"` // the owner's name for the rows
	Runs    int            `json:"runs"`
	Unit    privacy.Unit   `json:"unit"`   // of the totals: a record if one of the runs protects records
	Status  privacy.Status `json:"status"` // of the totals: the weakest of the runs
	Delta   float64        `json:"delta"`
	Total   report.Number  `json:"total_epsilon"`     // with this run: towards one participant of each run, all of these together
	Local   report.Number  `json:"everybody_epsilon"` // with this run: towards everybody together, whatever they do
	Earlier int            `json:"earlier"`           // number of runs not counted, by total.since of the policy
}

// String returns a sentence on the number of other runs and their losses together with this run.
func (o *OtherRuns) String() string {
	if o == nil {
		return "not known, for no budget book was looked at. What they tell adds up with these losses."
	}
	text := "none, by the budget book beside the key."
	if o.Runs > 0 {
		protected := "all data of the participant"
		if o.Unit == privacy.Record {
			protected = "a record"
		}
		text = fmt.Sprintf("%d, by the budget book beside the key. With this one they come to epsilon %s (%s) at delta %g, about %s, towards one participant of each run, the one that learns most, all of these together; "+
			"to %s towards everybody together.", o.Runs, digits(float64(o.Total)), o.Status, o.Delta, protected, digits(float64(o.Local)))
	}
	if o.Earlier > 0 {
		text += fmt.Sprintf(" %d earlier ones are not counted, by total.since of the policy.", o.Earlier)
	}
	return text
}

// capital returns text with a capital first letter. text must not be empty.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// settle gives back the unused part of a run that is over, and returns the totals of the other runs on the
// same rows.
func (f *Federation) settle(o *Options, s *Statement, run *ledger.Ledger, state budget.State) (others *OtherRuns, err error) {
	if o.From.Book == "" {
		return nil, nil
	}
	owner, now := run.Federation(), o.Now()
	_, err = f.withBook(o.From, func(b *budget.Book) error {
		at, err := b.Place(f.hash(), hex.EncodeToString(owner.Ledger[:]))
		if err != nil || at < 0 {
			return err
		}
		if state == budget.Ended || state == budget.Closed {
			one, all := s.spentCost(s.Contributed, s.Late)
			if err := b.Settle(at, state, s.Contributed, one, all, now); err != nil {
				return err
			}
		}
		others = beside(&b.Lines[at], b.Standing(b.Lines[at].DataSet, since(o.Policy), at), o.Policy)
		return nil
	})
	return others, err
}

// beside returns the totals of a line and the other runs.
func beside(line *budget.Line, s *budget.Standing, own *policy.Policy) *OtherRuns {
	o := &OtherRuns{DataSet: line.DataSet, Runs: len(s.Lines), Delta: max(line.One.Delta, line.All.Delta), Earlier: s.Earlier}
	if t := own.Total; t != nil {
		o.Delta = t.Delta
	}
	o.Status, o.Unit = s.With(line.Status, line.Unit)
	o.Total, o.Local = report.Number(budget.Sum(s.One, line.One).At(o.Delta)), report.Number(budget.Sum(s.All, line.All).At(o.Delta))
	return o
}

// ReadOtherRuns returns the other runs recorded in a node's folder. nil means that the folder has no readable
// record or that no book is known.
func ReadOtherRuns(dir string) (others *OtherRuns) {
	path := filepath.Join(dir, OtherRunsFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || readJSON(path, &others) != nil {
		return nil
	}
	return others
}
