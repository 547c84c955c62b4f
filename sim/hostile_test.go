package sim

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// What a neighbour that holds a valid key and keeps to no rules can make a
// machine say. Two machines with the same noise and routes but other rows are
// told the same things; what they say must differ by no more than the
// sensitivity that their releases state.

// nasty draws a number that somebody might send to do harm.
func nasty() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{
			0, 1, -1, 1e3, -1e9, 1e100, -1e155, math.MaxFloat64, -math.MaxFloat64, 1.79e308, 5e-324,
			math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1),
		}), rapid.Float64(), rapid.Float64Range(-2, 2),
	)
}

// otherRows is h with all rows of everybody replaced, as many of them, or one row of each
// where that is what releases protect.
func otherRows(t *rapid.T, h *Slab, p *descent.Local) *Slab {
	if p.Noise.Shares != nil {
		return otherRecords(t, h)
	}
	other := &Slab{Features: h.Features, Offsets: h.Offsets}
	for range h.X {
		other.X = append(other.X, rapid.Float64Range(-1, 1).Draw(t, "other x"))
	}
	for range h.Y {
		other.Y = append(other.Y, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "other y"))
	}
	return other
}

// otherRecords is h with one row of every node that has any replaced.
func otherRecords(t *rapid.T, h *Slab) *Slab {
	other := &Slab{Features: h.Features, Offsets: h.Offsets, X: slices.Clone(h.X), Y: slices.Clone(h.Y)}
	for v, first := range h.Offsets[:len(h.Offsets)-1] {
		if rows := h.Offsets[v+1] - first; rows > 0 {
			i := first + rapid.IntRange(0, rows-1).Draw(t, "which row")
			copy(other.X[i*h.Features:], rapid.SliceOfN(rapid.Float64Range(-1, 1), h.Features, h.Features).Draw(t, "other x"))
			other.Y[i] = rapid.SampledFrom([]float64{-1, 1}).Draw(t, "other y")
		}
	}
	return other
}

// forged draws a message for node 0 from one of its neighbours.
func forged(t *rapid.T, neighbours []step.NodeID, turns step.Turn, params, nodes int) step.Msg {
	m := step.Msg{
		Kind: step.Kind(rapid.IntRange(1, 6).Draw(t, "kind")), From: rapid.SampledFrom(neighbours).Draw(t, "from"),
		Turn: step.Turn(rapid.Int64Range(-1, int64(turns)+1).Draw(t, "turn")),
		Lane: rapid.SampledFrom([]step.Lane{0, 0, 0, 1, math.MaxUint32}).Draw(t, "lane"),
	}
	if rapid.IntRange(0, 3).Draw(t, "forges an epoch") == 0 {
		m.Epoch = rapid.OneOf(rapid.Uint64Range(0, uint64(4*nodes)), rapid.Uint64()).Draw(t, "epoch")
	}
	if rapid.IntRange(0, 3).Draw(t, "has a body") > 0 {
		m.Body = rapid.SliceOfN(nasty(), params, params).Draw(t, "body")
	}
	return m
}

// twins are two machines of one node whose rows differ, and what bounds the
// difference of what they say.
type twins struct {
	t           *rapid.T
	p           *descent.Local
	bound       float64
	machines    [2]step.Machine
	outs        [2]step.Out
	paid, spent float64 // distance that contributions so far allow: of the last input, of all
	keeps       bool    // machines keep a vector, which follows from what they let out
}

func (w *twins) each(do func(m step.Machine, out *step.Out)) {
	for i, m := range w.machines {
		w.outs[i].Reset()
		do(m, &w.outs[i])
	}
	w.compare()
	if w.keeps { // what comes next is asked of a node that has let out this, whatever its rows
		one, other := w.machines[0].(step.Durable), w.machines[1].(step.Durable)
		if err := other.Restore(one.Snapshot(nil)); err != nil {
			w.t.Fatal(err)
		}
		w.spent = 0
	}
}

// compare holds that both say the same but for their values, which are finite
// and as close as their releases state.
func (w *twins) compare() {
	a, b := &w.outs[0], &w.outs[1]
	if !slices.Equal(a.Releases, b.Releases) || !slices.Equal(a.Timers, b.Timers) || a.Done != b.Done || len(a.Msgs) != len(b.Msgs) {
		w.t.Fatalf("other rows, other actions:\n%+v\n%+v", a, b)
	}
	w.pay(a.Releases)
	for i, m := range a.Msgs {
		n := b.Msgs[i]
		if m.Kind != n.Kind || m.To != n.To || m.Turn != n.Turn || m.Lane != n.Lane || m.Epoch != n.Epoch || len(m.Body) != len(n.Body) {
			w.t.Fatalf("other rows, other messages: %+v and %+v", m, n)
		}
		if !descent.Within(m.Body, w.bound) || !descent.Within(n.Body, w.bound) {
			w.t.Fatalf("what leaves is beyond %g: %v, %v", w.bound, m.Body, n.Body)
		}
		// each update rounds a few times, to 2^-53 of the largest value at most
		rounding := 64 * 0x1p-53 * w.bound * math.Sqrt(float64(w.p.Params)) * float64(1+len(a.Releases))
		if d := distance(m.Body, n.Body); !(d <= w.spent*(1+1e-9)+rounding) {
			w.t.Fatalf("message of turn %d: other rows move it by %g, the contributions allow %g", m.Turn, d, w.spent)
		}
	}
}

// compareFresh holds the same for a token that has just come in: nothing that
// this node did before is in it.
func (w *twins) compareFresh() {
	a, b := &w.outs[0], &w.outs[1]
	for i, m := range a.Msgs {
		if len(a.Releases) == 0 || len(m.Body) == 0 {
			continue
		}
		if d := distance(m.Body, b.Msgs[i].Body); !(d <= w.paid*(1+1e-9)+1e-9*w.bound) {
			w.t.Fatalf("a fresh token moves by %g, its releases allow %g", d, w.paid)
		}
	}
}

// pay adds up what releases allow, each value once.
func (w *twins) pay(releases []step.Release) {
	w.paid = 0
	last := step.Turn(-1)
	for _, r := range releases {
		if r.Contributed && r.Turn != last {
			if w.keeps { // by so much a turn can spread the token and what is kept, between two that are not told apart
				w.paid *= 6
			}
			w.paid += w.p.StepSize.Largest() * r.Sensitivity
			last = r.Turn
		}
	}
	w.spent += w.paid
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

// hostileTalk tells both machines the same forged things.
func (w *twins) hostileTalk(neighbours []step.NodeID, turns step.Turn, nodes int) {
	w.each(step.Machine.Start)
	for range rapid.IntRange(1, 20).Draw(w.t, "messages") {
		if rapid.IntRange(0, 4).Draw(w.t, "ticks") == 0 {
			at := step.Turn(rapid.Int64Range(-1, int64(turns)).Draw(w.t, "tick"))
			w.each(func(m step.Machine, out *step.Out) { m.Tick(step.Timer{Turn: at}, out) })
			continue
		}
		msg := forged(w.t, neighbours, turns, w.p.Params, nodes)
		w.each(func(m step.Machine, out *step.Out) {
			own := msg
			own.Body = slices.Clone(msg.Body) // it is the machine's
			m.Step(own, out)
		})
		if _, walks := w.machines[0].(*walk.Machine); walks {
			w.compareFresh()
		}
	}
}

// hostileWalk is a walk under two worlds whose neighbours of node 0 are hostile.
func hostileWalk(t *rapid.T) {
	w, graph := randomWalk(t)
	randomTrouble(t, w)
	other := *w
	other.Holdings = otherRows(t, w.Holdings.(*Slab), &w.Protocol.Local)
	pair := &twins{t: t, p: &w.Protocol.Local, bound: w.Protocol.Bound(), keeps: w.Protocol.Keeps}
	for i, world := range []*Walk{w, &other} {
		pair.machines[i] = world.Machines(graph.neighbours, nil)[0]
	}
	pair.hostileTalk(graph[0], w.Protocol.Turns(), w.Protocol.Nodes)
	pair.checkCap(w.Protocol.Cap)
}

// randomTrouble draws how the end and silent holders are dealt with, and a model.
func randomTrouble(t *rapid.T, w *Walk) {
	p := w.Protocol
	p.Announce, p.Final = rapid.Bool().Draw(t, "announce"), rapid.Bool().Draw(t, "final")
	p.Handover = rapid.SampledFrom([]walk.Handover{{}, {Around: 100}, {Lease: 64}, {Around: 64, Lease: 100}}).Draw(t, "handover")
	switch rapid.IntRange(0, 2).Draw(t, "model") {
	case 1:
		p.Objective.Model, p.MaxScale = model.Ridge{Intercept: true}, 1
	case 2:
		p.Objective.Model, p.Params = model.Mean{}, 2
	}
	if _, margined := p.Objective.Model.(model.Margined); !margined {
		p.Proximal, p.Keeps, p.Kernel, p.Box = false, false, nil, 0 // it takes the loss of a margin
	}
	w.Holdings.(*Slab).Norms = nil
}

// checkCap holds that the node has not contributed more often than it may.
func (w *twins) checkCap(limit int) {
	for _, m := range w.machines {
		if used := m.(interface{ Contributions() int }).Contributions(); limit > 0 && used > limit {
			w.t.Fatalf("%d contributions, the cap is %d", used, limit)
		}
	}
}

// hostileGossip is the same for gossip.
func hostileGossip(t *rapid.T) {
	g := randomGossip(t)
	slab := g.Holdings.(*Slab)
	slab.Norms = nil
	other := *g
	other.Holdings = otherRows(t, slab, &g.Protocol.Local)
	pair := &twins{t: t, p: &g.Protocol.Local, bound: g.Protocol.Bound()}
	for i, world := range []*Gossip{g, &other} {
		pair.machines[i] = world.Machines(g.everybody, nil)[0].(*gossip.Machine)
	}
	pair.hostileTalk(g.everybody(0), g.Protocol.Turns(), g.Protocol.Nodes)
	pair.checkCap(g.Protocol.Contributions())
}

// Whatever a neighbour sends, what a machine lets out moves with its rows by no
// more than its releases say, is finite, and in the box.
func TestNoMessageGetsMoreThanTheSensitivity(t *testing.T) {
	t.Run("walk", func(t *testing.T) { rapid.Check(t, hostileWalk) })
	t.Run("gossip", func(t *testing.T) { rapid.Check(t, hostileGossip) })
}

func FuzzHostileWalk(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(hostileWalk)) }
func FuzzHostileGossip(f *testing.F) { f.Fuzz(rapid.MakeFuzz(hostileGossip)) }

// A token with entries of 1.79e308 was an exact question about single rows: the
// gradient was no number where the rows lay as the sender chose, and then the
// token came back as another one. What comes back must not tell rows apart but
// through the noise.
func TestHugeTokenIsNoQuestion(t *testing.T) {
	for _, huge := range []float64{1.79e308, math.Inf(1), math.NaN(), 1e200} {
		var said [2][]float64
		for i, x := range []float64{1, -1} {
			w, graph := pair(10)
			p := w.Protocol
			p.Params, p.Objective.Model, p.Noise.Clip = 2, model.Ridge{}, 1e-3
			w.Holdings = &Slab{Features: 2, X: []float64{2, x, 2, x}, Y: []float64{0, 0}, Offsets: []int{0, 1, 2}}
			w.Choose = lazyWalk{{1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}} // hardly ever stays
			var out step.Out
			w.Machines(graph.neighbours, nil)[1].Step(step.Msg{Kind: walk.Token, From: 0, To: 1, Turn: 5, Body: []float64{huge, huge}}, &out)
			said[i] = out.Msgs[len(out.Msgs)-1].Body
			if !descent.Within(said[i], p.Bound()) {
				t.Errorf("%g: row %g answers %v, beyond %g", huge, x, said[i], p.Bound())
			}
		}
		if d := distance(said[0], said[1]); !(d <= 0.1*2e-3*(1+1e-9)) {
			t.Errorf("%g: %v or %v, %g apart", huge, said[0], said[1], d)
		}
	}
}
