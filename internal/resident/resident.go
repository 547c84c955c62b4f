// Package resident reduces the memory of a process that runs for days.
package resident

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"
)

// heapRoom is the growth of the heap over its live part, in percent, before a collection. A node's heap is some 3 MB. Twice as
// many collections (a few a second at thousands of turns a second, one a minute at ten) thus take a millisecond each.
const heapRoom = 50

// These are the pauses between two trims. Memory in use is back within milliseconds.
const (
	soon = 2 * time.Second
	late = time.Minute
)

// Lean sets up the whole process for a long life with little to do. It collects garbage earlier than Go does by default, unless
// gogc, the value of GOGC, is set. It disables memory profiling, because nobody can ask for the profile and its table is half
// as large as the heap of a small node. It also trims memory that packages touched during start-up. A program must call it
// first in main.
func Lean(gogc string) {
	runtime.MemProfileRate = 0
	if gogc == "" {
		debug.SetGCPercent(heapRoom)
	}
	Trim()
}

// Keep trims memory now, again soon when start-up has settled, and then every minute until ctx ends. A trim takes some 5 ms of
// processor time.
func Keep(ctx context.Context) {
	for pause := soon; ; pause = min(10*pause, late) {
		Trim()
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Trim returns unused memory to the system: the free part of the heap, and on Linux the pages of the program's own file. These
// stay in the system's cache and come back when they are touched. A start touches most of a program, a turn little of it.
func Trim() {
	debug.FreeOSMemory()
	unmapProgram()
}
