package flow

import "github.com/hearsay-dp/hearsay/internal/parallel"

// WithProgress is the same accountant, which tells how many of how many pairs are priced
// or attacked, each time that some more are; from whatever goroutine, one call at a
// time. nil: nobody is told.
func (a *Accountant) WithProgress(progress func(done, total int)) *Accountant {
	other := *a
	other.progress = progress
	return &other
}

// begin starts to count up to a total.
func (a *Accountant) begin(total int) (more func(n int)) { return parallel.Count(total, a.progress) }
