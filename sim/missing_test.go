package sim

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// patience is how many ticks a node of these tests waits for another one.
const patience = 640

// calling is gossip of everybody with everybody in which so many nodes may miss a round, and so many lie.
func calling(t interface{ Fatal(...any) }, absent, liars, more, rounds int) *Gossip {
	n := rollcall.Least(absent, liars) + more
	complete, err := gen.Parse(fmt.Sprintf("complete:%d", n), 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(complete, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	p := &gossip.Protocol{Local: averaging(2), Nodes: n, Rounds: rounds, TurnsPerRound: 1, Gamma: 1, Pairwise: 10, Pairs: w.Sparse(), Absent: absent}
	p.StepSize = descent.StepSize{Base: 0.5}
	p.Noise.Multiplier = 1
	return &Gossip{Protocol: p, Holdings: values(n, 2), Weights: graph.Fixed(w.Sparse()), Seed: 1}
}

// caller makes the machine of node v, with a key from bytes of its number and life.
func (g *Gossip) caller(v step.NodeID, life byte, liars int) *gossip.Machine {
	shared := g.identified(v, life, 1)
	kernel := gossip.NewKernel(g.Protocol, drawn{noise.NewSimulated(g.Seed), shared}, gossip.NewSeeded(g.Seed))
	m := gossip.NewMachine(g.Protocol, v, g.everybody(v), g.Holdings.Examples(v), kernel, g.Weights)
	m.Agree(shared)
	m.MayMiss(gossip.Absences{Rules: rollcall.Rules{Nodes: g.Protocol.Nodes, Absent: g.Protocol.Absent, Liars: liars}, By: shared, Patience: patience})
	return m
}

// A roundOf is a round at a node.
type roundOf struct {
	turn step.Turn
	node step.NodeID
}

// A record is what machines sent and released.
type record struct {
	sent, revealed, charged map[roundOf]bool // values with data, noise shared with a node, values charged as late
	who                     [][]step.NodeID  // by round: those that were out of it
}

func newRecord() *record {
	return &record{sent: map[roundOf]bool{}, revealed: map[roundOf]bool{}, charged: map[roundOf]bool{}}
}

// A watched machine records what it sends.
type watched struct {
	step.Machine
	nodes step.Turn
	into  *record
}

func (w watched) Start(out *step.Out)            { w.Machine.Start(out); w.look(out) }
func (w watched) Step(m step.Msg, out *step.Out) { w.Machine.Step(m, out); w.look(out) }
func (w watched) Tick(timer step.Timer, out *step.Out) {
	w.Machine.Tick(timer, out)
	w.look(out)
}

func (w watched) look(out *step.Out) {
	for _, m := range out.Msgs {
		if m.Kind == gossip.Reveal {
			w.into.reveal(m.Turn/w.nodes/w.nodes, step.NodeID(m.Turn/w.nodes%w.nodes))
		}
	}
	for _, r := range out.Releases {
		at := roundOf{r.Turn, r.From}
		w.into.charged[at] = w.into.charged[at] || r.To == r.From && r.Contributed
		w.into.sent[at] = w.into.sent[at] || r.To != r.From && r.Contributed
	}
}

func (r *record) reveal(t step.Turn, who step.NodeID) {
	for len(r.who) <= int(t) {
		r.who = append(r.who, nil)
	}
	if at := (roundOf{t, who}); !r.revealed[at] {
		r.revealed[at], r.who[t] = true, append(r.who[t], who)
	}
}

// check returns which promise is broken, "" if none: no round has too many who are out, and whoever has sent its value of a
// round in which noise that it shares was revealed is charged for it, if it is alive.
func (r *record) check(absent int, dead func(step.NodeID) bool) string {
	for t, who := range r.who {
		if len(who) > absent {
			return fmt.Sprintf("%v are out of round %d", who, t)
		}
	}
	for at := range r.revealed {
		if r.sent[at] && !r.charged[at] && !dead(at.node) {
			return fmt.Sprintf("node %d is not charged for round %d", at.node, at.turn)
		}
	}
	return ""
}

// With a node that stops for good the others go on and end with what the simulator computes without it from the round that it misses
// first, up to rounding. Nobody is charged more than was planned.
func TestMachinesGoOnWithoutOneThatStops(t *testing.T) {
	for _, when := range []int64{0, 1, 40, 120, 250, 1500} {
		const rounds, absent, liars = 8, 1, 1
		g := calling(t, absent, liars, 1, rounds)
		n, log := g.Protocol.Nodes, newRecord()
		var machines []step.Machine
		var all []*gossip.Machine
		for v := range step.NodeID(n) {
			m := g.caller(v, 1, liars)
			all, machines = append(all, m), append(machines, watched{m, step.Turn(n), log})
		}
		dead := step.NodeID(2)
		net := Network{Seed: 5, Delay: 40, MaxEvents: 1_000_000, Dead: func(v step.NodeID, tick int64) bool { return v == dead && tick > 100+when }}
		if _, err := net.Run(context.Background(), machines, func(step.Release) {}); err != nil {
			t.Fatal(err)
		}
		first := slices.IndexFunc(log.who, func(who []step.NodeID) bool { return len(who) > 0 })
		if first < 0 {
			first = rounds
		}
		want := g.without(dead, first)
		for v, m := range all {
			if step.NodeID(v) == dead {
				continue
			}
			if m.Turn() != rounds || m.Late() != 0 {
				t.Fatalf("dead at %d: node %d ends in turn %d, charged %d times", when, v, m.Turn(), m.Late())
			}
			for i, x := range m.Model() {
				if y := want[v*g.Protocol.Params+i]; math.Abs(x-y) > 1e-9*(1+math.Abs(y)) {
					t.Fatalf("dead at %d, out of round %d: node %d ends with %v, want %v", when, first, v, m.Model(), want[v*g.Protocol.Params:][:2])
				}
			}
		}
	}
}

// without returns the values at the end of a simulation in which a node misses all rounds from one on.
func (g *Gossip) without(dead step.NodeID, from int) []float64 {
	n := g.Protocol.Nodes
	whole, left := g.Weights.Matrix(0), make([]float64, n*n)
	var there []step.NodeID
	for u := range n {
		for v := range n {
			switch {
			case u == int(dead) || v == int(dead):
				left[u*n+v] = map[bool]float64{true: 1}[u == v]
			default:
				left[u*n+v] = 1 / float64(n-1)
			}
		}
		if u != int(dead) {
			there = append(there, step.NodeID(u))
		}
	}
	p := *g.Protocol
	p.Asynchronous = true
	other := *g
	other.Protocol, other.Weights = &p, graph.Varying(n, func(t step.Turn) (*sparse.Matrix, []step.NodeID) {
		if int(t) < from {
			return whole, nil
		}
		return sparse.FromDense(n, left), there
	})
	values := make([]float64, n*p.Params)
	var machines []step.Machine
	for v := range step.NodeID(n) {
		m := other.machine(v, 1, func(v step.NodeID, t step.Turn, x []float64) { copy(values[int(v)*p.Params:], x) })
		machines = append(machines, m)
	}
	if _, err := (Network{}).Run(context.Background(), machines, func(step.Release) {}); err != nil {
		panic(err)
	}
	return values
}

// usualRollCalls is the number of runs that are tried usually.
const usualRollCalls = 40

// On rough networks, with processes that die again and again, nodes that are down for a while and one that stops for good, all
// promises are kept, and all who are alive end.
func TestRollCallsSurviveNetworksAndProcesses(t *testing.T) {
	stopped, out, charged, runs := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		if runs == usualRollCalls && os.Getenv(draws.Variable) == "" {
			return // HEARSAY_DRAWS=any tries as many as -rapid.checks says
		}
		absent, liars := rapid.IntRange(1, 2).Draw(t, "absent"), rapid.IntRange(0, 1).Draw(t, "liars")
		g := calling(t, absent, liars, rapid.IntRange(0, 1).Draw(t, "more nodes"), rapid.IntRange(2, 8).Draw(t, "rounds"))
		g.Seed = rapid.Uint64().Draw(t, "seed")
		n, log, lives := g.Protocol.Nodes, newRecord(), map[step.NodeID]byte{}
		dies, slow := step.NodeID(rapid.IntRange(-1, n-1).Draw(t, "who stops")), step.NodeID(rapid.IntRange(-1, n-1).Draw(t, "who is down"))
		when, from := rapid.Int64Range(50, 1000).Draw(t, "when"), rapid.Int64Range(50, 1000).Draw(t, "from")
		long := rapid.Int64Range(1, 4000).Draw(t, "long")
		every := rapid.IntRange(5, 60).Draw(t, "dies every")
		now := make([]*gossip.Machine, n)
		var machines []step.Machine
		for v := range step.NodeID(n) {
			fresh := func() step.Durable {
				lives[v]++
				now[v] = g.caller(v, lives[v], liars)
				return now[v]
			}
			machines = append(machines, watched{&reborn{t: t, fresh: fresh, now: fresh(), every: every, armed: map[laneTurn]int{}}, step.Turn(n), log})
		}
		net := Network{Seed: g.Seed, Delay: 30, Loss: rapid.Float64Range(0, 0.1).Draw(t, "loss"), Duplicate: 0.1, MaxEvents: 200_000,
			Dead: func(v step.NodeID, tick int64) bool { return v == dies && tick > when && slices.Min(turnsOf(now)) > 0 },
			Down: func(v step.NodeID, tick int64) bool { return v == slow && tick > from && tick < from+long }}
		if _, err := net.Run(context.Background(), machines, func(step.Release) {}); err != nil {
			t.Fatalf("%v: turns %v", err, turnsOf(now))
		}
		if why := log.check(absent, func(v step.NodeID) bool { return v == dies || now[v].Turn() < g.Protocol.Turns() }); why != "" {
			t.Fatal(why)
		}
		for v, m := range now {
			if step.NodeID(v) != dies && m.Turn() < g.Protocol.Turns() {
				t.Fatalf("node %d ends in turn %d", v, m.Turn())
			}
			if charged += m.Late(); m.Late() > gossip.MostLate {
				t.Fatalf("node %d is charged %d times", v, m.Late())
			}
		}
		runs++
		out += len(log.revealed)
		if dies >= 0 && len(log.who) > 0 {
			stopped++
		}
	})
	drawntest.Often(t, "a round is missed", out, runs, 0.3)
	drawntest.Often(t, "who stops is out", stopped, runs, 0.1)
	t.Logf("%d runs, %d rounds missed, %d charged", runs, out, charged)
}

func turnsOf(all []*gossip.Machine) (turns []step.Turn) {
	for _, m := range all {
		turns = append(turns, m.Turn())
	}
	return turns
}

// A node that was away hears from more nodes than lie that they went on with its last value. What the first of them say counts too,
// although it still waits in that round, so nothing is charged.
func TestEveryAnswerToOneWhoComesBackCounts(t *testing.T) {
	const absent, liars, back = 1, 1, 3
	g := calling(t, absent, liars, 0, 8)
	n, late := step.NodeID(g.Protocol.Nodes), g.caller(0, 1, liars)
	var out step.Out
	hear := func(m step.Msg) {
		m.To = 0
		late.Step(m, &out)
	}
	late.Start(&out)
	for u := step.NodeID(1); u < n; u++ {
		hear(step.Msg{Kind: gossip.Key, From: u, Lane: 1, Body: g.identified(u, 1, 1).Shown()})
	}
	if late.Contributions() != 1 {
		t.Fatal("the first round has not begun")
	}
	for u := step.NodeID(1); u < n; u++ { // it was out of the last rounds
		hear(step.Msg{Kind: gossip.Value, From: u, Turn: back, Body: append(make([]float64, g.Protocol.Params), 0)})
	}
	for u := step.NodeID(1); u < n; u++ {
		hear(step.Msg{Kind: gossip.Ahead, From: u, Turn: back, Lane: 5, Body: []float64{0, 0, 0}})
		hear(step.Msg{Kind: gossip.Welcome, From: u, Turn: back})
	}
	if late.Turn() <= back || late.Late() > 0 {
		t.Errorf("it is in turn %d and is charged %d times", late.Turn(), late.Late())
	}
}

// A node that waits longer than its patience for more nodes than may miss a round says so, and does not say that it goes on
// without any.
func TestANodeSaysThatTooManyAreMissing(t *testing.T) {
	const absent, liars = 1, 1
	g := calling(t, absent, liars, 0, 8)
	n, m := step.NodeID(g.Protocol.Nodes), g.caller(0, 1, liars)
	var out step.Out
	m.Start(&out)
	for u := step.NodeID(1); u < n; u++ {
		m.Step(step.Msg{Kind: gossip.Key, From: u, To: 0, Lane: 1, Body: g.identified(u, 1, 1).Shown()}, &out)
	}
	for u := step.NodeID(1); u < n; u++ {
		left := int(n - u)
		for range patience / 64 {
			m.Tick(step.Timer{Turn: 0, Lane: 2}, &out)
		}
		if want := map[bool]int{true: absent}[left > absent]; m.Short() != want || len(m.Without()) > 0 {
			t.Errorf("it waits for %d: short of %d, without %v", left, m.Short(), m.Without())
		}
		m.Step(step.Msg{Kind: gossip.Value, From: u, To: 0, Body: append(make([]float64, g.Protocol.Params), -1)}, &out)
	}
}
