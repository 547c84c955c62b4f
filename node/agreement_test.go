package node

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// patience is when a test gives up that hangs: longer than the slowest machine takes.
const patience = 5 * time.Minute

// eventually waits until something is so.
func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// alone runs node 0 of a world until the test ends.
func (w *world) alone() *Node {
	w.t.Helper()
	c, err := w.config(0)
	if err != nil {
		w.t.Fatal(err)
	}
	n, err := New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		<-done
	})
	return n
}

// Neighbours with different specs name the field, once each, and exchange no
// payload; neither starts.
func TestDifferentSpecsAreNamed(t *testing.T) {
	w := newWorld(t, walkOf(t, 2, 3, 10), transport.Faults{})
	var books [2]logbook
	var nodes [2]*Node
	done := make(chan error, 2)
	ctx, cancel := context.WithCancel(context.Background())
	for v := range step.NodeID(2) {
		c, err := w.config(v)
		if err != nil {
			t.Fatal(err)
		}
		c.Log = books[v].logger()
		c.Fields = []wire.Field{{Path: "walk.steps", Digest: wire.Digest{1}}, {Path: "noise.sigma", Digest: wire.Digest{byte(v)}}}
		if nodes[v], err = New(c); err != nil {
			t.Fatal(err)
		}
		// The second is made with its ledger's spec, and then told another.
		if v == 1 {
			nodes[v].config.Spec[5]++
			nodes[v].codec.Federation = wire.FederationOf(nodes[v].config.Spec)
		}
		go func() { done <- nodes[v].Run(ctx) }()
	}
	for _, n := range nodes {
		eventually(t, "the difference is named", func() bool {
			return slices.Equal(n.Status().Neighbours[0].Differs, []string{"noise.sigma"})
		})
	}
	time.Sleep(3 * slow * beat * w.tick) // for hellos that are repeated
	for v, n := range nodes {
		if s := n.Status(); s.State != Waiting || s.Neighbours[0].Agreed || !s.Neighbours[0].Connected {
			t.Errorf("node %d: %+v", v, s)
		}
		if lines := books[v].lines("another spec"); lines != 1 {
			t.Errorf("node %d logged it %d times: %s", v, lines, books[v].String())
		}
	}
	cancel()
	<-done
	<-done
	if len(w.sent) != 0 {
		t.Errorf("payload was sent: %v", w.sent)
	}
}

// peer speaks to node 0 by hand, as node 1.
type peer struct {
	t     testing.TB
	id    step.NodeID
	link  transport.Transport
	codec wire.Codec
}

func (w *world) peer(id step.NodeID) *peer {
	p := &peer{t: w.t, id: id, link: w.hub.Open(id), codec: wire.Codec{Federation: wire.FederationOf(spec), MaxParams: w.params}}
	w.t.Cleanup(func() { p.link.Close() })
	return p
}

// agree brings the peer to where it may send payload.
func (p *peer) agree(incarnation uint64) {
	p.t.Helper()
	p.confirm(incarnation, 1)
}

// heardHello is the next hello of a start of node 0.
func (p *peer) heardHello(start uint64) wire.Hello {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		in, err := p.link.Receive(ctx)
		if err != nil {
			p.t.Fatal(err)
		}
		if h, err := wire.DecodeHello(in.Frame); err == nil && h.Incarnation == start {
			return h
		}
	}
}

// confirms is the message that confirms a hello of node 0.
func (p *peer) confirms(h wire.Hello) step.Msg {
	m := step.Msg{Kind: kindAgreed, From: p.id, To: 0, Turn: confirmation(h.Own.Start)}
	if h.Known != nil {
		m.Epoch = h.Known.Entries
	}
	return m
}

func (p *peer) send(frame []byte) {
	p.t.Helper()
	if err := p.link.Send(context.Background(), 0, frame); err != nil {
		p.t.Fatal(err)
	}
}

// startOf is the start of a peer that says it is the incarnation-th.
func startOf(incarnation uint64) wire.Start { return wire.Start{byte(incarnation)} }

func (p *peer) frame(f wire.Frame) []byte {
	p.t.Helper()
	if f.At == (wire.Position{}) {
		f.At = wire.Position{Start: startOf(f.Incarnation), Entries: 1000*f.Incarnation + f.Sequence}
	}
	b, err := p.codec.Append(nil, &f)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

func (p *peer) hello(incarnation uint64) {
	p.t.Helper()
	b, err := wire.AppendHello(nil, &wire.Hello{From: p.id, To: 0, Incarnation: incarnation, Spec: spec, Own: wire.Account{
		Ledger: wire.Ledger{byte(p.id), 1}, Position: wire.Position{Start: startOf(incarnation), Entries: 1000 * incarnation},
	}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(b)
}

// token is a valid first token of the walk.
func token(incarnation, sequence uint64) wire.Frame {
	return wire.Frame{
		Kind: wire.KindStep, Incarnation: incarnation, Sequence: sequence,
		Msg: step.Msg{Kind: 1, From: 1, To: 0, Turn: 1, Body: make([]float64, 4)},
	}
}

// beginPeer starts node 0 of two, and node 1 by hand.
func beginPeer(t *testing.T) (*Node, *peer) {
	w := newWorld(t, walkOf(t, 2, 3, 10), transport.Faults{})
	n := w.alone()
	return n, w.peer(1)
}

// A node says nothing but hello to a neighbour that has not agreed, and takes
// nothing from it.
func TestNoPayloadBeforeAgreement(t *testing.T) {
	n, p := beginPeer(t)
	p.send(p.frame(token(1, 0)))
	eventually(t, "the token is refused", func() bool { return n.Status().Counters.Refused["unagreed"] == 1 })
	if s := n.Status(); s.State != Waiting || s.Ledger.Releases != 0 {
		t.Errorf("%+v", s)
	}
	for range 20 {
		in, err := p.link.Receive(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if in.Up {
			continue
		}
		if kind, err := wire.Peek(in.Frame); kind != wire.KindHello {
			t.Fatalf("frame of kind %d, %v", kind, err)
		}
	}
}

// What a neighbour confirms to another machine with this node's key, started as
// often as this one, is no confirmation to this one: its machine does not start.
func TestConfirmationIsOfOneProcess(t *testing.T) {
	n, p := beginPeer(t)
	p.hello(1)
	h := p.heardHello(1)
	twin := h
	twin.Own.Start = wire.Start{7, 7, 7}
	agreed := func(sequence uint64, h wire.Hello) []byte {
		return p.frame(wire.Frame{Kind: wire.KindNode, Incarnation: 1, Sequence: sequence, Msg: p.confirms(h)})
	}
	p.send(agreed(1, twin))
	stray := p.frame(token(2, 0)) // is refused once the frame before it was heard
	p.send(stray)
	eventually(t, "both were heard", func() bool { return n.Status().Counters.Refused["unagreed"] == 1 })
	if s := n.Status(); s.State != Waiting || s.Neighbours[0].Agreed {
		t.Fatalf("started by what another process was told: %+v", s)
	}
	p.send(agreed(2, h))
	eventually(t, "the machine starts", func() bool { return n.Status().State == Running })
}

// A process that says that it has forgotten, and stops, no longer stands in the way of
// another one with its key that was started as often.
func TestWhoHasForgottenMakesRoom(t *testing.T) {
	n, p := beginPeer(t)
	own := wire.Account{Ledger: wire.Ledger{1, 1}}
	heard := p.heardHello(1)
	speaks := func(start byte, kinds ...step.Kind) {
		own.Position = wire.Position{Start: wire.Start{start}, Entries: 1000}
		hello, err := wire.AppendHello(nil, &wire.Hello{From: 1, To: 0, Incarnation: 1, Spec: spec, Own: own})
		if err != nil {
			t.Fatal(err)
		}
		p.send(hello)
		for i, kind := range kinds {
			m := p.confirms(heard)
			m.Kind = kind
			p.send(p.frame(wire.Frame{Kind: wire.KindNode, Incarnation: 1, Sequence: uint64(i), At: own.Position, Msg: m}))
		}
	}
	refused := func() uint64 { return n.Status().Counters.Refused["ledger"] }
	speaks(1)
	speaks(2, kindAgreed)
	eventually(t, "the second is refused", func() bool { return refused() == 1 })
	speaks(1, kindForgotten)
	speaks(2, kindAgreed)
	eventually(t, "the second is listened to", func() bool { return n.Status().State == Running })
}

// Frames that must not count are refused and counted under their reasons, and
// what is right is still taken afterwards.
func TestRefusedFramesAreCounted(t *testing.T) {
	n, p := beginPeer(t)
	p.agree(3)
	agreed := wire.Frame{Kind: wire.KindNode, Incarnation: 3, Sequence: 10, Msg: step.Msg{Kind: kindAgreed, From: 1, To: 0, Turn: confirmation(wire.Start(n.start))}}
	p.send(p.frame(agreed))
	eventually(t, "the machine starts", func() bool { return n.Status().State == Running })
	foreign := &peer{t: t, id: 1, link: p.link, codec: wire.Codec{Federation: wire.Federation{9}, MaxParams: 4}}
	large := &peer{t: t, id: 1, link: p.link, codec: wire.Codec{Federation: p.codec.Federation, MaxParams: 5}}
	good := p.frame(token(3, 11))
	damaged := slices.Clone(good)
	damaged[60] ^= 1
	version := slices.Clone(good)
	version[2] = 9
	epoch := token(3, 13)
	epoch.Epoch = math.MaxUint64
	stranger := token(3, 14)
	stranger.Msg.From = 0
	big := token(3, 15)
	big.Msg.Body = make([]float64, 5)
	for _, bad := range []struct {
		reason string
		frame  []byte
	}{
		{"replay", p.frame(agreed)}, {"unagreed", p.frame(token(2, 99))}, {"reordered", p.frame(token(3, 9))},
		{"foreign", foreign.frame(token(3, 12))}, {"checksum", damaged}, {"version", version}, {"truncated", good[:len(good)-1]},
		{"malformed", append(slices.Clone(good), 0)}, {"misdirected", p.frame(stranger)}, {"too_large", large.frame(big)},
		{"epoch", p.frame(epoch)}, {"unagreed", p.frame(token(4, 0))},
	} {
		before := n.Status().Counters.Refused[bad.reason]
		p.send(bad.frame)
		eventually(t, bad.reason, func() bool { return n.Status().Counters.Refused[bad.reason] == before+1 })
	}
	if s := n.Status(); s.Ledger.Releases != 0 || s.Error != "" {
		t.Errorf("a refused frame was taken: %+v", s)
	}
	p.agree(4)
	p.send(p.frame(token(4, 1)))
	eventually(t, "the token is taken", func() bool { return n.Status().Ledger.Releases > 0 })
}

// Two ends of one run, of which the later epoch counts, are both passed on and
// both in the ledger.
func TestTwoEndsArePassedOn(t *testing.T) {
	f := walkWith(t, 3, 3, 10, walk.Handover{Lease: 1 << 20})
	w := newWorld(t, f, transport.Faults{})
	n := w.alone()
	peers := []*peer{w.peer(1), w.peer(2)}
	for _, p := range peers {
		p.agree(1)
	}
	eventually(t, "the machine starts", func() bool { return n.Status().State == Running })
	first := token(1, 1)
	first.Epoch = 4
	peers[0].send(peers[0].frame(first))
	eventually(t, "the token is taken", func() bool { return n.Status().Ledger.Releases == 1 })
	for i, epoch := range []uint64{5, 7} {
		end := token(1, uint64(2+i))
		end.Epoch, end.Msg.Kind, end.Msg.Turn, end.Msg.Body[0] = epoch, walk.End, f.turns, float64(epoch)
		peers[0].send(peers[0].frame(end))
		eventually(t, "the end is passed on", func() bool { return n.Status().Ledger.Releases == int64(2+i) })
	}
	if s := n.Status(); s.Error != "" || s.State == Stopped {
		t.Errorf("%+v", s)
	}
}

// A neighbour that runs on an older copy of its ledger is not believed.
func TestOlderIncarnationIsRefused(t *testing.T) {
	n, p := beginPeer(t)
	p.hello(5)
	eventually(t, "the hello is heard", func() bool { return n.Status().Neighbours[0].Incarnation == 5 })
	p.hello(4)
	eventually(t, "the older hello is refused", func() bool { return n.Status().Counters.Refused["ledger"] == 1 })
	if n.Status().Neighbours[0].Refused == "" {
		t.Error("the status does not say so")
	}
	if got := fmt.Sprint(n.Status().Neighbours[0].Incarnation); got != "5" {
		t.Errorf("incarnation %s", got)
	}
}
