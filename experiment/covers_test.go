package experiment

import (
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// gossipOnLine is gossip that learns whose noise two sound accountants calibrate alike: neighbours lose the same by both.
const gossipOnLine = "seed: 1\ndata: {source: two-gaussians, features: 3, rows: 20, normalise: unit}\ngraph: line:12\nmodel: {kind: logistic}\n" +
	"algorithm: {kind: gossip-gd, steps: 10, step_size: 0.5, clip: 0.3}\nprivacy: {calibrate: {max: 1}, accountant: sound}\n"

// Of two sound accountants that ask for the same noise the one with the smaller mean is taken, and everything that is
// said of the run follows from that one: who losses hold towards, whether they cover the model, what lowers them.
func TestSoundSaysWhatItCovers(t *testing.T) {
	testdata.Sequential(t)
	s := prepare(t, specOf(t, gossipOnLine))
	p := s.privacy()
	if p.Accountant != "flow" || p.ModelCharged || p.Observer != privacy.OneParticipant.String() || !(p.Mean < 0.5) {
		t.Errorf("%s, model charged %v towards %q, mean %v", p.Accountant, p.ModelCharged, p.Observer, p.Mean)
	}
	e, err := s.Explain(0, 11)
	if err != nil {
		t.Fatal(err)
	}
	for _, paragraph := range e.Text {
		for _, wrong := range []string{"hold even if others pool", "as if all the world saw"} {
			if strings.Contains(paragraph.Text, wrong) {
				t.Errorf("losses towards one participant are said to %q", wrong)
			}
		}
	}
	for _, r := range e.Remedies {
		if r.Epsilon > e.Epsilon {
			t.Errorf("%s raises epsilon from %v to %v", r.Change, e.Epsilon, r.Epsilon)
		}
	}
	for _, a := range s.Accounting.Accounts {
		if a.Accountant == report.LocalAccountant && (!a.ModelCharged || a.Observer != privacy.Everybody.String()) {
			t.Errorf("local: %+v", a.Accounted)
		}
	}
	if said := report.Show(&report.Result{Privacy: p}).Warnings; !strings.Contains(strings.Join(said, " "), "covered by local, not by flow") {
		t.Errorf("warnings %q do not tell the accountants apart", said)
	}
}

// The resolved spec of a run says what the run said, whichever accountants its numbers come from.
func TestResolvedSpecIsTheSameRun(t *testing.T) {
	testdata.Sequential(t)
	sampled := "seed: 1\ndata: {source: two-gaussians, features: 3, rows: 6, normalise: unit}\ngraph: line:8\nmodel: {kind: logistic}\n" +
		"algorithm: {kind: gossip-sgd, steps: 10, step_size: 0.5, clip: 0.3, batch: 5, sampling: poisson}\nprivacy: {calibrate: {max: 1}, accountant: sound, unit: record}\n"
	for want, text := range map[string]string{"flow": gossipOnLine, "sound": sampled} {
		first := prepare(t, specOf(t, text))
		if got := first.Accounting.Accounts[0].Accountant; got != want {
			t.Fatalf("numbers of %s, want %s", got, want)
		}
		resolved, err := first.Spec.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again := prepare(t, specOf(t, string(resolved)))
		a, b := first.privacy(), again.privacy()
		if a.Mean != b.Mean || a.Max != b.Max || a.Accountant != b.Accountant || a.ModelCharged != b.ModelCharged || a.Sigma != b.Sigma {
			t.Errorf("%s: %s mean %v max %v, and by the resolved spec %s mean %v max %v", want, a.Accountant, a.Mean, a.Max, b.Accountant, b.Mean, b.Max)
		}
		for u := range first.Spec.Nodes {
			v := (u + 1) % first.Spec.Nodes
			e, err := first.Explain(u, v)
			if err != nil {
				t.Fatal(err)
			}
			if loss := first.Accounting.Accounts[0].At(u, v); math.Abs(e.Epsilon-loss) > 1e-12 {
				t.Errorf("%s: %d towards %d is %v, explained as %v by %s", want, u, v, loss, e.Epsilon, e.Accountant)
			}
		}
	}
}
