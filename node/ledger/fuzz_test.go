package ledger

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// examine opens, verifies and reads whatever is there. It must not panic.
func examine(path string) (content, bool) {
	l, err := Open(path)
	if err != nil {
		return content{}, false
	}
	defer l.Close()
	if l.Verify() != nil {
		read(l)
		return content{}, false
	}
	return read(l), true
}

// Any bytes as a database, with and without the rest of one.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(nil), []byte(nil), []byte(nil))
	f.Add([]byte("SQLite format 3\x00\x10\x00\x02\x02\x00\x40\x20\x20"), []byte("\x37\x7f\x06\x82"), []byte("head"))
	path := filepath.Join(folder(f), "ledger")
	f.Fuzz(func(t *testing.T, db, wal, head []byte) {
		image{db: db, wal: wal, head: head}.put(t, path)
		examine(path)
	})
}

// Any bytes written anywhere over a ledger are objected to, or change nothing
// that it tells.
func FuzzPatch(f *testing.F) {
	l, after := grown(f, 2)
	want := read(l)
	files := after[1]
	f.Add(uint32(18), []byte{1, 1}, false)
	f.Add(uint32(100), []byte{0x0d, 0xff}, false)
	f.Add(uint32(24), []byte("salt"), true)
	path := filepath.Join(folder(f), "ledger")
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, log bool) {
		i := image{db: over(files.db, at, patch, !log), wal: over(files.wal, at, patch, log), head: files.head}
		i.put(t, path)
		if got, fine := examine(path); fine && !reflect.DeepEqual(got, want) {
			t.Errorf("not noticed: %+v", got)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error("the file is gone")
		}
	})
}

func over(b []byte, at uint32, patch []byte, here bool) []byte {
	c := append([]byte{}, b...)
	if here && len(c) > 0 {
		copy(c[int(at)%len(c):], patch)
	}
	return c
}
