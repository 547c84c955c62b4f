package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	t       testing.TB
	dir     string
	spec    string // its path
	names   []string
	keys    []identity.Key
	ports   loopback.Ports
	listen  []string // what nodes are told to listen on; "": what the spec says
	mu      sync.Mutex
	all     []*process // every start
	tellers []*process // of these, who was started only to tell another of the end
	telling sync.Mutex
	dead    map[int]bool // who will not come back
	peak    int64        // most memory of any node so far, in bytes
}

// patience is how long a run that goes well may take, on a slow machine.
const patience = 5 * time.Minute

// missed is after what time a node that has not ended is taken to have missed the end: on a
// slow machine the others may have gone, after federation.linger, before it was back.
const missed = 30 * time.Second

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
	well := func(p *process) {
		w.t.Helper()
		if !w.endsBefore(limit, p) {
			w.t.Fatalf("%s has not ended within %v", p.name, patience)
		}
		if p.err != nil {
			w.t.Errorf("%s: %v: %s", p.name, p.err, tail(w.log(p.i), 2))
		}
	}
	for _, p := range all {
		well(p)
	}
	for k := 0; k < len(w.whoTold()); k++ { // more may be started meanwhile
		well(w.whoTold()[k])
	}
}

// whoTold are the processes that were started only to tell others of the end.
func (w *world) whoTold() []*process {
	w.telling.Lock()
	defer w.telling.Unlock()
	return slices.Clone(w.tellers)
}

// endsBefore waits for the end of a process, and reports whether it came.
func (w *world) endsBefore(limit <-chan time.Time, p *process) bool {
	tell := time.NewTicker(missed)
	defer tell.Stop()
	for {
		select {
		case <-p.ended:
			return true
		case <-tell.C:
			w.tellsAgain(p)
		case <-limit:
			return false
		}
	}
}

// tellsAgain starts whoever has ended well once more, as operators do, since it is they who can
// tell a node of the end that it has missed.
func (w *world) tellsAgain(missing *process) {
	w.t.Helper()
	w.telling.Lock() // several may wait
	defer w.telling.Unlock()
	w.mu.Lock()
	last := map[int]*process{}
	for _, p := range w.all {
		last[p.i] = p
	}
	w.mu.Unlock()
	for i, p := range last {
		if i != missing.i && !w.dead[i] && p.over() && p.err == nil {
			w.t.Logf("%s has ended, %s has not: it is started again", p.name, missing.name)
			w.tellers = append(w.tellers, w.start(i))
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

// asked is ask of a node that runs, however long a slow machine takes to answer.
func (w *world) asked(i int) (s node.Status) {
	w.t.Helper()
	w.until(w.names[i]+" answers", func() bool {
		var err error
		s, err = w.ask(i)
		return err == nil
	})
	return s
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
		if !p.over() {
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
		return err == nil && int(s.Turn) >= turn || w.over() // a short run may end between two looks
	})
}

// underWay waits until a node knows of a turn. It reports false if by then more than half of the run was over.
func (w *world) underWay(i int, turn int) bool {
	w.t.Helper()
	for limit := time.Now().Add(patience); time.Now().Before(limit) && !w.over(); time.Sleep(20 * time.Millisecond) {
		if s, err := w.ask(i); err == nil && int(s.Turn) >= turn {
			return int(s.Turn) <= w.steps/2
		}
	}
	return false
}

// succeeds reports whether a token may be succeeded in a new epoch.
func (w *world) succeeds() bool {
	return strings.Contains(w.options, "around") || strings.Contains(w.options, "lease")
}
