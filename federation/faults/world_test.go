package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/federation"
	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/node"
	"github.com/hearsay-dp/hearsay/node/identity"
)

// A world is a federation of processes on this machine.
type world struct {
	script
	t      testing.TB
	dir    string
	spec   string // its path
	names  []string
	keys   []identity.Key
	ports  loopback.Ports
	listen []string // what nodes are told to listen on; "": what the spec says
	mu     sync.Mutex
	all    []*process   // every start
	dead   map[int]bool // who will not come back
	peak   int64        // most memory of any node so far, in bytes
}

// patience is how long a run that goes well may take.
const patience = 3 * time.Minute

// file is a file of a participant, folder that of its ledger.
func (w *world) file(i int, end string) string { return filepath.Join(w.dir, w.names[i]+end) }

func (w *world) folder(i int) string { return filepath.Join(w.dir, w.names[i]) }

// close ends all processes. What they left is kept if the test has failed.
func (w *world) close() {
	for _, p := range w.all {
		p.kill()
		<-p.ended
	}
	if err := w.ports.Close(); err != nil {
		w.t.Error(err)
	}
	if !w.t.Failed() {
		os.RemoveAll(w.dir)
		return
	}
	w.t.Logf("specs, logs and ledgers are in %s", w.dir)
	for i, name := range w.names {
		w.t.Logf("log of %s ends:\n%s", name, tail(w.log(i), 8))
	}
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// log is what a node's processes have written.
func (w *world) log(i int) string {
	text, err := os.ReadFile(w.file(i, ".log"))
	if err != nil && !os.IsNotExist(err) {
		w.t.Error(err)
	}
	return string(text)
}

// startAll starts every node.
func (w *world) startAll() []*process {
	var all []*process
	for i := range w.names {
		all = append(all, w.start(i))
	}
	return all
}

// ends waits until all processes have ended well.
func (w *world) ends(all ...*process) {
	w.t.Helper()
	w.endsWithin(patience, all...)
}

func (w *world) endsWithin(patience time.Duration, all ...*process) {
	w.t.Helper()
	limit := time.After(patience)
	for _, p := range all {
		select {
		case <-p.ended:
			if p.err != nil {
				w.t.Errorf("%s: %v: %s", p.name, p.err, tail(w.log(p.i), 2))
			}
		case <-limit:
			w.t.Fatalf("%s has not ended within %v", p.name, patience)
		}
	}
}

// status asks a running node how it is; an error where it does not answer.
func (w *world) ask(i int) (s node.Status, err error) {
	if w.status == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return federation.AskStatus(ctx, w.folder(i))
	}
	text, err := w.status(w, i)
	if err != nil {
		return s, fault.Wrap(err, "status", "see its log")
	}
	return s, json.Unmarshal([]byte(text), &s)
}

// until waits until something is so.
func (w *world) until(what string, so func() bool) {
	w.t.Helper()
	for limit := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) || w.over() && !so() {
			w.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// over reports whether no process runs any more.
func (w *world) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.all {
		select {
		case <-p.ended:
		default:
			return false
		}
	}
	return true
}

// logs waits until a node's log holds a text.
func (w *world) logs(i int, text string) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s logs %q", w.names[i], text), func() bool { return strings.Contains(w.log(i), text) })
}

// reaches waits until a node knows of a turn.
func (w *world) reaches(i int, turn int) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s reaches turn %d", w.names[i], turn), func() bool {
		s, err := w.ask(i)
		return err == nil && int(s.Turn) >= turn
	})
}

// succeeds reports whether a token may be succeeded in a new epoch.
func (w *world) succeeds() bool {
	return strings.Contains(w.options, "around") || strings.Contains(w.options, "lease")
}
