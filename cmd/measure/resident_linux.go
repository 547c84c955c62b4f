package main

import (
	"os"
	"syscall"
)

// resident is the most memory that a program had, in bytes.
func resident(state *os.ProcessState) float64 {
	use, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(use.Maxrss) * 1024
}
