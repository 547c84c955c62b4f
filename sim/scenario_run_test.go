package sim

import (
	"container/heap"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// A link leads from one node to another.
type link struct{ from, to step.NodeID }

// A scenario is machines on a virtual network whose events happen one by one.
type scenario struct {
	t        *testing.T
	said     strings.Builder
	run      *run
	nodes    int
	tokens   int
	kinds    []string                                    // names of kinds of messages, from 1
	bound    float64                                     // half-width of the machines' box
	fresh    func(v step.NodeID, life byte) step.Durable // a machine in a process of its own; lives count from 1
	states   map[step.NodeID][]byte                      // of nodes whose process is killed
	lost     map[link]bool
	slow     map[link]int64
	released []step.Release
	quiet    bool
}

func (s *scenario) sayf(format string, args ...any) { fmt.Fprintf(&s.said, format+"\n", args...) }

// do carries out one command.
func (s *scenario) do(words []string) {
	a := arguments{s, words}
	s.quiet = slices.Contains(words, "quietly")
	switch words[0] {
	case "walk", "gossip-gd", "pairwise":
		s.make(a)
	case "start":
		for v := range s.run.machines {
			s.input(step.NodeID(v), func(m step.Machine) { m.Start(&s.run.out) })
		}
	case "deliver":
		for range a.number("times", 1) {
			s.deliver()
		}
	case "stabilize":
		s.stabilize(a.number("releases", 1<<30))
	case "lose":
		s.lost[a.link()] = true
	case "pass":
		delete(s.lost, a.link())
		delete(s.slow, a.link())
	case "delay":
		s.slow[a.link()] = int64(a.parse(words[2]))
	case "kill":
		s.kill(a.node())
	case "restart":
		s.restart(a.node())
	case "tick":
		for range a.number("times", 1) {
			s.input(a.node(), func(m step.Machine) { m.Tick(step.Timer{Turn: step.Turn(a.number("turn", 0))}, &s.run.out) })
		}
	case "forge":
		s.forge(a)
	case "state":
		s.state(a.node())
	case "compare":
		s.compare()
	default:
		s.t.Fatalf("there is no command %q", words[0])
	}
}

// make makes machines of a node with one row each, which have not started yet.
func (s *scenario) make(a arguments) {
	n := int(a.number("nodes", 2))
	edges := a.edges(n)
	s.nodes = n
	local := descent.Local{
		Params: 1, Objective: model.Objective{Model: model.Mean{}}, Noise: noise.Gaussian{Clip: 1, Multiplier: 1}, StepSize: descent.StepSize{Base: 0.1},
	}
	slab := &Slab{Features: 1, Offsets: []int{0}}
	for v := range n {
		slab.X, slab.Y, slab.Offsets = append(slab.X, 1-2*float64(v)/float64(n-1)), append(slab.Y, 0), append(slab.Offsets, v+1)
	}
	if a.words[0] == "walk" {
		s.makeWalk(a, &walk.Protocol{Local: local, Nodes: n}, slab, edges)
	} else {
		s.makeGossip(a, &gossip.Protocol{Local: local, Nodes: n}, slab, edges)
	}
	s.states, s.lost, s.slow, s.released = map[step.NodeID][]byte{}, map[link]bool{}, map[link]int64{}, nil
	s.run = &run{seen: func(r step.Release) { s.released = append(s.released, r) }}
	s.run.net.Dead = func(v step.NodeID, _ int64) bool { return s.states[v] != nil }
	s.run.machines = s.first()
}

// first returns all nodes' machines in their first life.
func (s *scenario) first() (machines []step.Machine) {
	for v := range step.NodeID(s.nodes) {
		machines = append(machines, s.fresh(v, 1))
	}
	return machines
}

// A walker is a machine of one token or several.
type walker interface {
	step.Durable
	Turn() step.Turn
	Epoch() uint64
	Contributions() int
	Expect(turns int)
	Ended() (model []float64, ended bool)
	Source() (from step.NodeID, disputed bool)
}

func (s *scenario) makeWalk(a arguments, p *walk.Protocol, slab *Slab, edges lazyWalk) {
	p.Steps, p.Cap, p.Start = int(a.number("steps", 10)), int(a.number("cap", 0)), step.NodeID(a.number("start", 0))
	s.tokens = int(a.number("tokens", 1))
	p.Tokens = s.tokens
	p.Handover = walk.Handover{Around: int(a.number("around", 0)), Lease: int(a.number("lease", 0))}
	p.Announce = !slices.Contains(a.words, "unannounced")
	p.Final = p.Announce
	w := &Walk{Protocol: p, Holdings: slab, Choose: edges, Seed: 4}
	s.kinds, s.bound = []string{"token", "ack", "probe", "holding", "passed", "end"}, p.Bound()
	s.fresh = func(v step.NodeID, _ byte) step.Durable {
		m := w.Machines(edges.neighbours, nil)[v].(walker)
		if ahead := a.number("ahead", 0); ahead > 0 {
			m.Expect(int(ahead))
		}
		return m
	}
}

func (s *scenario) makeGossip(a arguments, p *gossip.Protocol, slab *Slab, edges lazyWalk) {
	p.Rounds, p.TurnsPerRound, p.Gamma = int(a.number("rounds", 2)), int(a.number("turns", 1)), 1
	if slices.Contains(a.words, "momentum") {
		p.Momentum = 0.9
	}
	weights := hamilton(s.t, edges)
	g := &Gossip{Protocol: p, Holdings: slab, Weights: graph.Fixed(weights), Seed: 4}
	s.kinds, s.bound = []string{"value", "ack", "key", "key ack"}, p.Bound()
	s.fresh = func(v step.NodeID, _ byte) step.Durable { return g.Machines(g.everybody, nil)[v].(step.Durable) }
	if a.words[0] == "pairwise" {
		p.Pairwise, p.Pairs = 10, weights
		s.fresh = func(v step.NodeID, life byte) step.Durable {
			return g.machine(v, life, func(step.NodeID, step.Turn, []float64) {})
		}
	}
}

// input gives a machine something to do, and the network what comes of it.
func (s *scenario) input(v step.NodeID, do func(step.Machine)) {
	r, before := s.run, s.run.seq
	r.out.Reset()
	do(r.machines[v])
	r.carryOut(v)
	s.settle(v, before)
}

// settle does to new messages what their links do, and says what the node did.
func (s *scenario) settle(v step.NodeID, before uint64) {
	r := s.run
	if len(s.lost)+len(s.slow) > 0 {
		r.queue = slices.DeleteFunc(r.queue, func(e event) bool { return e.seq >= before && !e.timer && s.lost[link{e.msg.From, e.msg.To}] })
		for i, e := range r.queue {
			if e.seq >= before && !e.timer {
				r.queue[i].tick += s.slow[link{e.msg.From, e.msg.To}]
			}
		}
		heap.Init(&r.queue)
	}
	if s.quiet {
		return
	}
	for _, out := range r.out.Releases {
		s.sayf("  %d releases turn %d to %d", v, out.Turn, out.To)
	}
	for _, m := range r.out.Msgs {
		lost := ""
		if s.lost[link{m.From, m.To}] {
			lost = ", which is lost"
		}
		s.sayf("  %s%s", s.name(m), lost)
	}
	for _, timer := range r.out.Timers {
		s.sayf("  %d waits %d for turn %d", v, timer.Delay, timer.Turn)
	}
	if r.out.Done {
		s.sayf("  %d sees the end", v)
	}
}

// name says what a message is.
func (s *scenario) name(m step.Msg) string {
	kind := strconv.Itoa(int(m.Kind))
	if k := int(m.Kind); k >= 1 && k <= len(s.kinds) {
		kind = s.kinds[k-1]
	}
	text := fmt.Sprintf("%d->%d %s, turn %d", m.From, m.To, kind, m.Turn)
	if m.Epoch > 0 {
		text += fmt.Sprintf(", epoch %d", m.Epoch)
	}
	return text
}

// deliver lets the next event happen. It reports whether there was one.
func (s *scenario) deliver() bool {
	r := s.run
	if len(r.queue) == 0 {
		s.sayf("nothing is under way")
		return false
	}
	e, before := heap.Pop(&r.queue).(event), r.seq
	what := s.name(e.msg)
	if e.timer {
		what = fmt.Sprintf("%d wakes for turn %d", e.node(), e.msg.Turn)
	}
	missed := r.traffic.Missed
	r.out.Reset()
	r.deliver(e)
	if r.traffic.Missed > missed {
		what += ", which is missed"
	}
	if !s.quiet {
		s.sayf("%d: %s", e.tick, what)
	}
	s.settle(e.node(), before)
	return true
}

// stabilize delivers until nothing is under way, or until so many releases were made.
func (s *scenario) stabilize(releases int64) {
	for range 100_000 {
		if len(s.run.queue) == 0 || int64(len(s.released)) >= releases {
			s.summary()
			return
		}
		s.deliver()
	}
	s.sayf("it does not come to rest")
}

// summary says how many releases each node made, and when.
func (s *scenario) summary() {
	made := make([]int, len(s.run.machines))
	for _, r := range s.released {
		made[r.From]++
	}
	s.sayf("tick %d, %d releases: %d", s.run.now, len(s.released), made)
}

// kill ends a node's process. Its state stays as it was after its last input.
func (s *scenario) kill(v step.NodeID) {
	s.states[v] = s.run.machines[v].(step.Durable).Snapshot(nil)
	s.run.queue = slices.DeleteFunc(s.run.queue, func(e event) bool { return e.timer && e.node() == v })
	heap.Init(&s.run.queue)
}

// restart makes a new machine of the state of a node that was killed.
func (s *scenario) restart(v step.NodeID) {
	m := s.fresh(v, 2)
	if err := m.Restore(s.states[v]); err != nil {
		s.t.Fatal(err)
	}
	delete(s.states, v)
	s.run.machines[v] = m
	s.input(v, func(step.Machine) { m.Resume(&s.run.out) })
}

// forge tells a node something that nobody sent.
func (s *scenario) forge(a arguments) {
	at := a.link()
	victim := step.NodeID(a.number("at", int64(at.to)))
	kind := step.Kind(1 + slices.Index(s.kinds, a.words[2]))
	turns, epochs, times := a.numbers("turn", victim), a.numbers("epoch", victim), a.number("times", 1)
	total, answered, taken := 0, 0, 0
	s.quiet = int64(len(turns)*len(epochs))*times > 1
	for range times {
		for i := range len(turns) * len(epochs) {
			turn, epoch := a.numbers("turn", victim)[i/len(epochs)], a.numbers("epoch", victim)[i%len(epochs)]
			msg := step.Msg{Kind: kind, From: at.from, To: at.to, Turn: step.Turn(turn), Epoch: epoch, Lane: step.Lane(a.number("lane", 0)), Body: a.body()}
			s.input(victim, func(m step.Machine) { m.Step(msg, &s.run.out) })
			total++
			answered += min(1, len(s.run.out.Msgs))
			taken += min(1, len(s.run.out.Releases))
			for _, timer := range s.run.out.Timers {
				if s.quiet && timer.Turn < 0 {
					s.sayf("  %d waits %d for turn %d", victim, timer.Delay, timer.Turn)
				}
			}
		}
	}
	s.sayf("%d forged, %d taken, %d answered", total, taken, answered)
}

// state says what a node holds.
func (s *scenario) state(v step.NodeID) {
	switch m := s.run.machines[v].(type) {
	case walker:
		text := fmt.Sprintf("%d: turn %d, epoch %d, %d contributions", v, m.Turn(), m.Epoch(), m.Contributions())
		if several, ok := m.(*walk.Tokens); ok {
			for lane := range s.tokens {
				text += fmt.Sprintf(", %d of token %d", several.Lane(step.Lane(lane)).Contributions(), lane)
			}
		}
		if end, ended := m.Ended(); ended {
			from, disputed := m.Source()
			text += fmt.Sprintf(", ended with %.4g as %d says, disputed %t", end, from, disputed)
		}
		s.sayf("%s", text)
	case *gossip.Machine:
		s.sayf("%d: turn %d, %d contributions", v, m.Turn(), m.Contributions())
	}
}

// ends are the models of all nodes.
func ends(machines []step.Machine) (models []string) {
	for _, m := range machines {
		switch m := m.(type) {
		case walker:
			end, _ := m.Ended()
			models = append(models, bits(end))
		case *gossip.Machine:
			models = append(models, bits(m.Model()))
		}
	}
	return models
}

// compare holds models and releases against those of new machines on a perfect network.
func (s *scenario) compare() {
	machines := s.first()
	var released []step.Release
	if _, err := (Network{}).Run(context.Background(), machines, func(r step.Release) { released = append(released, r) }); err != nil {
		s.t.Fatal(err)
	}
	slices.SortFunc(released, byTurn)
	slices.SortFunc(s.released, byTurn)
	s.sayf("models as on a perfect network: %t, releases: %t", slices.Equal(ends(s.run.machines), ends(machines)), slices.Equal(s.released, released))
}
