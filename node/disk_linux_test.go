package node

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/step"
)

// A node whose disk is full stops before it sends what is not in the ledger, and
// says why.
func TestFullDiskStopsBeforeSending(t *testing.T) {
	w := newWorld(t, walkOf(t, 2, 200, 2000), transport.Faults{})
	w.folder = t.TempDir()
	if err := syscall.Mount("tmpfs", w.folder, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("SKIPPED: cannot mount a small disk (needs root): %v", err)
	}
	defer syscall.Unmount(w.folder, syscall.MNT_DETACH)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	errs := make(chan error, w.n)
	for v := range step.NodeID(w.n) {
		go func() { errs <- w.once(ctx, v) }()
	}
	err := <-errs
	cancel()
	if other := <-errs; errors.Is(err, context.Canceled) {
		err = other
	}
	if !errors.Is(err, ledger.ErrNotDurable) || !full(err.Error()) {
		t.Fatalf("on a full disk: %v", err)
	}
	stopped := 0
	for _, s := range w.finished {
		if full(s.Error) {
			stopped++
		}
	}
	if stopped == 0 {
		t.Errorf("no status says why: %+v", w.finished)
	}
	if err := syscall.Mount("tmpfs", w.folder, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	w.run() // goes on where it stopped
	w.check()
}

func full(text string) bool {
	return strings.Contains(text, "no space") || strings.Contains(text, "full")
}
