// Package resident keeps small what a process that runs for days holds in memory.
package resident

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"
)

// heapRoom is by how much the heap may outgrow what is alive before it is collected, in
// percent. A node's is some 3 MB, so twice as many collections (a few a second when it takes
// thousands of turns a second, one a minute when it takes ten) are a millisecond each.
const heapRoom = 50

// Between two times that memory is handed back; what is in use is back within milliseconds.
const (
	soon = 2 * time.Second
	late = time.Minute
)

// Lean sets the whole process up for a long life with little to do: garbage is collected
// earlier than Go would by itself, unless GOGC in the environment says when, and nothing is
// sampled for a memory profile that nobody can ask for, whose table is half as large as the heap
// of a small node. What packages touched that the process has no use for is handed back. It is
// for a program's main, before it does anything.
func Lean(gogc string) {
	runtime.MemProfileRate = 0
	if gogc == "" {
		debug.SetGCPercent(heapRoom)
	}
	Trim()
}

// Keep hands back memory now, soon, when what began has settled, and every minute then, until
// ctx ends. It takes some 5 ms of processor time each time.
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

// Trim hands back memory that the process holds and does not use: the free part of the heap,
// and on Linux the pages of the program's own file, which stay in the system's cache and come
// back when they are touched. A start touches most of a program, a turn little of it.
func Trim() {
	debug.FreeOSMemory()
	unmapProgram()
}
