package sim

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// hidden are holdings of which a driver does not know how they lie in memory.
type hidden struct{ of Holdings }

func (h hidden) Examples(v step.NodeID) model.Examples { return h.of.Examples(v) }

// counting counts how often it is asked for the node after one.
type counting struct {
	walk.Chooser
	asked map[int]int
}

func (c counting) Next(u int, r *rand.Rand) int {
	c.asked[u]++
	return c.Chooser.Next(u, r)
}

// A driver that looks ahead asks where the token goes once a turn, of the node that has the turn, and not beyond the
// last; that it fetches what is coming changes no bit.
func TestLookingAheadChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, graph := randomWalk(t)
		want, path := bulk(rapidT(t), w)
		w.Holdings = hidden{w.Holdings}
		asked := counting{graph, map[int]int{}}
		w.Choose = asked
		got, err := w.Bulk(context.Background(), nil)
		if err != nil || bits(got) != bits(want) {
			t.Fatalf("with rows that cannot be fetched ahead %v, %v, with them %v", got, err, want)
		}
		for _, r := range path {
			asked.asked[int(r.From)]--
		}
		for v, more := range asked.asked {
			if more != 0 {
				t.Fatalf("node %d is asked for the next holder %d times more often than it had the token", v, more)
			}
		}
	})
}
