package node

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/node/transport"
	"github.com/hearsay-dp/hearsay/node/wire"
	"github.com/hearsay-dp/hearsay/step"
)

// forgetful is a world in which node 1 is stopped and started with other ledgers.
type forgetful struct {
	*world
	book   logbook
	others sync.WaitGroup
	saw    func(step.Release) // told of node 1's releases; read when node 1 starts, and not when others do
	stop   context.CancelFunc // of the others
	ctx    context.Context
}

func newForgetful(t *testing.T) *forgetful {
	f := &forgetful{world: newWorld(t, walkOf(t, 3, 3, 300), transport.Faults{})}
	f.log = f.book.logger()
	f.edit = func(v step.NodeID, c *Config) {
		if v == 1 {
			c.Inspect = f.saw
		}
	}
	f.begin()
	t.Cleanup(f.end)
	return f
}

// begin starts the others, end stops them.
func (f *forgetful) begin() {
	f.ctx, f.stop = context.WithTimeout(context.Background(), patience)
	for _, v := range []step.NodeID{0, 2} {
		f.others.Go(func() {
			if err := f.once(f.ctx, v); err != nil && f.ctx.Err() == nil {
				f.t.Errorf("node %d: %v", v, err)
			}
		})
	}
}

func (f *forgetful) end() {
	f.stop()
	f.others.Wait()
}

// until runs node 1 until it has released so often, and returns its ledger then.
func (f *forgetful) until(releases int) []byte {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.ctx)
	defer cancel()
	f.saw = func(step.Release) {
		if releases--; releases == 0 {
			cancel()
		}
	}
	if err := f.once(ctx, 1); !errors.Is(err, context.Canceled) {
		f.t.Fatalf("node 1 ends with %v", err)
	}
	file, err := os.ReadFile(f.path(1))
	if err != nil {
		f.t.Fatal(err)
	}
	return file
}

// put gives node 1 another ledger, nil: none.
func (f *forgetful) put(file []byte) {
	f.t.Helper()
	for _, end := range []string{"", "-wal", "-head"} {
		os.Remove(f.path(1) + end)
	}
	if file == nil {
		return
	}
	if err := os.WriteFile(f.path(1), file, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// refused starts node 1 from a ledger that has forgotten something: it stops and
// says why, both sides log it, and nothing more is released.
func (f *forgetful) refused(what string, file []byte) {
	f.t.Helper()
	f.put(file)
	released := false
	f.saw = func(step.Release) { released = true }
	before := f.book.lines("neighbour is refused")
	err := f.once(f.ctx, 1)
	if err == nil || !strings.Contains(err.Error(), "has forgotten what it released") || !strings.Contains(fault.Hint(err), "count the whole plan as spent") {
		f.t.Fatalf("%s: node 1 ends with %v (%s)", what, err, fault.Hint(err))
	}
	if released {
		f.t.Errorf("%s: it released something", what)
	}
	eventually(f.t, what+": a neighbour says so", func() bool { return f.book.lines("neighbour is refused") > before })
	if s := f.finished[1]; !strings.Contains(s.Error, "forgotten") {
		f.t.Errorf("%s: status %q", what, s.Error)
	}
}

// An old copy of the ledger and a new one in its place are refused by neighbours,
// also by ones that were started again meanwhile; the node stops and says what to
// do. The ledger that ends last is taken, and the run ends as if nothing had been.
func TestForgottenSpendIsNotLetIn(t *testing.T) {
	f := newForgetful(t)
	first := f.until(5)
	second := f.until(5)
	f.refused("old copy", first)
	f.refused("old copy again", first)
	f.refused("lost", nil)
	f.end()
	f.begin()
	f.refused("lost, neighbours started again", nil)
	f.refused("old copy, neighbours started again", first)
	f.put(second)
	f.saw = nil
	if err := f.once(f.ctx, 1); err != nil {
		t.Fatal(err)
	}
	f.others.Wait()
	f.check()
}

// Before anything was released there is nothing to forget: another ledger may
// take the place of the first.
func TestNothingForgottenBeforeTheRun(t *testing.T) {
	f := &forgetful{world: newWorld(t, walkOf(t, 2, 3, 20), transport.Faults{})}
	n := f.alone()
	p := f.peer(1)
	p.hello(1)
	eventually(t, "the hello is heard", func() bool { return n.Status().Neighbours[0].Incarnation == 1 })
	b, err := wire.AppendHello(nil, &wire.Hello{From: 1, To: 0, Incarnation: 1, Spec: spec, Own: wire.Account{
		Ledger: wire.Ledger{77}, Position: wire.Position{Start: wire.Start{77}, Entries: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.send(b)
	p.send(p.frame(wire.Frame{
		Kind: wire.KindNode, Incarnation: 1, At: wire.Position{Start: wire.Start{77}, Entries: 1}, Msg: p.confirms(p.heardHello(1)),
	}))
	eventually(t, "the machine starts", func() bool { return n.Status().State == Running })
	late := token(1, 5) // of the first process, with the same key
	p.send(p.frame(late))
	eventually(t, "the first process is not heard any more", func() bool { return n.Status().Counters.Refused["stray"] == 1 })
}

// What a neighbour makes up about this node's ledger is ignored: nobody can stop
// a node by claiming that it has forgotten something.
func TestMadeUpKnowledgeIsIgnored(t *testing.T) {
	w := newWorld(t, walkOf(t, 2, 3, 20), transport.Faults{})
	n := w.alone()
	p := w.peer(1)
	real := p.heardHello(1).Own
	for i, known := range []wire.Account{
		{}, {Ledger: real.Ledger}, {Ledger: real.Ledger, Position: wire.Position{Start: real.Start, Entries: real.Entries + 1, Seal: real.Seal}},
		{Ledger: wire.Ledger{9}, Position: real.Position}, {Ledger: real.Ledger, Position: wire.Position{Start: real.Start, Entries: 1<<64 - 1}},
		real,
	} {
		start := uint64(i + 1)
		b, err := wire.AppendHello(nil, &wire.Hello{From: 1, To: 0, Incarnation: start, Spec: spec, Known: &known, Own: wire.Account{
			Ledger: wire.Ledger{1, 1}, Position: wire.Position{Start: startOf(start), Entries: 1000 * start},
		}})
		if err != nil {
			t.Fatal(err)
		}
		p.send(b)
		eventually(t, "the hello is heard", func() bool { return n.Status().Neighbours[0].Incarnation == start })
	}
	if s := n.Status(); s.Error != "" || s.State == Stopped {
		t.Errorf("%+v", s)
	}
}

// Records are read back as written, and nothing else is read.
func TestRecordsRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		r := record{incarnation: random.Uint64(), witnesses: map[step.NodeID]witness{}, started: random.IntN(2) == 0, machine: []byte{}}
		for range random.IntN(4) {
			w := witness{incarnation: random.Uint64(), bound: random.IntN(2) == 0}
			w.Entries, w.Ledger[3], w.Start[2], w.Seal[7] = random.Uint64(), byte(random.Uint32()), 5, 6
			r.witnesses[step.NodeID(random.Int32())] = w
		}
		if r.started {
			r.machine = []byte("machine")
		}
		text := r.append(nil, func(b []byte) []byte { return append(b, r.machine...) })
		got, err := readRecord(text)
		if err != nil || got.incarnation != r.incarnation || got.started != r.started || string(got.machine) != string(r.machine) ||
			!maps.Equal(got.witnesses, r.witnesses) {
			t.Fatalf("%+v was read as %+v, %v", r, got, err)
		}
		whole := len(text) - len(r.machine)
		if _, err := readRecord(text[:random.IntN(whole)]); !errors.Is(err, errRecord) {
			t.Fatalf("cut short: %v", err)
		}
	}
	if _, err := readRecord([]byte{1, 0, 0}); !errors.Is(err, errRecord) {
		t.Errorf("another version: %v", err)
	}
}
