package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// A Ledger is an open ledger. It locks out every other process until it is closed. It is not safe for concurrent
// use: it belongs to the node's event loop.
type Ledger struct {
	db      *database
	path    string
	head    headFile
	owner   Federation
	last    seal           // before the first entry: the zero seal with the genesis hash
	pending map[Key]Digest // of the frames in the outbox
	newest  newest
	failed  error // why no further entry is accepted
}

// Open opens the ledger at path and recovers all commits. SQLite drops a write that a crash has cut short. Open
// checks the last entry, the state, the outbox and the head; Verify checks the rest. It returns ErrLocked if
// another process holds the ledger, and ErrDamaged if the file is no ledger or incomplete.
func Open(path string) (*Ledger, error) {
	l := &Ledger{path: path}
	err := l.open()
	if err == nil {
		return l, nil
	}
	l.abandon()
	return nil, l.explain(err)
}

// explain adds the cause and a hint to an error of opening or reading. An error of the operating system is not
// ErrDamaged, because the file is unchanged.
func (l *Ledger) explain(err error) error {
	what := "ledger " + l.path
	err = withReason(err, filepath.Dir(l.path))
	for _, c := range causes {
		if slices.ContainsFunc(c.errs, func(cause error) bool { return errors.Is(err, cause) }) {
			if c.kind != nil && !errors.Is(err, c.kind) {
				err = fmt.Errorf("%w: %w", c.kind, err)
			}
			return fault.Wrap(err, what, c.hint)
		}
	}
	var system syscall.Errno
	if errors.As(err, &system) {
		return fault.Wrap(err, what, "the operating system says so, not the file: mend that first, nothing in the ledger was changed")
	}
	if !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return fault.Wrap(err, what, "do not go on with it: bring back a backup that ends at the same entry, or count the whole plan "+
		"as spent and stay out of this run (docs/howto/ledger.md)")
}

// scratch is the number of bytes that SQLite needs on a disk to open a database.
const scratch = 64 << 10

// withReason adds the disk's own error if SQLite says only that it failed.
func withReason(err error, folder string) error {
	var system syscall.Errno
	if !errors.Is(err, sqlite3.IOERR) && !errors.Is(err, sqlite3.CANTOPEN) || errors.As(err, &system) {
		return err
	}
	if reason := tryDisk(folder); reason != nil {
		return fmt.Errorf("%w: %w", err, reason)
	}
	return err
}

// tryDisk writes a file as large as scratch, and removes it.
func tryDisk(folder string) error {
	f, err := os.CreateTemp(folder, ".ledger-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, scratch))
	return errors.Join(err, f.Close())
}

// causes lists the reasons why a ledger cannot be opened or read, in the order in which they are tried.
var causes = []struct {
	kind error // error to wrap too; may be nil
	errs []error
	hint string
}{
	{ErrLocked, []error{sqlite3.BUSY, sqlite3.LOCKED}, "stop the node that uses it first; two nodes must not share a ledger (hearsay ledger backup copies one that is in use)"},
	{nil, []error{ErrVersion}, "end its run with the release of hearsay that wrote it; a new run makes a new ledger"},
	{nil, []error{fs.ErrNotExist}, "check the path. A node that has lost its ledger must not join the same run again: " +
		"count its whole plan as spent, and agree on a new spec"},
	{nil, []error{syscall.EROFS, sqlite3.READONLY}, "the disk is read-only: the ledger is as it was. Mount it writable, or copy all files of the ledger to a disk that is"},
	{nil, []error{syscall.ENOSPC, syscall.EDQUOT, sqlite3.FULL}, "the disk or the quota is full: the ledger is as it was. Make room and start again"},
	{nil, []error{fs.ErrPermission, sqlite3.PERM}, "this user must be able to read and write the file and its folder; the ledger is as it was"},
	{nil, []error{sqlite3.CANTOPEN, sqlite3.IOERR}, "check the disk and that this user may write the file and its folder; the ledger need not be damaged"},
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
	for _, step := range []func() error{l.checkVersion, l.lock, l.checkSchema, l.loadOwner, l.loadLast, l.loadOutbox, l.checkState, l.checkEnd} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// plausible checks the files before SQLite opens them. SQLite would take an empty file for a new database, and
// would wait for the writer of a pipe.
func plausible(path string) error {
	for _, end := range besides {
		if err := regular.Check(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := regular.Open(path)
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

// private creates the log, if it does not exist, with access for this user only. SQLite would let everybody read
// it.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// lock locks the file for this process.
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

// expect returns ErrDamaged if a setting has another value, because SQLite gives no error when it cannot change
// one.
func (l *Ledger) expect(pragma, want string) error {
	return l.db.query(pragma, func(s *sqlite3.Stmt) error {
		if got := s.ColumnText(0); got != want {
			return fmt.Errorf("%s is %s, want %s: %w", pragma, got, want, ErrDamaged)
		}
		return nil
	})
}

// checkVersion refuses a file of another program, or of another release.
func (l *Ledger) checkVersion() error {
	err := l.number("PRAGMA application_id", func(id int64) error {
		if id != application {
			return fmt.Errorf("it is the database of another program: %w", ErrDamaged)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.number("PRAGMA user_version", func(found int64) error {
		switch {
		case found == version:
			return nil
		case found < 1 || found > 1000:
			return fmt.Errorf("it is of version %d: %w", found, ErrDamaged)
		}
		return fmt.Errorf("it is of version %d, and this release reads %d: %w", found, version, ErrVersion)
	})
}

// number calls check with the number that a pragma returns.
func (l *Ledger) number(pragma string, check func(int64) error) error {
	return l.db.query(pragma, func(s *sqlite3.Stmt) error { return check(s.ColumnInt64(0)) })
}

// checkSchema refuses a database whose schema is not that of this package.
func (l *Ledger) checkSchema() error {
	if err := l.checkVersion(); err != nil {
		return err
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

// checkEnd checks that the ledger ends where it ended last. It compares with the head file or, if the database
// came without one, with the ending that Close wrote into it. Then it removes the ending, on disk before any
// commit. So a copy of the database alone, made while it is in use, is refused.
func (l *Ledger) checkEnd() error {
	headed, err := l.checkHead()
	if err != nil {
		return err
	}
	ended, err := l.checkEnding()
	if err != nil {
		return err
	}
	if !headed && !ended {
		return fmt.Errorf("it is the database alone, copied while it was in use, and %s-head is missing, "+
			"so nobody can say how much of it is: %w", l.path, ErrDamaged)
	}
	if l.head, err = openHead(l.path + "-head"); err == nil {
		err = l.head.write(l.last.head())
	}
	if err == nil && ended {
		err = l.db.exec(deleteEnding, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return err
}

// checkEnding reports whether the database holds its own ending. It returns ErrDamaged if the ending differs from
// the last entry.
func (l *Ledger) checkEnding() (ended bool, err error) {
	err = l.db.query(selectEnding, func(s *sqlite3.Stmt) error {
		entries := s.ColumnInt64(0)
		hash, err := digestAt(s, 1)
		if err == nil && (entries != l.last.seq || hash != l.last.hash) {
			err = fmt.Errorf("it ends at entry %d, and was closed at entry %d: %w", l.last.seq, entries, ErrDamaged)
		}
		ended = true
		return err
	})
	return ended, err
}

// checkHead compares the end of the database with the head file, and reports whether there is one. An unreadable
// head file counts as one, because a power failure may have cut it.
func (l *Ledger) checkHead() (there bool, err error) {
	h, err := existingHead(l.path + "-head")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	noted, readable, err := h.read()
	if err == nil && readable {
		err = l.covers(noted)
	}
	return true, errors.Join(err, h.file.Close())
}

// covers returns ErrDamaged unless the ledger holds the entry that a head names.
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

// Close unlocks the ledger. All commits stay. Close writes the end into the database, which is then complete
// without the files beside it.
func (l *Ledger) Close() error {
	if l.failed == nil {
		_ = l.db.run(replaceEnding, l.last.seq, l.last.hash) // if this fails, the head file says the same
	}
	return errors.Join(l.db.close(), l.head.file.Sync(), l.head.file.Close())
}

// abandon closes the files that a failed Open had opened.
func (l *Ledger) abandon() {
	if l.db != nil {
		l.db.close()
	}
	if l.head.file != nil {
		l.head.file.Close()
	}
}
