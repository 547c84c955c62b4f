package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// The database alone, copied while the ledger is in use, is refused, whatever the
// moment; copied after the ledger was closed it is whole.
func TestADatabaseAloneIsWholeOrRefused(t *testing.T) {
	path := filepath.Join(folder(t), "alone")
	l, after := grown(t, 3)
	for i, state := range append([]image{imageOf(t, fresh(t).path)}, after...) {
		image{db: state.db}.put(t, path)
		if again, err := Open(path); !errors.Is(err, ErrDamaged) || !strings.Contains(fmt.Sprint(err), "database alone") {
			t.Fatalf("after %d entries: opened %v: %v", i, again, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	closed := imageOf(t, l.path)
	image{db: closed.db}.put(t, path)
	again, err := Open(path)
	if err != nil || again.Head().Entries != 3 || again.Verify() != nil {
		t.Fatalf("copied after it was closed: %v", err)
	}
	if err := again.Commit(hop(3, 10)); err != nil {
		t.Fatal(err)
	}
	used := imageOf(t, path)
	image{db: used.db}.put(t, filepath.Join(folder(t), "used"))
	elsewhere := filepath.Join(folder(t), "elsewhere")
	image{db: used.db}.put(t, elsewhere)
	if _, err := Open(elsewhere); !errors.Is(err, ErrDamaged) {
		t.Errorf("the ending of an earlier close was believed: %v", err)
	}
	again.Close()
}

// Backup copies a ledger that is in use; the copy is one file, whole, and never
// replaces another.
func TestBackup(t *testing.T) {
	l, _ := grown(t, 4)
	to := filepath.Join(folder(t), "backup.db")
	head, err := Backup(l.path, to)
	if err != nil || head != l.Head() {
		t.Fatalf("backup ends at %+v, the ledger at %+v: %v", head, l.Head(), err)
	}
	if err := l.Commit(hop(4, 10)); err != nil {
		t.Errorf("the ledger goes on: %v", err)
	}
	if _, err := Backup(l.path, to); err == nil {
		t.Error("a backup was written over")
	}
	files, _ := filepath.Glob(to + "*")
	if len(files) != 1 {
		t.Errorf("a backup is %v", files)
	}
	copied, err := Open(to)
	if err != nil || copied.Head() != head || copied.Verify() != nil || copied.Federation().Ledger != l.Federation().Ledger {
		t.Fatalf("restored: %v", err)
	}
	copied.Close()
	if _, err := Backup(filepath.Join(folder(t), "none"), to+"2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("backup of nothing: %v", err)
	}
}

// While a process commits as fast as it can, moving the log into the database
// now and then, every backup is whole and holds what was committed before.
func TestBackupWhileInUse(t *testing.T) {
	l := fresh(t)
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for turn := step.Turn(0); ; turn++ {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := l.Commit(hop(turn, 9000)); err != nil {
				ended <- err
				return
			}
		}
	}()
	dir, last := folder(t), int64(0)
	for i := range 5 {
		head, err := Backup(l.path, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			t.Error(err)
			break
		}
		if head.Entries < last {
			t.Errorf("backup %d ends at %d, after one that ends at %d", i, head.Entries, last)
		}
		last = head.Entries
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What the operating system says of a disk is not called damage, and the advice
// fits; a file of another version is called that.
func TestADiskIsNotDamage(t *testing.T) {
	l := &Ledger{path: "ledger.db"}
	for cause, hint := range map[error]string{
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}:  "read-only",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}: "this user",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EPERM}:  "this user",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOSPC}: "Make room",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EDQUOT}: "Make room",
		&fs.PathError{Op: "read", Path: "x", Err: syscall.EIO}:    "operating system",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}: "operating system",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}: "must not join the same run again",
		sqlite3.READONLY: "read-only", sqlite3.FULL: "Make room", sqlite3.IOERR: "disk", sqlite3.CANTOPEN: "disk", sqlite3.BUSY: "stop the node",
	} {
		err := l.explain(cause)
		if errors.Is(err, ErrDamaged) || !errors.Is(err, cause) || !strings.Contains(fault.Hint(err), hint) {
			t.Errorf("%v: %v (%s)", cause, err, fault.Hint(err))
		}
	}
	if err := l.explain(sqlite3.CORRUPT); !errors.Is(err, ErrDamaged) {
		t.Errorf("corruption: %v", err)
	}
	old, _ := grown(t, 1)
	if err := old.db.exec(fmt.Sprintf("PRAGMA user_version = %d", version-1)); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	before := imageOf(t, old.path)
	if _, err := Open(old.path); !errors.Is(err, ErrVersion) || errors.Is(err, ErrDamaged) ||
		!strings.Contains(fault.Hint(err), "release of hearsay that wrote it") {
		t.Errorf("the version before: %v (%s)", err, fault.Hint(err))
	}
	if string(imageOf(t, old.path).db) != string(before.db) {
		t.Error("a file of another version was changed")
	}
}

// A folder that cannot be written is named as such.
func TestAClosedFolderIsNotDamage(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: root may write everywhere")
	}
	l, _ := grown(t, 1)
	l.Close()
	dir := filepath.Dir(l.path)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if _, err := Open(l.path); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("in a closed folder: %v", err)
	}
}

// The ledger knows which entries a start of the node has written; one that it
// does not know has written none, and an entry that another start wrote at the
// same place is not the same.
func TestStartsAreToldApart(t *testing.T) {
	l := fresh(t)
	first, second, other := Start{1}, Start{2}, Start{3}
	commit := func(e Entry) {
		t.Helper()
		if err := l.Commit(e); err != nil {
			t.Fatal(err)
		}
	}
	begin := func(s Start) { commit(Entry{Epoch: 7, Start: s}) }
	begin(first)
	commit(hop(0, 5))
	begin(second)
	commit(hop(1, 5))
	l = reopen(t, l)
	defer l.Close()
	if err := l.Verify(); err != nil {
		t.Error(err)
	}
	for entries := int64(0); entries < 6; entries++ {
		for start, want := range map[Start]bool{first: entries == 1 || entries == 2, second: entries == 3 || entries == 4, other: false} {
			if got, err := l.Wrote(start, entries); got != want || err != nil {
				t.Errorf("start %x, %d entries: %v, %v", start, entries, got, err)
			}
		}
	}
	if err := l.Commit(Entry{Epoch: 7, Start: first}); !errors.Is(err, ErrRepeated) {
		t.Errorf("a start twice: %v", err)
	}
	if err := l.db.exec(`UPDATE start SET nonce = x'0505050505050505' WHERE entry = 3`); err != nil {
		t.Fatal(err)
	}
	if err := l.Verify(); !errors.Is(err, ErrDamaged) {
		t.Errorf("another start was written over one: %v", err)
	}
}
