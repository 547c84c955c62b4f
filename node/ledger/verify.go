package ledger

import (
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// Verify reads the whole ledger and returns the first difference from the commits (ErrDamaged). Meanwhile it keeps
// receipts and spends in memory, about 130 bytes per entry.
func (l *Ledger) Verify() error {
	a := audit{l: l, received: map[int64][]Receipt{}, spends: map[int64][]Spend{}, links: map[int64]link{}, starts: map[int64]started{}}
	for _, step := range []func() error{a.pages, l.checkSchema, a.gather, a.chain, a.entries, l.loadOutbox, l.checkState} {
		if err := step(); err != nil {
			return l.explain(err)
		}
	}
	return nil
}

// An audit is the state of Verify: the rows read so far, by entry.
type audit struct {
	l        *Ledger
	received map[int64][]Receipt
	spends   map[int64][]Spend
	links    map[int64]link // entries that hold releases
	starts   map[int64]started
}

// A link is the state of the chain of releases after an entry.
type link struct {
	epoch    uint64
	releases int64
	hash     Digest
}

// pages has SQLite check its own structure, including the indices that keep every turn unique.
func (a *audit) pages() error {
	return a.l.db.query("PRAGMA integrity_check(1)", func(s *sqlite3.Stmt) error {
		if verdict := s.ColumnText(0); verdict != "ok" {
			return fmt.Errorf("%.200q: %w", verdict, ErrDamaged)
		}
		return nil
	})
}

func (a *audit) gather() error {
	err := a.l.db.query(selectReceived, func(s *sqlite3.Stmt) error {
		r, err := receiptAt(s, 1)
		entry := s.ColumnInt64(0)
		a.received[entry] = append(a.received[entry], r)
		return err
	})
	if err == nil {
		err = a.l.starts(func(entry int64, start started) { a.starts[entry] = start })
	}
	if err != nil {
		return err
	}
	return a.l.db.query(selectSpends, func(s *sqlite3.Stmt) error {
		towards, err := nodeAt(s, 1)
		entry := s.ColumnInt64(0)
		a.spends[entry] = append(a.spends[entry], Spend{Towards: towards, Kind: s.ColumnText(2), Amount: s.ColumnFloat(3)})
		return err
	})
}

// chain checks the hashes of the releases, from the federation to the last.
func (a *audit) chain() error {
	before, seq := a.l.owner.genesis(), int64(0)
	return a.l.releases(func(r Row) error {
		if seq++; r.Seq != seq {
			return fmt.Errorf("release %d is missing: %w", seq, ErrDamaged)
		}
		if r.link(before) != r.Hash {
			return fmt.Errorf("release %d (turn %d) is not what was committed: %w", r.Seq, r.Turn, ErrDamaged)
		}
		before = r.Hash
		a.links[r.Entry] = link{epoch: r.Epoch, releases: seq, hash: r.Hash}
		return nil
	})
}

// entries checks the entries in order, each against the rows that it covers.
func (a *audit) entries() error {
	genesis := a.l.owner.genesis()
	at := link{hash: genesis}
	before := seal{hash: genesis}
	err := a.l.db.query(selectEntries, func(s *sqlite3.Stmt) error {
		e, err := sealAt(s)
		if err != nil {
			return err
		}
		if e.seq != before.seq+1 {
			return fmt.Errorf("entry %d is missing: %w", before.seq+1, ErrDamaged)
		}
		if l, released := a.links[e.seq]; released {
			at = l
		}
		if err := a.check(e, before, at); err != nil {
			return err
		}
		before = e
		return nil
	})
	switch {
	case err != nil:
		return err
	case before.hash != a.l.last.hash:
		return fmt.Errorf("it ends at entry %d, not at entry %d: %w", before.seq, a.l.last.seq, ErrDamaged)
	case len(a.received)+len(a.spends)+len(a.links)+len(a.starts) > 0:
		return fmt.Errorf("rows belong to no entry: %w", ErrDamaged)
	}
	return nil
}

// check compares one entry with the one before and with its rows, which it removes from the audit.
func (a *audit) check(e, before seal, at link) error {
	_, released := a.links[e.seq]
	facts := factsDigest(a.received[e.seq], a.spends[e.seq], a.starts[e.seq])
	delete(a.received, e.seq)
	delete(a.spends, e.seq)
	delete(a.links, e.seq)
	delete(a.starts, e.seq)
	switch {
	case e.link(before.hash) != e.hash:
		return fmt.Errorf("entry %d is not what was committed: %w", e.seq, ErrDamaged)
	case e.releases != at.releases || e.chain != at.hash || released && e.epoch != at.epoch || e.epoch < before.epoch:
		return fmt.Errorf("the releases of entry %d are not what was committed: %w", e.seq, ErrDamaged)
	case e.facts != facts:
		return fmt.Errorf("what entry %d received, spent or began is not what was committed: %w", e.seq, ErrDamaged)
	}
	return nil
}
