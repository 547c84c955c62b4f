package node

import (
	"context"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

const (
	queueLength = 8               // frames that wait for a link; what finds no room is repeated later
	drainTime   = 2 * time.Second // how long a node that stops waits for its last frames to leave
)

// sendAll sends the machine's messages.
func (n *Node) sendAll(payloads []payload) error {
	if len(n.out.Msgs) == 0 {
		return nil
	}
	for _, p := range payloads {
		n.covered.left(p)
		n.tally.payload(p.again)
	}
	for _, m := range n.out.Msgs {
		if err := n.send(n.link(m.To), wire.KindStep, m); err != nil {
			return err
		}
	}
	n.config.Failpoint(FailAfterSend)
	return nil
}

// send hands a message to a link, if the neighbour is ready for it.
func (n *Node) send(l *link, kind wire.Kind, m step.Msg) error {
	if kind == wire.KindStep && !l.ready() {
		n.tally.unsent.Add(1)
		return nil
	}
	f := wire.Frame{Kind: kind, Incarnation: n.record.incarnation, Sequence: l.sequence, Epoch: m.Epoch, Msg: m}
	frame, err := n.codec.Append(make([]byte, 0, wire.MaxOverhead+8*len(m.Body)), &f)
	if err != nil {
		return fault.Wrap(err, "message that the machine wants sent", "the model has diverged: try a smaller step size, a stronger L2 or a radius")
	}
	l.sequence++
	n.enqueue(l, frame)
	return nil
}

// enqueue gives a frame to the sender of a link, if there is room.
func (n *Node) enqueue(l *link, frame []byte) {
	select {
	case l.queue <- frame:
	default:
		n.tally.unsent.Add(1)
	}
}

// senders are one goroutine a link, so that a slow neighbour keeps nobody
// waiting.
type senders struct {
	group  sync.WaitGroup
	links  []*link
	closed bool
}

func (s *senders) start(ctx context.Context, t transport.Transport, links []*link, count *tally) {
	s.links = links
	for _, l := range links {
		s.group.Go(func() {
			for frame := range l.queue {
				if err := t.Send(ctx, l.id, frame); err != nil {
					count.unsent.Add(1)
					continue
				}
				count.framesOut.Add(1)
			}
		})
	}
}

// drain lets frames leave that wait, for so long.
func (s *senders) drain(limit time.Duration) {
	s.end()
	gone := make(chan struct{})
	go func() {
		s.group.Wait()
		close(gone)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-gone:
	case <-timer.C:
	}
}

// end takes no more frames.
func (s *senders) end() {
	if s.closed {
		return
	}
	s.closed = true
	for _, l := range s.links {
		close(l.queue)
	}
}

// stop waits for the goroutines, whose context has ended.
func (s *senders) stop() {
	s.end()
	s.group.Wait()
}
