package node

import (
	"slices"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// answerWithin is the number of ticks that an answer may wait: half of the time after which machines repeat a
// message.
const answerWithin = 32

// Answers are messages without a body that wait for a commit, because the messages that they confirm must be on
// disk first. The commit is the next one, which a release makes, or the answers' own a while later. So a gossip
// node, which confirms a value of each neighbour before it can go on, commits once per turn and not once per
// message.
type answers struct {
	msgs     []step.Msg
	received []ledger.Receipt // with bodies, for the next entry of the ledger
	due      time.Duration    // the deadline for sending, if msgs is not empty
}

// take removes and returns the waiting messages.
func (a *answers) take() []step.Msg {
	msgs := a.msgs
	a.msgs = nil
	return msgs
}

// next returns the time of the next commit for answers, math.MaxInt64 if none wait.
func (a *answers) next() time.Duration {
	if len(a.msgs) == 0 {
		return math.MaxInt64
	}
	return a.due
}

// mayWait reports whether the machine's messages may wait. Messages with a body may not. Answers may not once all
// turns are over, because others may be waiting for them. Nor may they if there are more of them than neighbours
// that follow a protocol cause.
func (n *Node) mayWait(payloads []payload) bool {
	m, ok := n.config.Machine.(interface{ Turn() step.Turn })
	return ok && m.Turn() < n.config.Turns && len(payloads) == 0 && len(n.answers.msgs)+len(n.out.Msgs) <= 4*len(n.links)
}

// putOff stores the machine's answers and the receipt of its input until the next commit.
func (n *Node) putOff(in *ledger.Receipt) error {
	received, err := n.received(in)
	if err != nil {
		return err
	}
	if len(n.answers.msgs) == 0 {
		n.answers.due = n.now() + answerWithin*n.config.Tick
	}
	if len(received) > 0 {
		n.progress = n.now()
	}
	n.answers.msgs = append(n.answers.msgs, n.out.Msgs...)
	n.answers.received = append(n.answers.received, received...)
	return n.goOn()
}

// receiptOf returns the ledger's receipt of a message, nil for a message without a body.
func receiptOf(m step.Msg) *ledger.Receipt {
	if len(m.Body) == 0 {
		return nil
	}
	return &ledger.Receipt{Key: ledger.Key{Epoch: m.Epoch, Peer: m.From, Kind: m.Kind, Turn: m.Turn, Lane: m.Lane}, Body: BodyDigest(m.Body)}
}

// received returns the receipts for the next entry of the ledger: in, or none if in is nil or recorded already.
func (n *Node) received(in *ledger.Receipt) ([]ledger.Receipt, error) {
	if in == nil {
		return nil, nil
	}
	if known, err := n.config.Ledger.Has(in.Key); known || err != nil || slices.ContainsFunc(n.answers.received, func(r ledger.Receipt) bool { return r.Key == in.Key }) {
		return nil, err
	}
	return []ledger.Receipt{*in}, nil
}

// answer sends the waiting answers. The state that they confirm must be on disk.
func (n *Node) answer() error {
	for _, m := range n.answers.take() {
		p, err := n.pack(n.link(m.To), wire.KindStep, m, 0)
		if err != nil {
			return fault.Wrap(err, "answer", "this is a fault of the machine: keep the ledger and report it")
		}
		n.send(p)
	}
	return nil
}
