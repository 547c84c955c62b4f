package faults

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// huge is a frame of 100 MB that is announced, and as much of it as is taken.
func (c *caller) huge(w *world, i int) {
	s, err := c.call(w, i)
	if err != nil {
		return // told to leave meanwhile
	}
	defer s.Reset()
	_ = s.SetDeadline(time.Now().Add(5 * time.Second))
	data := binary.AppendUvarint(nil, 100<<20)
	for range 100 {
		if _, err := s.Write(data); err != nil {
			return
		}
		data = make([]byte, 1<<20)
	}
	w.t.Errorf("%s took a frame of 100 MB", w.names[i])
}

// A hostile neighbour, who has the last node's key, says everything that can be
// said wrongly; each is refused, counted, and costs no memory. Then the last
// node takes part, the other one goes on for a while, and the run ends.
func TestHostileNeighbour(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, script{nodes: 4, steps: 300})
	running, last := w.allBut()
	twin := newCaller(t, w.keys[last], 0)
	for _, i := range []int{0, last - 1} {
		counted := func(name string, data []byte) {
			t.Helper()
			before := w.metric(i, name)
			twin.say(w, i, data)
			w.until(name+" counts", func() bool { return w.metric(i, name) > before })
		}
		noise := make([]byte, 200)
		_, _ = rand.Read(noise) // it never fails
		const refused = "hearsay_frames_refused_total"
		counted(refused, framed(noise))
		counted(refused, framed(make([]byte, 40)))
		counted(refused, framed(w.hello(i+1, 1)))                      // not for this node
		counted(refused, framed(w.payload(i, 1)))                      // before a hello
		counted("hearsay_streams_malformed_total", make([]byte, 1000)) // lengths of 0
		counted("hearsay_streams_truncated_total", framed(noise)[:100])
		counted("hearsay_streams_oversize_total", binary.AppendUvarint(nil, 100<<20))
		for range 10 {
			twin.huge(w, i)
		}
	}
	w.waits()
	running = append(running, w.start(last))
	w.reaches(0, 1)
	for range 5 {
		for _, i := range []int{0, last - 1} {
			twin.huge(w, i)
		}
	}
	if err := twin.Close(); err != nil {
		t.Error(err)
	}
	w.ends(running...)
	w.check()
}

// payload is a token for node i from the last node.
func (w *world) payload(i, incarnation int) []byte {
	f := w.open(i)
	codec := wire.Codec{Federation: wire.FederationOf(f.Hash), MaxParams: f.Params()}
	frame, err := codec.Append(nil, &wire.Frame{Kind: wire.KindStep, Incarnation: uint64(incarnation), Msg: step.Msg{
		Kind: 1, From: step.NodeID(len(w.names) - 1), To: step.NodeID(i), Turn: 1, Body: make([]float64, f.Params()),
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	return frame
}

// A frame that is begun and not finished ends its stream after 30 s.
func TestSlowNeighbour(t *testing.T) {
	onlyHeavy(t)
	t.Parallel()
	w := newWorld(t, small)
	running, last := w.allBut()
	twin := newCaller(t, w.keys[last], 0)
	s, err := twin.call(w, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range framed(make([]byte, 100)) {
		if _, err := s.Write([]byte{b}); err != nil {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	if got := w.metric(0, "hearsay_streams_slow_total"); got != 1 {
		t.Errorf("%g slow streams are counted", got)
	}
	if err := twin.Close(); err != nil {
		t.Error(err)
	}
	w.ends(append(running, w.start(last))...)
	w.check()
}

// A mob is strangers who do not leave until stop is called. Every node meets n
// connections that send a handshake byte by byte, one that sends garbage, and
// two that begin handshakes as fast as they can.
type mob struct {
	*world
	ctx   context.Context
	stop  func()
	all   sync.WaitGroup
	calls atomic.Int64
}

func (w *world) mob(n int) *mob {
	m := &mob{world: w}
	ctx, cancel := context.WithCancel(context.Background())
	m.ctx, m.stop = ctx, func() {
		cancel()
		m.all.Wait()
	}
	w.t.Cleanup(m.stop)
	garbage := make([]byte, 64<<10)
	_, _ = rand.Read(garbage) // it never fails
	for i := range w.names {
		for range n {
			m.again(func() { drip(m.ctx, fmt.Sprintf("127.0.0.1:%d", m.ports[i].Number)) })
		}
		m.again(func() { m.send(i, garbage) })
		for range 2 {
			m.again(m.knocking(i))
		}
	}
	return m
}

// again calls until the mob leaves.
func (m *mob) again(call func()) {
	m.all.Go(func() {
		for m.ctx.Err() == nil {
			call()
			m.calls.Add(1)
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// knocking begins a handshake of a stranger with node i.
func (m *mob) knocking(i int) func() {
	stranger := newCaller(m.t, newKey(m.t), 0)
	return func() {
		if s, err := stranger.call(m.world, i); err == nil {
			stranger.listen(s)
		}
		_ = stranger.Network().ClosePeer(m.keys[i].Peer().ID())
	}
}

// opening is how a handshake begins that never ends: the choice of TLS, and a
// record of 16 KiB.
var opening = append([]byte("\x13/multistream/1.0.0\n\x0b/tls/1.0.0\n\x16\x03\x01\x40\x00"), make([]byte, 16<<10)...)

// drip sends a byte of the opening to an address now and then, until it is told
// to leave.
func drip(ctx context.Context, address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer c.Close()
	for _, b := range opening {
		if _, err := c.Write([]byte{b}); err != nil || ctx.Err() != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// dripTargets is the environment variable that makes this program nothing but
// drip to the addresses that it lists.
const dripTargets = "HEARSAY_DRIP"

// dripAll keeps up n slow connections to each address until ctx ends.
func dripAll(ctx context.Context, addresses []string, n int) {
	var all sync.WaitGroup
	for _, address := range addresses {
		for range n {
			all.Go(func() {
				for ctx.Err() == nil {
					drip(ctx, address)
					time.Sleep(10 * time.Millisecond)
				}
			})
		}
	}
	all.Wait()
}

// send sends data to node i until it is told to leave.
func (m *mob) send(i int, data []byte) {
	c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", m.ports[i].Number), time.Second)
	if err != nil {
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	for err == nil {
		_, err = c.Write(data)
	}
}

// Slow connections, garbage and a flood of handshakes at every node, from before
// the start to the end, keep nobody from training.
func TestMob(t *testing.T) {
	notShort(t)
	t.Parallel()
	w := newWorld(t, script{nodes: 4, steps: 300})
	n := 20
	if *heavy {
		n = 60
	}
	m := w.mob(n)
	running, last := w.allBut()
	for i := range running {
		w.until("many strangers are counted", func() bool { return w.metric(i, "hearsay_strangers_total") >= 10 })
	}
	w.ends(append(running, w.start(last))...)
	m.stop()
	t.Logf("%d calls", m.calls.Load())
	w.check()
}
