// Package parallel runs a loop on several goroutines. It is the only thing that
// pure rooms know of concurrency: what the loop computes never depends on the
// number of workers.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Each calls do(i) once for every i in 0..count-1, on as many goroutines as
// workers (at least 1). Calls for different i may run at the same time; what
// they write must not overlap.
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
