package flow

import "sync"

// WithProgress is the same accountant, which tells how many of how many pairs are priced
// or attacked, each time that some more are; from whatever goroutine, one call at a
// time. nil: nobody is told.
func (a *Accountant) WithProgress(progress func(done, total int)) *Accountant {
	other := *a
	other.progress = progress
	return &other
}

// begin starts to count up to a total. What it returns is told how many more are done,
// by any goroutine.
func (a *Accountant) begin(total int) (more func(n int)) {
	if a.progress == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	done := 0
	a.progress(0, total)
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		done += n
		a.progress(done, total)
	}
}
