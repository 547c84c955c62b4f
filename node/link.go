package node

import (
	"encoding/binary"
	"time"

	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// link is the state that a node keeps of a neighbour.
type link struct {
	id       step.NodeID
	name     string
	queue    chan []byte
	guard    wire.Guard
	sequence uint64 // of the next frame to it

	known    witness // last position of its ledger, from a process that had proved to hold the ledger; kept on disk
	current  witness // position of its current process, whose hello had this node's spec
	proven   bool    // the current process has confirmed known: it may send payload
	former   []wire.Start
	starts   int           // number of its processes so far
	last     time.Duration // when the last process began
	disowned string        // why its ledger is not believed
	stranger wire.Start    // the process that is not believed
	stray    bool          // frames of another process came: it is sent another hello

	agreed      bool     // its hello had this node's spec
	incarnation uint64   // of its last hello
	greeted     bool     // a hello was sent on this link
	confirmed   bool     // it has confirmed that hello
	everReady   bool     // agreed and confirmed were true once
	refused     bool     // its hello had another spec
	differs     []string // fields in which the specs differ

	finished bool // it has seen the end
	knows    bool // it knows that this node has seen the end
	seen     time.Time
	left     string          // how it has left the run, "" if it has not
	told     bool            // it has confirmed who has left
	sign     time.Duration   // when a valid frame came last, or the link came up
	pauses   int             // beats so far, for slow
	warned   map[string]bool // reasons of refusal that were logged
}

func newLink(id step.NodeID, name string) *link {
	return &link{id: id, name: name, queue: make(chan []byte, queueLength), warned: map[string]bool{}}
}

// ready reports whether payload may go to the neighbour.
func (l *link) ready() bool { return l.agreed && l.confirmed }

// The kinds of message between daemons (wire.KindNode).
const (
	kindAgreed    step.Kind = iota + 1 // Turn: confirmation of the process that sent the hello, Epoch: the entries that its hello showed
	kindFinished                       // Turn: 1 if the sender knows that the receiver has finished, else 0
	kindForgotten                      // the sender stops, because its ledger lacks an entry that a neighbour knows
	kindAsked                          // Turn: 0 asks whether the receiver is alive, 1 answers yes
	kindLeft                           // a participant has left. Epoch: its number, Turn: 1 if it stays to pass on what others send, else 0
	kindLeftHeard                      // confirms kindLeft
)

// hello returns this node's encoded hello to a neighbour.
func (n *Node) hello(to step.NodeID) ([]byte, error) {
	h := wire.Hello{
		From: n.config.Self, To: to, Incarnation: n.record.incarnation, Spec: n.config.Spec, Fields: n.fields,
		Own: n.account(0), Releases: uint64(n.config.Ledger.Head().Releases),
	}
	switch l := n.link(to); {
	case l == nil:
	case l.agreed && l.disowned != "": // a second machine with this key sees the position of the first, with its own seal, and stops
		h.Known = &l.current.Account
	case l.known.bound:
		h.Known = &l.known.Account
	}
	return wire.AppendHello(nil, &h)
}

// greet sends a hello.
func (n *Node) greet(l *link) {
	frame, err := n.hello(l.id)
	if err != nil {
		panic(err) // New has tested the encoding
	}
	l.greeted, l.stray = true, false
	n.enqueue(l, frame)
}

// tell sends a neighbour's daemon a message without a body.
func (n *Node) tell(l *link, kind step.Kind, turn step.Turn) { n.tellOf(l, kind, turn, 0) }

func (n *Node) tellOf(l *link, kind step.Kind, turn step.Turn, epoch uint64) {
	m := step.Msg{Kind: kind, From: n.config.Self, To: l.id, Turn: turn, Epoch: epoch}
	p, err := n.pack(l, wire.KindNode, m, 0)
	if err != nil {
		panic(err) // such a message can always be encoded
	}
	n.send(p)
}

// up handles a new connection, whose other end may be another process of the neighbour.
func (n *Node) up(l *link) {
	l.confirmed, l.sign = false, n.now()
	n.greet(l)
}

// slow is the number of beats between two hellos to a neighbour with another spec.
const slow = 16

// beat repeats the messages to neighbours' daemons that were not answered.
func (n *Node) beat() {
	for _, l := range n.links {
		if !n.config.Transport.Connected(l.id) {
			continue
		}
		if l.pauses++; l.stray || !l.confirmed && (!l.refused || l.pauses%slow == 0) {
			n.greet(l)
		}
		if n.done && l.confirmed && !(l.finished && l.knows) {
			n.tellFinished(l)
		}
		n.tellLeft(l)
		if l.confirmed && n.now()-l.sign > askAfter {
			n.tell(l, kindAsked, 0)
		}
	}
}

// hearHello handles a hello: it compares the specs, and the positions that the two nodes know of each other's
// ledgers.
func (n *Node) hearHello(l *link, h *wire.Hello) error {
	if h.Spec != n.config.Spec {
		n.refuseSpec(l, h)
		return nil
	}
	if err := n.remembers(l, h.Known); err != nil {
		n.takeLeave(l)
		return err
	}
	if what := l.contradiction(h); what != "" {
		n.disown(l, h.Own.Start, what)
		return nil
	}
	if !l.agreed || h.Own.Start != l.current.Start {
		if !n.newcomer(l) {
			return nil // its hello will be repeated
		}
		l.begin(h)
		n.greet(l)
	} else {
		l.current.advance(h.Own.Position)
	}
	l.disowned = ""
	known := uint64(0)
	if h.Known != nil {
		known = h.Known.Entries
	}
	n.tellOf(l, kindAgreed, confirmation(h.Own.Start), known)
	return nil
}

// contradiction returns the contradiction between a hello and the known positions, "" if there is none.
func (l *link) contradiction(h *wire.Hello) string {
	if l.known.Ledger != (wire.Ledger{}) {
		if what := l.known.contradiction(h); what != "" {
			return what
		}
	}
	if !l.agreed {
		return ""
	}
	return l.current.contradiction(h)
}

// burst is the number of processes of a neighbour that are accepted without delay. Each one costs a commit.
const burst = 16

// newcomer reports whether another process of a neighbour is accepted now.
func (n *Node) newcomer(l *link) bool {
	if l.starts++; l.starts > burst && n.now()-l.last < beat*n.config.Tick {
		return false
	}
	l.last = n.now()
	return true
}

// mostFormer is the number of ended processes of a neighbour that are remembered.
const mostFormer = 64

// retire ends the acceptance of the current process.
func (l *link) retire() {
	if !l.agreed {
		return
	}
	if l.former = append(l.former, l.current.Start); len(l.former) > mostFormer {
		l.former = l.former[1:]
	}
	l.agreed = false
}

// begin accepts another process of the neighbour.
func (l *link) begin(h *wire.Hello) {
	l.retire()
	l.agreed, l.refused, l.differs = true, false, nil
	l.confirmed, l.proven, l.finished, l.knows = false, false, false, false
	l.incarnation, l.guard = h.Incarnation, wire.Guard{}
	l.current = witness{Account: h.Own, incarnation: h.Incarnation, bound: h.Releases > 0}
}

// prove stores the position of the current process once it has confirmed the position known before. The position
// is on disk when prove returns.
func (n *Node) prove(l *link) error {
	l.proven, l.known = true, l.current
	if err := n.commit(ledger.Entry{}); err != nil {
		return err
	}
	return n.answer()
}

// refuseSpec records that a neighbour has another spec, and logs the differences once.
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

// hear handles a message of a neighbour's daemon. It ignores unknown kinds, which later releases may send.
func (n *Node) hear(l *link, m step.Msg) error {
	if m.Lane != 0 {
		return nil
	}
	switch m.Kind {
	case kindAgreed:
		return n.hearAgreed(l, m.Turn, m.Epoch)
	case kindForgotten:
		n.disown(l, l.current.Start, "its ledger does not hold what was heard of it, it says, and stops")
		l.retire() // another machine with its key and as many starts may be the one that goes on
	case kindFinished:
		n.hearFinished(l, m.Turn)
	case kindAsked:
		if m.Turn == 0 {
			n.tell(l, kindAsked, 1)
		}
	case kindLeft:
		return n.hearLeft(l, m)
	case kindLeftHeard:
		l.told = true
	}
	return nil
}

// confirmation returns the number that names the process whose hello is confirmed. The number of starts would be
// ambiguous: two machines that run copies of one ledger have started as often, and a frame to their key reaches
// whichever is connected.
func confirmation(of wire.Start) step.Turn {
	return step.Turn(binary.LittleEndian.Uint64(of[:]) >> 1)
}

// hearAgreed handles the confirmation of this process's hello.
func (n *Node) hearAgreed(l *link, of step.Turn, entries uint64) error {
	if of != confirmation(wire.Start(n.start)) || l.confirmed {
		return nil
	}
	if !l.proven {
		if l.known.bound && entries != l.known.Entries {
			return nil // it confirms an earlier hello; another will be sent
		}
		if err := n.prove(l); err != nil {
			return err
		}
	}
	l.confirmed = true
	if n.done {
		n.tellFinished(l)
	}
	if !l.everReady {
		n.config.Log.Info("neighbour agreed", "node", n.name(), "neighbour", l.name)
	}
	l.everReady = true
	n.tellLeft(l)
	switch {
	case n.parting():
		return nil
	case !n.record.started:
		return n.startIfAgreed()
	case n.restart.waits:
		return n.goOnIfSettled()
	}
	return n.again(l)
}

// again repeats the messages that are under way to a neighbour that was away. To resume a running machine has the
// same effect as to stop and restart it here, but its timers are armed already.
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

// hearFinished handles the message that a neighbour has seen the end.
func (n *Node) hearFinished(l *link, turn step.Turn) {
	first := !l.finished
	l.finished, l.knows = true, l.knows || turn == 1
	if n.done && (first || turn == 0) {
		n.tellFinished(l)
	}
}
