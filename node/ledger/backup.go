package ledger

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/regular"
)

// backupAttempts is how often Backup tries to copy a ledger that changes during the copy.
const backupAttempts = 50

// Backup copies the ledger at path, which a node may be using, to a new file that is complete without other files.
// It returns the position of the copy's end. It refuses to replace a file. The copy is verified entry by entry
// before it gets its name, and ends no earlier than the ledger did when Backup began.
func Backup(path, to string) (Head, error) {
	for _, end := range parts {
		if _, err := os.Lstat(to + end); !errors.Is(err, fs.ErrNotExist) {
			return Head{}, fault.New("there is a file at "+to+end+" already", "give the backup a new name: one is never written over")
		}
	}
	fresh := to + ".new"
	defer discard(fresh)
	var err error
	for range backupAttempts {
		var head Head
		if head, err = copyWhole(path, fresh); err == nil {
			return head, finish(fresh, to)
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, errChanged) {
			break
		}
	}
	return Head{}, fault.Wrap(err, "cannot back up "+path, hintOr(err, "see what `hearsay ledger verify` says of it while the node is stopped"))
}

func hintOr(err error, otherwise string) string {
	if hint := fault.Hint(err); hint != "" && !errors.Is(err, ErrDamaged) {
		return hint
	}
	return otherwise
}

// finish gives a backup its final name, unless a file of that name exists.
func finish(fresh, to string) error {
	err := sync(fresh)
	if err == nil {
		err = os.Link(fresh, to) // which replaces nothing
	}
	if err == nil {
		err = regular.SyncFolder(filepath.Dir(to))
	}
	if err != nil {
		return fault.Wrap(err, "cannot write the backup "+to, "check that the folder can be written and is not full")
	}
	return nil
}

// parts lists the files of a ledger, by the ends of their names.
var parts = []string{"", "-wal", "-head"}

// errChanged says that the files changed while they were copied.
var errChanged = errors.New("it changed while it was copied")

// copyWhole copies the files of a ledger and opens the copy, which fails if the files do not belong together. It
// reads the head first, so the log that is copied after it reaches as far. The database changes only when the log
// is moved into it, so copyWhole checks that it is the same before and after.
func copyWhole(path, fresh string) (head Head, err error) {
	discard(fresh)
	for _, end := range []string{"-head", "", "-wal"} {
		if err := copyFile(path+end, fresh+end); err != nil && (end == "" || !errors.Is(err, fs.ErrNotExist)) {
			return head, err
		}
	}
	if same, err := sameFile(path, fresh); err != nil || !same {
		return head, errors.Join(err, errChanged)
	}
	l, err := Open(fresh)
	if err != nil {
		return head, err
	}
	head = l.Head()
	return head, errors.Join(l.Verify(), l.Close())
}

func copyFile(from, to string) error {
	in, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// sameFile reports whether two files hold the same bytes.
func sameFile(a, b string) (bool, error) {
	first, err := fileDigest(a)
	if err != nil {
		return false, err
	}
	second, err := fileDigest(b)
	return bytes.Equal(first, second), err
}

func fileDigest(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return h.Sum(nil), nil
}
