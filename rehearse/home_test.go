package rehearse

import (
	"testing"
)

// The better of both answers decides, and of two alike the larger gain.
func TestTheBetterOfBothAnswersDecides(t *testing.T) {
	for _, c := range []struct {
		joined, home Gain
		want         Answer
		atHome       bool
	}{
		{Gain{Answer: No, Mean: -0.1}, Gain{Answer: Yes, Mean: 0.1}, Yes, true},
		{Gain{Answer: Yes, Mean: 0.1}, Gain{Answer: No, Mean: 0.2}, Yes, false},
		{Gain{Answer: No, Mean: -0.1}, Gain{Answer: NotClear, Mean: 0}, NotClear, true},
		{Gain{Answer: No, Mean: 0.001}, Gain{Answer: No, Mean: 0}, No, false},
	} {
		s := Standing{Gain: c.joined, HomeGain: &c.home}
		if _, home := s.best(); s.answer() != c.want || home != c.atHome {
			t.Errorf("%+v: %s, at home: %v", c, s.answer(), home)
		}
	}
}

// Where noise drowns the joined model, the one at home is as good as own rows alone: it surely gains nothing, but does not lose what the
// joined one loses. All trials have scores of it, those whose choices are others' too.
func TestAtHomeIsNoWorseThanAloneWhereNoiseDrowns(t *testing.T) {
	text := classes + "graph: complete:4\nmodel: {kind: logistic}\nalgorithm: {kind: gossip-gd, steps: 3, step_size: 0.5, clip: 1}\nprivacy: {sigma: 20, accountant: local}\n"
	r := run(t, specOf(t, text, 0), Options{Trials: 6, Rows: 60, Difficulties: []string{"easy"}})
	if r.choosing == 0 {
		t.Fatal("nobody chose a penalty")
	}
	for _, w := range r.Worlds {
		for _, p := range w.Participants {
			if p.Home == nil || !(p.HomeGain.Mean > -0.05) || p.HomeGain.Mean < p.Gain.Mean || !p.Rare.Home.Found.Finite() {
				t.Errorf("%s, %s: %+v, joined %+v", w.Name, p.Name, p.HomeGain, p.Gain)
			}
		}
	}
	if r.count(Yes) > 0 {
		t.Error(r.Summary)
	}
}

// Kinds that count have no step at home.
func TestCountsAreNotFittedAtHome(t *testing.T) {
	r := run(t, specOf(t, values+"graph: ring:4\nalgorithm: {kind: gossip, steps: 5, clip: 1.5}\nprivacy: {sigma: 2}\n", 0), Options{Trials: 2, Rows: 12})
	if s := r.Worlds[0].Participants[0]; r.choosing != 0 || s.Home != nil || s.HomeGain != nil {
		t.Errorf("%+v", s)
	}
}
