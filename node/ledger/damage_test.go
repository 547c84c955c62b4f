package ledger

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/step"
)

// stride is how far apart the places are that get damaged: -stride 1 tries
// every byte, which takes some ten minutes.
var stride = flag.Int("stride", 499, "damage every so many bytes")

// image is the files of a ledger, copied.
type image struct{ db, wal, head []byte }

func imageOf(tb testing.TB, path string) (i image) {
	tb.Helper()
	var err error
	if i.db, err = os.ReadFile(path); err != nil {
		tb.Fatal(err)
	}
	i.wal, _ = os.ReadFile(path + "-wal")
	i.head, _ = os.ReadFile(path + "-head")
	return i
}

// put writes an image to path; files without bytes are left out.
func (i image) put(tb testing.TB, path string) {
	tb.Helper()
	for end, bytes := range map[string][]byte{"": i.db, "-wal": i.wal, "-head": i.head} {
		os.Remove(path + end)
		if bytes == nil {
			continue
		}
		if err := os.WriteFile(path+end, bytes, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
}

// grown is an open ledger of some entries, with its files after each of them.
func grown(tb testing.TB, entries int) (l *Ledger, after []image) {
	l = fresh(tb)
	for turn := range step.Turn(entries) {
		if err := l.Commit(hop(turn, 50)); err != nil {
			tb.Fatal(err)
		}
		after = append(after, imageOf(tb, l.path))
	}
	return l, after
}

// Wherever the write-ahead log is cut, what was committed in what is left of
// it is there, and whole.
func TestATornLogKeepsItsCommits(t *testing.T) {
	testdata.Sequential(t)
	_, after := grown(t, 3)
	path := filepath.Join(folder(t), "torn")
	last := after[len(after)-1]
	for n := 0; n <= len(last.wal); n += *stride {
		whole := 0
		for whole < len(after) && len(after[whole].wal) <= n {
			whole++
		}
		image{db: last.db, wal: last.wal[:n], head: []byte("cut")}.put(t, path)
		l, err := Open(path)
		if err != nil {
			t.Fatalf("log cut at %d: %v", n, err)
		}
		if err := l.Verify(); err != nil || l.Head().Entries != int64(whole) {
			t.Errorf("log cut at %d: %d entries, want %d; %v", n, l.Head().Entries, whole, err)
		}
		l.Close()
	}
}

// A write that was cut short loses nothing that had returned before it; a log
// that lost what had returned is not opened, because the head beside it knows.
func TestTheHeadKnowsTheEnd(t *testing.T) {
	_, after := grown(t, 3)
	path := filepath.Join(folder(t), "torn")
	for i, end := range []int{0, len(after[0].wal), len(after[1].wal), len(after[2].wal)} {
		for known := range 3 {
			image{db: after[2].db, wal: after[2].wal[:end], head: after[known].head}.put(t, path)
			l, err := Open(path)
			if lost := i < known+1; lost != errors.Is(err, ErrDamaged) || lost == (err == nil) {
				t.Errorf("%d entries left of %d that had been committed: %v", i, known+1, err)
			}
			if err == nil {
				l.Close()
			}
		}
	}
}

// A head of another history, and one that cannot be read, are told apart.
func TestAForeignHeadIsNotTaken(t *testing.T) {
	_, after := grown(t, 2)
	path := filepath.Join(folder(t), "foreign")
	other := fresh(t)
	if err := other.Commit(hop(9, 3)); err != nil {
		t.Fatal(err)
	}
	i := after[1]
	i.head = imageOf(t, other.path).head
	i.put(t, path)
	if _, err := Open(path); !errors.Is(err, ErrDamaged) {
		t.Errorf("opened beside the head of another ledger: %v", err)
	}
	i.head = i.head[:20]
	i.put(t, path)
	l, err := Open(path)
	if err != nil {
		t.Fatalf("a head cut by a power failure: %v", err)
	}
	l.Close()
}

// judge opens an image that was tampered with: either Open or Verify objects,
// or what it tells is what it told before.
func judge(t *testing.T, path string, want content, what string) {
	t.Helper()
	l, err := Open(path)
	if err != nil {
		if fault.Hint(err) == "" {
			t.Errorf("%s: no hint with %v", what, err)
		}
		return
	}
	defer l.Close()
	if err := l.Verify(); err != nil {
		return
	}
	if got := read(l); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: not noticed:\n%+v", what, got)
	}
}

// A flipped bit anywhere, in the database or in the log, is found, or has hit
// a byte that means nothing.
func TestFlippedBitsAreFound(t *testing.T) {
	testdata.Sequential(t)
	l, after := grown(t, 3)
	want := read(l)
	logged := after[2]
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	closed := imageOf(t, l.path)
	path := filepath.Join(folder(t), "flipped")
	for n := 0; n < len(closed.db); n += *stride {
		i := closed
		i.db = flip(i.db, n)
		i.put(t, path)
		judge(t, path, want, "database")
	}
	for n := 0; n < len(logged.wal); n += *stride {
		i := logged
		i.wal = flip(i.wal, n)
		i.put(t, path)
		judge(t, path, want, "log")
	}
}

func flip(b []byte, n int) []byte {
	c := append([]byte{}, b...)
	c[n] ^= 1 << (n % 8)
	return c
}

// Edits that a database tool can make behind the ledger's back are found, each
// by name, also where the row's own hash is made to fit.
func TestEditsAreFound(t *testing.T) {
	testdata.Sequential(t)
	for name, edit := range map[string]string{
		"value":       `UPDATE release SET noise_std = 99 WHERE seq = 2`,
		"contributed": `UPDATE release SET contributed = 1 - contributed WHERE seq = 1`,
		"middle":      `DELETE FROM release WHERE seq = 2`,
		"renumbered":  `DELETE FROM release WHERE seq = 2; UPDATE release SET seq = seq - 1 WHERE seq > 2`,
		"end":         `DELETE FROM release WHERE seq = 4`,
		"both ends":   `DELETE FROM release WHERE seq = 4; DELETE FROM entry WHERE seq = 4; DELETE FROM received WHERE entry = 4; DELETE FROM spend WHERE entry = 4`,
		"doubled":     `INSERT INTO release SELECT 5, entry, 8, lane, turn, sender, receiver, contributed, sensitivity, noise_std, body, hash FROM release WHERE seq = 4`,
		"spend":       `UPDATE spend SET amount = 0 WHERE entry = 2`,
		"lane":        `UPDATE release SET lane = 1 WHERE seq = 2`,
		"wide lane":   `UPDATE release SET lane = 4294967296 WHERE seq = 2`,
		"lane heard":  `UPDATE received SET lane = 1 WHERE entry = 2`,
		"lane sent":   `UPDATE outbox SET lane = 1`,
		"no spend":    `DELETE FROM spend WHERE entry = 3`,
		"received":    `DELETE FROM received WHERE entry = 1`,
		"invented":    `INSERT INTO spend VALUES (17, 1, 'mu2', -4)`,
		"time":        `UPDATE entry SET time = time + 1 WHERE seq = 2`,
		"entry":       `DELETE FROM entry WHERE seq = 2`,
		"state":       `UPDATE state SET body = x'00'`,
		"no state":    `DELETE FROM state`,
		"outbox":      `UPDATE outbox SET frame = x'00'`,
		"no outbox":   `DELETE FROM outbox`,
		"owner":       `UPDATE federation SET node_id = 5`,
		"policy":      `UPDATE federation SET policy = x'00'`,
		"no owner":    `DELETE FROM federation`,
		"table":       `CREATE TABLE more (x)`,
		"index":       `CREATE INDEX more ON release (turn)`,
		"version":     `PRAGMA user_version = -1`,
	} {
		l, _ := grown(t, 4)
		if err := l.db.exec(edit); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := Open(l.path)
		if err == nil {
			err = again.Verify()
			again.Close()
		}
		if !errors.Is(err, ErrDamaged) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Files that are no ledger are named as such, and left as they were.
func TestOtherFilesAreNotOpened(t *testing.T) {
	l := fresh(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole := imageOf(t, l.path)
	for name, bytes := range map[string][]byte{
		"empty": {}, "text": []byte("name: federation\n"), "header": whole.db[:100], "half": whole.db[:len(whole.db)/2],
		"page": whole.db[:4096], "zeros": make([]byte, 8192),
	} {
		path := filepath.Join(folder(t), name)
		image{db: bytes}.put(t, path)
		if _, err := Open(path); !errors.Is(err, ErrDamaged) || fault.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if got := imageOf(t, path); string(got.db) != string(bytes) && name != "header" {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// What is lost must not be started anew by accident.
func TestAMissingDatabaseIsNotReplaced(t *testing.T) {
	l, _ := grown(t, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(l.path, owner); err == nil {
		t.Error("a new ledger was made where the head of an old one is")
	}
}

// Nobody but the owner reads what a node has done.
func TestFilesArePrivate(t *testing.T) {
	l, _ := grown(t, 1)
	for _, end := range []string{"", "-wal", "-head"} {
		info, err := os.Stat(l.path + end)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v, %v", end, info, err)
		}
	}
}
