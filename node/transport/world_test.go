package transport

import (
	"context"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/step"

	"go.uber.org/goleak"
)

// patience bounds how long a test waits for what must happen; it is reached
// only when it does not.
const patience = 2 * time.Minute

// The world of the contract: nodes 0, 1, 2 on a path, so that 0 and 2 are not
// neighbours.
const maxFrame = 64 << 10

func adjacent(a, b step.NodeID) bool { return min(a, b) >= 0 && (a-b == 1 || b-a == 1) }

// world makes the nodes' transports. A node that was closed can be opened
// again at the same place.
type world func(id step.NodeID) Transport

// worlds are all the implementations.
var worlds = map[string]func(t testing.TB) world{
	"memory": memoryWorld,
	"tcp":    func(t testing.TB) world { return libp2pWorld(t, "/ip4/127.0.0.1/tcp/%d") },
	"quic":   func(t testing.TB) world { return libp2pWorld(t, "/ip4/127.0.0.1/udp/%d/quic-v1") },
}

func memoryWorld(testing.TB) world {
	hub := NewHub(MemoryConfig{Neighbours: adjacent, MaxFrame: maxFrame, Queue: 8})
	return func(id step.NodeID) Transport { return hub.Open(id) }
}

// inEachWorld runs a test over all implementations and sees that nothing is
// left running.
func inEachWorld(t *testing.T, test func(t *testing.T, open world)) {
	for name, newWorld := range worlds {
		t.Run(name, func(t *testing.T) {
			ignore := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, ignore) })
			open := newWorld(t)
			test(t, func(id step.NodeID) Transport {
				n := open(id)
				t.Cleanup(func() { closed(t, n) })
				return n
			})
		})
	}
}

func closed(t testing.TB, n Transport) {
	if err := n.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func limited(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never happened: %s", what)
		}
	}
}

// linked waits until two nodes are connected both ways.
func linked(t testing.TB, a Transport, ida step.NodeID, b Transport, idb step.NodeID) {
	t.Helper()
	eventually(t, "link up", func() bool { return a.Connected(idb) && b.Connected(ida) })
}

// nextFrame is the next frame that n receives.
func nextFrame(t testing.TB, n Transport) Inbound {
	t.Helper()
	ctx := limited(t)
	for {
		in, err := n.Receive(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !in.Up {
			return in
		}
	}
}

func mustSend(t testing.TB, n Transport, to step.NodeID, frame []byte) {
	t.Helper()
	if err := n.Send(limited(t), to, frame); err != nil {
		t.Fatal(err)
	}
}
