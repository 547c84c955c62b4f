package node

import (
	"slices"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// A node of gossip commits a turn, however many neighbours it hears in it. A machine that stands
// still for longer than answers wait may cost a commit; most turns must not.
func TestGossipCommitsATurn(t *testing.T) {
	f := gossipOf(t, 6, 3, 20)
	w := newWorld(t, f, transport.Faults{})
	w.tick = 20 * time.Millisecond
	w.run()
	w.check()
	for v := range step.NodeID(f.n) {
		degree, turns := len(w.neighbours(v)), int(w.turns)
		most := turns*5/4 + 2*degree + 4 // besides one for each turn: the start, each neighbour's ledger, the end
		if got := int(w.finished[v].Counters.Commits); got > most || got < turns {
			t.Errorf("node %d made %d commits in %d turns with %d neighbours, more than %d", v, got, turns, degree, most)
		} else {
			t.Logf("node %d of %d neighbours: %d commits, %d turns", v, degree, got, turns)
		}
	}
}

// What others wait for leaves first; otherwise messages keep their order.
func TestBodiesLeaveBeforeAnswers(t *testing.T) {
	msgs := []step.Msg{{Turn: 1}, {Turn: 2, Body: []float64{1}}, {Turn: 3}, {Turn: 4, Body: []float64{1}}}
	urgentFirst(msgs)
	var got []step.Turn
	for _, m := range msgs {
		got = append(got, m.Turn)
	}
	if want := []step.Turn{2, 4, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
