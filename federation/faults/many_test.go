package faults

import (
	"slices"
	"testing"
)

// Many nodes on one machine: their memory is reported.
func TestManyNodes(t *testing.T) {
	notShort(t)
	s := script{nodes: 8, graph: "hypercube:3", steps: 200}
	if *heavy {
		s = script{nodes: 64, graph: "hypercube:6", steps: 1000} // and nothing beside it
	} else {
		t.Parallel()
	}
	w := newWorld(t, s)
	w.ends(w.startAll()...)
	w.check()
	var peaks []int64
	sum := int64(0)
	for _, p := range w.all {
		peaks = append(peaks, p.peak.Load()>>20)
		sum += p.peak.Load()
	}
	slices.Sort(peaks)
	t.Logf("memory of %d nodes: %d MB at least, %d in the middle, %d at most, %d together", len(peaks), peaks[0], peaks[len(peaks)/2],
		peaks[len(peaks)-1], sum>>20)
}
