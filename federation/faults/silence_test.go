package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/loopback"
	"github.com/hearsay-dp/hearsay/node"
)

// What one participant that is gone, or silent, costs the others: no more than
// federation.silence, in which they say for whom they wait. Then they stop, with an error
// that names it; started again with it they go on from their ledgers, and the run ends as if
// nothing had been.
func TestOneWhoIsSilentStopsTheOthersInTime(t *testing.T) {
	notShort(t)
	t.Parallel()
	for kind, silence := range map[string]bool{"gossip-gd": false, "admm-federated": true, "proximal-walk": false} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := ofKind(kind)
			s.options, s.linger = "silence: 2s", time.Second
			w := newWorld(t, s)
			var running []*process
			for i := range w.names {
				if i != 2 {
					running = append(running, w.start(i))
				}
			}
			gone := w.start(2, "HEARSAY_FAILPOINT="+map[bool]string{true: "", false: node.FailBeforeCommit + ":4"}[silence])
			if silence { // it is there, and says nothing
				w.until("n02 has begun", func() bool { return strings.Contains(w.log(2), "machine starts") })
				if err := gone.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			} else {
				<-gone.ended
			}
			stopped := 0
			for _, p := range running {
				<-p.ended
				if log := w.log(p.i); p.cmd.ProcessState.ExitCode() == 75 && strings.Contains(log, "nothing of the run was heard for 2s (federation.silence), waiting for ") {
					stopped++
				} else if p.err != nil {
					t.Errorf("%s: %v: %s", p.name, p.err, tail(log, 2))
				}
			}
			if stopped == 0 && !silence { // a silent one may have given all that it had to before it was stopped
				t.Error("nobody stopped")
			}
			gone.kill()
			<-gone.ended
			w.goesOn()
			w.check()
		})
	}
}

// goesOn starts everybody again until all have ended well, however often a slow machine makes
// them stop for silence: who has ended is started once more as long as somebody else has not,
// since it is the one who can tell.
func (w *world) goesOn() {
	w.t.Helper()
	running, well := map[int]*process{}, map[int]bool{}
	for limit := time.Now().Add(patience); len(well) < len(w.names); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			w.t.Fatalf("waited in vain until all have ended")
		}
		for i := range w.names {
			p := running[i]
			if p != nil && !p.over() {
				continue
			}
			if p != nil && p.err == nil {
				well[i] = true
			}
			if len(well) == len(w.names) {
				break
			}
			if p == nil || p.err != nil || time.Now().After(limit.Add(5*time.Second-patience)) {
				running[i] = w.start(i)
			}
		}
	}
	for _, p := range running {
		<-p.ended
	}
}

// A site that vanishes leaves a QUIC connection that looks alive for 30 s. Its neighbours say by its age that it is silent.
func TestOneThatVanishesIsSaidToBeSilent(t *testing.T) {
	notShort(t)
	t.Parallel()
	s := script{nodes: 2, graph: "complete:2", gossip: true, steps: 2000, options: "pace: 100ms"}
	s.reach = func(_ int, held *loopback.Port) (string, string) {
		return strings.Replace(held.Multiaddress(), "/tcp/", "/udp/", 1) + "/quic-v1", ""
	}
	w := newWorld(t, s)
	all := w.startAll()
	w.reaches(0, 3)
	all[1].kill()
	vanished := time.Now()
	w.until("n00 says that n01 is away", func() bool {
		s, err := w.ask(0)
		return err == nil && !s.Neighbours[0].Connected
	})
	if took := time.Since(vanished); took > 20*time.Second {
		t.Errorf("n00 said so after %v", took)
	}
	w.logs(0, "waiting for n01: connected, and silent: last heard ")
}
