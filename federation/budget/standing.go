package budget

import (
	"fmt"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/privacy"
)

// A Standing holds the losses of the other runs on the rows of one run.
type Standing struct {
	Lines     []Line // counted lines, oldest first
	Earlier   int    // number of lines not counted because they were signed before a date
	Elsewhere int    // number of lines not counted because their data set has another name
	One, All  Loss   // of all counted lines
	Unit      privacy.Unit
	Status    privacy.Status // Sound if all counted lines are, else SoundIf
}

// With returns the status and the unit of the counted lines together with another one: the weaker status, and Record if the
// unit of either is.
func (s *Standing) With(status privacy.Status, unit privacy.Unit) (privacy.Status, privacy.Unit) {
	if s.Status == privacy.SoundIf {
		status = privacy.SoundIf
	}
	if s.Unit == privacy.Record {
		unit = privacy.Record
	}
	return status, unit
}

// Standing adds up all lines except the one at index but; -1 excludes none. A line counts if it was signed at or after
// since, and has the same data set. Lines without a data set, or an empty dataSet, count too, because rows that nobody
// has distinguished may be the same.
func (b *Book) Standing(dataSet string, since time.Time, but int) *Standing {
	s := &Standing{Unit: privacy.Participant, Status: privacy.Sound}
	for i, l := range b.Lines {
		switch {
		case i == but:
		case l.Signed.Before(since):
			s.Earlier++
		case l.DataSet != "" && dataSet != "" && l.DataSet != dataSet:
			s.Elsewhere++
		default:
			s.Lines = append(s.Lines, l)
			s.One, s.All = Sum(s.One, l.One), Sum(s.All, l.All)
			s.Status, s.Unit = s.With(l.Status, l.Unit)
		}
	}
	return s
}

// mostNamed is the maximal number of runs that a message names.
const mostNamed = 6

// Counts returns a list of the runs that count.
func (s *Standing) Counts() string {
	if len(s.Lines) == 0 {
		return "no other run"
	}
	var names []string
	for _, l := range s.Lines[:min(len(s.Lines), mostNamed)] {
		names = append(names, l.Name())
	}
	if more := len(s.Lines) - mostNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
