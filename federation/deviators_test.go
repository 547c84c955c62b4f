package federation

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/identity"
	"github.com/hearsay-dp/hearsay/node/policy"
	"github.com/hearsay-dp/hearsay/node/secret"
	"github.com/hearsay-dp/hearsay/step"
)

// Beside each participant the plan prints what it learns if it deviates from the
// protocol: the local loss of all contributions, which a policy may limit; the
// noise that is said to fit does.
func TestDeviatorsArePricedByTheLocalLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("prices plans one after the other: run without the race detector")
	}
	p := plan(t, open(t, ring(t, five, terms), "lyon"))
	var text bytes.Buffer
	if err := p.Print(&text); err != nil {
		t.Fatal(err)
	}
	for _, to := range p.Towards {
		if to.Deviating != p.Local || to.Deviating < to.Epsilon {
			t.Errorf("%s: %g if it deviates, local %g, %g if it does not", to.Name, to.Deviating, p.Local, to.Epsilon)
		}
	}
	if got := strings.Count(text.String(), digits(p.Local)); got < 1+len(p.Towards) || !strings.Contains(text.String(), "if it deviates") {
		t.Errorf("the local loss %s stands %d times in\n%s", digits(p.Local), got, text.String())
	}
	own := func(limit float64) []policy.Objection {
		read, err := policy.Parse(fmt.Appendf(nil, "delta: 1e-3\nepsilon: {neighbours: .inf, others: .inf, deviators: %g}\n", limit), "p")
		if err != nil {
			t.Fatal(err)
		}
		return p.Objections(read)
	}
	if all := own(p.Local * 1.001); len(all) != 0 {
		t.Errorf("objections %v", all)
	}
	all := own(p.Local / 2)
	if len(all) != 1 || all[0].Key != "epsilon.deviators" || !strings.Contains(all[0].Fits, "sigma") {
		t.Fatalf("objections %v", all)
	}
}

// One forged end, however modest its model, ends nobody's run: the walk cannot
// have come to its last turn without this participant.
func TestForgedEndEndsNoRun(t *testing.T) {
	long := strings.Replace(terms, "steps: 50", "steps: 5000", 1)
	f := open(t, ring(t, five, long), "nice")
	m := f.machine(model.Examples{Features: 2, X: []float64{0.1, 0.2}, Y: []float64{1}}, identity.Key{}, secret.NewNoise(), secret.NewRouter())
	var out step.Out
	m.Step(step.Msg{Kind: walk.End, From: 0, To: f.Self, Turn: 5000, Body: make([]float64, f.Params())}, &out)
	if len(out.Msgs) != 0 || m.Model() != nil {
		t.Errorf("it is believed: %+v", out)
	}
	if turns, ok := f.setup.Algorithm.(*walkfamily.Algorithm).Absence(f.Self); !ok || turns < 50 || turns > 1000 {
		t.Errorf("a ring of five is away for %d turns, %t", turns, ok)
	}
}

// A neighbour that never confirms the last value keeps nobody from having the
// model: the run is over once all values were heard.
func TestNobodyCanWithholdTheEndOfGossip(t *testing.T) {
	text := strings.Replace(terms, "kind: walk, steps: 50, step_size: 0.1, clip: 0.5, contributions: 20",
		"kind: gossip-gd, steps: 3, step_size: 0.1, clip: 0.5, contributions: 3", 1)
	f := open(t, ring(t, five, strings.Replace(text, "release: final", "release: none", 1)), "nice")
	m := f.machine(model.Examples{Features: 2, X: []float64{0.1, 0.2}, Y: []float64{1}}, identity.Key{}, secret.NewNoise(), secret.NewRouter())
	var out step.Out
	m.Start(&out)
	for turn := range step.Turn(f.setup.Algorithm.Turns()) {
		if m.Over() {
			t.Fatalf("over at turn %d", turn)
		}
		for _, u := range f.Neighbours() {
			m.Step(step.Msg{Kind: gossip.Value, From: u, To: f.Self, Turn: turn, Body: make([]float64, f.Params())}, &out)
		}
	}
	if !m.Over() || out.Done {
		t.Errorf("over %t, all have confirmed %t", m.Over(), out.Done)
	}
}
