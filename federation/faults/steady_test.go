package faults

import (
	"flag"
	"fmt"
	"testing"
	"time"
)

// steady asks for the run that the numbers in docs/howto/service.md come from:
//
//	go test ./federation/faults -run Steady -steady 1h -timeout 4h -v
var steady = flag.Duration("steady", 0, "let 64 nodes walk, and 16 gossip, for about so long, over lines that are slow")

// What a node may take more at the end of a run than early in it.
const (
	moreMemory  = 6e6 // bytes of its own: what the collector has not taken back yet, and what SQLite keeps of its pages
	moreHandles = 8   // connections that are made anew for some seconds stand beside those that they replace
	perRelease  = 4e3 // bytes of the ledger for each release: measured 2 to 3 KB, with what was received for it
	mostLog     = 5e6 // bytes of the log, which goes into the database every thousand pages of 4 KB
)

// Many nodes on one machine. None takes more and more memory or handles, and the ledger grows by what each
// release needs and no more.
func TestSteady(t *testing.T) {
	notShort(t)
	kinds := map[string]struct {
		short, long script
		line        time.Duration // how long anything is under way in the long run, each way
	}{
		"walk":   {script{nodes: 8, graph: "hypercube:3", steps: 1000}, script{nodes: 64, graph: "hypercube:6"}, 40 * time.Millisecond},
		"gossip": {script{nodes: 4, gossip: true, steps: 200}, script{nodes: 16, graph: "hypercube:4", gossip: true}, 500 * time.Millisecond},
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			if *steady == 0 {
				t.Parallel()
				w := newWorld(t, kind.short)
				w.steady(100*time.Millisecond, patience)
				return
			}
			s := kind.long
			s.limit, s.steps = 3**steady, int(*steady/kind.line)
			w, relays := relayed(t, s, "tcp", func() *relay { return &relay{delay: kind.line} })
			w.steady(30*time.Second, 2**steady)
			w.used(relays)
		})
	}
}

// steady runs all nodes, looks at them so often, and holds the looks against one another.
func (w *world) steady(pause, limit time.Duration) {
	w.t.Helper()
	all := w.startAll()
	rows := w.watch(all, pause)
	w.endsWithin(limit, all...)
	w.check()
	for _, p := range all {
		took := p.cmd.ProcessState
		w.t.Logf("%s: %d MB at most, %v of processor time", p.name, p.peak.Load()/1e6, took.UserTime()+took.SystemTime())
	}
	if len(rows) < 3 {
		w.t.Logf("it was over after %d looks: nothing to compare", len(rows))
		return
	}
	for i, p := range all {
		if fault := grows(rows, i); fault != "" {
			w.t.Errorf("%s: %s", p.name, fault)
		}
	}
}

// grows is what of node i grows more than it may from a third of the run to its end, "" if nothing.
func grows(rows []row, i int) string {
	early, late := rows[len(rows)/3][i], rows[len(rows)-1][i]
	released := late.releases - early.releases
	switch {
	case late.own > early.own+moreMemory:
		return fmt.Sprintf("its own memory has grown from %.1f to %.1f MB", early.own/1e6, late.own/1e6)
	case late.handles > early.handles+moreHandles:
		return fmt.Sprintf("its handles have grown from %v to %v", early.handles, late.handles)
	case late.ledger > early.ledger+perRelease*released+mostLog:
		return fmt.Sprintf("its ledger has grown by %v bytes in %v releases", late.ledger-early.ledger, released)
	case late.log > mostLog+perRelease:
		return fmt.Sprintf("the log of its ledger has %v bytes", late.log)
	}
	return ""
}
