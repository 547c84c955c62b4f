package wire

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// simpleGuard remembers everything.
type simpleGuard struct {
	incarnation, highest uint64
	seen                 map[uint64]bool
}

func (g *simpleGuard) admit(incarnation, sequence uint64) error {
	if g.seen == nil || incarnation > g.incarnation {
		*g = simpleGuard{incarnation: incarnation, highest: sequence, seen: map[uint64]bool{sequence: true}}
		return nil
	}
	known := g.seen[sequence]
	g.seen[sequence] = known || incarnation == g.incarnation
	switch {
	case incarnation < g.incarnation || known || sequence+64 <= g.highest:
		return ErrReplay
	case sequence < g.highest:
		return ErrReordered
	}
	g.highest = sequence
	return nil
}

// A guard judges any history as one that remembers all of it does.
func TestGuardAgreesWithMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g Guard
		var s simpleGuard
		for range rapid.IntRange(1, 200).Draw(t, "frames") {
			inc := rapid.Uint64Range(0, 2).Draw(t, "incarnation")
			seq := rapid.Uint64Range(0, 150).Draw(t, "sequence")
			if got, want := g.Admit(inc, seq), s.admit(inc, seq); !errors.Is(got, want) {
				t.Fatalf("frame %d of incarnation %d: %v, want %v", seq, inc, got, want)
			}
		}
	})
}

// What passes is strictly increasing, so no frame passes twice.
func TestGuardPassesIncreasing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g Guard
		var lastInc, lastSeq uint64
		first := true
		for range 100 {
			inc, seq := rapid.Uint64Range(0, 1).Draw(t, "incarnation"), rapid.Uint64().Draw(t, "sequence")
			if g.Admit(inc, seq) != nil {
				continue
			}
			if !first && (inc < lastInc || inc == lastInc && seq <= lastSeq) {
				t.Fatalf("(%d, %d) passed after (%d, %d)", inc, seq, lastInc, lastSeq)
			}
			first, lastInc, lastSeq = false, inc, seq
		}
	})
}
