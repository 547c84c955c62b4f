package ledger

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/step"
)

// A slate is a file in memory that counts the calls.
type slate struct {
	vfs.File
	bytes         []byte
	writes, syncs int
	full          bool
	synced        []byte // as it was when it was synced last
}

func (s *slate) WriteAt(p []byte, off int64) (int, error) {
	s.writes++
	if s.full {
		return 0, syscall.ENOSPC
	}
	if end := int(off) + len(p); end > len(s.bytes) {
		s.bytes = append(s.bytes, make([]byte, end-len(s.bytes))...)
	}
	return copy(s.bytes[off:], p), nil
}

func (s *slate) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, s.bytes[min(int(off), len(s.bytes)):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (s *slate) Truncate(size int64) error {
	s.bytes = s.bytes[:min(int(size), len(s.bytes))]
	return nil
}

func (s *slate) Sync(vfs.SyncFlag) error {
	s.syncs++
	s.synced = bytes.Clone(s.bytes)
	return nil
}

func (s *slate) Size() (int64, error) { return int64(len(s.bytes)), nil }
func (s *slate) Close() error         { return nil }

// Whatever is written, read, cut and synced, a file whose writes are gathered is what it is without: to who reads it at once, and on
// disk after a sync and after it is closed.
func TestGatheredWritesAreThoseThatWereMade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, under := &slate{}, &slate{}
		g := &gathering{File: under}
		next := int64(0)
		for range rapid.IntRange(1, 40).Draw(t, "calls") {
			switch rapid.SampledFrom([]string{"on", "on", "on", "elsewhere", "read", "cut", "size", "sync"}).Draw(t, "call") {
			case "elsewhere":
				next = rapid.Int64Range(0, 2*mostHeld).Draw(t, "offset")
				fallthrough
			case "on":
				p := bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, rapid.SampledFrom([]int{1, 24, 4096, mostHeld / 2, mostHeld + 1}).Draw(t, "size"))
				one, _ := plain.WriteAt(p, next)
				if n, err := g.WriteAt(p, next); n != one || err != nil {
					t.Fatal(n, err)
				}
				next += int64(len(p))
			case "read":
				off, want := rapid.Int64Range(0, 2*mostHeld).Draw(t, "from"), make([]byte, 9000)
				got := bytes.Clone(want)
				a, errA := plain.ReadAt(want, off)
				b, errB := g.ReadAt(got, off)
				if a != b || errA != errB || !bytes.Equal(got, want) {
					t.Fatalf("at %d: %d bytes and %v, want %d and %v", off, b, errB, a, errA)
				}
			case "cut":
				size := rapid.Int64Range(0, 2*mostHeld).Draw(t, "to")
				plain.Truncate(size)
				if err := g.Truncate(size); err != nil {
					t.Fatal(err)
				}
			case "size":
				want, _ := plain.Size()
				if got, err := g.Size(); got != want || err != nil {
					t.Fatalf("%d bytes, want %d: %v", got, want, err)
				}
			case "sync":
				if err := g.Sync(0); err != nil || !bytes.Equal(under.synced, plain.bytes) {
					t.Fatalf("on disk are %d bytes, want %d, or others: %v", len(under.synced), len(plain.bytes), err)
				}
			}
		}
		if err := g.Close(); err != nil || !bytes.Equal(under.bytes, plain.bytes) {
			t.Fatalf("closed: %v", err)
		}
	})
}

// Nothing is synced that could not be written, and once a write has failed the file takes nothing more, whether or not the
// disk has room again.
func TestAGatheredWriteThatFailsIsNeverDurable(t *testing.T) {
	for name, call := range map[string]func(*gathering) error{
		"sync":  func(g *gathering) error { return g.Sync(0) },
		"read":  func(g *gathering) error { _, err := g.ReadAt(make([]byte, 1), 0); return err },
		"size":  func(g *gathering) error { _, err := g.Size(); return err },
		"cut":   func(g *gathering) error { return g.Truncate(0) },
		"write": func(g *gathering) error { _, err := g.WriteAt([]byte("b"), 100); return err },
		"close": (*gathering).Close,
	} {
		under := &slate{full: true}
		g := &gathering{File: under}
		if _, err := g.WriteAt([]byte("a"), 0); err != nil {
			t.Fatal(err)
		}
		if err := call(g); err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: %v", name, err)
		}
		under.full = false
		if err := g.Sync(0); err == nil || under.syncs > 0 {
			t.Errorf("%s: synced all the same: %v", name, err)
		}
		if _, err := g.WriteAt([]byte("c"), 0); err == nil {
			t.Errorf("%s: written to all the same", name)
		}
	}
}

// watchedDisk counts what becomes of the logs of a gatherer.
type watchedDisk struct {
	vfs.VFS
	log *slate
}

func (d watchedDisk) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := d.VFS.(vfs.VFSFilename).OpenFilename(name, flags)
	if err == nil && flags&vfs.OPEN_WAL != 0 {
		file = &countedLog{file, d.log}
	}
	return file, flags, err
}

type countedLog struct {
	vfs.File
	count *slate
}

func (c *countedLog) WriteAt(p []byte, off int64) (int, error) {
	c.count.writes++
	return c.File.WriteAt(p, off)
}

func (c *countedLog) Sync(flags vfs.SyncFlag) error {
	c.count.syncs++
	return c.File.Sync(flags)
}

// A commit is one write to the log and one sync, and a state that is as long as the one before is written over it: of eight
// thousand bytes two pages, and no page for what became free.
func TestACommitIsOneWrite(t *testing.T) {
	count := &slate{}
	vfs.Register(gatherName, gatherer{watchedDisk{vfs.Find(""), count}})
	defer vfs.Register(gatherName, gatherer{vfs.Find("")})
	l := fresh(t)
	e := hop(0, 8000)
	e.Send, e.Acked = nil, nil
	if err := l.Commit(e); err != nil {
		t.Fatal(err)
	}
	before, size := *count, fileSize(t, l.path+"-wal")
	const commits = 5
	for turn := range commits {
		e := hop(step.Turn(turn+1), 8000)
		e.Send, e.Acked = nil, nil
		if err := l.Commit(e); err != nil {
			t.Fatal(err)
		}
	}
	if count.writes-before.writes != commits || count.syncs-before.syncs != commits {
		t.Errorf("%d commits are %d writes and %d syncs", commits, count.writes-before.writes, count.syncs-before.syncs)
	}
	// A page each of entries, received messages, releases, spends, the indexes of two of them, and what the state takes.
	if got, most := fileSize(t, l.path+"-wal")-size, int64(commits*(6+2)*(4096+24)); got > most {
		t.Errorf("%d commits wrote %d bytes of log, at most %d were expected", commits, got, most)
	}
}

// A path is taken as it is, whatever SQLite would read in it.
func TestANameOfALedgerMayHaveAnyCharacter(t *testing.T) {
	for _, name := range []string{"a b", "50%25", "what?vfs=memdb", "#1", "file:x", "&=+", "é", "//double//"} {
		dir := filepath.Join(folder(t), name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := dir + "/" + filepath.Base(name) + ".ledger"
		l, err := Create(path, owner)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := errors.Join(l.Commit(hop(0, 10)), l.Close()); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if fileSize(t, path) == 0 {
			t.Errorf("%q is not the file", name)
		}
		wholeOf(t, path, 1)
	}
}

// wholeOf wants a ledger at path that is whole with so many entries.
func wholeOf(t *testing.T, path string, entries int64) {
	t.Helper()
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Verify(); err != nil || l.Head().Entries != entries {
		t.Errorf("%d entries, want %d: %v", l.Head().Entries, entries, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
