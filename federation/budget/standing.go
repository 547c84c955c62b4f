package budget

import (
	"fmt"
	"strings"
	"time"

	"github.com/hearsay-dp/hearsay/privacy"
)

// A Standing is what the other runs on the rows of one have cost.
type Standing struct {
	Lines     []Line // that count, oldest first
	Earlier   int    // that do not, because they were signed before a date
	Elsewhere int    // that do not, because they are of another data set
	One, All  Loss   // of all that count
	Unit      privacy.Unit
}

// Standing adds up all lines but the one at place but (-1: none). A line counts where it was signed since a date, and is
// of the same data set or where either has no name: rows that nobody has told apart are taken for the same.
func (b *Book) Standing(dataSet string, since time.Time, but int) *Standing {
	s := &Standing{Unit: privacy.Participant}
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
			if l.Unit == privacy.Record {
				s.Unit = privacy.Record
			}
		}
	}
	return s
}

// mostNamed is how many runs a message names.
const mostNamed = 6

// Counts says which runs count.
func (s *Standing) Counts() string {
	if len(s.Lines) == 0 {
		return "no other run"
	}
	var names []string
	for _, l := range s.Lines[:min(len(s.Lines), mostNamed)] {
		names = append(names, l.name())
	}
	if more := len(s.Lines) - mostNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
