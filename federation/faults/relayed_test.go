package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/internal/loopback"
)

// relayed is a world in which every node is reached through a relay of its own.
func relayed(t *testing.T, s script, network string, as func() *relay) (*world, []*relay) {
	relays := make([]*relay, s.nodes)
	s.reach = func(i int, _ *loopback.Port) (string, string) {
		relays[i] = as()
		front := relays[i].start(t, network, uint64(i))
		form := "/ip4/127.0.0.1/tcp/%d"
		if network == "udp" {
			form = "/ip4/127.0.0.1/udp/%d/quic-v1"
		}
		return fmt.Sprintf(form, front), fmt.Sprintf(form, 0)
	}
	w := newWorld(t, s)
	for i, r := range relays {
		folder := w.folder(i)
		r.folder.Store(&folder)
	}
	return w, relays
}

// used holds that the relays were in between.
func (w *world) used(relays []*relay) {
	w.t.Helper()
	passed := int64(0)
	for _, r := range relays {
		passed += r.bytes.Load()
	}
	if passed == 0 {
		w.t.Error("nothing went through a relay")
	}
}

// All bytes are 200 ms late, each way.
func TestDelay(t *testing.T) {
	notShort(t)
	t.Parallel()
	for name, s := range map[string]script{"walk": {nodes: 4, steps: 20}, "gossip": {nodes: 4, steps: 10, gossip: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, relays := relayed(t, s, "tcp", func() *relay { return &relay{delay: 200 * time.Millisecond} })
			w.ends(w.startAll()...)
			w.used(relays)
			w.check()
		})
	}
}

// Packets come twice, late and in another order, or not at all.
func TestDuplicateAndReorder(t *testing.T) {
	notShort(t)
	t.Parallel()
	for name, s := range map[string]script{"walk": {nodes: 4, steps: 100}, "gossip": {nodes: 4, steps: 40, gossip: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, relays := relayed(t, s, "udp", func() *relay { return &relay{double: 0.3, late: 0.3, lose: 0.05} })
			w.ends(w.startAll()...)
			w.used(relays)
			w.check()
		})
	}
}

// One node after the other cannot be reached for a while; nobody notices for
// sure, and nothing is lost.
func TestSilence(t *testing.T) {
	notShort(t)
	t.Parallel()
	for _, network := range []string{"tcp", "udp"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			w, relays := relayed(t, script{nodes: 4, steps: 600}, network, func() *relay { return &relay{} })
			running := w.startAll()
			w.reaches(0, 5)
			for _, r := range relays {
				r.cut.Store(true)
				time.Sleep(300 * time.Millisecond)
				r.cut.Store(false)
			}
			w.ends(running...)
			w.used(relays)
			w.check()
		})
	}
}
