package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// A disk is a small file system of its own.
type disk struct {
	t   *testing.T
	dir string
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	d := &disk{t, t.TempDir()}
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", 0, "mode=700,size=1m"); err != nil {
		t.Skipf("SKIPPED: cannot mount a small disk (needs root): %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(d.dir, syscall.MNT_DETACH) })
	return d
}

// remount changes how the disk may be used.
func (d *disk) remount(flags uintptr, options string) {
	d.t.Helper()
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", syscall.MS_REMOUNT|flags, options); err != nil {
		d.t.Fatal(err)
	}
}

// fill leaves no byte free, room makes some.
func (d *disk) fill() {
	d.t.Helper()
	f, err := os.OpenFile(filepath.Join(d.dir, "ballast"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			d.t.Fatal(err)
		}
	}
}

func (d *disk) room() {
	d.t.Helper()
	if err := os.Remove(filepath.Join(d.dir, "ballast")); err != nil {
		d.t.Fatal(err)
	}
}

// blames wants an error that names the disk, says what to do, and speaks neither of
// damage nor of copies to bring back.
func blames(err error, disk, hint string) error {
	text := fmt.Sprint(err) + " " + fault.Hint(err)
	switch {
	case err == nil:
		return errors.New("no error")
	case errors.Is(err, ErrDamaged), strings.Contains(text, "damage"), strings.Contains(text, "bring back"):
		return fmt.Errorf("the file is blamed: %s", text)
	case !strings.Contains(text, disk), !strings.Contains(fault.Hint(err), hint):
		return fmt.Errorf("%q or %q is missing: %s", disk, hint, text)
	}
	return nil
}

// wholeWith opens a ledger that must be whole with so many entries.
func wholeWith(t *testing.T, path string, entries int64) *Ledger {
	t.Helper()
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := l.Verify(); err != nil || l.Head().Entries != entries {
		t.Fatalf("%d entries, want %d: %v", l.Head().Entries, entries, err)
	}
	return l
}

// left is a ledger of three entries on the disk, as Close leaves it or as a node
// does that was killed.
func (d *disk) left(closed bool) (path string) {
	d.t.Helper()
	path = filepath.Join(d.dir, "lyon.ledger")
	if closed {
		l := freshIn(d.t, d.dir)
		for turn := range step.Turn(3) {
			if err := l.Commit(hop(turn, 50)); err != nil {
				d.t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			d.t.Fatal(err)
		}
		return path
	}
	_, after := grown(d.t, 3)
	after[2].put(d.t, path)
	return path
}

// A file system that is mounted read-only is named, and the ledger on it is whole
// once it can be written again.
func TestAReadOnlyDiskIsNoDamage(t *testing.T) {
	for _, closed := range []bool{true, false} {
		t.Run(fmt.Sprintf("closed %v", closed), func(t *testing.T) {
			d := newDisk(t)
			path := d.left(closed)
			d.remount(syscall.MS_RDONLY, "")
			_, err := Open(path)
			if err := blames(err, "read-only", "the disk is read-only"); err != nil {
				t.Error(err)
			}
			if _, err := Create(filepath.Join(d.dir, "new.ledger"), owner); err == nil || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "read-only") {
				t.Errorf("a new ledger: %v", err)
			}
			d.remount(0, "")
			wholeWith(t, path, 3)
		})
	}
}

// A disk without a byte left is named, whether the ledger is opened on it, made on
// it, or grows until it is full; nothing that had been committed is lost.
func TestAFullDiskIsNoDamage(t *testing.T) {
	for _, closed := range []bool{true, false} {
		t.Run(fmt.Sprintf("opened, closed %v", closed), func(t *testing.T) {
			d := newDisk(t)
			path := d.left(closed)
			d.fill()
			l, err := Open(path)
			if err == nil { // what it writes fitted into pages that are there
				err = l.Commit(hop(3, 200<<10))
				l.Close()
			}
			if err := blames(err, "no space left", "room"); err != nil {
				t.Error(err)
			}
			if _, err := Create(filepath.Join(d.dir, "new.ledger"), owner); err == nil || errors.Is(err, ErrDamaged) || fault.Hint(err) == "" {
				t.Errorf("a new ledger: %v (%s)", err, fault.Hint(err))
			}
			d.room()
			wholeWith(t, path, 3)
		})
	}
	t.Run("grows", func(t *testing.T) {
		d := newDisk(t)
		l := freshIn(t, d.dir)
		turn := step.Turn(0)
		var err error
		for ; err == nil; turn++ {
			err = l.Commit(hop(turn, 20<<10))
		}
		if err := blames(err, "no space left", "room"); err != nil || !errors.Is(l.failed, ErrNotDurable) {
			t.Errorf("%v (%v)", err, l.failed)
		}
		l.Close()
		d.remount(0, "size=64m")
		again := wholeWith(t, l.path, int64(turn)-1)
		if err := again.Commit(hop(turn-1, 20<<10)); err != nil {
			t.Error(err)
		}
	})
}
