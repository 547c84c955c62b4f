package ledger

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// Federation returns the federation and the owner of the ledger.
func (l *Ledger) Federation() Federation { return l.owner }

// Path returns the path of the ledger's file, as it was opened.
func (l *Ledger) Path() string { return l.path }

// Head returns the position of the ledger's end.
func (l *Ledger) Head() Head { return l.last.head() }

// Mark returns the position of the ledger's end in a form for others to remember.
func (l *Ledger) Mark() Mark { return Mark{l.owner.Ledger, l.last.seq, l.last.hash} }

// Holds returns ErrDamaged if this is not the ledger of a mark, or if it was restored from a copy made before the
// mark.
func (l *Ledger) Holds(m Mark) error {
	if m.Ledger != l.owner.Ledger {
		return fmt.Errorf("it is another ledger: %w", ErrDamaged)
	}
	return l.covers(Head{Entries: m.Entries, Hash: m.Hash})
}

func (s seal) head() Head { return Head{Entries: s.seq, Releases: s.releases, Hash: s.hash} }

// Recover returns the state with which a node goes on after a restart. The outbox is sorted by key.
func (l *Ledger) Recover() (Recovered, error) {
	r := Recovered{Epoch: l.last.epoch, Head: l.last.head()}
	err := l.outbox(func(m Message) { r.Outbox = append(r.Outbox, m) })
	if err == nil {
		r.State, err = l.state()
	}
	if err != nil {
		return Recovered{}, l.explain(err)
	}
	return r, nil
}

// Has reports whether a message has been received.
func (l *Ledger) Has(k Key) (known bool, err error) {
	if newest, err := l.newestOf(k.sender()); err != nil || k.Turn > newest {
		return false, err
	}
	err = l.db.query(selectOne, func(s *sqlite3.Stmt) error {
		known = s.ColumnInt64(0) > 0
		return nil
	}, int64(k.Epoch), int64(k.Peer), int64(k.Kind), int64(k.Lane), int64(k.Turn))
	if err != nil {
		err = l.explain(err)
	}
	return known, err
}

// Spent returns the sums of the spends, by participant and kind.
func (l *Ledger) Spent() (totals []Spend, err error) {
	err = l.db.query(selectSpent, func(s *sqlite3.Stmt) error {
		totals = append(totals, Spend{Towards: step.NodeID(s.ColumnInt64(0)), Kind: s.ColumnText(1), Amount: s.ColumnFloat(2)})
		return nil
	})
	if err != nil {
		err = l.explain(err)
	}
	return totals, err
}

// Show yields every release, oldest first. It ends after an error.
func (l *Ledger) Show() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		on := true
		err := l.releases(func(r Row) error {
			if on = yield(r, nil); !on {
				return errStop
			}
			return nil
		})
		if err != nil && on {
			yield(Row{}, l.explain(err))
		}
	}
}

// errStop ends a query whose caller has stopped iterating.
var errStop = fmt.Errorf("stop")

func (l *Ledger) releases(each func(Row) error) error {
	return l.db.query(selectReleases, func(s *sqlite3.Stmt) error {
		r, err := rowAt(s)
		if err != nil {
			return err
		}
		return each(r)
	})
}

func rowAt(s *sqlite3.Stmt) (r Row, err error) {
	r.Seq, r.Entry, r.Time = s.ColumnInt64(0), s.ColumnInt64(1), time.Unix(0, s.ColumnInt64(2)).UTC()
	epoch, err := unsigned(s, 3, anyEpoch)
	if err != nil {
		return r, err
	}
	if r.Lane, err = laneAt(s, 4); err != nil {
		return r, err
	}
	r.Epoch, r.Turn = uint64(epoch), step.Turn(s.ColumnInt64(5))
	if r.From, err = nodeAt(s, 6); err != nil {
		return r, err
	}
	if r.To, err = nodeAt(s, 7); err != nil {
		return r, err
	}
	contributed, err := unsigned(s, 8, 1)
	if err != nil {
		return r, err
	}
	r.Contributed, r.Sensitivity, r.NoiseStd = contributed == 1, s.ColumnFloat(9), s.ColumnFloat(10)
	if r.Body, err = digestAt(s, 11); err != nil {
		return r, err
	}
	r.Hash, err = digestAt(s, 12)
	return r, err
}

func nodeAt(s *sqlite3.Stmt, column int) (step.NodeID, error) {
	id, err := unsigned(s, column, math.MaxInt32)
	return step.NodeID(id), err
}

func laneAt(s *sqlite3.Stmt, column int) (step.Lane, error) {
	lane, err := unsigned(s, column, math.MaxUint32)
	return step.Lane(lane), err
}

// idAt reads a ledger's id from a column. It returns ErrDamaged if the length is wrong.
func idAt(s *sqlite3.Stmt, column int) (ID, error) {
	b := s.ColumnRawBlob(column)
	if len(b) != len(ID{}) {
		return ID{}, fmt.Errorf("an id of %d bytes: %w", len(b), ErrDamaged)
	}
	return ID(b), nil
}

// markAt reads a Mark from three columns, the first of which is column.
func markAt(s *sqlite3.Stmt, column int) (m Mark, err error) {
	if m.Ledger, err = idAt(s, column); err != nil {
		return m, err
	}
	if m.Entries, err = unsigned(s, column+1, math.MaxInt64); err != nil {
		return m, err
	}
	m.Hash, err = digestAt(s, column+2)
	return m, err
}

// keyAt reads a key from five columns, the first of which is column.
func keyAt(s *sqlite3.Stmt, column int) (k Key, err error) {
	epoch, err := unsigned(s, column, anyEpoch)
	if err != nil {
		return k, err
	}
	if k.Peer, err = nodeAt(s, column+1); err != nil {
		return k, err
	}
	kind, err := unsigned(s, column+2, math.MaxUint8)
	if err != nil {
		return k, err
	}
	k.Lane, err = laneAt(s, column+3)
	k.Epoch, k.Kind, k.Turn = uint64(epoch), step.Kind(kind), step.Turn(s.ColumnInt64(column+4))
	return k, err
}

// receiptAt reads a receipt from six columns, the first of which is first.
func receiptAt(s *sqlite3.Stmt, first int) (r Receipt, err error) {
	if r.Key, err = keyAt(s, first); err == nil {
		r.Body, err = digestAt(s, first+5)
	}
	return r, err
}

func sealAt(s *sqlite3.Stmt) (e seal, err error) {
	e.seq, e.time, e.releases = s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(3)
	epoch, err := unsigned(s, 2, anyEpoch)
	if err != nil {
		return e, err
	}
	e.epoch = uint64(epoch)
	for i, d := range []*Digest{&e.chain, &e.facts, &e.state, &e.outbox, &e.hash} {
		if *d, err = digestAt(s, 4+i); err != nil {
			return e, err
		}
	}
	return e, nil
}

func (l *Ledger) loadOwner() error {
	rows := 0
	err := l.db.query(selectOwner, func(s *sqlite3.Stmt) (err error) {
		rows++
		l.owner = Federation{Name: s.ColumnText(0), Node: s.ColumnText(2), Policy: s.ColumnBlob(4, nil)}
		if l.owner.ID, err = nodeAt(s, 3); err != nil {
			return err
		}
		if l.owner.Ledger, err = idAt(s, 5); err != nil {
			return err
		}
		if l.owner.Book, err = markAt(s, 6); err != nil {
			return err
		}
		l.owner.Spec, err = digestAt(s, 1)
		return err
	})
	if err == nil && rows != 1 {
		err = fmt.Errorf("it does not say whose it is: %w", ErrDamaged)
	}
	return err
}

func (l *Ledger) loadLast() error {
	genesis := l.owner.genesis()
	l.last = seal{chain: genesis, hash: genesis, outbox: outboxDigest(nil)}
	return l.db.query(selectLast, func(s *sqlite3.Stmt) (err error) {
		l.last, err = sealAt(s)
		return err
	})
}

func (l *Ledger) loadOutbox() error {
	l.pending = map[Key]Digest{}
	if err := l.outbox(func(m Message) { l.pending[m.Key] = sha256.Sum256(m.Frame) }); err != nil {
		return err
	}
	if outboxDigest(l.pending) != l.last.outbox {
		return fmt.Errorf("the outbox is not the last entry's: %w", ErrDamaged)
	}
	return nil
}

func (l *Ledger) outbox(each func(Message)) error {
	return l.db.query(selectOutbox, func(s *sqlite3.Stmt) error {
		k, err := keyAt(s, 0)
		if err != nil {
			return err
		}
		each(Message{Key: k, Frame: s.ColumnBlob(5, nil)})
		return nil
	})
}

func (l *Ledger) state() (body []byte, err error) {
	err = l.db.query(selectState, func(s *sqlite3.Stmt) error {
		body = append([]byte{}, s.ColumnRawBlob(0)...)
		return nil
	})
	return body, err
}

func (l *Ledger) checkState() error {
	body, err := l.state()
	if err != nil {
		return err
	}
	if stateDigest(body) != l.last.state {
		return fmt.Errorf("the machine's state is not the last entry's: %w", ErrDamaged)
	}
	return nil
}

// stateDigest returns the hash of a state, zero if there is none.
func stateDigest(body []byte) Digest {
	if body == nil {
		return Digest{}
	}
	return sha256.Sum256(body)
}
