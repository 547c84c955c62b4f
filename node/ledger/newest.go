package ledger

import (
	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/step"
)

// A sender is a source of messages that arrive in the order of their turns, or nearly.
type sender struct {
	epoch uint64
	peer  step.NodeID
	kind  step.Kind
	lane  step.Lane
}

func (k Key) sender() sender { return sender{k.Epoch, k.Peer, k.Kind, k.Lane} }

// newest holds the newest turn in the ledger for some senders. A message of a later turn needs no query. -1 means
// that the ledger has none.
type newest map[sender]step.Turn

// mostSenders is the number of senders whose newest turn is remembered.
const mostSenders = 1 << 10

// newestOf returns the newest turn of a sender, -1 if there is none.
func (l *Ledger) newestOf(s sender) (step.Turn, error) {
	if turn, known := l.newest[s]; known {
		return turn, nil
	}
	turn := step.Turn(-1)
	err := l.db.query(selectNewest, func(row *sqlite3.Stmt) error {
		if row.ColumnType(0) != sqlite3.NULL {
			turn = step.Turn(row.ColumnInt64(0))
		}
		return nil
	}, int64(s.epoch), int64(s.peer), int64(s.kind), int64(s.lane))
	if err != nil {
		return turn, l.explain(err)
	}
	if l.newest == nil || len(l.newest) >= mostSenders {
		l.newest = newest{}
	}
	l.newest[s] = turn
	return turn, nil
}

// heard updates the newest turns after a commit of receipts.
func (n newest) heard(received []Receipt) {
	for _, k := range received {
		if turn, known := n[k.sender()]; known {
			n[k.sender()] = max(turn, k.Turn)
		}
	}
}
