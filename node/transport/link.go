package transport

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hearsay-dp/hearsay/fault"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	ma "github.com/multiformats/go-multiaddr"
)

// link is what the transport has for one neighbour.
type link struct {
	t         *Libp2p
	neighbour Neighbour
	peer      peer.ID
	woken     chan struct{} // a connection came: do not wait before trying again
	dialling  atomic.Pointer[context.CancelFunc]
	trouble   atomic.Pointer[string] // why the link could not be opened last

	// Outbound. turn is held by who writes; stream is nil while the link is
	// down.
	turn   chan struct{}
	stream atomic.Pointer[outbound]
	writer frameWriter

	// Inbound: one stream is read at a time, the one that came last.
	mu      sync.Mutex
	reading *inbound
	readers sync.WaitGroup
	over    bool // the transport closes: no more streams
}

// outbound is a stream to send on.
type outbound struct {
	network.Stream
	armed time.Time // the write deadline that is set; for who holds turn
}

// arm sees that a write ends within timeout, and after half of it at the
// earliest: setting a deadline costs about as much as a small write.
func (o *outbound) arm(now time.Time, timeout time.Duration) error {
	if o.armed.Sub(now) > timeout/2 {
		return nil
	}
	o.armed = now.Add(timeout)
	return o.SetWriteDeadline(o.armed)
}

func newLink(t *Libp2p, n Neighbour) *link {
	return &link{t: t, neighbour: n, peer: n.Peer.ID(), woken: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
}

// wake says that a connection is there: no more dialling, no pause.
func (l *link) wake() {
	if cancel := l.dialling.Load(); cancel != nil {
		(*cancel)()
	}
	select {
	case l.woken <- struct{}{}:
	default:
	}
}

// relayed reports whether a connection goes through a relay.
func relayed(c network.Conn) bool {
	_, err := c.RemoteMultiaddr().ValueForProtocol(ma.P_CIRCUIT)
	return err == nil
}

// prefer moves the link from a relay to a connection that needs none: its stream ends,
// and the next one takes the direct way.
func (l *link) prefer(c network.Conn) {
	if s := l.stream.Load(); s != nil && relayed(s.Conn()) && !relayed(c) {
		_ = s.Reset()
	}
}

// run keeps a stream open until the transport closes.
func (l *link) run() {
	pauses := newBackoff(l)
	for l.t.ctx.Err() == nil {
		s, err := l.open()
		if words := trouble(err); words != "" || err == nil {
			l.trouble.Store(&words)
		}
		if err == nil {
			began := time.Now()
			l.watch(s)
			pauses.lasted(time.Since(began))
		} else if l.t.ctx.Err() == nil && !errors.Is(err, errNoAddress) {
			l.t.tally.dialFailures.Add(1)
		}
		if !pauses.wait() {
			return
		}
	}
}

// open connects, if need be, and opens a stream.
func (l *link) open() (network.Stream, error) {
	ctx, cancel := context.WithTimeout(network.WithAllowLimitedConn(l.t.ctx, "frames"), l.t.config.DialTimeout)
	defer cancel()
	if err := l.connect(ctx); err != nil {
		return nil, err
	}
	return l.t.host.NewStream(ctx, l.peer, protocolID)
}

// errNoAddress: it is the neighbour that dials.
var errNoAddress = errors.New("neighbour has no address")

// connect dials the neighbour, unless there is a connection or one comes in
// meanwhile. Only addresses of the spec are dialled, not what a peer once
// claimed.
func (l *link) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.dialling.Store(&cancel)
	defer l.dialling.Store(nil)
	h := l.t.host
	switch {
	case l.connected():
		return nil
	case len(l.neighbour.Addrs) == 0:
		return errNoAddress
	}
	if sw, ok := h.Network().(*swarm.Swarm); ok {
		sw.Backoff().Clear(l.peer)
	}
	h.Peerstore().ClearAddrs(l.peer)
	h.Peerstore().AddAddrs(l.peer, l.neighbour.Addrs, peerstore.TempAddrTTL)
	if err := h.Connect(ctx, peer.AddrInfo{ID: l.peer}); err != nil && !l.connected() {
		return err
	}
	return nil
}

// connected reports whether there is a connection, whoever dialled.
func (l *link) connected() bool {
	return l.t.host.Network().Connectedness(l.peer) != network.NotConnected
}

// watch lets Send use the stream until it breaks. Nothing is ever received on
// it: a read ends when the stream does.
func (l *link) watch(s network.Stream) {
	l.stream.Store(&outbound{Stream: s})
	l.t.tally.ups.Add(1)
	l.t.put(Inbound{From: l.neighbour.ID, Up: true}, nil)
	var b [1]byte
	if n, _ := s.Read(b[:]); n > 0 {
		l.t.tally.malformed.Add(1)
	}
	l.stream.Store(nil)
	_ = s.Reset()
}

// send writes one frame.
func (l *link) send(ctx context.Context, frame []byte) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.t.ctx.Done():
		return errClosed()
	}
	defer func() { <-l.turn }()
	s := l.stream.Load()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case l.t.ctx.Err() != nil:
		return errClosed()
	case s == nil:
		return errDown(l.neighbour.ID)
	}
	if err := l.write(ctx, s, frame); err != nil {
		_ = s.Reset() // a frame begun and not ended: the stream is of no more use
		l.stream.CompareAndSwap(s, nil)
		return l.explain(ctx, s, err)
	}
	l.t.tally.out(frame)
	return nil
}

// write writes a frame within ctx and the write timeout.
func (l *link) write(ctx context.Context, s *outbound, frame []byte) error {
	if err := s.arm(time.Now(), l.t.config.WriteTimeout); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return l.writer.write(s, frame)
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Reset() })
	err := l.writer.write(s, frame)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	return err
}

// explain says why a write failed. A peer that takes nothing for the whole
// write timeout loses its connection, which may be a dead one.
func (l *link) explain(ctx context.Context, s *outbound, err error) error {
	switch {
	case l.t.ctx.Err() != nil:
		return errClosed()
	case ctx.Err() != nil:
		return ctx.Err()
	case isTimeout(err):
		l.t.tally.sendTimeouts.Add(1)
		_ = s.Conn().Close()
	}
	return fault.Wrap(ErrDown, fmt.Sprintf("frame to node %d (%v)", l.neighbour.ID, err),
		"the link is taken up again; see the neighbour's log if this goes on")
}
