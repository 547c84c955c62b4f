package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/fault"
)

// A Ledger is an open one. It keeps every other process out until it is
// closed. Not safe for concurrent use: it belongs to the node's event loop.
type Ledger struct {
	db      *database
	path    string
	head    headFile
	owner   Federation
	last    seal           // the zero seal with the genesis hash before the first entry
	pending map[Key]Digest // of the frames in the outbox
	failed  error          // why no further entry is taken
}

// Open opens the ledger at path and recovers what was committed: SQLite drops
// a write that a crash has cut short. It checks the last entry, the state, the
// outbox and the head; Verify checks the rest. An error is ErrLocked where
// another process holds the ledger, and ErrDamaged where the file is no ledger
// or not whole.
func Open(path string) (*Ledger, error) {
	l := &Ledger{path: path}
	err := l.open()
	if err == nil {
		return l, nil
	}
	l.abandon()
	return nil, l.explain(err)
}

// explain says what an error of opening or reading means.
func (l *Ledger) explain(err error) error {
	what := "ledger " + l.path
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(err, what, "check the path, or join the federation anew to make a ledger")
	case errors.Is(err, sqlite3.BUSY) || errors.Is(err, sqlite3.LOCKED):
		return fault.Wrap(ErrLocked, what, "stop the node that uses it first; two nodes must not share a ledger")
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, sqlite3.CANTOPEN) || errors.Is(err, sqlite3.READONLY) ||
		errors.Is(err, sqlite3.PERM) || errors.Is(err, sqlite3.FULL) || errors.Is(err, sqlite3.IOERR):
		return fault.Wrap(err, what, "check that this user may read and write the file and its folder, and the disk is sound and not full")
	case !errors.Is(err, ErrDamaged):
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return fault.Wrap(err, what, "bring back the file from a copy that ends later, or count everything this node may have released as spent")
}

func (l *Ledger) open() (err error) {
	if err := plausible(l.path); err != nil {
		return err
	}
	if err := private(l.path + "-wal"); err != nil {
		return err
	}
	if l.db, err = connect(l.path, 0); err != nil {
		return err
	}
	for _, step := range []func() error{l.lock, l.checkSchema, l.loadOwner, l.loadLast, l.loadOutbox, l.checkState, l.checkHead} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// plausible looks at a file before SQLite does, which takes an empty one for a
// new database.
func plausible(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	magic := make([]byte, 16)
	if n, _ := f.ReadAt(magic, 0); n < len(magic) || string(magic) != "SQLite format 3\x00" {
		return fmt.Errorf("it is not a database: %w", ErrDamaged)
	}
	return nil
}

// private makes sure that the log, which SQLite would let everybody read,
// exists and belongs to this user alone.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// lock takes the file for this process and keeps it.
func (l *Ledger) lock() error {
	if err := l.db.exec(settings...); err != nil {
		return err
	}
	if err := l.db.exec("BEGIN IMMEDIATE", "COMMIT"); err != nil {
		return err
	}
	for pragma, want := range inForce {
		if err := l.expect(pragma, want); err != nil {
			return err
		}
	}
	return nil
}

// expect fails where a setting is not as it must be: SQLite says nothing when
// it cannot change one.
func (l *Ledger) expect(pragma, want string) error {
	return l.db.query(pragma, func(s *sqlite3.Stmt) error {
		if got := s.ColumnText(0); got != want {
			return fmt.Errorf("%s is %s, want %s: %w", pragma, got, want, ErrDamaged)
		}
		return nil
	})
}

// checkSchema refuses a database of anything but this package's making.
func (l *Ledger) checkSchema() error {
	for pragma, want := range map[string]int{"PRAGMA application_id": application, "PRAGMA user_version": version} {
		if err := l.expect(pragma, strconv.Itoa(want)); err != nil {
			return err
		}
	}
	var found []string
	err := l.db.query(selectSchema, func(s *sqlite3.Stmt) error {
		found = append(found, s.ColumnText(0))
		return nil
	})
	if err == nil && !slices.Equal(found, schema) {
		err = fmt.Errorf("its tables are not a ledger's: %w", ErrDamaged)
	}
	return err
}

// checkHead compares the end of the database with the head beside it.
func (l *Ledger) checkHead() (err error) {
	if l.head, err = openHead(l.path + "-head"); err != nil {
		return err
	}
	noted, readable, err := l.head.read()
	if err != nil {
		return err
	}
	if readable {
		if err := l.covers(noted); err != nil {
			return err
		}
	}
	return l.head.write(l.last.head())
}

// covers reports whether the ledger holds the entry that a head names.
func (l *Ledger) covers(h Head) error {
	if h.Entries > l.last.seq {
		return fmt.Errorf("it ends at entry %d, and entry %d had been committed: %w", l.last.seq, h.Entries, ErrDamaged)
	}
	at := seal{hash: l.owner.genesis()}
	err := l.db.query(selectAt, func(s *sqlite3.Stmt) (err error) {
		at, err = sealAt(s)
		return err
	}, h.Entries)
	if err == nil && at.hash != h.Hash {
		err = fmt.Errorf("entry %d is not the one that had been committed: %w", h.Entries, ErrDamaged)
	}
	return err
}

// Close lets the ledger go. What was committed stays.
func (l *Ledger) Close() error {
	return errors.Join(l.db.close(), l.head.file.Sync(), l.head.file.Close())
}

// abandon closes what a failed Open had opened.
func (l *Ledger) abandon() {
	if l.db != nil {
		l.db.close()
	}
	if l.head.file != nil {
		l.head.file.Close()
	}
}
