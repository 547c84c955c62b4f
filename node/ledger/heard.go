package ledger

import (
	"iter"

	"github.com/ncruces/go-sqlite3"
)

// Heard yields the received messages with values, oldest first. It ends after an error.
func (l *Ledger) Heard() iter.Seq2[Receipt, error] {
	return func(yield func(Receipt, error) bool) {
		on := true
		err := l.db.query(selectReceived, func(s *sqlite3.Stmt) error {
			r, err := receiptAt(s, 1)
			if err != nil {
				return err
			}
			if on = yield(r, nil); !on {
				return errStop
			}
			return nil
		})
		if err != nil && on {
			yield(Receipt{}, l.explain(err))
		}
	}
}
