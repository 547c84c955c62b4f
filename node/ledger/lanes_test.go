package ledger

import (
	"errors"
	"testing"

	"github.com/hearsay-dp/hearsay/step"
)

// inLane is an entry moved to another lane.
func inLane(e Entry, lane step.Lane) Entry {
	for i := range e.Releases {
		e.Releases[i].Lane = lane
	}
	for i := range e.Received {
		e.Received[i].Lane = lane
	}
	for i := range e.Acked {
		e.Acked[i].Lane = lane
	}
	for i := range e.Send {
		e.Send[i].Lane = lane
	}
	return e
}

// One turn of two tokens is two turns; one turn of one token is taken once.
func TestLanesDoNotCollide(t *testing.T) {
	l := fresh(t)
	const last = step.Lane(1<<32 - 1)
	for _, lane := range []step.Lane{0, 1, last} {
		if err := l.Commit(inLane(hop(3, 10), lane)); err != nil {
			t.Fatalf("lane %d: %v", lane, err)
		}
		if err := l.Commit(Entry{Epoch: 7, Releases: inLane(hop(3, 11), lane).Releases}); !errors.Is(err, ErrRepeated) {
			t.Errorf("lane %d: turn 3 is released twice: %v", lane, err)
		}
		if err := l.Commit(Entry{Epoch: 7, Received: inLane(hop(3, 10), lane).Received}); !errors.Is(err, ErrRepeated) {
			t.Errorf("lane %d: turn 3 is received twice: %v", lane, err)
		}
	}
	l = reopen(t, l)
	defer l.Close()
	if err := l.Verify(); err != nil {
		t.Error(err)
	}
	got := read(l)
	if len(got.Rows) != 3 || len(got.Outbox) != 3 || got.Rows[2].Lane != last || got.Outbox[2].Lane != last {
		t.Errorf("read %+v", got)
	}
	if known, err := l.Has(Key{Epoch: 7, Peer: 1, Kind: 1, Lane: 2, Turn: 3}); known || err != nil {
		t.Errorf("a message of a lane that was never heard is known (%v)", err)
	}
}
