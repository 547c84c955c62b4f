package walkpath

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// The numbers that one answer makes of simulated paths share its confidence: no
// one of them takes all of what may fail.
func TestStatementsShareTheConfidence(t *testing.T) {
	const failure = 1e-3
	sample := &Sample{Energies: []float64{0, 0.5, 1}, Counts: []int{800, 150, 50}, Paths: 1000, Most: 4}
	eps := []float64{0.1, 0.5, 2}
	got, err := sample.Statements(2, 2, eps, failure)
	if err != nil {
		t.Fatal(err)
	}
	each := failure / 4
	if got.Confidence != 1-failure || got.RDP != sample.RDP(2, 2, each) || got.RDP <= sample.RDP(2, 2, failure) {
		t.Errorf("%+v", got)
	}
	for k, delta := range got.Delta {
		bare := math.Exp(privacy.LogDeltaGaussian(1, eps[k])) // four contributions at sigma 2
		if want := min(sample.Delta(eps[k], 2, each), bare); math.Abs(delta-want) > 1e-12*want {
			t.Errorf("delta %v at eps %v, want %v", delta, eps[k], want)
		}
	}
}

// All pairs at once are the pairs one by one, at their share of the failure, and no
// loss is above the local one.
func TestAllPairsAreThePairsOfOneSimulation(t *testing.T) {
	s := Simulation{Paths: 200, Seed: 3, Walk: Walk{Walk: schedule.Walk{
		Nodes: 4, Start: AnyStart, Turns: 20, Cap: 3, Update: model.Asserted(1, "so it is"),
	}}}
	got, claim, err := s.AllPairs(2, 1.5, 0.01, 2)
	if err != nil || claim.Status != privacy.SoundIf {
		t.Fatalf("%v, %v", claim.Status, err)
	}
	local, _, err := privacy.LocalLoss(3, 1.5, privacy.Metric{Order: 2})
	if err != nil {
		t.Fatal(err)
	}
	for u, row := range got {
		for v, loss := range row {
			if u == v {
				continue
			}
			sample, err := s.Sample([]Pair{{u, v}}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if want := min(sample[0].RDP(2, 1.5, 0.01/12), local); loss != want {
				t.Errorf("from %d to %d: %v, want %v", u, v, loss, want)
			}
		}
	}
}
