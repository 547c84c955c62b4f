package node

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

const (
	queueLength = 8               // frames that wait for a link; frames beyond are dropped and repeated later
	drainTime   = 2 * time.Second // how long a node that stops waits for its last frames to leave
	lastWords   = 3 * time.Second // the same for one that cannot go on
)

// A packed message is a frame on its way to a link. A nil frame means that the neighbour is not ready for it.
type packed struct {
	link  *link
	frame []byte
}

// packAll packs the machine's messages. more is the number of entries that will be committed before they leave.
func (n *Node) packAll(msgs []step.Msg, more uint64) ([]packed, error) {
	all := make([]packed, 0, len(msgs))
	for _, m := range msgs {
		p, err := n.pack(n.link(m.To), wire.KindStep, m, more)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// sendAll sends frames and records their payloads as sent.
func (n *Node) sendAll(frames []packed, payloads []payload) {
	if len(frames) == 0 {
		return
	}
	for _, p := range payloads {
		n.covered.left(p)
		n.tally.payload(p.again)
	}
	for _, p := range frames {
		n.send(p)
		runtime.Gosched() // the link's goroutine writes it now, not when this one has nothing left to do
	}
	n.config.Failpoint(FailAfterSend)
}

// pack returns the frame of a message, or no frame if the neighbour is not ready for it.
func (n *Node) pack(l *link, kind wire.Kind, m step.Msg, more uint64) (packed, error) {
	if kind == wire.KindStep && !l.ready() {
		return packed{link: l}, nil
	}
	f := wire.Frame{Kind: kind, Incarnation: n.record.incarnation, Sequence: l.sequence, Epoch: m.Epoch, At: n.account(more).Position, Msg: m}
	frame, err := n.codec.Append(make([]byte, 0, wire.MaxOverhead+8*len(m.Body)), &f)
	if err != nil {
		return packed{}, fault.Wrap(err, "message that the machine wants sent", "the model has diverged: try a smaller step size, a stronger L2 or a radius")
	}
	l.sequence++
	return packed{l, frame}, nil
}

// send hands a frame to its link, or counts it as unsent if it is nil.
func (n *Node) send(p packed) {
	if p.frame == nil {
		n.tally.unsent.Add(1)
		return
	}
	n.enqueue(p.link, p.frame)
}

// enqueue queues a frame for the sender of a link. A frame without room is dropped and counted as unsent.
func (n *Node) enqueue(l *link, frame []byte) {
	select {
	case l.queue <- frame:
	default:
		n.tally.unsent.Add(1)
	}
}

// senders runs one goroutine per link, so that a slow neighbour delays no other.
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

// drain closes the queues and waits until all waiting frames have left, at most limit.
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

// end closes the queues.
func (s *senders) end() {
	if s.closed {
		return
	}
	s.closed = true
	for _, l := range s.links {
		close(l.queue)
	}
}

// stop waits for the goroutines. Their context must have ended.
func (s *senders) stop() {
	s.end()
	s.group.Wait()
}
