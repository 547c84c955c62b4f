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

// answerWithin is for how many ticks an answer may wait: half of the time after which
// machines ask again.
const answerWithin = 32

// Answers are messages without a body that wait for a commit, since what they confirm must be
// on disk first: the next one, which a release makes, or their own a while later. So a node of
// gossip, which confirms a value of each neighbour before it can go on, commits a turn and not
// a message.
type answers struct {
	msgs     []step.Msg
	received []ledger.Receipt // with bodies, for the next entry of the ledger
	due      time.Duration    // when they leave at the latest, if there are some
}

// take takes the messages out, to be sent.
func (a *answers) take() []step.Msg {
	msgs := a.msgs
	a.msgs = nil
	return msgs
}

// next is when a commit is due; far away if nothing waits.
func (a *answers) next() time.Duration {
	if len(a.msgs) == 0 {
		return math.MaxInt64
	}
	return a.due
}

// mayWait reports whether what the machine wants sent may wait. Bodies do not, nor answers
// once all turns are over, for which others may be waiting, nor more of them than neighbours
// that follow a protocol make.
func (n *Node) mayWait(payloads []payload) bool {
	m, ok := n.config.Machine.(interface{ Turn() step.Turn })
	return ok && m.Turn() < n.config.Turns && len(payloads) == 0 && len(n.answers.msgs)+len(n.out.Msgs) <= 4*len(n.links)
}

// putOff keeps the answers to what was received.
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

// receiptOf is a message as the ledger has it, nil without a body.
func receiptOf(m step.Msg) *ledger.Receipt {
	if len(m.Body) == 0 {
		return nil
	}
	return &ledger.Receipt{Key: ledger.Key{Epoch: m.Epoch, Peer: m.From, Kind: m.Kind, Turn: m.Turn, Lane: m.Lane}, Body: BodyDigest(m.Body)}
}

// received is the receipt in as the next entry of the ledger has to hold it, nothing if an entry holds it already.
func (n *Node) received(in *ledger.Receipt) ([]ledger.Receipt, error) {
	if in == nil {
		return nil, nil
	}
	if known, err := n.config.Ledger.Has(in.Key); known || err != nil || slices.ContainsFunc(n.answers.received, func(r ledger.Receipt) bool { return r.Key == in.Key }) {
		return nil, err
	}
	return []ledger.Receipt{*in}, nil
}

// answer sends the answers, which are on disk.
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
