package federation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/regular"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// An Attendance says how another participant took part, according to one participant's ledger and
// node. It says nothing of non-neighbours, because a walk's route hides which node was visited
// when.
type Attendance struct {
	Name      string     `json:"name"`
	Self      bool       `json:"self,omitempty"`
	Neighbour bool       `json:"neighbour,omitempty"`
	First     *step.Turn `json:"first_turn"` // turns of the first and the last value that was received from it, or sent by oneself; null: none
	Last      *step.Turn `json:"last_turn"`
	Values    int        `json:"values"` // number of them
	ToTheEnd  bool       `json:"to_the_end"`

	Contributed *int `json:"contributions,omitempty"`         // uses of data that this participant's own ledger holds
	Planned     *int `json:"planned_contributions,omitempty"` // at most
}

// at counts a value of a turn.
func (a *Attendance) at(turn step.Turn) {
	if a.First == nil || turn < *a.First {
		a.First = &turn
	}
	if a.Last == nil || turn > *a.Last {
		a.Last = &turn
	}
	a.Values++
}

// attendance returns the attendance of all participants by id, as far as this participant knows it.
// before is the attendance in an earlier report.
func (f *Federation) attendance(l *ledger.Ledger, o *Outcome, before []Attendance) ([]Attendance, error) {
	all := make([]Attendance, len(f.Names))
	for i, name := range f.Names {
		all[i].Name = name
	}
	turns := step.Turn(f.setup.Algorithm.Turns())
	for key, err := range l.Heard() {
		if err != nil {
			return nil, err
		}
		if int(key.Peer) < len(all) && key.Turn < turns && f.carriesValues(key.Lane) { // messages of later turns say that the run has ended
			all[key.Peer].at(key.Turn)
		}
	}
	own := &all[f.Self]
	own.Self, own.ToTheEnd, own.Contributed, own.Planned = true, o.Ended && !o.Behind, &o.Statement.Contributed, &o.Statement.Contributions
	for row, err := range l.Show() {
		if err != nil {
			return nil, err
		}
		if row.From == f.Self && row.Turn < turns && f.carriesValues(row.Lane) {
			own.at(row.Turn)
		}
	}
	for _, v := range o.Status.Neighbours {
		a := &all[v.ID]
		a.Neighbour = true
		if a.ToTheEnd = v.Finished || a.Last != nil && *a.Last == turns-1 || int(v.ID) < len(before) && before[v.ID].ToTheEnd; f.mostLate() > 0 {
			a.ToTheEnd = o.there(v.ID) || o.Behind && a.Last != nil && *a.Last == turns-1
		}
	}
	return all, nil
}

// carriesValues reports whether a lane is one of values. In others nodes agree on keys, and on who is missing.
func (f *Federation) carriesValues(lane step.Lane) bool {
	return int64(lane) < int64(max(1, f.Spec.Algorithm.Tokens))
}

// missing returns the participants that are known not to have taken part to the end: their names,
// and a clause about each.
func (o *Outcome) missing() (names, words []string) {
	for _, a := range o.Participants {
		if a.ToTheEnd || !a.Self && !a.Neighbour {
			continue
		}
		names = append(names, a.Name)
		seen := o.Ended && !o.Behind
		switch {
		case a.Self && o.Behind:
			words = append(words, "this participant skipped the last step")
		case a.Self:
			words = append(words, "this participant has not seen the end")
		case a.Last == nil && !seen:
			words = append(words, "no value of "+a.Name+" was ever heard")
		case !seen:
			words = append(words, fmt.Sprintf("the last value of %s is of turn %d of %d", a.Name, *a.Last, o.Status.Turns))
		case a.Last == nil:
			words = append(words, a.Name+" was not there at the end, and no value of it was ever heard")
		default:
			words = append(words, fmt.Sprintf("%s was not there at the end; its last value is of turn %d of %d", a.Name, *a.Last, o.Status.Turns))
		}
	}
	return names, words
}

// attended returns a sentence on who took part.
func (o *Outcome) attended() string {
	_, words := o.missing()
	unknown := 0
	for _, a := range o.Participants {
		if !a.Self && !a.Neighbour {
			unknown++
		}
	}
	text := "The one neighbour took part to the end."
	if neighbours := len(o.Participants) - unknown - 1; neighbours > 1 {
		text = fmt.Sprintf("All %d neighbours took part to the end.", neighbours)
	}
	if len(words) > 0 {
		text = "INCOMPLETE: " + strings.Join(words, "; ") + "."
	}
	for _, a := range o.Participants {
		if o.Ended && o.Statement != nil && o.Statement.MostLate > 0 && a.Neighbour && int64(a.Values) < o.Statement.Turns-int64(o.Missed) {
			text += fmt.Sprintf(" %d of %d values of %s came from itself, some perhaps too late to count. In the other steps it was missing, or somebody else passed its value on",
				a.Values, o.Statement.Turns, a.Name)
			if o.Missed > 0 {
				text += fmt.Sprintf(", or %s was missing", o.Name)
			}
			text += "."
		}
	}
	switch {
	case unknown == 1:
		text += " Whether the other participant did, the reports of its own neighbours say."
	case unknown > 1:
		text += fmt.Sprintf(" Whether the other %d participants did, the reports of their own neighbours say.", unknown)
	}
	return text
}

// earlier returns the attendance in the report of an earlier start, nil without one. A report that cannot be read is an error.
func (f *Federation) earlier(dir string) ([]Attendance, error) {
	var before struct {
		Status       struct{ Spec string }
		Participants []Attendance
	}
	text, err := regular.Read(filepath.Join(dir, ReportFile), regular.MostFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil || before.Status.Spec != f.hash() {
		return nil, err
	}
	return before.Participants, nil
}
