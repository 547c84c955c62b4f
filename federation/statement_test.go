package federation

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// A value that is sent to several, or sent on in a later epoch because who had it
// fell silent, is one use of the data; a turn that is taken anew in a later epoch
// is another.
func TestContributionsAreCountedOnce(t *testing.T) {
	s := newStage(t, quick)
	f := open(t, s.spec, "lyon")
	l, err := ledger.Create(filepath.Join(t.TempDir(), LedgerFile), ledger.Federation{Name: "test", Spec: f.Hash, Node: "lyon", ID: f.Self})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, b, none := ledger.Digest{1}, ledger.Digest{2}, ledger.Digest{}
	for _, e := range []struct {
		epoch  uint64
		turn   step.Turn
		to     step.NodeID
		body   ledger.Digest
		counts int // so far
	}{
		{0, 5, 1, a, 1}, {0, 5, 2, a, 1}, {3, 5, 2, a, 1}, {6, 5, 1, b, 2}, {6, 7, f.Self, none, 3}, {6, 8, f.Self, none, 4}, {6, 8, 1, b, 4},
	} {
		release := step.Release{From: f.Self, To: e.to, Turn: e.turn, Contributed: true, Sensitivity: 1, NoiseStd: f.Noise.Nominal}
		if err := l.Commit(ledger.Entry{Time: time.Unix(0, 0), Epoch: e.epoch, Releases: []ledger.Release{{Release: release, Body: e.body}}}); err != nil {
			t.Fatal(err)
		}
		if got, err := f.contributed(l); err != nil || got != e.counts {
			t.Errorf("after turn %d of epoch %d to %d: %d contributions, want %d (%v)", e.turn, e.epoch, e.to, got, e.counts, err)
		}
	}
}
