package price

import (
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

// perSecond is the approximate number of multiplications that two cores do in a second.
// longestFlow is the longest allowed duration of a question.
const (
	perSecond   = 2e9
	longestFlow = 24 * time.Hour
)

// lasts prints the expected duration of a computation if it exceeds a minute, and refuses
// one that exceeds a day.
func (f *FlowQuestion) lasts(multiplications float64, instead string) error {
	seconds := multiplications / perSecond
	switch {
	case seconds > longestFlow.Seconds():
		return fault.New(fmt.Sprintf("%s by plan %s would take about %.3g days", f.what(), f.Plan, seconds/86400), instead)
	case seconds > 60:
		_, _ = fmt.Fprintf(f.Stderr, "%s will take about %s (%s)\n", f.what(), time.Duration(seconds*float64(time.Second)).Round(time.Minute), instead)
	}
	return nil
}
