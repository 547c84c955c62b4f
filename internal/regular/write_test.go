package regular

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is replaced whole, with its mode, or stays as it was; nothing else is left.
func TestWriteIsWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.txt")
	text := func(s string, after error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return errors.Join(err, after)
		}
	}
	if err := Write(path, 0o644, text("first", nil)); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no more")
	if err := Write(path, 0o600, text("half", failed)); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	got, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err := errors.Join(err, statErr); err != nil || string(got) != "first" || info.Mode().Perm() != 0o644 {
		t.Errorf("%q, %v, %v", got, info.Mode(), err)
	}
	if err := Write(folder, 0o644, text("x", nil)); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("%v", err)
	}
	if err := Write(filepath.Join(folder, "none", "a.txt"), 0o644, text("x", nil)); err == nil {
		t.Error("a folder that is not there was written to")
	}
	for where, want := range map[string]bool{path: true, filepath.Join(folder, "new.txt"): true, folder: false, filepath.Join(folder, "none", "a.txt"): false} {
		if got := Writable(where) == nil; got != want {
			t.Errorf("%s: writable %v", where, got)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}
