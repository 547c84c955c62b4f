package federation

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/step"
)

// use is a release in which a participant uses its data.
func useAt(f *Federation, turn step.Turn, to step.NodeID, value string) ledger.Release {
	return ledger.Release{Body: sha256.Sum256([]byte(value)), Release: step.Release{
		From: f.Self, To: to, Turn: turn, Contributed: true, Sensitivity: 1, NoiseStd: f.nominal(),
	}}
}

// What would use the data more often than was accepted is refused before it is on disk, so
// before anything of it leaves; the same value to somebody else is no further use.
func TestTheGateRefusesTheTurnBeyondTheLimit(t *testing.T) {
	f := open(t, ring(t, five, terms), "lyon")
	gate := f.newUses().gate(3)
	let := func(turn step.Turn, value string) error {
		return gate(&ledger.Entry{Releases: []ledger.Release{useAt(f, turn, 1, value), useAt(f, turn, 4, value)}})
	}
	for turn := range step.Turn(3) {
		if err := let(turn, fmt.Sprint(turn)); err != nil {
			t.Fatalf("turn %d: %v", turn, err)
		}
	}
	if err := let(7, "2"); err != nil { // another turn, and the ledger counts it
		if !strings.Contains(err.Error(), "turn 7 is refused") || fault.Hint(err) == "" {
			t.Errorf("%v", err)
		}
	} else {
		t.Error("a fourth use is let out")
	}
	half := f.newUses().gate(1)
	loud := useAt(f, 0, 1, "x")
	loud.NoiseStd /= 2 // half of the noise is four uses
	if err := half(&ledger.Entry{Releases: []ledger.Release{loud}}); err == nil {
		t.Error("less noise than agreed is let out")
	}
	if err := half(&ledger.Entry{}); err != nil {
		t.Errorf("an entry without releases: %v", err)
	}
}
