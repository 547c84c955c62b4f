package node

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
)

// The reasons to refuse a valid frame.
var (
	errUnagreed = errors.New("before the hello of its sender's process")
	errEpoch    = errors.New("epoch out of range")
	errStray    = errors.New("of another process")
)

// maxEpoch is the largest epoch that is accepted. It is far above any possible number of successions, and leaves
// room in the ledger for those that follow.
const maxEpoch = 1 << 62

// handle handles one event of the transport.
func (n *Node) handle(e event) error {
	if e.err != nil {
		return e.err
	}
	l := n.link(e.From)
	switch {
	case l == nil:
		return fault.New(fmt.Sprintf("transport carries node %d, which is not a neighbour of %s", e.From, n.name()),
			"this is a fault in the program that starts the node")
	case e.Up:
		n.up(l)
		return nil
	}
	act, err := n.read(l, &e.Inbound)
	if err != nil {
		n.refuse(l, err)
		return nil
	}
	l.seen, l.sign = n.config.Now(), n.now()
	n.tally.framesIn.Add(1)
	return act()
}

// refusal returns the label of the reason for which a frame is refused.
func refusal(err error) string {
	switch {
	case errors.Is(err, errUnagreed):
		return "unagreed"
	case errors.Is(err, errEpoch):
		return "epoch"
	case errors.Is(err, errStray):
		return "stray"
	}
	return wire.Reason(err)
}

// reasons returns all labels of refusals.
func reasons() []string { return append(wire.Reasons(), "unagreed", "epoch", "stray", "ledger") }

// refuse counts a refused frame, and logs the first of each reason from each neighbour.
func (n *Node) refuse(l *link, err error) {
	reason := refusal(err)
	n.tally.refused[reason].Add(1)
	level := n.config.Log.Debug
	if !l.warned[reason] {
		level = n.config.Log.Warn
	}
	l.warned[reason] = true
	level("frame refused", "node", n.name(), "neighbour", l.name, "reason", reason, "error", err)
}

// read checks a frame and returns the action that handles it.
func (n *Node) read(l *link, in *transport.Inbound) (act func() error, err error) {
	defer in.Release()
	kind, err := wire.Peek(in.Frame)
	switch {
	case err != nil:
		return nil, err
	case kind == wire.KindHello:
		return n.readHello(l, in.Frame)
	}
	var f wire.Frame
	if err := n.codec.Decode(in.Frame, &f); err != nil {
		return nil, err
	}
	if err := n.admit(l, &f); err != nil {
		return nil, err
	}
	m := f.Msg
	m.Epoch = f.Epoch
	if kind == wire.KindStep {
		return func() error { return n.take(m) }, nil
	}
	return func() error { return n.hear(l, m) }, nil
}

// readHello checks a hello and returns the action that handles it.
func (n *Node) readHello(l *link, frame []byte) (act func() error, err error) {
	h, err := wire.DecodeHello(frame)
	if err != nil {
		return nil, err
	}
	if h.From != l.id || h.To != n.config.Self {
		return nil, fault.Wrap(wire.ErrMisdirected, fmt.Sprintf("hello from node %d to %d on the link to %d", h.From, h.To, l.id),
			"the two specs number the participants differently")
	}
	if slices.Contains(l.former, h.Own.Start) {
		l.stray = true
		return nil, fault.Wrap(wire.ErrReplay, fmt.Sprintf("hello of start %d of %s, after another process of it has spoken", h.Incarnation, l.name),
			"if it goes on, two machines run with its key: they must not")
	}
	return func() error { return n.hearHello(l, &h) }, nil
}

// admit refuses frames that are not for this link, repeated, or from a process that has not agreed.
func (n *Node) admit(l *link, f *wire.Frame) error {
	if err := wire.CheckLink(&f.Msg, l.id, n.config.Self); err != nil {
		return err
	}
	const hint = "it is sent again after the hello; nothing to do unless the counter keeps growing"
	switch {
	case slices.Contains(l.former, f.At.Start):
		l.stray = true
		return fault.Wrap(errStray, fmt.Sprintf("frame of incarnation %d of %s, after another process of it has spoken", f.Incarnation, l.name),
			"if it goes on, two machines run with its key: they must not")
	case !l.agreed || f.At.Start != l.current.Start || f.Incarnation != l.current.incarnation || f.Kind == wire.KindStep && !l.proven:
		l.stray = true
		return fault.Wrap(errUnagreed, fmt.Sprintf("frame of incarnation %d of %s", f.Incarnation, l.name), hint)
	}
	if err := l.guard.Admit(f.Incarnation, f.Sequence); err != nil {
		return err
	}
	if f.Epoch > maxEpoch {
		return fault.Wrap(errEpoch, fmt.Sprintf("frame of epoch %d of %s", f.Epoch, l.name), "the neighbour is faulty or hostile")
	}
	l.heard(f)
	return nil
}

// heard stores the position of the sender's ledger. The position is on disk with the next commit, before this node
// acts on the frame.
func (l *link) heard(f *wire.Frame) {
	l.current.advance(f.At)
	if l.current.bound = l.current.bound || f.Kind == wire.KindStep; l.proven {
		l.known = l.current
	}
}
