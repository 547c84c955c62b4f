package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe in the place of a ledger, or of a file beside it, is refused by name; to open one would wait for a writer.
func TestAPipeIsNoLedger(t *testing.T) {
	for _, end := range append(besides, "") {
		path := filepath.Join(t.TempDir(), "ledger")
		if end != "" {
			if err := os.WriteFile(path, make([]byte, 4096), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(path+end, 0o600); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			l, err := Open(path)
			if err == nil {
				l.Close()
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "pipe") {
				t.Errorf("%q: %v", end, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%q: waits for somebody to write", end)
		}
	}
}
