package ledger

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// kept is the ledger of a participant of one run that released some values to the next of three and received some
// from the one before. A value is its turn; other says those that it has under another hash.
func kept(t *testing.T, id step.NodeID, released, received []step.Turn, other ...step.Turn) *Ledger {
	t.Helper()
	l, err := Create(filepath.Join(folder(t), "ledger.db"), Federation{Name: "compared", Spec: owner.Spec, Node: fmt.Sprintf("p%d", id), ID: id})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	body := func(of step.NodeID, turn step.Turn) Digest { return sha256.Sum256([]byte(fmt.Sprint(of, turn))) }
	before := (id + 2) % 3
	for _, turn := range released {
		b := body(id, turn)
		for _, o := range other {
			if o == turn {
				b[0]++
			}
		}
		if err := l.Commit(Entry{Releases: []Release{{Body: b, Release: step.Release{From: id, To: (id + 1) % 3, Turn: turn, Sensitivity: 1, NoiseStd: 1}}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, turn := range received {
		if err := l.Commit(Entry{Received: []Receipt{{Key{Peer: before, Kind: 1, Turn: turn}, body(before, turn)}}}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// Whoever writes a chain anew without a release, or with another value, is found by the ledger of who received it,
// and so is who invents a receipt. What was still on its way is no fault.
func TestAChainWrittenAnewIsFound(t *testing.T) {
	all := func() (a, b, c *Ledger) {
		return kept(t, 0, []step.Turn{1, 2, 3}, []step.Turn{1}), kept(t, 1, []step.Turn{4}, []step.Turn{1, 2}), kept(t, 2, []step.Turn{1}, []step.Turn{4})
	}
	a, b, c := all()
	crossings, err := Compare(c, a, b)
	if err != nil || len(crossings) != 3 {
		t.Fatalf("%+v, %v", crossings, err)
	}
	for k, want := range []Crossing{{From: "p0", To: "p1", Released: 3, Received: 2}, {From: "p1", To: "p2", Released: 1, Received: 1}, {From: "p2", To: "p0", Released: 1, Received: 1}} {
		if got := crossings[k]; got.From != want.From || got.To != want.To || got.Released != want.Released || got.Received != want.Received || got.Unknown != nil {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	for what, anew := range map[string]*Ledger{
		"a release is left out": kept(t, 0, []step.Turn{1, 3}, []step.Turn{1}),
		"a value is another":    kept(t, 0, []step.Turn{1, 2, 3}, []step.Turn{1}, 2),
	} {
		if err := anew.Verify(); err != nil {
			t.Errorf("%s: the chain itself: %v", what, err)
		}
		crossings, err := Compare(anew, b, c)
		if err != nil || len(crossings[0].Unknown) != 1 || crossings[0].Unknown[0].Turn != 2 {
			t.Errorf("%s: %+v, %v", what, crossings, err)
		}
	}
	invented := kept(t, 2, []step.Turn{1}, []step.Turn{4, 5})
	if crossings, err := Compare(a, b, invented); err != nil || len(crossings[1].Unknown) != 1 || crossings[1].Unknown[0].Turn != 5 {
		t.Errorf("a receipt is invented: %+v, %v", crossings, err)
	}
}

// Ledgers that are not those of one run are refused.
func TestOnlyLedgersOfOneRunAreCompared(t *testing.T) {
	a, again, elsewhere := kept(t, 0, nil, nil), kept(t, 0, nil, nil), fresh(t)
	other, err := Create(filepath.Join(folder(t), "other.db"), Federation{Name: "another", Spec: sha256.Sum256(nil), Node: "p1", ID: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for want, ledgers := range map[string][]*Ledger{"nothing to compare": {a}, "two ledgers are those of": {a, again, elsewhere}, "different specs": {a, other}} {
		if _, err := Compare(ledgers...); err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%q: %v", want, err)
		}
	}
}
