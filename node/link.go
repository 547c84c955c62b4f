package node

import (
	"time"

	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// link is what a node knows of a neighbour.
type link struct {
	id       step.NodeID
	name     string
	queue    chan []byte
	guard    wire.Guard
	sequence uint64 // of the next frame to it

	agreed      bool     // its hello had this node's spec
	incarnation uint64   // of its last hello
	greeted     bool     // a hello was sent on this link
	confirmed   bool     // it has confirmed that hello
	everReady   bool     // both were true once
	refused     bool     // its hello had another spec
	differs     []string // in these fields

	finished bool // it has seen the end
	knows    bool // it knows that this node has
	seen     time.Time
	pauses   int             // beats so far
	warned   map[string]bool // reasons of refusal that were logged
}

func newLink(id step.NodeID, name string) *link {
	return &link{id: id, name: name, queue: make(chan []byte, queueLength), warned: map[string]bool{}}
}

// ready reports whether payload may go to the neighbour.
func (l *link) ready() bool { return l.agreed && l.confirmed }

// The messages of daemons among themselves (wire.KindNode).
const (
	kindAgreed   step.Kind = iota + 1 // Turn: the incarnation of the hello that is confirmed
	kindFinished                      // Turn: 1 if the sender knows that the receiver has finished, else 0
)

// hello is this node's hello to a neighbour, encoded.
func (n *Node) hello(to step.NodeID) ([]byte, error) {
	return wire.AppendHello(nil, &wire.Hello{
		From: n.config.Self, To: to, Incarnation: n.record.incarnation, Spec: n.config.Spec, Fields: n.fields,
	})
}

// greet says hello.
func (n *Node) greet(l *link) {
	frame, err := n.hello(l.id)
	if err != nil {
		panic(err) // New has tried it
	}
	l.greeted = true
	n.enqueue(l, frame)
}

// tell sends a neighbour's daemon a message without a body.
func (n *Node) tell(l *link, kind step.Kind, turn step.Turn) {
	m := step.Msg{Kind: kind, From: n.config.Self, To: l.id, Turn: turn}
	p, err := n.pack(l, wire.KindNode, m)
	if err != nil {
		panic(err) // such a message can always be encoded
	}
	n.send(p)
}

// up starts a link anew: the neighbour may be another process now.
func (n *Node) up(l *link) {
	l.confirmed = false
	n.greet(l)
}

// slow is how many beats pass between two hellos to a neighbour that has another
// spec.
const slow = 16

// beat repeats what a neighbour's daemon has not answered.
func (n *Node) beat() {
	for _, l := range n.links {
		if !n.config.Transport.Connected(l.id) {
			continue
		}
		if l.pauses++; !l.confirmed && (!l.refused || l.pauses%slow == 0) {
			n.greet(l)
		}
		if n.done && l.confirmed && !(l.finished && l.knows) {
			n.tellFinished(l)
		}
	}
}

// hearHello compares specs.
func (n *Node) hearHello(l *link, h *wire.Hello) {
	if h.Spec != n.config.Spec {
		n.refuseSpec(l, h)
		return
	}
	again := l.agreed && h.Incarnation == l.incarnation
	l.agreed, l.refused, l.differs = true, false, nil
	if !again {
		l.confirmed, l.finished, l.knows = false, false, false
		l.incarnation = h.Incarnation
		n.greet(l)
	}
	n.tell(l, kindAgreed, step.Turn(h.Incarnation))
}

// refuseSpec takes note of a neighbour that would train something else.
func (n *Node) refuseSpec(l *link, h *wire.Hello) {
	mine := wire.Hello{Fields: n.fields}
	first := !l.refused
	l.agreed, l.refused, l.incarnation, l.differs = false, true, h.Incarnation, mine.Differences(h)
	if !l.greeted {
		n.greet(l)
	}
	if first {
		n.config.Log.Error("neighbour has another spec: nothing is exchanged with it", "node", n.name(), "neighbour", l.name,
			"fields", l.differs, "hint", "compare the two spec files; all participants must be given the same")
	}
}

// hear takes a message of a neighbour's daemon. What it does not know is of a
// later release and changes nothing.
func (n *Node) hear(l *link, m step.Msg) error {
	switch m.Kind {
	case kindAgreed:
		return n.hearAgreed(l, uint64(m.Turn))
	case kindFinished:
		n.hearFinished(l, m.Turn)
	}
	return nil
}

// hearAgreed takes the confirmation of this node's hello.
func (n *Node) hearAgreed(l *link, incarnation uint64) error {
	if incarnation != n.record.incarnation || l.confirmed {
		return nil
	}
	l.confirmed = true
	if n.done {
		n.tellFinished(l)
	}
	if !l.everReady {
		n.config.Log.Info("neighbour agreed", "node", n.name(), "neighbour", l.name)
	}
	l.everReady = true
	if !n.record.started {
		return n.startIfAgreed()
	}
	return n.again(l)
}

// again sends what is under way to a neighbour that was away. Resuming a
// machine that runs is what stopping it here and starting it again would do;
// its timers are armed already.
func (n *Node) again(l *link) error {
	n.out.Reset()
	n.config.Machine.Resume(&n.out)
	msgs := n.out.Msgs
	n.out.Reset()
	for _, m := range msgs {
		if m.To == l.id {
			n.out.Msgs = append(n.out.Msgs, m)
		}
	}
	return n.carryOut(nil)
}

// tellFinished tells a neighbour that this node has seen the end.
func (n *Node) tellFinished(l *link) {
	turn := step.Turn(0)
	if l.finished {
		turn = 1
	}
	n.tell(l, kindFinished, turn)
}

// hearFinished takes the news that a neighbour has seen the end.
func (n *Node) hearFinished(l *link, turn step.Turn) {
	first := !l.finished
	l.finished, l.knows = true, l.knows || turn == 1
	if n.done && (first || turn == 0) {
		n.tellFinished(l)
	}
}
