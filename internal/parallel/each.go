// Package parallel runs a loop on several goroutines. It is the only concurrency of pure rooms. The result of the loop never
// depends on the number of workers.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Each calls do(i) once for every i in 0..count-1, on workers goroutines (at least 1). Calls for different i may run at the
// same time and must not write to the same memory.
func Each(count, workers int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(max(1, workers), max(1, count)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

// Count calls report with the number done out of total: 0 at once, and the new number after each call of the returned function,
// which any goroutine may call. Calls of report do not overlap. A nil report is not called.
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
