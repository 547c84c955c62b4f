//go:build unix

package experiment

import (
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// Eight trials of the walk side by side on all cores, and one after the other, in turn, the fastest of each: times is how
// much sooner they are done. Where other programs take the cores that says nothing; cpu-share does: processor time of
// one core over that of all, the median. 1 is trials that are not in each other's way.
func BenchmarkTrials(b *testing.B) {
	s := prepared(b, timed["walk"])
	s.Spec.Trials = 8
	all := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(all)
	var fastest [2]time.Duration
	var shares []float64
	for b.Loop() {
		var spent [2]time.Duration
		for i, cores := range []int{1, all} {
			runtime.GOMAXPROCS(cores)
			began, before := time.Now(), processorTime()
			if _, _, err := s.trials(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
			if took := time.Since(began); fastest[i] == 0 || took < fastest[i] {
				fastest[i] = took
			}
			spent[i] = processorTime() - before
		}
		shares = append(shares, spent[0].Seconds()/spent[1].Seconds())
	}
	slices.Sort(shares)
	b.ReportMetric(8*20_000/fastest[1].Seconds(), "steps/s")
	b.ReportMetric(8*20_000/fastest[0].Seconds(), "one-core-steps/s")
	b.ReportMetric(fastest[0].Seconds()/fastest[1].Seconds(), "times")
	b.ReportMetric(shares[len(shares)/2], "cpu-share")
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
