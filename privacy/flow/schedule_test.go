package flow

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// noisy is a schedule with noise on every message, on a pair of nodes.
func noisy(u model.Update) schedule.Gossip {
	w := &sparse.Matrix{N: 3, Offsets: []int{0, 2, 5, 7}, Columns: []int32{0, 1, 0, 1, 2, 1, 2}, Values: []float64{.5, .5, .5, 0, .5, .5, .5}}
	return schedule.Gossip{Nodes: 3, W: w, Rounds: 4, TurnsPerRound: 1, Every: 2, NoiseAlways: true, Update: u}
}

// A model's guarantee is sound. An assertion, or a problem filled in by hand,
// is sound if it holds.
func TestFlowStatusComesFromTheUpdate(t *testing.T) {
	descent := model.Descent{Step: 1, Clip: 1}
	for _, c := range []struct {
		update model.Update
		want   privacy.Status
		spread float64
	}{
		{model.Objective{Model: model.Logistic{}, L2: 0.5}.Guarantees(1).Update(descent), privacy.Sound, 0.5},
		{model.Asserted(0.9, "somebody says so"), privacy.SoundIf, 0.9},
		{model.Assert(model.Claims{Loss: "x", Smoothness: 0.5, Lipschitz: 1}).Update(descent), privacy.SoundIf, 1.5},
	} {
		a, err := Of(noisy(c.update))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Claim(); got.Status != c.want || (got.If == "") != (c.want == privacy.Sound) {
			t.Errorf("%s: %s", c.update.Source(), got)
		}
		if p := a.Problem(); p.Lipschitz.At(3, 1) != c.spread || p.contribution(1, 0) != 0 || p.contribution(2, 0) != 1 {
			t.Errorf("%s: %+v", c.update.Source(), p)
		}
		again, err := New(a.Problem())
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Claim(); got.Status != privacy.SoundIf {
			t.Errorf("filled in by hand: %s", got)
		}
	}
}

// A schedule without noise on every message has nothing to absorb with, and an
// update of which nothing is known spreads without bound: no number.
func TestFlowRefusesSchedulesItsTheoremDoesNotCover(t *testing.T) {
	for want, change := range map[string]func(s *schedule.Gossip){
		"add no noise":    func(s *schedule.Gossip) { s.NoiseAlways = false },
		"acceleration":    func(s *schedule.Gossip) { s.Gamma = 1.5 },
		"were away":       func(s *schedule.Gossip) { s.Asynchronous, s.Final = true, true },
		"nothing bounds":  func(s *schedule.Gossip) { s.Update = model.Update{} },
		"without weights": func(s *schedule.Gossip) { s.W = nil },
	} {
		s := noisy(model.Asserted(1, "somebody says so"))
		change(&s)
		if _, err := Of(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Step sizes that fall have the Lipschitz constant of each round.
func TestFlowLipschitzFollowsTheStepSizes(t *testing.T) {
	s := noisy(model.Objective{Model: model.Mean{}}.Guarantees(1).Update(model.Descent{Step: 0.5, Clip: 1}))
	s.StepSizes = []float64{0.5, 0.25, 0.25, 0.125}
	s.Update = model.Objective{Model: model.Mean{}, L2: 1}.Guarantees(1).Update(model.Descent{Step: 0.5, Clip: 1})
	a, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range []float64{0.5, 0.75, 0.75, 0.875} {
		if got := a.Problem().Lipschitz.At(round, 0); got != want {
			t.Errorf("round %d: %g, want %g", round, got, want)
		}
	}
}
