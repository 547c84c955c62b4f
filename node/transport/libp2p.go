package transport

import (
	"context"
	"errors"
	"sync"

	"github.com/hearsay-dp/hearsay/step"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	ma "github.com/multiformats/go-multiaddr"
)

// protocolID is the protocol of the streams; docs/WIRE.md describes it.
const protocolID protocol.ID = "/hearsay/frames/1"

// Libp2p is a Transport over QUIC and TCP. Connections are encrypted and authenticated by TLS 1.3 or Noise with
// the nodes' ed25519 keys. Each neighbour has one stream for sending and one for receiving, each kept open.
type Libp2p struct {
	config Config
	host   host.Host
	links  map[step.NodeID]*link
	peers  map[peer.ID]*link
	inbox  chan Inbound
	spare  spares
	tally  tally

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	once   sync.Once
	closed error
}

// NewLibp2p listens and begins to open the links.
func NewLibp2p(c Config) (*Libp2p, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	t := &Libp2p{
		config: c, links: map[step.NodeID]*link{}, peers: map[peer.ID]*link{}, inbox: make(chan Inbound, c.Queue),
		spare: make(spares, maxSpares),
	}
	g := &gater{allowed: map[peer.ID]bool{}, strangers: &t.tally.strangers}
	for _, n := range c.Neighbours {
		l := newLink(t, n)
		t.links[n.ID], t.peers[l.peer], g.allowed[l.peer] = l, l, true
	}
	h, err := newHost(&c, g)
	if err != nil {
		return nil, err
	}
	t.host = h
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.begin()
	return t, nil
}

// begin sets the handlers and starts the goroutines.
func (t *Libp2p) begin() {
	t.host.SetStreamHandler(protocolID, t.accept)
	t.host.Network().Notify(&network.NotifyBundle{ConnectedF: func(_ network.Network, c network.Conn) {
		if l := t.peers[c.RemotePeer()]; l != nil {
			l.wake()
			l.prefer(c)
		}
	}})
	for _, l := range t.links {
		t.tasks.Go(l.run)
	}
	if h, ok := t.host.(*composed); ok && h.seen != nil {
		t.tasks.Go(func() { t.punch(h) })
	}
}

// accept takes the stream that a neighbour opened to send on.
func (t *Libp2p) accept(s network.Stream) {
	l := t.peers[s.Conn().RemotePeer()]
	if l == nil { // a relay
		t.tally.strangers.Add(1)
		_ = s.Reset()
		return
	}
	l.receive(s)
}

// Addrs returns the addresses that the node listens on.
func (t *Libp2p) Addrs() []ma.Multiaddr { return t.host.Network().ListenAddresses() }

// Send implements Transport.
func (t *Libp2p) Send(ctx context.Context, to step.NodeID, frame []byte) error {
	l := t.links[to]
	if l == nil {
		return errStranger(to)
	}
	if err := checkSize(frame, t.config.MaxFrame); err != nil {
		return err
	}
	return l.send(ctx, frame)
}

// Receive implements Transport.
func (t *Libp2p) Receive(ctx context.Context) (Inbound, error) {
	select {
	case <-t.ctx.Done():
		return Inbound{}, errClosed()
	default:
	}
	select {
	case in := <-t.inbox:
		return in, nil
	case <-ctx.Done():
		return Inbound{}, ctx.Err()
	case <-t.ctx.Done():
		return Inbound{}, errClosed()
	}
}

// put delivers an event to Receive. It returns false once the transport closes or stop is closed.
func (t *Libp2p) put(in Inbound, stop <-chan struct{}) bool {
	select {
	case t.inbox <- in:
		return true
	case <-stop:
		return false
	case <-t.ctx.Done():
		return false
	}
}

// Connected implements Transport.
func (t *Libp2p) Connected(to step.NodeID) bool {
	l := t.links[to]
	return l != nil && l.stream.Load() != nil
}

// Relayed reports whether the link to a neighbour goes through a relay.
func (t *Libp2p) Relayed(to step.NodeID) bool {
	l := t.links[to]
	if l == nil {
		return false
	}
	s := l.stream.Load()
	return s != nil && relayed(s.Conn())
}

// Counters implements Transport.
func (t *Libp2p) Counters() Counters { return t.tally.snapshot() }

// Close implements Transport.
func (t *Libp2p) Close() error {
	t.once.Do(func() {
		t.cancel()
		t.closed = errors.Join(t.host.Close(), t.host.Network().ResourceManager().Close())
		t.tasks.Wait()
		for _, l := range t.links {
			l.quiet()
		}
	})
	return t.closed
}
