package price

import (
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
)

// perSecond is about how many multiplications of flows two cores do in a second, and
// longestFlow how long a question may take.
const (
	perSecond   = 2e9
	longestFlow = 24 * time.Hour
)

// lasts says before it begins how long something of so many multiplications takes, if that
// is more than a minute, and refuses what takes more than a day.
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
