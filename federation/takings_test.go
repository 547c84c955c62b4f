package federation

import (
	"maps"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// Turns of two tokens are told apart; a value that is sent on is the same taking,
// and one drawn again is another.
func TestTakingsByLane(t *testing.T) {
	l, err := ledger.Create(filepath.Join(t.TempDir(), "ledger"), ledger.Federation{Name: "test", Node: "a"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i, r := range []struct {
		lane step.Lane
		turn step.Turn
		to   step.NodeID
		body byte
	}{{0, 4, 1, 1}, {1, 4, 1, 2}, {1, 4, 2, 2}, {0, 5, 1, 3}, {0, 5, 2, 4}, {1, 9, 1, 5}} {
		err := l.Commit(ledger.Entry{Time: time.Unix(int64(i), 0), Releases: []ledger.Release{{
			Release: step.Release{To: r.to, Lane: r.lane, Turn: r.turn, Contributed: true, Sensitivity: 1, NoiseStd: 1}, Body: ledger.Digest{r.body},
		}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := Takings(l, 9)
	want := map[Taking]int{{0, 4}: 1, {1, 4}: 1, {0, 5}: 2}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}
