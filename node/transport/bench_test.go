package transport

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// BenchmarkHop measures a hop: a message in a wire frame, decoded, and its
// acknowledgement. Over libp2p the same number of bytes is also echoed on a
// bare stream of the same connection, by the smallest program that can;
// "ratio" is a hop's time in units of that.
func BenchmarkHop(b *testing.B) {
	for _, name := range []string{"memory", "tcp", "quic"} {
		for _, size := range []int{1000, 100_000} {
			b.Run(fmt.Sprintf("%s/%dB", name, size), func(b *testing.B) { benchmarkHop(b, name, size/8) })
		}
	}
}

func benchmarkHop(b *testing.B, name string, numbers int) {
	nodes := benchNodes(b, name, 8*numbers+wire.MaxOverhead)
	linked(b, nodes[0], 0, nodes[1], 1)
	codec := wire.Codec{MaxParams: numbers}
	done := make(chan error, 1)
	go func() { done <- answer(nodes[1], codec) }()
	asker := newParty(nodes[0], codec, 0, 1)
	body := make([]float64, numbers)
	bare := bareEcho(b, nodes)
	hop := func() error {
		if err := asker.send(body); err != nil {
			return err
		}
		return asker.receive()
	}
	measure(b, hop, bare)
	closed(b, nodes[1])
	<-done
	closed(b, nodes[0])
}

// measure times b.N hops, in turns with as many bare echoes so that both meet
// the same load of the machine.
func measure(b *testing.B, hop, bare func() error) {
	rounds(b, 50, hop)
	var hops, echoes time.Duration
	b.ResetTimer()
	for left := b.N; left > 0; left -= 50 {
		n := min(50, left)
		hops += rounds(b, n, hop)
		if bare != nil {
			b.StopTimer()
			echoes += rounds(b, n, bare)
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(b.N)/hops.Seconds(), "hops/s")
	if bare != nil {
		b.ReportMetric(float64(b.N)/echoes.Seconds(), "bare/s")
		b.ReportMetric(hops.Seconds()/echoes.Seconds(), "ratio")
	}
}

// rounds is how long n calls take.
func rounds(b *testing.B, n int, call func() error) time.Duration {
	began := time.Now()
	for range n {
		if err := call(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began)
}

// benchNodes are nodes 0 and 1 of the path.
func benchNodes(b *testing.B, name string, most int) []Transport {
	if name == "memory" {
		hub := NewHub(MemoryConfig{Neighbours: adjacent, MaxFrame: most, Queue: 16})
		return []Transport{hub.Open(0), hub.Open(1)}
	}
	format := map[string]string{"tcp": "/ip4/127.0.0.1/tcp/%d", "quic": "/ip4/127.0.0.1/udp/%d/quic-v1"}[name]
	var nodes []Transport
	for _, c := range libp2pConfigs(b, format)[:2] {
		c.MaxFrame = most
		n, err := NewLibp2p(c)
		if err != nil {
			b.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// party is one side of a link with its buffers.
type party struct {
	node     Transport
	codec    wire.Codec
	out, in  wire.Frame
	guard    wire.Guard
	buffer   []byte
	from, to step.NodeID
}

func newParty(n Transport, c wire.Codec, from, to step.NodeID) *party {
	return &party{node: n, codec: c, out: wire.Frame{Kind: wire.KindStep}, from: from, to: to}
}

// send sends a message with this body.
func (p *party) send(body []float64) (err error) {
	p.out.Sequence++
	p.out.Msg = step.Msg{From: p.from, To: p.to, Turn: step.Turn(p.out.Sequence), Body: body}
	if p.buffer, err = p.codec.Append(p.buffer[:0], &p.out); err != nil {
		return err
	}
	return p.node.Send(context.Background(), p.to, p.buffer)
}

// receive takes the next message into p.in.
func (p *party) receive() error {
	for {
		in, err := p.node.Receive(context.Background())
		switch {
		case err != nil:
			return err
		case in.Up:
			continue
		}
		if err := p.codec.Decode(in.Frame, &p.in); err != nil {
			return err
		}
		in.Release()
		if err := wire.CheckLink(&p.in.Msg, in.From, p.from); err != nil {
			return err
		}
		return p.guard.Admit(p.in.Incarnation, p.in.Sequence)
	}
}

// answer acknowledges every message until the node is closed.
func answer(n Transport, c wire.Codec) error {
	p := newParty(n, c, 1, 0)
	for {
		if err := p.receive(); err != nil {
			return err
		}
		if err := p.send(nil); err != nil {
			return err
		}
	}
}

const bareID protocol.ID = "/bare/1"

// ackSize is the size of an acknowledgement's frame late in a run, with its length.
const ackSize = 54

// bareEcho sends as many bytes on a stream beside the transport's and waits for
// an answer of the size of an acknowledgement. Nil without libp2p.
func bareEcho(b *testing.B, nodes []Transport) func() error {
	client, ok := nodes[0].(*Libp2p)
	if !ok {
		return nil
	}
	server := nodes[1].(*Libp2p)
	size := client.config.MaxFrame - wire.MaxOverhead
	server.host.SetStreamHandler(bareID, func(s network.Stream) {
		buffer := make([]byte, size)
		for {
			if _, err := io.ReadFull(s, buffer); err != nil {
				return
			}
			if _, err := s.Write(buffer[:ackSize]); err != nil {
				return
			}
		}
	})
	s, err := client.host.NewStream(context.Background(), server.host.ID(), bareID)
	if err != nil {
		b.Fatal(err)
	}
	buffer := make([]byte, size)
	return func() error {
		if _, err := s.Write(buffer); err != nil {
			return err
		}
		_, err := io.ReadFull(s, buffer[:ackSize])
		return err
	}
}
