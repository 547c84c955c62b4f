package transport

import (
	"context"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// Faults says what a Hub does to frames. What happens to the k-th frame from u
// to v depends on the seed, u, v and k only. The zero Faults do nothing.
type Faults struct {
	Seed      uint64
	Loss      float64       // probability that a frame is lost, 0..1
	Duplicate float64       // probability that a frame that is not lost arrives twice, 0..1
	Delay     time.Duration // frames arrive up to so much later, hence in another order; those under way are not bounded
}

// fate is what happens to one frame.
type fate struct {
	copies int
	delay  time.Duration
}

func (f Faults) draw(e edge, frame step.Turn) fate {
	if f == (Faults{Seed: f.Seed}) {
		return fate{copies: 1}
	}
	var s step.Stream
	random := s.At(f.Seed^uint64(uint32(e.to))<<32, e.from, frame, 0, step.Network)
	drawn := fate{copies: 1}
	if random.Float64() < f.Loss {
		return fate{}
	}
	if random.Float64() < f.Duplicate {
		drawn.copies = 2
	}
	if f.Delay > 0 {
		drawn.delay = time.Duration(random.Int64N(int64(f.Delay)))
	}
	return drawn
}

// Cut breaks the link between a and b, Heal mends it.
func (h *Hub) Cut(a, b step.NodeID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cut[edge{a, b}], h.cut[edge{b, a}] = true, true
}

// Heal mends a link that Cut broke; both nodes are told that it is up.
func (h *Hub) Heal(a, b step.NodeID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.cut[edge{a, b}] {
		return
	}
	delete(h.cut, edge{a, b})
	delete(h.cut, edge{b, a})
	if h.reachable(a, b) {
		h.open[a].up(b)
		h.open[b].up(a)
	}
}

// lateFrames are the events on their way to a node, one goroutine each.
type lateFrames struct {
	mu     sync.Mutex
	closed bool
	onWay  sync.WaitGroup
}

// deliver puts in into m's inbox, now if there is room.
func (l *lateFrames) deliver(m *Memory, in Inbound) {
	select {
	case m.inbox <- in:
	default:
		l.after(m, 0, in)
	}
}

// after puts in into m's inbox once delay is over, unless m is closed before.
func (l *lateFrames) after(m *Memory, delay time.Duration, in Inbound) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.onWay.Go(func() {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
			_ = m.put(context.Background(), nil, in) // the node was closed: the frame is lost
		case <-m.done:
		}
	})
}

// wait ends when nothing is on its way any more; m.done is closed.
func (l *lateFrames) wait() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.onWay.Wait()
}
