package node

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/node/ledger"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// lanes is one node under several tokens: a machine for each, told apart by lane
// and by nothing else.
type lanes struct {
	machines []*walk.Machine
	done     []bool
}

func (l *lanes) each(out *step.Out, do func(*walk.Machine)) {
	for lane, m := range l.machines {
		l.of(step.Lane(lane), out, func() { do(m) })
	}
}

// of lets the machine of a lane act; the node is done when all lanes are.
func (l *lanes) of(lane step.Lane, out *step.Out, do func()) {
	if int(lane) >= len(l.machines) {
		return
	}
	out.Done = false
	do()
	l.done[lane] = l.done[lane] || out.Done
	out.Done = !slices.Contains(l.done, false)
}

func (l *lanes) Start(out *step.Out)  { l.each(out, func(m *walk.Machine) { m.Start(out) }) }
func (l *lanes) Resume(out *step.Out) { l.each(out, func(m *walk.Machine) { m.Resume(out) }) }

func (l *lanes) Step(m step.Msg, out *step.Out) {
	l.of(m.Lane, out, func() { l.machines[m.Lane].Step(m, out) })
}

func (l *lanes) Tick(t step.Timer, out *step.Out) {
	l.of(t.Lane, out, func() { l.machines[t.Lane].Tick(t, out) })
}

func (l *lanes) Snapshot(dst []byte) []byte {
	for lane, m := range l.machines {
		one := m.Snapshot(nil)
		dst = append(binary.AppendUvarint(state.AppendBool(dst, l.done[lane]), uint64(len(one))), one...)
	}
	return dst
}

func (l *lanes) Restore(data []byte) error {
	for lane, m := range l.machines {
		size, k := binary.Uvarint(data[1:])
		l.done[lane] = data[0] == 1
		if data = data[1+k:]; m.Restore(data[:size]) != nil {
			return errors.New("damaged")
		}
		data = data[size:]
	}
	return nil
}

// laneWalk is the walk of one of several tokens.
func laneWalk(n int, lane step.Lane) *sim.Walk {
	p := &walk.Protocol{
		Local: local(4), Nodes: n, Steps: 40, BurnIn: 3, Cap: 8, Start: walk.StartAt(n, 7, lane), Lane: lane, Announce: true, Final: true,
	}
	return &sim.Walk{Protocol: p, Holdings: slab(n, 3), Choose: lazy(ring(n)), Seed: 7}
}

// lanesOf is the federation in which so many tokens walk at once, and the release
// of each token when it walks alone.
func lanesOf(t *testing.T, n, tokens int) (f *federation, alone [][]step.Release) {
	neighbours := ring(n)
	f = &federation{n: n, params: 4, turns: laneWalk(n, 0).Protocol.Turns(), neighbours: neighbours}
	f.machine = func(v step.NodeID) step.Durable {
		all := &lanes{done: make([]bool, tokens)}
		for lane := range step.Lane(tokens) {
			all.machines = append(all.machines, laneWalk(n, lane).Machines(neighbours, nil)[v].(*walk.Machine))
		}
		return all
	}
	for lane := range step.Lane(tokens) {
		var releases []step.Release
		token, err := laneWalk(n, lane).Bulk(t.Context(), func(r step.Release, _ []float64) { releases = append(releases, r) })
		if err != nil {
			t.Fatal(err)
		}
		f.want, alone = append(f.want, token), append(alone, releases)
	}
	return f, alone
}

// Two tokens that walk at once, in lanes of their own, go and end bit for bit as
// each of them does alone: on the virtual network, and between daemons over a
// network that loses, doubles and reorders, whose ledgers hold each release once.
func TestTwoLanesDoNotMeet(t *testing.T) {
	const n, tokens = 5, 2
	f, alone := lanesOf(t, n, tokens)
	machines := make([]step.Machine, n)
	for v := range machines {
		machines[v] = f.machine(step.NodeID(v))
	}
	f.simulate(t, machines)
	checkLanes(t, f, machines[0].(*lanes))
	for lane, want := range alone {
		got := slices.DeleteFunc(slices.Clone(f.released), func(r step.Release) bool { return r.Lane != step.Lane(lane) })
		if !slices.Equal(got, want) {
			t.Errorf("lane %d releases\n%+v\nalone\n%+v", lane, got, want)
		}
	}
	w := newWorld(t, f, rough)
	var mu sync.Mutex
	ran := map[step.NodeID]*lanes{}
	w.edit = func(v step.NodeID, c *Config) {
		mu.Lock()
		defer mu.Unlock()
		ran[v] = c.Machine.(*lanes)
	}
	w.run()
	w.checkLedgers()
	w.checkReceived()
	for _, m := range ran {
		checkLanes(t, f, m)
	}
}

// checkReceived: every token that was sent is received under its lane.
func (w *world) checkReceived() {
	w.t.Helper()
	for m := range w.sent {
		l, err := ledger.Open(w.path(m.Peer))
		if err != nil {
			w.t.Fatal(err)
		}
		key := m.Key
		key.Peer = m.from
		if known, err := l.Has(key); err != nil || !known && m.Kind == walk.Token {
			w.t.Errorf("%+v is not in the ledger of its receiver (%v)", m, err)
		}
		if err := l.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
}

// checkLanes compares the last tokens with those of each walk alone.
func checkLanes(t *testing.T, f *federation, all *lanes) {
	t.Helper()
	for lane, m := range all.machines {
		if got, ended := m.Ended(); !ended || fmt.Sprintf("%x", got) != fmt.Sprintf("%x", f.want[lane]) {
			t.Errorf("lane %d ends with %v, alone with %v", lane, got, f.want[lane])
		}
	}
	if slices.Equal(f.want[0], f.want[1]) {
		t.Error("two lanes end with one model")
	}
}

// No two lanes, nodes or turns draw a coordinate of noise alike. Of 16,000 draws
// of 53 bits two agree by chance with probability 2e-8.
func TestLanesShareNoNoise(t *testing.T) {
	source, seen := noise.NewSimulated(7), map[uint64]string{}
	for node := range step.NodeID(5) {
		for turn := range step.Turn(40) {
			for lane := range step.Lane(20) {
				x := make([]float64, 4)
				source.Add(x, 1, node, turn, lane)
				where := fmt.Sprintf("node %d, turn %d, lane %d", node, turn, lane)
				for _, v := range x {
					if before, known := seen[math.Float64bits(v)]; known {
						t.Fatalf("%s draws what %s draws", where, before)
					}
					seen[math.Float64bits(v)] = where
				}
			}
		}
	}
}

// Messages and timers of lanes that the spec has no token for do nothing, commit
// nothing and are not answered, whatever they say.
func TestUnknownLanesAreDropped(t *testing.T) {
	walks, gossips := walkOf(t, 3, 3, 10), gossipOf(t, 3, 3, 2)
	for name, f := range map[string]*federation{"walk": walks, "gossip": gossips} {
		for _, lane := range []step.Lane{1, math.MaxUint32} {
			var out step.Out
			m := f.machine(0)
			m.Start(&out)
			before := m.Snapshot(nil)
			out.Reset()
			for kind := range step.Kind(8) {
				for _, from := range f.neighbours(0) {
					m.Step(step.Msg{Kind: kind, From: from, To: 0, Turn: 1, Lane: lane, Body: make([]float64, f.params)}, &out)
					m.Step(step.Msg{Kind: kind, From: from, To: 0, Turn: f.turns, Lane: lane, Body: make([]float64, f.params)}, &out)
				}
			}
			for turn := range f.turns + 1 {
				m.Tick(step.Timer{Turn: turn, Lane: lane}, &out)
			}
			if len(out.Msgs)+len(out.Releases)+len(out.Timers) > 0 || out.Done || !slices.Equal(m.Snapshot(nil), before) {
				t.Errorf("%s, lane %d: %+v", name, lane, out)
			}
		}
	}
}

// Rows of one step that holds releases of two lanes carry the bodies of their own
// lane, also where the bodies are equal.
func TestRowsKeepLanesApart(t *testing.T) {
	msg := func(lane step.Lane, x float64) step.Msg {
		return step.Msg{Kind: 1, From: 3, To: 1, Turn: 8, Lane: lane, Body: body(x)}
	}
	made := func(lane step.Lane) step.Release { return step.Release{From: 3, To: 1, Turn: 7, Lane: lane} }
	c := newCovered(2, 1, 0)
	payloads, err := c.payloads([]step.Msg{msg(0, 4), msg(1, 5)})
	if err != nil {
		t.Fatal(err)
	}
	want := []ledger.Release{{Release: made(1), Body: BodyDigest(body(5))}, {Release: made(0), Body: BodyDigest(body(4))}}
	if got := c.rows(3, []step.Release{made(1), made(0)}, payloads); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	c.released(want[1])
	payloads, err = c.payloads([]step.Msg{msg(1, 4)}) // as before the first update of each token
	if err != nil {
		t.Fatal(err)
	}
	further := step.Release{From: 3, To: 1, Turn: 8, Lane: 1}
	if got := c.rows(3, nil, payloads); len(got) != 1 || got[0].Release != further {
		t.Errorf("a body of lane 0 covers lane 1: %+v", got)
	}
}

// A message that a machine sends twice in one step has one row, and no other body.
func TestAMessageTwiceInAStepIsOne(t *testing.T) {
	msg := func(x float64) step.Msg {
		return step.Msg{Kind: 9, From: 3, To: 1, Turn: 8, Lane: 4, Body: body(x)}
	}
	payloads, err := newCovered(2, 1, 0).payloads([]step.Msg{msg(4), msg(4)})
	if err != nil || len(payloads) != 2 {
		t.Fatalf("%d payloads, %v", len(payloads), err)
	}
	if rows := newCovered(2, 1, 0).rows(3, nil, payloads); len(rows) != 1 {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
	if _, err := newCovered(2, 1, 0).payloads([]step.Msg{msg(4), msg(5)}); err == nil {
		t.Error("two bodies of one message are taken")
	}
}

// The snapshot of another release, or of another lane, is refused and says why.
func TestOtherSnapshotsAreRefused(t *testing.T) {
	for name, f := range map[string]*federation{"walk": walkOf(t, 3, 3, 10), "gossip": gossipOf(t, 3, 3, 2)} {
		var out step.Out
		m := f.machine(1)
		m.Start(&out)
		older := m.Snapshot(nil)
		older[0]--
		if err := f.machine(1).Restore(older); err == nil || !strings.Contains(err.Error(), "this release reads") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var out step.Out
	holder := laneWalk(5, 1)
	at := holder.Protocol.Start
	m := holder.Machines(ring(5), nil)[at].(*walk.Machine)
	if m.Start(&out); len(out.Msgs) == 0 {
		t.Fatal("the token stayed")
	}
	if err := laneWalk(5, 0).Machines(ring(5), nil)[at].(*walk.Machine).Restore(m.Snapshot(nil)); err == nil {
		t.Error("lane 0 takes up the token of lane 1")
	}
}
