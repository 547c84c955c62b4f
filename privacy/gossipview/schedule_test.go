package gossipview

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Matrices that change are made as long as they fit into memory, and one turn after
// the other: a run of more turns than there is room for is refused before that.
func TestLongRunsOfChangingMatricesAreRefused(t *testing.T) {
	s := schedule.Gossip{Nodes: 40, Weights: graph.NewMatchings(40, 1), Rounds: 1, TurnsPerRound: 1 << 40}
	if _, err := changing(s, 10_000); err == nil || !strings.Contains(err.Error(), "up to turn 83") || fault.Hint(err) == "" {
		t.Errorf("%v", err)
	}
	s.TurnsPerRound = 5
	if a, err := Of(s); err != nil || a == nil {
		t.Error(err)
	}
}
