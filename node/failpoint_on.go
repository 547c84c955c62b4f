//go:build failpoints

package node

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// defaultFailpoint returns a function that kills the process, as kill -9 does, at the failpoint and the count that
// HEARSAY_FAILPOINT names. "after-commit:3" kills it when after-commit is reached for the third time. This file is
// only in binaries made for tests.
func defaultFailpoint() func(name string) {
	place, times, ok := strings.Cut(os.Getenv("HEARSAY_FAILPOINT"), ":")
	left, err := strconv.Atoi(times)
	if !ok || err != nil {
		return func(string) {}
	}
	return func(name string) {
		if name != place {
			return
		}
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
}
