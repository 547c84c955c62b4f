package node

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// errLimit is what the gate of a test refuses with.
var errLimit = errors.New("the limit is reached")

// A turn that the gate refuses is neither written nor sent: the node stops, its ledger holds
// what was let out before, and nothing else was on the wire.
func TestWhatTheGateRefusesStaysHere(t *testing.T) {
	const culprit, limit = 2, 2
	w := newWorld(t, gossipOf(t, 5, 4, 6), transport.Faults{})
	w.edit = func(v step.NodeID, c *Config) {
		uses := map[step.Turn]bool{}
		c.Gate = func(e *ledger.Entry) error {
			for _, r := range e.Releases {
				if v == culprit && r.From == v {
					uses[r.Turn] = true
				}
			}
			if len(uses) > limit {
				return errLimit
			}
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	errs := make([]error, w.n)
	var group sync.WaitGroup
	for v := range step.NodeID(w.n) {
		group.Go(func() {
			if errs[v] = w.once(ctx, v); v == culprit {
				cancel() // the others wait for it
			}
		})
	}
	group.Wait()
	if !errors.Is(errs[culprit], errLimit) {
		t.Errorf("it stops with %v", errs[culprit])
	}
	written := map[step.Turn]bool{}
	for _, r := range w.rows(culprit) {
		written[r.Turn] = true
	}
	if len(written) != limit {
		t.Errorf("turns %v are in its ledger", written)
	}
	for m := range w.sent {
		if m.from == culprit && !written[m.Turn] {
			t.Errorf("turn %d has left", m.Turn)
		}
	}
}

// hourOld is a node among five that was made an hour ago.
func hourOld(t *testing.T) *Node {
	t.Helper()
	w := newWorld(t, gossipOf(t, 5, 4, 6), transport.Faults{})
	c, err := w.config(2)
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(c.Transport.Close(), c.Ledger.Close()) })
	n.began = time.Now().Add(-time.Hour)
	return n
}

// Who said something just after this node's last step and nothing since is silent, and who
// goes on talking is not.
func TestSilentIsWhoSaidNothingForLong(t *testing.T) {
	n := hourOld(t)
	n.config.Transport = connected{n.config.Transport}
	n.progress = 20 * time.Minute
	for _, l := range n.links {
		l.seen = time.Now().Add(-time.Minute)
	}
	if got := n.silent(); got != "somebody further away" {
		t.Errorf("everybody talks: waiting for %s", got)
	}
	l := n.links[1]
	l.seen = n.began.Add(n.progress + time.Second)
	if got, want := n.silent(), l.name+" (connected, "+l.heardAt()+")"; got != want {
		t.Errorf("waiting for %s, want %s", got, want)
	}
}

// connected is a transport on which everybody is there.
type connected struct{ transport.Transport }

func (connected) Connected(step.NodeID) bool { return true }

// A node that nothing of the run reaches stops after as long as it was told, and says who is
// silent; one that has ended, or not begun, or was told nothing, waits.
func TestSilenceEndsTheWaiting(t *testing.T) {
	n := hourOld(t)
	n.links[0].seen = time.Now().Add(-2 * time.Hour)
	for _, wait := range []struct {
		silence  time.Duration
		started  bool
		done     bool
		progress time.Duration
		stops    bool
	}{
		{silence: time.Minute, started: true, stops: true},
		{silence: 0, started: true},
		{silence: time.Minute},
		{silence: time.Minute, started: true, done: true},
		{silence: 2 * time.Hour, started: true},
		{silence: 30 * time.Minute, started: true, progress: 45 * time.Minute},
	} {
		n.config.Silence, n.record.started, n.done, n.progress = wait.silence, wait.started, wait.done, wait.progress
		err := n.heardNothing()
		if (err != nil) != wait.stops {
			t.Errorf("%+v: %v", wait, err)
		}
		n.publish(Running, nil)
		if s := n.Status(); s.Silence != wait.silence.Seconds() || (s.Quiet > 0) != (wait.started && !wait.done) || (s.Quiet >= s.Silence && s.Quiet > 0 && s.Silence > 0) != wait.stops {
			t.Errorf("%+v: quiet for %g of %g s", wait, s.Quiet, s.Silence)
		}
		if err != nil && (!strings.Contains(err.Error(), "n3 (away, not heard since this start), n0 (away, last heard 2") || fault.Hint(err) == "") {
			t.Errorf("%v", err)
		}
	}
}
