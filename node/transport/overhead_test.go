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

// A hop of a model of 785 numbers and its acknowledgement take less than 5 %
// more bytes on a TCP connection than the numbers alone, with frames, lengths,
// multiplexing and encryption. (784 pixels and a constant: the usual small
// model.)
func TestBytesPerHop(t *testing.T) {
	const numbers, hops = 785, 200
	configs := libp2pConfigs(t, "/ip4/127.0.0.1/tcp/%d")[:2]
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
	overhead := each/(8*numbers) - 1
	t.Logf("%.0f bytes a hop, %.2f %% more than the model", each, 100*overhead)
	if overhead < 0 || overhead > 0.05 {
		t.Errorf("%.0f bytes a hop for %d numbers: overhead of %.2f %%", each, numbers, 100*overhead)
	}
	closed(t, nodes[1])
	<-done
	closed(t, nodes[0])
}
