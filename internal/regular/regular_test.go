package regular

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(plain, 5); err != nil || string(text) != "12345" {
		t.Errorf("5 bytes of 5: %q, %v", text, err)
	}
	for path, what := range map[string]string{folder: "folder", os.DevNull: "device"} {
		if _, err := Read(path, 1<<20); err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want that it is a %s", path, err, what)
		}
	}
	if _, err := Read(plain, 4); err == nil || !strings.Contains(err.Error(), "longer than 4 bytes") {
		t.Errorf("5 bytes of 4: %v", err)
	}
	if _, err := Read(filepath.Join(folder, "none"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// endless is a device of one byte.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestLimitedEnds(t *testing.T) {
	n, err := io.Copy(io.Discard, Limited(endless(0)))
	if err == nil || n > MostLine {
		t.Errorf("a line without an end: %d bytes, %v", n, err)
	}
	few := &limited{from: endless('\n'), left: 1000}
	if n, err := io.Copy(io.Discard, few); err == nil || n > 1000 {
		t.Errorf("a text without an end: %d bytes, %v", n, err)
	}
	text := bytes.Repeat(append(bytes.Repeat([]byte("x"), 1000), '\n'), 20_000) // longer than a line may be
	if got, err := io.ReadAll(Limited(bytes.NewReader(text))); err != nil || !bytes.Equal(got, text) {
		t.Errorf("short lines do not come through: %d bytes, %v", len(got), err)
	}
}
