package main

import (
	"testing"

	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
)

// The numbers that one answer makes of simulated paths share its confidence: no
// one of them takes all of what may fail.
func TestStatementsOfSimulatedPathsShareTheConfidence(t *testing.T) {
	f := walkFlags{steps: 50, tokens: 1, contributions: 4, sigma: 2, alpha: 2}
	sample := &pathloss.Sample{Energies: []float64{0, 0.5, 1}, Counts: []int{800, 150, 50}, Paths: 1000, Most: 4}
	got, err := f.bounds(sample)
	if err != nil {
		t.Fatal(err)
	}
	each := failure / float64(1+len(got.Delta))
	if want := sample.RDP(2, 2, each); got.Confidence != 1-failure || got.Eps != want || got.Eps <= sample.RDP(2, 2, failure) {
		t.Errorf("eps %v at confidence %v, want %v", got.Eps, got.Confidence, want)
	}
	for _, d := range got.Delta {
		if d.Delta < sample.Delta(d.Eps, 2, each) && d.Delta < sample.Delta(d.Eps, 2, failure) {
			t.Errorf("delta %v at eps %v holds with less", d.Delta, d.Eps)
		}
	}
}
