package flow

import "github.com/hearsay-dp/hearsay/internal/parallel"

// WithProgress returns the same accountant with a progress callback. progress is called
// with the numbers of pairs done and of all pairs, from any goroutine, one call at a
// time. It may be nil.
func (a *Accountant) WithProgress(progress func(done, total int)) *Accountant {
	other := *a
	other.progress = progress
	return &other
}

// begin starts to count up to a total.
func (a *Accountant) begin(total int) (more func(n int)) { return parallel.Count(total, a.progress) }
