package main

import (
	"os"
	"syscall"
)

// resident returns the peak resident memory of a program, in bytes. It returns 0 if the memory is unknown.
func resident(state *os.ProcessState) float64 {
	use, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(use.Maxrss) * 1024
}
