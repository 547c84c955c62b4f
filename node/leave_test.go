package node

import (
	"errors"
	"testing"

	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// beginPair is a node with two neighbours that have agreed, in a run that goes on without who is gone, or does not.
func beginPair(t *testing.T, goesOn bool) (n *Node, peers []*peer) {
	w := newWorld(t, walkOf(t, 3, 3, 10), transport.Faults{})
	w.edit = func(_ step.NodeID, c *Config) { c.GoesOn = goesOn }
	n = w.alone()
	peers = []*peer{w.peer(1), w.peer(2)}
	for _, p := range peers {
		p.agree(1)
	}
	eventually(t, "the machine starts", func() bool { return n.Status().State == Running })
	return n, peers
}

// says has a neighbour say that somebody has left.
func (p *peer) says(who step.NodeID, stays step.Turn, sequence uint64) {
	p.send(p.frame(wire.Frame{Kind: wire.KindNode, Incarnation: 1, Sequence: sequence, Msg: step.Msg{Kind: kindLeft, From: p.id, Turn: stays}, Epoch: uint64(who)}))
}

// Where the token goes around who is missing, and where who leaves stays, the run goes on; nobody is believed to say of another
// that it stays, nor that this node has left.
func TestARunGoesOnWithoutWhoHasLeft(t *testing.T) {
	for _, goesOn := range []bool{true, false} {
		n, peers := beginPair(t, goesOn)
		peers[0].says(0, 0, 5)
		peers[0].says(9, 0, 6)
		peers[0].says(2, 1, 7)
		peers[0].says(1, 1-step.Turn(count(goesOn)), 8)
		eventually(t, "it is known who has left", func() bool { return n.Status().Neighbours[0].Left != "" })
		if s := n.Status(); s.State != Running || s.Neighbours[1].Left != "" {
			t.Errorf("goes on %v: %+v", goesOn, s)
		}
	}
}

// The run stands once somebody says that who was needed is gone.
func TestARunStopsWhenSomebodyIsGone(t *testing.T) {
	n, peers := beginPair(t, false)
	peers[0].says(2, 0, 5)
	eventually(t, "it is known who has left", func() bool { s := n.Status(); return s.State == Leaving && s.Neighbours[1].Left != "" })
	peers[0].send(peers[0].frame(token(1, 6)))
	eventually(t, "the token is read", func() bool { return n.Status().Counters.FramesIn >= 6 })
	if s := n.Status(); s.Ledger.Releases != 0 {
		t.Error("a node that parts takes a turn")
	}
}

// What was said of a participant before this start counts no more if the owner says that it has not left, and of nobody else.
func TestWhoHasNotLeftIsWaitedForAgain(t *testing.T) {
	for notLeft, stands := range map[string]bool{"": true, "n1": true, "n2": false} {
		n := hourOld(t)
		n.record.gone, n.config.NotLeft = 3, notLeft
		if err := errors.Join(n.begin(), n.recover()); err != nil {
			t.Fatal(err)
		}
		if _, is := n.gone(); is != stands || n.parting() != stands {
			t.Errorf("not left %q: the run stands: %v, and on disk", notLeft, is)
		}
	}
}
