package ledger

import (
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// A started is a start of the node and the table that it learns from.
type started struct {
	nonce  Start
	table  Digest
	leaves bool
}

func (e *Entry) started() started { return started{e.Start, e.Table, e.Leaves} }

// Left is the first entry of the start with which the node left its run, 0 where it has not.
func (l *Ledger) Left() (first int64, err error) {
	err = l.starts(func(entry int64, s started) {
		if s.leaves && first == 0 {
			first = entry
		}
	})
	if err != nil {
		return 0, l.explain(err)
	}
	return first, nil
}

// Tables are the fingerprints of the tables that starts of the node learnt from, oldest first; one that
// several starts in a row had is there once.
func (l *Ledger) Tables() (all []Digest, err error) {
	err = l.starts(func(_ int64, s started) {
		if len(all) == 0 || all[len(all)-1] != s.table {
			all = append(all, s.table)
		}
	})
	if err != nil {
		return nil, l.explain(err)
	}
	return all, nil
}

// Wrote reports whether the start of this node that is called start has written
// so many entries here: what it had committed when it had that many is in this
// ledger. It is false for a start that the ledger does not know, and where the
// ledger was brought back from a copy that was made before.
func (l *Ledger) Wrote(start Start, entries int64) (bool, error) {
	first, after := int64(0), l.last.seq+1 // entries from first on, before after, are of that start
	err := l.starts(func(entry int64, s started) {
		switch {
		case s.nonce == start:
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
func (l *Ledger) starts(each func(entry int64, start started)) error {
	return l.db.query(selectStarts, func(s *sqlite3.Stmt) error {
		nonce := s.ColumnRawBlob(1)
		if len(nonce) != len(Start{}) {
			return fmt.Errorf("a start named by %d bytes: %w", len(nonce), ErrDamaged)
		}
		table, err := digestAt(s, 2)
		if err != nil {
			return err
		}
		leaves, err := unsigned(s, 3, 1)
		if err == nil {
			each(s.ColumnInt64(0), started{Start(nonce), table, leaves == 1})
		}
		return err
	})
}
