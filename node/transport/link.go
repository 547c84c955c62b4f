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

// link is the state that the transport keeps of one neighbour.
type link struct {
	t         *Libp2p
	neighbour Neighbour
	peer      peer.ID
	woken     chan struct{} // a connection was opened: try again without a pause
	dialling  atomic.Pointer[context.CancelFunc]
	trouble   atomic.Pointer[string] // why the last attempt to open the link failed

	// Outbound. The writer holds turn. stream is nil while the link is down.
	turn   chan struct{}
	stream atomic.Pointer[outbound]
	writer frameWriter

	// Inbound. Only the latest stream is read.
	mu      sync.Mutex
	reading *inbound
	readers sync.WaitGroup
	over    bool // the transport closes: no more streams
}

// outbound is a stream for sending.
type outbound struct {
	network.Stream
	armed time.Time // the current write deadline; guarded by turn
}

// arm sets a write deadline between timeout/2 and timeout from now. It keeps one that fits, because setting a
// deadline costs about as much as a small write.
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

// wake signals that a connection is open: it ends dialling and pauses.
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

// prefer moves the link from a relay to direct connection c. It resets the relayed stream, and the next stream
// uses the direct connection.
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

// open connects if needed, and opens a stream.
func (l *link) open() (network.Stream, error) {
	ctx, cancel := context.WithTimeout(network.WithAllowLimitedConn(l.t.ctx, "frames"), l.t.config.DialTimeout)
	defer cancel()
	if err := l.connect(ctx); err != nil {
		return nil, err
	}
	return l.t.host.NewStream(ctx, l.peer, protocolID)
}

// errNoAddress says that the neighbour must dial, because it has no address.
var errNoAddress = errors.New("neighbour has no address")

// connect dials the neighbour, unless a connection exists or comes in meanwhile. It dials only addresses of the
// spec, not addresses that a peer claimed.
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

// connected reports whether there is a connection, from either side.
func (l *link) connected() bool {
	return l.t.host.Network().Connectedness(l.peer) != network.NotConnected
}

// watch makes the stream available to Send until it breaks. The neighbour must send nothing on it, so a read
// returns only when the stream ends.
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
		_ = s.Reset() // a frame may be incomplete, so the stream cannot be used again
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

// explain returns the reason of a failed write. If a peer accepts nothing for the whole write timeout its
// connection is closed, because it may be dead.
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
