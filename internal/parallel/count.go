package parallel

import "sync"

// Count tells report how much of a total is done: 0 at once, then whenever the function
// that it returns is told that more is, by any goroutine; one call at a time. A nil
// report is not called.
func Count(total int, report func(done, total int)) (more func(n int)) {
	if report == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	done := 0
	report(0, total)
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		done += n
		report(done, total)
	}
}
