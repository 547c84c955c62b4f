package ledger

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Commit makes an entry durable, all of it or nothing. Nothing of the entry may be sent before Commit has returned
// nil. It returns ErrRepeated if the entry repeats a turn or message that the ledger holds. It returns
// ErrNotDurable if the disk failed; the ledger then accepts no further entry and the node must stop. Any other
// error means that the entry is invalid and was not written.
func (l *Ledger) Commit(e Entry) error {
	if l.failed != nil {
		return l.failed
	}
	if err := e.check(l.last.epoch); err != nil {
		return err
	}
	pending := maps.Clone(l.pending)
	next, err := l.transact(e, pending)
	if err == nil {
		err = l.head.write(next.head())
	}
	switch {
	case err == nil:
		l.last, l.pending = next, pending
		l.newest.heard(e.Received)
	case errors.Is(err, ErrRepeated):
		return fault.Wrap(err, fmt.Sprintf("ledger entry %d", l.last.seq+1), "drop the message; nothing was written")
	default:
		l.failed = fault.Wrap(fmt.Errorf("%w: %w", ErrNotDurable, err), fmt.Sprintf("ledger entry %d", l.last.seq+1),
			"nothing of it was sent; make room on the disk or mend it, and start the node again")
		return l.failed
	}
	return nil
}

// check refuses an entry with values out of range, which could not be read back.
func (e Entry) check(epoch uint64) error {
	const hint = "this is a fault in the program that keeps the ledger"
	if e.Epoch < epoch || e.Epoch > anyEpoch {
		return fault.New(fmt.Sprintf("ledger: epoch %d after epoch %d", e.Epoch, epoch), hint)
	}
	for _, r := range e.Releases {
		if r.From < 0 || r.To < 0 || !(r.Sensitivity >= 0) || !(r.NoiseStd >= 0) {
			return fault.New(fmt.Sprintf("ledger: release %+v is out of range", r.Release), hint)
		}
	}
	for _, s := range e.Spends {
		if s.Towards < 0 || math.IsNaN(s.Amount) || math.IsInf(s.Amount, 0) {
			return fault.New(fmt.Sprintf("ledger: spend %+v is out of range", s), hint)
		}
	}
	for _, k := range e.keys() {
		if k.Peer < 0 || k.Epoch > anyEpoch {
			return fault.New(fmt.Sprintf("ledger: message %+v is out of range", k), hint)
		}
	}
	return nil
}

func (e Entry) keys() []Key {
	keys := slices.Clone(e.Acked)
	for _, r := range e.Received {
		keys = append(keys, r.Key)
	}
	for _, m := range e.Send {
		keys = append(keys, m.Key)
	}
	return keys
}

// transact writes the entry in one transaction and returns its seal. It updates pending in the same way.
func (l *Ledger) transact(e Entry, pending map[Key]Digest) (seal, error) {
	if err := l.db.run("BEGIN IMMEDIATE"); err != nil {
		return seal{}, err
	}
	next, err := l.write(e, pending)
	if err == nil {
		err = l.db.run("COMMIT")
	}
	if err != nil {
		l.db.run("ROLLBACK") // fails where SQLite has already rolled back
	}
	return next, err
}

func (l *Ledger) write(e Entry, pending map[Key]Digest) (seal, error) {
	next := l.last
	next.seq++
	next.time, next.epoch = e.Time.UnixNano(), e.Epoch
	if err := l.writeReleases(e, &next); err != nil {
		return next, err
	}
	if err := l.writeFacts(e, next.seq); err != nil {
		return next, err
	}
	if err := l.writeOutbox(e, pending); err != nil {
		return next, err
	}
	if e.State != nil {
		if err := l.db.run(replaceState, e.State); err != nil {
			return next, err
		}
		next.state = stateDigest(e.State)
	}
	next.facts, next.outbox = factsDigest(e.Received, e.Spends, e.started()), outboxDigest(pending)
	next.hash = next.link(l.last.hash)
	return next, l.db.run(insertEntry, next.seq, next.time, int64(next.epoch), next.releases,
		next.chain, next.facts, next.state, next.outbox, next.hash)
}

func (l *Ledger) writeReleases(e Entry, next *seal) error {
	for _, release := range e.Releases {
		next.releases++
		r := Row{Seq: next.releases, Entry: next.seq, Epoch: e.Epoch, Release: release}
		next.chain = r.link(next.chain)
		err := l.db.run(insertRelease, r.Seq, r.Entry, int64(r.Epoch), int64(r.Lane), int64(r.Turn), int64(r.From), int64(r.To),
			truth(r.Contributed), r.Sensitivity, r.NoiseStd, r.Body, next.chain)
		if err != nil {
			return repeated(err, fmt.Sprintf("the release of turn %d to node %d", r.Turn, r.To))
		}
	}
	return nil
}

func (l *Ledger) writeFacts(e Entry, entry int64) error {
	for _, k := range e.Received {
		if err := l.db.run(insertReceived, int64(k.Epoch), int64(k.Peer), int64(k.Kind), int64(k.Lane), int64(k.Turn), k.Body, entry); err != nil {
			return repeated(err, fmt.Sprintf("the message of turn %d from node %d", k.Turn, k.Peer))
		}
	}
	for _, s := range e.Spends {
		if err := l.db.run(insertSpend, entry, int64(s.Towards), s.Kind, s.Amount); err != nil {
			return err
		}
	}
	if e.Start == (Start{}) {
		return nil
	}
	return repeated(l.db.run(insertStart, entry, e.Start[:], e.Table, truth(e.Leaves)), "a start of the node")
}

// writeOutbox removes the acknowledged messages from the outbox, then adds the messages to be sent.
func (l *Ledger) writeOutbox(e Entry, pending map[Key]Digest) error {
	for _, k := range e.Acked {
		if err := l.db.run(deleteMessage, int64(k.Epoch), int64(k.Peer), int64(k.Kind), int64(k.Lane), int64(k.Turn)); err != nil {
			return err
		}
		delete(pending, k)
	}
	for _, m := range e.Send {
		frame := sha256.Sum256(m.Frame)
		if waiting, known := pending[m.Key]; known && waiting == frame {
			continue
		}
		if err := l.db.run(insertMessage, int64(m.Epoch), int64(m.Peer), int64(m.Kind), int64(m.Lane), int64(m.Turn), m.Frame); err != nil {
			return repeated(err, fmt.Sprintf("other bytes for the message of turn %d to node %d", m.Turn, m.Peer))
		}
		pending[m.Key] = frame
	}
	return nil
}

// repeated turns a violated uniqueness constraint into ErrRepeated for the row that what names.
func repeated(err error, what string) error {
	if errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) || errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY) {
		return fmt.Errorf("%s is %w", what, ErrRepeated)
	}
	return err
}
