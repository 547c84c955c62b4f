package ledger

import (
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// Wrote reports whether the start of this node that is called start has written
// so many entries here: what it had committed when it had that many is in this
// ledger. It is false for a start that the ledger does not know, and where the
// ledger was brought back from a copy that was made before.
func (l *Ledger) Wrote(start Start, entries int64) (bool, error) {
	first, after := int64(0), l.last.seq+1 // entries from first on, before after, are of that start
	err := l.starts(func(entry int64, s Start) {
		switch {
		case s == start:
			first = entry
		case first > 0:
			after = min(after, entry)
		}
	})
	if err != nil {
		return false, l.explain(err)
	}
	return first > 0 && first <= entries && entries < after, nil
}

// starts calls each for every start, oldest first, with its first entry.
func (l *Ledger) starts(each func(entry int64, start Start)) error {
	return l.db.query(selectStarts, func(s *sqlite3.Stmt) error {
		nonce := s.ColumnRawBlob(1)
		if len(nonce) != len(Start{}) {
			return fmt.Errorf("a start named by %d bytes: %w", len(nonce), ErrDamaged)
		}
		each(s.ColumnInt64(0), Start(nonce))
		return nil
	})
}
