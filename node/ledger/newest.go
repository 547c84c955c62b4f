package ledger

import (
	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/step"
)

// A sender is whose messages come in the order of their turns, or nearly.
type sender struct {
	epoch uint64
	peer  step.NodeID
	kind  step.Kind
	lane  step.Lane
}

func (k Key) sender() sender { return sender{k.Epoch, k.Peer, k.Kind, k.Lane} }

// newest are the newest turns that the ledger has of messages of some senders: of what is newer it need not be
// asked. -1: it has none.
type newest map[sender]step.Turn

// mostSenders is of how many the newest turn is remembered.
const mostSenders = 1 << 10

// newestOf is the newest turn of a sender.
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

// heard takes in what was committed as received.
func (n newest) heard(received []Receipt) {
	for _, k := range received {
		if turn, known := n[k.sender()]; known {
			n[k.sender()] = max(turn, k.Turn)
		}
	}
}
