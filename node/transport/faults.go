package transport

import (
	"context"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/step"
)

// Faults describes the faults of a Hub. The fate of the k-th frame from u to v depends only on the seed, u, v and
// k. The zero Faults has none.
type Faults struct {
	Seed      uint64
	Loss      float64       // probability that a frame is lost, 0..1
	Duplicate float64       // probability that a frame that is not lost arrives twice, 0..1
	Delay     time.Duration // largest random delay of a frame, which reorders frames; the number of frames under way is not bounded
}

// fate is the outcome of one frame.
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

// Cut breaks the link between a and b. Heal restores it.
func (h *Hub) Cut(a, b step.NodeID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cut[edge{a, b}], h.cut[edge{b, a}] = true, true
}

// Heal restores a link that Cut broke. Both nodes are told that the link is up.
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

// lateFrames holds the events on their way to a node, one goroutine each.
type lateFrames struct {
	mu     sync.Mutex
	closed bool
	onWay  sync.WaitGroup
}

// deliver puts in into m's inbox: at once if there is room, else later.
func (l *lateFrames) deliver(m *Memory, in Inbound) {
	select {
	case m.inbox <- in:
	default:
		l.after(m, 0, in)
	}
}

// after puts in into m's inbox after delay, unless m is closed before.
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

// wait waits until no event is on its way. m.done must be closed.
func (l *lateFrames) wait() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.onWay.Wait()
}
