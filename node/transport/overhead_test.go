package transport

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/hearsay-dp/hearsay/node/wire"

	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// counting forwards TCP connections to target and counts what passes, both
// ways.
func counting(t *testing.T, target ma.Multiaddr, passed *atomic.Int64) ma.Multiaddr {
	to, err := manet.ToNetAddr(target)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to.String())
			if err != nil {
				near.Close()
				continue
			}
			go forward(far, near, passed)
			go forward(near, far, passed)
		}
	}()
	here, err := manet.FromNetAddr(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return here
}

// forward copies until either side ends.
func forward(to, from net.Conn, passed *atomic.Int64) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		passed.Add(int64(n))
		if _, werr := to.Write(buffer[:n]); err != nil || werr != nil {
			return
		}
	}
}

// bytesPerHop is what a hop of a model of so many numbers and its acknowledgement
// take on a TCP connection, mean of some hops past its start.
func bytesPerHop(t *testing.T, numbers int) float64 {
	const hops = 200
	configs := libp2pConfigs(t, "/ip4/127.0.0.1/tcp/%d")[:2]
	for i := range configs {
		configs[i].MaxFrame = wire.MaxOverhead + 8*numbers
	}
	var passed atomic.Int64
	configs[0].Neighbours[0].Addrs = []ma.Multiaddr{counting(t, configs[1].Listen[0], &passed)}
	configs[1].Neighbours[0].Addrs = nil // node 0 dials
	var nodes []Transport
	for _, c := range configs {
		n, err := NewLibp2p(c)
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	linked(t, nodes[0], 0, nodes[1], 1)
	codec := wire.Codec{MaxParams: numbers}
	done := make(chan error, 1)
	go func() { done <- answer(nodes[1], codec) }()
	asker := newParty(nodes[0], codec, 0, 1)
	asker.out.Sequence = 1 << 20 // late in a run, turns and sequences take three bytes
	hop := func() {
		if err := asker.send(make([]float64, numbers)); err != nil {
			t.Fatal(err)
		}
		if err := asker.receive(); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 { // past the start of the connection
		hop()
	}
	before := passed.Load()
	for range hops {
		hop()
	}
	each := float64(passed.Load()-before) / hops
	closed(t, nodes[1])
	<-done
	closed(t, nodes[0])
	return each
}

// What a hop and its acknowledgement take beside the numbers is as docs/WIRE.md
// says: at most 180 bytes, a TLS record more for every 16 KiB, and what the
// multiplexer says of its window, which it does more often on a slow machine:
// at most every 64 KiB. Frames, lengths and encryption are counted.
func TestBytesPerHop(t *testing.T) {
	for _, numbers := range []int{1, 100, 450, 785, 5000} { // 785: 784 pixels and a constant
		each := bytesPerHop(t, numbers)
		more := each - float64(8*numbers)
		t.Logf("%d numbers: %.1f bytes a hop, %.1f more than the model, %.2f %%", numbers, each, more, 100*more/float64(8*numbers))
		if most := 180 + float64(30*(8*numbers/(16<<10))) + 40*float64(8*numbers)/(64<<10); more < 0 || more > most {
			t.Errorf("%d numbers: %.1f bytes a hop more than the model, at most %g were to be", numbers, more, most)
		}
	}
}
