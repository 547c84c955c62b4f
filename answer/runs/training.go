package runs

import (
	"fmt"
	"time"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/terminal"
)

// training returns a progress function that shows steps, rate, time left and loss.
func training(l *terminal.LiveLine) experiment.Progress {
	began := l.Now()
	return func(t experiment.Tick) {
		if t.Done == 0 {
			return
		}
		l.Count(t.Done, t.Total, func() string {
			rate, left := pace(t, l.Now().Sub(began))
			if t.Unit != "" {
				return fmt.Sprintf("%d of %d %s, %s left", t.Done, t.Total, t.Unit, left)
			}
			return fmt.Sprintf("%d of %d steps, %.0f a second, %s left, loss %.4f", t.Done, t.Total, rate, left, t.TrainLoss)
		})
	}
}

// pace returns the steps per second so far, and the time left at that rate. t.Done must be at least 1.
func pace(t experiment.Tick, spent time.Duration) (rate float64, left time.Duration) {
	rate = float64(t.Done) / max(spent.Seconds(), 1e-9)
	return rate, time.Duration(float64(t.Total-t.Done) / rate * float64(time.Second)).Round(time.Second)
}
