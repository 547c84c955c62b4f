package node

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// A liar is the transport of a participant that takes part, with its own key,
// and says what it likes beside: forged messages before every true one. All
// frames get sequence numbers that the receiver takes.
type liar struct {
	transport.Transport
	t     testing.TB
	codec wire.Codec
	forge func(honest wire.Frame) []step.Msg

	mu       sync.Mutex
	sequence map[step.NodeID]uint64
}

func (l *liar) Send(ctx context.Context, to step.NodeID, frame []byte) error {
	var f wire.Frame
	if kind, err := wire.Peek(frame); err != nil || kind == wire.KindHello || l.codec.Decode(frame, &f) != nil {
		return l.Transport.Send(ctx, to, frame)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.Kind == wire.KindStep {
		for _, m := range l.forge(f) {
			m.From, m.To = f.Msg.From, to
			lie := wire.Frame{Kind: wire.KindStep, Incarnation: f.Incarnation, Epoch: m.Epoch, At: f.At, Msg: m}
			if err := l.number(ctx, to, lie); err != nil {
				return err
			}
		}
	}
	return l.number(ctx, to, f)
}

// number sends a frame under the next number.
func (l *liar) number(ctx context.Context, to step.NodeID, f wire.Frame) error {
	f.Sequence = l.sequence[to]
	l.sequence[to]++
	frame, err := l.codec.Append(nil, &f)
	if err != nil {
		l.t.Error(err)
		return err
	}
	return l.Transport.Send(ctx, to, frame)
}

// lies makes a participant of w a liar.
func (w *world) lies(who step.NodeID, forge func(wire.Frame) []step.Msg) {
	w.edit = func(v step.NodeID, c *Config) {
		if s, ok := c.Transport.(*sniffer); ok && v == who {
			s.Transport = &liar{
				Transport: s.Transport, t: w.t, codec: wire.Codec{Federation: wire.FederationOf(spec), MaxParams: w.params},
				forge: forge, sequence: map[step.NodeID]uint64{},
			}
		}
	}
}

func of(x float64, n int) []float64 {
	body := make([]float64, n)
	for i := range body {
		body[i] = x
	}
	return body
}

// A participant of a walk that says everything that cannot be changes nothing:
// forged epochs under wait, ends that the walk cannot come to, tokens of turns
// that are none, answers to what was not asked. The others end with the model
// that they would have had, and their ledgers hold what they would have held.
func TestLiesThatCannotBeChangeNoWalk(t *testing.T) {
	f := walkOf(t, 5, 4, 40)
	w := newWorld(t, f, transport.Faults{})
	w.lies(2, func(wire.Frame) (lies []step.Msg) {
		for _, epoch := range []uint64{1, 5, 7, 1 << 40, maxEpoch, math.MaxUint64} {
			lies = append(lies,
				step.Msg{Kind: walk.Token, Turn: 1, Epoch: epoch, Body: of(0.1, f.params)},
				step.Msg{Kind: walk.End, Turn: f.turns, Epoch: epoch, Body: of(0.1, f.params)})
		}
		for _, x := range []float64{666, -1e300, math.MaxFloat64} {
			lies = append(lies, step.Msg{Kind: walk.End, Turn: f.turns, Body: of(x, f.params)})
		}
		for _, turn := range []step.Turn{0, f.turns, f.turns + 1, math.MaxInt64} {
			lies = append(lies, step.Msg{Kind: walk.Token, Turn: turn, Body: of(0.1, f.params)})
		}
		for kind := range step.Kind(9) {
			lies = append(lies, step.Msg{Kind: kind, Turn: f.turns - 1}, step.Msg{Kind: kind, Turn: f.turns - 1, Epoch: 3})
		}
		return lies
	})
	w.run()
	w.check()
}

// The same for gossip. A participant's own values are its own affair; of what it
// says of epochs, turns and others, nothing counts.
func TestLiesThatCannotBeChangeNoGossip(t *testing.T) {
	f := gossipOf(t, 5, 4, 4)
	w := newWorld(t, f, transport.Faults{})
	w.lies(2, func(honest wire.Frame) (lies []step.Msg) {
		for _, epoch := range []uint64{1, 1 << 40, math.MaxUint64} {
			lies = append(lies, step.Msg{Kind: gossip.Value, Turn: honest.Msg.Turn, Epoch: epoch, Body: of(5, f.params)})
		}
		for _, turn := range []step.Turn{f.turns, math.MaxInt64} {
			lies = append(lies, step.Msg{Kind: gossip.Value, Turn: turn, Body: of(5, f.params)}, step.Msg{Kind: gossip.Ack, Turn: turn})
		}
		for kind := range step.Kind(9) {
			lies = append(lies, step.Msg{Kind: kind, Turn: f.turns})
		}
		return lies
	})
	w.run()
	w.check()
}
