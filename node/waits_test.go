package node

import (
	"testing"

	"github.com/hearsay-dp/hearsay/node/transport"
)

// A node says for whom it waits and why, in its log and in its status.
func TestANodeSaysWhatItWaitsFor(t *testing.T) {
	w := newWorld(t, walkOf(t, 2, 3, 10), transport.Faults{})
	var book logbook
	w.log = book.logger()
	n := w.alone()
	eventually(t, "the log says so", func() bool { return book.lines("waiting for n1: it is not there") == 1 })
	if s := n.Status(); s.Neighbours[0].Waits != "it is not there" {
		t.Errorf("status %+v", s.Neighbours)
	}
	p := w.peer(1)
	eventually(t, "another reason", func() bool { return book.lines("waiting for n1: it has not said hello") == 1 })
	p.agree(1)
	eventually(t, "nothing is waited for", func() bool { return n.Status().Neighbours[0].Waits == "" })
}
