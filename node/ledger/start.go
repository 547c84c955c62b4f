package ledger

import (
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// A started is a start of the node, with the fingerprint of the table that it learns from.
type started struct {
	nonce  Start
	table  Digest
	leaves bool
}

func (e *Entry) started() started { return started{e.Start, e.Table, e.Leaves} }

// Left returns the first entry of the start with which the node left its run, 0 if it has not left.
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

// Tables returns the fingerprints of the tables that starts of the node learnt from, oldest first. Equal
// fingerprints of successive starts appear once.
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

// Wrote reports whether the given start of this node wrote entry number entries of this ledger. If so, the ledger
// holds all that this start had committed by then. Wrote returns false for a start that the ledger does not know,
// and if the ledger was restored from a copy made before that entry.
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
