package node

import (
	"errors"
	"testing"

	"github.com/hearsay-dp/hearsay/node/transport"
)

// What has come in already is taken before anything is repeated, up to a bound, so that a
// flood holds up timers for no longer than that; an error ends it.
func TestEventsComeFirstUpToABound(t *testing.T) {
	w := newWorld(t, gossipOf(t, 3, 2, 2), transport.Faults{})
	c, err := w.config(0)
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(c.Transport.Close(), c.Ledger.Close()); err != nil {
			t.Error(err)
		}
	}()
	const more = 36
	events := make(chan event, 2*eventsAtOnce)
	junk := event{Inbound: transport.Inbound{From: 1, Frame: []byte{0}}}
	for range eventsAtOnce + more {
		events <- junk
	}
	for _, left := range []int{more, 0} {
		if err := n.handleAll(t.Context(), <-events, events); err != nil || len(events) != left {
			t.Errorf("%d events are left, want %d: %v", len(events), left, err)
		}
	}
	events <- event{err: errKilled}
	events <- junk
	if err := n.handleAll(t.Context(), junk, events); !errors.Is(err, errKilled) || len(events) != 1 {
		t.Errorf("after an error %v, %d events are left", err, len(events))
	}
}
