package faults

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts one over the folder of node i, and returns what makes it
// larger.
func (w *world) smallDisk(i int, size string) (grow func()) {
	dir := w.folder(i)
	if err := os.Mkdir(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=700,size="+size); err != nil {
		w.t.Skipf("SKIPPED: cannot mount a small disk (needs root): %v", err)
	}
	w.t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return func() {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// A node whose disk is full stops before it sends, says why and what to do, and
// goes on where there is space again.
func TestFullDisk(t *testing.T) {
	notShort(t)
	t.Parallel()
	for name, s := range map[string]script{"walk": {nodes: 4, steps: 400}, "gossip": {nodes: 4, steps: 120, gossip: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, s)
			grow := w.smallDisk(1, "300k")
			running := w.startAll()
			<-running[1].ended
			says := tail(w.log(1), 2)
			if running[1].err == nil || !strings.Contains(says, "error: ") || !strings.Contains(says, "hint: ") || !noSpace(says) {
				t.Fatalf("on a full disk: %v: %s", running[1].err, says)
			}
			t.Log(says)
			if s := w.asked(0); int(s.Turn) >= w.steps {
				t.Errorf("the others did not wait: %+v", s)
			}
			grow()
			running[1] = w.start(1)
			w.ends(running...)
			w.check()
		})
	}
}

func noSpace(text string) bool {
	return strings.Contains(text, "no space") || strings.Contains(text, "full")
}

// A node that may not write longer files stops too, at every limit, and goes on
// without one.
func TestFileSizeLimit(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, script{nodes: 4, steps: 300})
	blocks := 0 // of 512 bytes; 0: no limit
	w.wrap = func(i int, command []string) []string {
		if i != 1 || blocks == 0 {
			return command
		}
		return append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, blocks), "sh"}, command...)
	}
	var running []*process
	for i := range w.names {
		if i != 1 {
			running = append(running, w.start(i))
		}
	}
	durable := true
	for _, blocks = range []int{1, 80, 200, 280} {
		p := w.start(1)
		<-p.ended
		says := tail(w.log(1), 2)
		t.Logf("%d bytes a file: %s", 512*blocks, says)
		if p.err == nil || !strings.Contains(says, "hint: ") {
			t.Errorf("with %d bytes a file: %v", 512*blocks, p.err)
		}
		durable = durable && !strings.Contains(says, "not durable")
	}
	if durable {
		t.Error("no limit was met while the node trained")
	}
	blocks = 0
	w.ends(append(running, w.start(1))...)
	w.check()
}
