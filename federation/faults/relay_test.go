package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"github.com/hearsay-dp/hearsay/federation"
)

// A relay stands at the address that a spec gives for a node, and passes on to
// where the node really listens what it does not spoil. A node that is reached over
// UDP is started once.
type relay struct {
	delay              time.Duration // of everything, each way
	random             *rand.Rand    // for the fates of packets; held by mu
	lose, double, late float64       // shares of packets (UDP only); late ones come 50 ms after
	cut                atomic.Bool   // what comes is thrown away (TCP: the connection hangs)
	bytes              atomic.Int64  // passed on

	folder atomic.Pointer[string] // of the node, which says where it listens
	mu     sync.Mutex
	done   chan struct{}
	all    sync.WaitGroup
	opened []interface{ Close() error }
}

// start listens, and returns the port.
func (r *relay) start(t testing.TB, network string, seed uint64) (port int) {
	t.Helper()
	r.done = make(chan struct{})
	r.random = rand.New(rand.NewPCG(seed, 3))
	t.Cleanup(r.stop)
	const at = "127.0.0.1:0"
	if network == "udp" {
		c, err := net.ListenPacket("udp4", at)
		if err != nil {
			t.Fatal(err)
		}
		r.keep(c)
		r.all.Go(func() { r.packets(c) })
		return c.LocalAddr().(*net.UDPAddr).Port
	}
	l, err := net.Listen("tcp4", at)
	if err != nil {
		t.Fatal(err)
	}
	r.keep(l)
	r.all.Go(func() { r.accept(l) })
	return l.Addr().(*net.TCPAddr).Port
}

// dial calls the node where it listens now.
func (r *relay) dial() (net.Conn, error) {
	listens, err := federation.Listening(*r.folder.Load())
	if err != nil || len(listens) == 0 {
		return nil, fmt.Errorf("the node does not listen: %w", err)
	}
	at, err := ma.NewMultiaddr(listens[0])
	if err != nil {
		return nil, err
	}
	if udp, _ := ma.SplitFunc(at, func(c ma.Component) bool { return c.Protocol().Code == ma.P_QUIC_V1 }); udp != nil {
		at = udp
	}
	network, address, err := manet.DialArgs(at)
	if err != nil {
		return nil, err
	}
	return net.Dial(network, address)
}

// keep remembers what stop closes.
func (r *relay) keep(c interface{ Close() error }) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened = append(r.opened, c)
	select {
	case <-r.done:
		c.Close()
	default:
	}
}

func (r *relay) stop() {
	r.mu.Lock()
	close(r.done)
	for _, c := range r.opened {
		c.Close()
	}
	r.mu.Unlock()
	r.all.Wait()
}

func (r *relay) accept(l net.Listener) {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		r.keep(from)
		to, err := r.dial()
		if err != nil {
			from.Close()
			continue
		}
		r.keep(to)
		r.all.Go(func() { r.pump(to, from) })
		r.all.Go(func() { r.pump(from, to) })
	}
}

// A parcel is bytes and when they are due.
type parcel struct {
	data []byte
	due  time.Time
}

// pump passes on what comes from one side to the other, late.
func (r *relay) pump(to, from net.Conn) {
	parcels := make(chan parcel, 1024)
	r.all.Go(func() {
		defer to.Close()
		for p := range parcels {
			r.wait(p.due)
			if _, err := to.Write(p.data); err != nil {
				from.Close()
				continue
			}
			r.bytes.Add(int64(len(p.data)))
		}
	})
	defer close(parcels)
	for {
		data := make([]byte, 16<<10)
		n, err := from.Read(data)
		for r.cut.Load() { // the bytes stay where they are
			if !r.wait(time.Now().Add(10 * time.Millisecond)) {
				return
			}
		}
		if n > 0 {
			parcels <- parcel{data[:n], time.Now().Add(r.delay)}
		}
		if err != nil {
			return
		}
	}
}

// wait waits until a time; it reports false if the relay is stopped before.
func (r *relay) wait(due time.Time) bool {
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.done:
		return false
	}
}

// packets passes on packets, with a socket of its own for each address that
// they come from.
func (r *relay) packets(c net.PacketConn) {
	sides := map[string]net.Conn{}
	for {
		data := make([]byte, 2048)
		n, from, err := c.ReadFrom(data)
		if err != nil {
			return
		}
		side := sides[from.String()]
		if side == nil {
			if side, err = r.dial(); err != nil {
				continue
			}
			r.keep(side)
			sides[from.String()] = side
			r.all.Go(func() { r.back(c, side, from) })
		}
		r.fate(func() { _, _ = side.Write(data[:n]) })
	}
}

// back passes on what a node answers to one address.
func (r *relay) back(c net.PacketConn, side net.Conn, to net.Addr) {
	for {
		data := make([]byte, 2048)
		n, err := side.Read(data)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil { // else the node is away
			r.fate(func() { _, _ = c.WriteTo(data[:n], to) })
		}
	}
}

// fate lets a packet pass once, twice, late or not at all.
func (r *relay) fate(pass func()) {
	r.mu.Lock()
	lost, double, late := r.random.Float64() < r.lose, r.random.Float64() < r.double, r.random.Float64() < r.late
	r.mu.Unlock()
	if lost || r.cut.Load() {
		return
	}
	r.bytes.Add(1)
	delay := r.delay
	if late {
		delay += 50 * time.Millisecond
	}
	time.AfterFunc(delay, pass)
	if double {
		time.AfterFunc(delay+5*time.Millisecond, pass)
	}
}
