package node

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// started runs node 0 of a world until stop is called, which returns what Run
// did. peers are its neighbours, who have agreed.
func (w *world) started(incarnation uint64, edit func(*Config)) (n *Node, stop func() error) {
	w.t.Helper()
	c, err := w.config(0)
	if err != nil {
		w.t.Fatal(err)
	}
	edit(&c)
	if n, err = New(c); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	return n, func() error {
		cancel()
		return <-done
	}
}

// confirm says hello and confirms node 0's of one of its starts.
func (p *peer) confirm(mine, its uint64) {
	p.t.Helper()
	p.hello(mine)
	m := p.confirms(p.heardHello(its))
	p.send(p.frame(wire.Frame{Kind: wire.KindNode, Incarnation: mine, Epoch: m.Epoch, Msg: m}))
}

// Neighbours that send the largest numbers there are do not stop accelerated
// gossip: not at once, and not at the next start.
func TestHugeValuesDoNotStopGossip(t *testing.T) {
	f := gossipOf(t, 3, 3, 4)
	w := newWorld(t, f, transport.Faults{})
	peers := []*peer{w.peer(1), w.peer(2)}
	turn := step.Turn(0)
	for start := range uint64(2) { // each takes half of the turns
		n, stop := w.started(start+1, func(*Config) {})
		for _, p := range peers {
			p.confirm(start+1, start+1)
		}
		eventually(t, "the machine runs", func() bool {
			s := n.Status()
			return s.State == Running && s.Neighbours[0].Agreed && s.Neighbours[1].Agreed
		})
		for sequence := uint64(1); turn < f.turns*step.Turn(start+1)/2; sequence++ {
			for _, p := range peers {
				p.send(p.frame(wire.Frame{
					Kind: wire.KindStep, Incarnation: start + 1, Sequence: sequence,
					Msg: step.Msg{Kind: gossip.Value, From: p.id, To: 0, Turn: turn, Body: []float64{math.MaxFloat64, -math.MaxFloat64, 0, 1.79e308}},
				}))
			}
			turn++
			eventually(t, "the turn is taken", func() bool { return n.Status().Turn == turn || n.Status().State == Stopped })
		}
		if s := n.Status(); s.Error != "" || s.State == Stopped {
			t.Fatalf("start %d: %+v", start+1, s)
		}
		if err := stop(); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// poisoned is a machine that wants to send what no frame can carry once it has
// heard a message.
type poisoned struct {
	step.Durable
	on bool
}

func (p *poisoned) Step(m step.Msg, out *step.Out) {
	p.Durable.Step(m, out)
	for _, m := range out.Msgs {
		if p.on && len(m.Body) > 0 {
			m.Body[0] = math.NaN()
		}
	}
}

// A step whose messages cannot be encoded stops the node before it is committed:
// the next start is as if it had not been heard.
func TestWhatCannotBeSentIsNotCommitted(t *testing.T) {
	f := walkOf(t, 2, 3, 10)
	w := newWorld(t, f, transport.Faults{})
	p := w.peer(1)
	for start := range uint64(2) {
		n, stop := w.started(start+1, func(c *Config) { c.Machine = &poisoned{Durable: c.Machine, on: start == 0} })
		p.confirm(start+1, start+1)
		eventually(t, "the machine runs", func() bool { s := n.Status(); return s.State == Running && s.Neighbours[0].Agreed })
		if n.Status().Ledger.Releases != 0 {
			t.Errorf("start %d: %+v", start+1, n.Status().Ledger)
		}
		p.send(p.frame(token(start+1, 1)))
		if start == 0 {
			eventually(t, "the node stops", func() bool { return n.Status().State == Stopped })
			if err := stop(); err == nil || !strings.Contains(err.Error(), "wants sent") {
				t.Fatalf("stopped by %v", err)
			}
			continue
		}
		eventually(t, "the token is taken", func() bool { return n.Status().Ledger.Releases > 0 })
		if err := stop(); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}
