package walkpublished

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
)

func TestTheorem72(t *testing.T) {
	c := CompleteSGD{Nodes: 1000, Turns: 100_000}
	g, err := c.Published(0.3, 1e-6, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	made := 100 + math.Sqrt(300*math.Log(1e6))
	q := max(2*made*math.Log(1000)/1000, 2*math.Log(1e6))
	want := math.Sqrt(2*q*math.Log(1e6)) * 0.3 / math.Sqrt(math.Log(1.25e6))
	if math.Abs(g.Epsilon-want) > 1e-12 || g.Delta != 2e-6 {
		t.Errorf("%+v, want eps %g", g, want)
	}
}

// With enough contributions the closed form is below what any order gives for
// Proposition D.11, from which it is derived.
func TestTheorem72NeedsAnOrderAboveTwo(t *testing.T) {
	const n, eps0, delta = 10, 0.9, 1e-6
	c := CompleteSGD{Nodes: n, Turns: 100_000}
	if _, err := c.Published(eps0, delta, delta); err == nil {
		t.Fatal("accepted")
	}
	made, _ := privacy.CountUpper(c.Turns, 1.0/n, delta)
	q := 2 * made * math.Log(n) / n
	printed := math.Sqrt(2*q*math.Log(1/delta)/math.Log(1.25/delta)) * eps0
	sigma := math.Sqrt(2*math.Log(1.25/delta)) / eps0
	rdp := made * math.Log(n) / (n * sigma * sigma) // per order
	if best := rdp + 2*math.Sqrt(rdp*math.Log(1/delta)); printed > 0.9*best {
		t.Errorf("printed %g, the best order gives %g", printed, best)
	}
}

func TestPropositionD11Loss(t *testing.T) {
	c := CompleteSGD{Nodes: 500, Turns: 1000}
	got, claim, err := c.PublishedRDP(3, 10, 2)
	if want := 3 * 2 * math.Log(500) / (500 * 100.0); err != nil || math.Abs(got/want-1) > 1e-12 || claim.Status != privacy.Published {
		t.Errorf("%g, want %g (%v)", got, want, err)
	}
	if _, _, err := c.PublishedRDP(3, 0.9, 2); err == nil {
		t.Error("sigma 0.9 at order 2 was accepted")
	}
	m := privacy.Metric{Delta: 1e-6}
	noise, _, err := c.PublishedTight(3, 1, m)
	if err != nil {
		t.Fatal(err)
	}
	if loss, _, err := c.PublishedLoss(3, noise.Multiplier, m); err != nil || loss > 1 || loss < 1-1e-6 {
		t.Errorf("loss %g (%v)", loss, err)
	}
}
