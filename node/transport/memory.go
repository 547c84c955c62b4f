package transport

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/hearsay-dp/hearsay/step"
)

// Hub connects the nodes of one process. It is the network of tests, with the guarantees of libp2p and with faults
// on demand.
type Hub struct {
	config MemoryConfig
	spare  spares

	mu   sync.Mutex
	open map[step.NodeID]*Memory
	cut  map[edge]bool
	sent map[edge]step.Turn // frames so far, the position in the fault stream
}

// MemoryConfig describes the network of a Hub.
type MemoryConfig struct {
	Neighbours func(a, b step.NodeID) bool // symmetric; who may connect
	MaxFrame   int                         // bytes
	Queue      int                         // capacity for waiting events of a node; senders wait beyond it; at least 1
	Faults     Faults
}

type edge struct{ from, to step.NodeID }

// NewHub returns a network without nodes. It panics if a required field of c is missing.
func NewHub(c MemoryConfig) *Hub {
	if c.Neighbours == nil || c.MaxFrame < 1 || c.Queue < 1 {
		panic("transport: a Hub needs Neighbours, MaxFrame and Queue")
	}
	return &Hub{
		config: c, spare: make(spares, maxSpares),
		open: map[step.NodeID]*Memory{}, cut: map[edge]bool{}, sent: map[edge]step.Turn{},
	}
}

// Memory is one node's Transport in a Hub.
type Memory struct {
	hub   *Hub
	id    step.NodeID
	inbox chan Inbound
	done  chan struct{}
	once  sync.Once
	tally tally
	late  lateFrames
}

// Open creates the transport of a node, and opens its links to the neighbours that are open. A node that was
// closed may be opened again. Open panics if the node is open.
func (h *Hub) Open(id step.NodeID) *Memory {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[id] != nil {
		panic("transport: node is open already")
	}
	m := &Memory{hub: h, id: id, inbox: make(chan Inbound, h.config.Queue), done: make(chan struct{})}
	h.open[id] = m
	for _, other := range slices.Sorted(maps.Keys(h.open)) {
		if h.reachable(id, other) {
			m.up(other)
			h.open[other].up(id)
		}
	}
	return m
}

// reachable reports whether the link between a and b is up. The caller must hold h.mu.
func (h *Hub) reachable(a, b step.NodeID) bool {
	return a != b && h.config.Neighbours(a, b) && h.open[a] != nil && h.open[b] != nil && !h.cut[edge{a, b}]
}

// up tells the node, without waiting, that a link is open. If the queue is full, a goroutine delivers the event
// later.
func (m *Memory) up(peer step.NodeID) {
	m.tally.ups.Add(1)
	m.late.deliver(m, Inbound{From: peer, Up: true})
}

// Send implements Transport.
func (m *Memory) Send(ctx context.Context, to step.NodeID, frame []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if to == m.id || !m.hub.config.Neighbours(m.id, to) {
		return errStranger(to)
	}
	if err := checkSize(frame, m.hub.config.MaxFrame); err != nil {
		return err
	}
	peer, fate, err := m.hub.route(m, to)
	if err != nil {
		return err
	}
	m.tally.out(frame)
	return m.carry(ctx, peer, fate, frame)
}

// route returns the peer and draws the fate of the frame.
func (h *Hub) route(m *Memory, to step.NodeID) (*Memory, fate, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[m.id] != m {
		return nil, fate{}, errClosed()
	}
	if !h.reachable(m.id, to) {
		return nil, fate{}, errDown(to)
	}
	e := edge{m.id, to}
	turn := h.sent[e]
	h.sent[e]++
	return h.open[to], h.config.Faults.draw(e, turn), nil
}

// carry delivers the copies of a frame to the peer, now or later.
func (m *Memory) carry(ctx context.Context, peer *Memory, f fate, frame []byte) error {
	if f.copies == 0 {
		m.tally.lost.Add(1)
	}
	for range f.copies {
		in := Inbound{From: m.id, Frame: m.hub.spare.get(len(frame)), spare: m.hub.spare}
		copy(in.Frame, frame)
		if f.delay > 0 {
			peer.late.after(peer, f.delay, in)
			continue
		}
		if err := peer.put(ctx, m.done, in); err != nil {
			return err
		}
	}
	return nil
}

// put waits for room in the inbox and puts in there.
func (m *Memory) put(ctx context.Context, senderDone <-chan struct{}, in Inbound) error {
	select {
	case m.inbox <- in:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-senderDone:
		return errClosed()
	case <-m.done:
		return errDown(m.id)
	}
}

// Receive implements Transport.
func (m *Memory) Receive(ctx context.Context) (Inbound, error) {
	select {
	case <-m.done:
		return Inbound{}, errClosed()
	default:
	}
	select {
	case in := <-m.inbox:
		if !in.Up {
			m.tally.in(in.Frame)
		}
		return in, nil
	case <-ctx.Done():
		return Inbound{}, ctx.Err()
	case <-m.done:
		return Inbound{}, errClosed()
	}
}

// Connected implements Transport.
func (m *Memory) Connected(to step.NodeID) bool {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	return m.hub.open[m.id] == m && m.hub.reachable(m.id, to)
}

// Counters implements Transport.
func (m *Memory) Counters() Counters { return m.tally.snapshot() }

// Close implements Transport.
func (m *Memory) Close() error {
	m.once.Do(func() {
		m.hub.mu.Lock()
		delete(m.hub.open, m.id)
		m.hub.mu.Unlock()
		close(m.done)
	})
	m.late.wait()
	return nil
}
