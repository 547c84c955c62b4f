package main

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"

	"github.com/hearsay-dp/hearsay/privacy"
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
		bare := math.Exp(privacy.LogDeltaGaussian(1, d.Eps)) // four contributions at sigma 2
		if want := min(sample.Delta(d.Eps, 2, each), bare); math.Abs(d.Delta-want) > 1e-12*want {
			t.Errorf("delta %v at eps %v, want %v", d.Delta, d.Eps, want)
		}
	}
}

// Colluders are looked up, and refused where nothing prices them.
func TestColludersOfAWalk(t *testing.T) {
	g, err := gen.Parse("ring:6", 1)
	if err != nil {
		t.Fatal(err)
	}
	f := walkFlags{u: 0, v: 2, tokens: 1, accountant: "path", pool: []string{"3", "4"}}
	if err := f.findColluders(g); err != nil || len(f.colluders) != 2 || f.colluders[1] != 4 {
		t.Errorf("colluders %v, %v", f.colluders, err)
	}
	for _, change := range []func(f *walkFlags){
		func(f *walkFlags) { f.accountant = "all" }, func(f *walkFlags) { f.u, f.v = -1, -1 }, func(f *walkFlags) { f.paths = 10 },
		func(f *walkFlags) { f.tokens = 2 }, func(f *walkFlags) { f.pool = []string{"Lugano"} },
	} {
		other := f
		change(&other)
		if err := other.findColluders(g); err == nil || !strings.Contains(err.Error(), "colluders") {
			t.Errorf("%+v: %v", other, err)
		}
	}
}
