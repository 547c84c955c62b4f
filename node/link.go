package node

import (
	"encoding/binary"
	"time"

	"github.com/hearsay-dp/hearsay/node/ledger"
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

	known    witness // what was last heard of its ledger from a process that had proved to hold it; kept on disk
	current  witness // of the process that speaks now, whose hello had this node's spec
	proven   bool    // that process has confirmed what is known: it may send payload
	former   []wire.Start
	starts   int           // how many processes of it have spoken
	last     time.Duration // when the last of them began
	disowned string        // why its ledger is not believed
	stranger wire.Start    // of which process
	stray    bool          // frames come that do not fit: it is greeted again

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
	left     string          // how it has left the run, "" if it has not
	told     bool            // it knows who has left
	sign     time.Duration   // when a valid frame came last, or the link came up
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
	kindAgreed    step.Kind = iota + 1 // Turn: confirmation of the process whose hello it was, Epoch: the entries that it knows of
	kindFinished                       // Turn: 1 if the sender knows that the receiver has finished, else 0
	kindForgotten                      // the sender's ledger does not hold what a neighbour knows of it: it stops
	kindAsked                          // is the receiver there? Turn: 1 if the sender was asked, and is
	kindLeft                           // a participant has left. Epoch: its number, Turn: 1 if it stays to pass on what others send, else 0
	kindLeftHeard                      // confirms that
)

// hello is this node's hello to a neighbour, encoded.
func (n *Node) hello(to step.NodeID) ([]byte, error) {
	h := wire.Hello{
		From: n.config.Self, To: to, Incarnation: n.record.incarnation, Spec: n.config.Spec, Fields: n.fields,
		Own: n.account(0), Releases: uint64(n.config.Ledger.Head().Releases),
	}
	switch l := n.link(to); {
	case l == nil:
	case l.agreed && l.disowned != "": // a second machine is shown the first, whose seal is its own, and stops
		h.Known = &l.current.Account
	case l.known.bound:
		h.Known = &l.known.Account
	}
	return wire.AppendHello(nil, &h)
}

// greet says hello.
func (n *Node) greet(l *link) {
	frame, err := n.hello(l.id)
	if err != nil {
		panic(err) // New has tried it
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

// up starts a link anew: the neighbour may be another process now.
func (n *Node) up(l *link) {
	l.confirmed, l.sign = false, n.now()
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

// hearHello compares specs, and what the two nodes know of each other's ledgers.
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
			return nil // it says hello again
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

// contradiction is what is wrong with a hello, "" if nothing.
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

// burst is how many processes of a neighbour may begin as fast as they like; each
// costs a commit.
const burst = 16

// newcomer reports whether another process of a neighbour is listened to now.
func (n *Node) newcomer(l *link) bool {
	if l.starts++; l.starts > burst && n.now()-l.last < beat*n.config.Tick {
		return false
	}
	l.last = n.now()
	return true
}

// mostFormer is how many processes of a neighbour that are over are remembered.
const mostFormer = 64

// retire listens to the process that spoke no more.
func (l *link) retire() {
	if !l.agreed {
		return
	}
	if l.former = append(l.former, l.current.Start); len(l.former) > mostFormer {
		l.former = l.former[1:]
	}
	l.agreed = false
}

// begin takes up another process of the neighbour.
func (l *link) begin(h *wire.Hello) {
	l.retire()
	l.agreed, l.refused, l.differs = true, false, nil
	l.confirmed, l.proven, l.finished, l.knows = false, false, false, false
	l.incarnation, l.guard = h.Incarnation, wire.Guard{}
	l.current = witness{Account: h.Own, incarnation: h.Incarnation, bound: h.Releases > 0}
}

// prove takes up what the process that speaks now says of its ledger, once it has
// confirmed that it holds what was known before. It is on disk when prove returns.
func (n *Node) prove(l *link) error {
	l.proven, l.known = true, l.current
	if err := n.commit(ledger.Entry{}); err != nil {
		return err
	}
	return n.answer()
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
	if m.Lane != 0 {
		return nil
	}
	switch m.Kind {
	case kindAgreed:
		return n.hearAgreed(l, m.Turn, m.Epoch)
	case kindForgotten:
		n.disown(l, l.current.Start, "its ledger does not hold what was heard of it, it says, and stops")
		l.retire() // another machine with its key, started as often, may be the one that goes on
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

// confirmation names the process whose hello is confirmed. How often it was started
// would not do: two machines that run copies of one ledger were started as often,
// and a frame to their key reaches whichever of them is connected.
func confirmation(of wire.Start) step.Turn {
	return step.Turn(binary.LittleEndian.Uint64(of[:]) >> 1)
}

// hearAgreed takes the confirmation of this process's hello.
func (n *Node) hearAgreed(l *link, of step.Turn, entries uint64) error {
	if of != confirmation(wire.Start(n.start)) || l.confirmed {
		return nil
	}
	if !l.proven {
		if l.known.bound && entries != l.known.Entries {
			return nil // of an earlier hello; it is greeted again
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
