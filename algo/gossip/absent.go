package gossip

import (
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Where nodes may miss rounds, all exchange values with all, one turn a round. A node votes against those that it waits
// for too long (package rollcall). Once a quorum has, a node is out of the round: the others reveal the noise of the round
// that they share with it, subtract that noise from each other's values, and average without it. A value also says whom its
// sender has voted against in the round before. So every node learns whether a quorum can exist that had it out of a round
// in which it sent its value. If one can, it is charged its local loss for that round: a release to itself in lane late. From
// then on it adds noise alone. So no more than MostLate rounds are charged: that one, and the one after, whose value had left.
//
// A node that is out goes back to its value before the round. It asks the others where they are, and goes on in their round if so
// many have not voted against it there that there is no quorum, else in the round after.

// Vote is one vote, Proof the votes of a quorum. Both are signed. Reveal holds the noise that the sender shares with a node that
// is out. A Keep says instead that it reveals none. All are about a node and a round (about). Where asks which round the others
// are in, and an Ahead says so. A Closed says after the last round whom its sender voted against in it, as a Value does of the
// round before.
const (
	Vote step.Kind = iota + IntroductionAck + 1
	Proof
	Reveal
	Keep
	Where
	Ahead
	Closed
	ClosedAck
	// A Welcome says that the sender of an Ahead has not voted against the receiver in its round, and waits for it with new patience.
	Welcome
	// A Relay passes on the Value of a node to who waits for it too long, and has voted against it or asked for it by a Seek.
	Relay
	Seek
)

// The lanes of these kinds, because a ledger takes only one message of a turn and lane per receiver.
const (
	votes step.Lane = iota + agreement + 1
	proofs
	reveals
	places
	ends
	relays
	late
)

// Absences hold the settings of a machine where nodes may miss rounds.
type Absences struct {
	Rules    rollcall.Rules
	By       noise.Introduced // signs votes
	Patience int              // ticks without a value after which a node votes against another one
}

// absences is the state of a machine where nodes may miss rounds.
type absences struct {
	Absences
	calls   map[step.Turn]*rollcall.Call // of the last round, this one and the next
	keys    [][]float64                  // of the run, by node; nil: not shown yet
	before  []float64                    // own value before this round's step
	drawn   bool                         // the step was taken
	values  map[answer][]float64         // of others, as they were sent in these rounds; by is 0
	answers map[answer][]float64         // of others and of this node, of these rounds; empty if nothing is revealed
	nodes   []acquaintance               // by node
	asked   map[step.Turn][]step.NodeID  // rounds in which this node's value left, and who has not voted against it in them
	late    int                          // rounds charged with the local loss
	missed  int                          // rounds that this node skipped
	behind  bool                         // the last round is one of them
	lost    bool                         // out of this round, and looking for the one that the others are in
	over    bool                         // waits for nobody after the last round
	told    bool                         // released that it has ended
	waited  int                          // ticks in this round, not kept
}

// An answer identifies the answer of by about a node that is out of a round.
type answer struct {
	turn    step.Turn
	out, by step.NodeID
}

// An acquaintance holds the knowledge of another node.
type acquaintance struct {
	away    bool      // it missed the last round, and was not heard since
	heard   bool      // it was heard in this round
	at      step.Turn // round that it says it is in, 0 at first
	waits   step.Turn // 1 + the round in which this node waits for it with new patience, not kept
	welcome step.Turn // round in which it waits for this node, 0 at first, not kept
	last    step.Turn // last round in whose average it was, -1: none
	against [2]bool   // whether this node voted against it in that round, and in the one before
}

// Longest returns how many numbers the longest message has where nodes may miss rounds.
func Longest(r rollcall.Rules, params int) int {
	return max(params+r.Absent, r.Quorum()*(1+signature))
}

// MayMiss lets nodes miss rounds. It must be called before Start or Restore. Protocol must have one turn a round, and all nodes
// must be neighbours.
func (m *Machine) MayMiss(a Absences) {
	m.absent = &absences{Absences: a, keys: make([][]float64, m.p.Nodes), calls: map[step.Turn]*rollcall.Call{},
		values: map[answer][]float64{}, answers: map[answer][]float64{}, asked: map[step.Turn][]step.NodeID{},
		nodes: slices.Repeat([]acquaintance{{last: -1}}, m.p.Nodes)}
}

// MostLate is the largest number of rounds that a node is charged its local loss for.
const MostLate = 2

// Late returns the number of rounds in which this node's value may have left although it was out.
func (m *Machine) Late() int {
	if m.absent == nil {
		return 0
	}
	return m.absent.late
}

// There reports whether the value of a node is in this node's average of the last turn. It returns true where nobody may miss a
// round.
func (m *Machine) There(u step.NodeID) bool {
	return m.absent == nil || m.absent.nodes[u].last == m.p.Turns()-1
}

// Missed returns the number of rounds that this node skipped because the others had gone on, and whether the last one is one of them.
// Its model is then older than that of the others.
func (m *Machine) Missed() (rounds int, last bool) {
	if m.absent == nil {
		return 0, false
	}
	return m.absent.missed, m.absent.behind
}

// Without returns the nodes that missed the last round and were not heard since. It returns none while more nodes are missing than
// may miss a round.
func (m *Machine) Without() (nodes []step.NodeID) {
	if m.absent == nil || m.Short() > 0 {
		return nil
	}
	for u, n := range m.absent.nodes {
		if n.away {
			nodes = append(nodes, step.NodeID(u))
		}
	}
	return nodes
}

// Short returns how many nodes may miss a round if this node waits longer than its patience for more of them, else 0.
func (m *Machine) Short() int {
	a := m.absent
	if a == nil || !m.begun || a.lost || a.waited < a.Patience || m.turn >= m.p.Turns() || len(m.awaited()) <= a.Rules.Absent {
		return 0
	}
	return a.Rules.Absent
}

// call returns the roll call of a round: the last one, this one or the next; else nil.
func (m *Machine) call(t step.Turn) *rollcall.Call {
	a := m.absent
	if t < max(0, m.turn-1) || t > m.turn+1 || t >= m.p.Turns() {
		return nil
	}
	if a.calls[t] == nil {
		a.calls[t] = rollcall.NewCall(a.Rules, int(t), m.id, notary{a.By, m.id, a.keys})
	}
	return a.calls[t]
}

// forget drops the knowledge of rounds before the last one.
func (a *absences) forget(turn step.Turn) {
	for t := range a.calls {
		if t < turn-1 {
			delete(a.calls, t)
		}
	}
	for _, of := range []map[answer][]float64{a.values, a.answers} {
		maps.DeleteFunc(of, func(at answer, _ []float64) bool { return at.turn < turn-1 })
	}
}

// about returns the turn of messages about a node and a round, for votes one for each voter.
func (m *Machine) about(t step.Turn, out, by step.NodeID) step.Turn {
	n := step.Turn(m.p.Nodes)
	return (t*n+step.Turn(out))*n + step.Turn(by)
}

// of decodes a turn of about.
func (m *Machine) of(turn step.Turn) (t step.Turn, out, by step.NodeID) {
	n := step.Turn(m.p.Nodes)
	return turn / n / n, step.NodeID(turn / n % n), step.NodeID(turn % n)
}

// send sends a message to all others that to allows.
func (m *Machine) send(msg step.Msg, out *step.Out, to func(u step.NodeID) bool) {
	msg.From = m.id
	for _, u := range m.neighbours {
		if to(u) {
			msg.To, msg.Body = u, slices.Clone(msg.Body)
			out.Msgs = append(out.Msgs, msg)
		}
	}
}

func everybody(step.NodeID) bool { return true }

// enter begins a round. It returns false if this node is out of it already.
func (m *Machine) enter(out *step.Out) bool {
	a := m.absent
	a.before, a.drawn, a.waited = append(a.before[:0], m.x...), false, 0
	out.Timers = append(out.Timers, step.Timer{Turn: m.turn, Lane: votes, Delay: retry})
	if m.call(m.turn).Out(m.id) {
		m.lose(out)
		return false
	}
	return true
}

// asksAbout handles these kinds of message. It drops malformed ones, and those of rounds of which it knows nothing.
func (m *Machine) asksAbout(msg step.Msg, out *step.Out) {
	a := m.absent
	if a == nil || !m.begun && msg.Kind != Vote && msg.Kind != Proof || msg.Epoch != 0 || msg.Turn < 0 {
		return
	}
	t, who, by := m.of(msg.Turn)
	switch {
	case msg.Kind == Where:
		a.nodes[msg.From].away, a.nodes[msg.From].heard = false, true
		if !a.lost {
			m.place(msg.From, out)
			if msg.Turn < m.turn {
				m.welcome(msg.From, out)
			}
		}
		for _, s := range m.sent {
			if s.To == msg.From {
				s.Body = slices.Clone(s.Body)
				out.Msgs = append(out.Msgs, s)
			}
		}
	case msg.Kind == Welcome:
		a.nodes[msg.From].welcome = msg.Turn
		m.welcomed(msg.Turn, out)
		m.advance(out)
	case msg.Kind == Ahead:
		m.placed(msg, out)
		m.advance(out)
	case msg.Kind == Closed:
		m.over(msg, out)
	case msg.Kind == ClosedAck:
		m.confirmed(Closed, msg.From, msg.Turn, out)
	case t < m.turn-1 && !a.lost:
		m.place(msg.From, out)
	case m.call(t) == nil || who == msg.From && msg.Kind != Vote:
	case msg.Kind == Vote:
		m.ballots(msg, t, []rollcall.Vote{{Out: who, By: by, Signature: msg.Body}}, out)
	case msg.Kind == Proof:
		m.ballots(msg, t, unpacked(who, msg.Body), out)
	case msg.Kind == Relay:
		m.relayed(t, who, msg.Body, out)
	case msg.Kind == Seek:
		m.relay(t, who, msg.From, out)
	case t >= m.turn && (msg.Kind == Keep && len(msg.Body) == 0 || msg.Kind == Reveal && len(msg.Body) == m.p.Params):
		if at := (answer{t, who, msg.From}); a.answers[at] == nil && a.answersOf(t, msg.From) < a.Rules.Absent {
			a.answers[at] = append([]float64{}, msg.Body...)
		}
		m.advance(out)
	}
}
