package gossip

import (
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// Where nodes may miss rounds, all exchange values with all, one turn a round. A node votes against those that it waits
// for too long (package rollcall). Once a quorum has, a node is out of the round: the others reveal the noise of the round
// that they share with it, subtract it from each other's values, and average without it. A value also says whom its
// sender has voted against in the round before. So every node learns whether a quorum can exist that had it out of a round
// in which it sent its value. If one can, it is charged its local loss for that round: a release to itself in lane late. From
// then on it adds noise alone. So no more than MostLate rounds are charged: that one, and the one after, whose value had left.
//
// A node that is out goes back to its value before the round. It asks the others where they are, and goes on in their round if so
// many have not voted against it there that there is no quorum, else in the round after.

// Vote is one vote, Proof the votes of a quorum. Both are signed. Reveal holds the noise that the sender shares with a node that
// is out. A Keep says instead that it reveals none. All are about a node and a round (about). Where asks which round the others
// are in, and an Ahead says so. A Closed says after the last round what a Value says of the round before.
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

// Absences are what a machine needs where nodes may miss rounds.
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
	used    bool                         // on this node's data
	values  map[answer][]float64         // of others, as they were sent in these rounds; by is 0
	answers map[answer][]float64         // of others and of this node, of these rounds; empty if nothing is revealed
	nodes   []acquaintance               // by node
	asked   map[step.Turn][]step.NodeID  // rounds in which this node's value left, and who has not voted against it in them
	late    int                          // rounds charged with the local loss
	missed  int                          // rounds that this node was out of
	behind  bool                         // the last round is one of them
	lost    bool                         // out of this round, and looking for the one that the others are in
	over    bool                         // waits for nobody after the last round
	told    bool                         // released that it has ended
	waited  int                          // ticks in this round, not kept
}

// An answer is what by reveals about a node that is out of a round.
type answer struct {
	turn    step.Turn
	out, by step.NodeID
}

// An acquaintance is what a machine knows of another one.
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
	m.absent = &absences{Absences: a, keys: make([][]float64, m.p.Nodes), calls: map[step.Turn]*rollcall.Call{}, values: map[answer][]float64{}, answers: map[answer][]float64{}, asked: map[step.Turn][]step.NodeID{},
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

// Missed returns the number of rounds that this node was out of, and whether the last one is one of them. Its model is then older
// than that of the others.
func (m *Machine) Missed() (rounds int, last bool) {
	if m.absent == nil {
		return 0, false
	}
	return m.absent.missed, m.absent.behind
}

// Without returns the nodes that missed the last round and were not heard since.
func (m *Machine) Without() (nodes []step.NodeID) {
	if m.absent == nil {
		return nil
	}
	for u, n := range m.absent.nodes {
		if n.away {
			nodes = append(nodes, step.NodeID(u))
		}
	}
	return nodes
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

// forget drops what is known of rounds before the last one.
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

// of returns what about has encoded.
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
	a.before, a.drawn, a.used, a.waited = append(a.before[:0], m.x...), false, false, 0
	out.Timers = append(out.Timers, step.Timer{Turn: m.turn, Lane: votes, Delay: retry})
	if m.call(m.turn).Out(m.id) {
		m.lose(out)
		return false
	}
	return true
}

// rows returns the data that this node's next step is on: none once it was charged for a late value, or while so many values are in
// doubt that with this one more than MostLate could be.
func (m *Machine) rows() model.Examples {
	if m.Late() > 0 || m.absent != nil && len(m.absent.asked) >= MostLate {
		return model.Examples{}
	}
	return m.examples
}

// told returns the value of this turn as it is sent: with whom this node has voted against in the last round.
func (m *Machine) told(x []float64) []float64 { return append(slices.Clone(x), m.against(m.turn-1)...) }

// against returns whom this node has voted against in a round, as numbers, as many as it has votes; -1 stands for nobody.
func (m *Machine) against(t step.Turn) []float64 {
	who := slices.Repeat([]float64{-1}, m.absent.Rules.Absent)
	if call := m.call(t); call != nil {
		for i, v := range call.Mine() {
			who[i] = float64(v.Out)
		}
	}
	return who
}

// vote votes against the nodes that this one waits for, if they are no more than may miss the round: at once against one that missed
// the last one and was not heard since, and against others once patience is over. If more are awaited a vote would be wasted.
func (m *Machine) vote(out *step.Out) {
	var awaited []step.NodeID
	for _, u := range m.neighbours {
		if m.waitsFor(u) {
			awaited = append(awaited, u)
		}
	}
	if len(awaited) > m.absent.Rules.Absent {
		return
	}
	for _, u := range awaited {
		if m.absent.waited < m.absent.Patience && !m.absent.nodes[u].away {
			continue
		}
		if v, ok := m.call(m.turn).Miss(u); ok {
			m.send(m.ballot(m.turn, v), out, everybody)
			m.decided(m.turn, u, out)
		}
	}
}

func (m *Machine) ballot(t step.Turn, v rollcall.Vote) step.Msg {
	return step.Msg{Kind: Vote, Turn: m.about(t, v.Out, v.By), Lane: votes, Body: v.Signature}
}

// decided acts on it if a node is out of a round: this node goes back, or answers what it shares with the node.
func (m *Machine) decided(t step.Turn, who step.NodeID, out *step.Out) {
	a, call := m.absent, m.call(t)
	switch {
	case !call.Out(who):
	case who == m.id && t == m.turn:
		if m.begun {
			m.lose(out)
		}
	case who == m.id:
		if call.Owes() {
			m.charge(t, out)
		}
	case t < m.turn, t == m.turn && a.drawn && !a.lost:
		m.answer(t, who, out)
		delete(m.heard, heardOf(t == m.turn, who))
	}
}

// heardOf returns the key of a value that is not to be averaged, -1 for none.
func heardOf(now bool, who step.NodeID) step.NodeID {
	if now {
		return who
	}
	return -1
}

// answer tells everybody else, once, what this node reveals about a node that is out. Patience begins anew, for their answers.
func (m *Machine) answer(t step.Turn, who step.NodeID, out *step.Out) {
	a, at := m.absent, answer{t, who, m.id}
	if _, known := a.answers[at]; known {
		return
	}
	a.answers[at], a.waited = []float64{}, 0
	if t == m.turn && m.sharesWith(who) {
		shared := make([]float64, m.p.Params)
		m.agreed.Again(shared, m.kernel.sharedStd(t), m.id, who, t, 0)
		a.answers[at] = shared
	}
	m.send(m.answered(at), out, func(u step.NodeID) bool { return u != who && !m.call(t).Out(u) })
}

// answered returns the message of an answer.
func (m *Machine) answered(at answer) step.Msg {
	body := m.absent.answers[at]
	if len(body) == 0 {
		return step.Msg{Kind: Keep, Turn: m.about(at.turn, at.out, 0), Lane: reveals}
	}
	return step.Msg{Kind: Reveal, Turn: m.about(at.turn, at.out, 0), Lane: reveals, Body: body}
}

// answerAll answers about all nodes that are out of this round, once the noise is drawn.
func (m *Machine) answerAll(out *step.Out) {
	m.absent.drawn, m.absent.used = true, len(m.release) > 0 && m.release[0].Contributed
	for u := range step.NodeID(m.p.Nodes) {
		if u != m.id {
			m.decided(m.turn, u, out)
		}
	}
}

// counted takes a value of the current round, and reports whether it counts.
func (m *Machine) counted(u step.NodeID, body []float64) bool {
	if !m.call(m.turn).Hear(u) || m.heard[u] != nil {
		return false
	}
	m.absent.values[answer{m.turn, u, 0}] = slices.Clone(body)
	m.heard[u] = body[:m.p.Params]
	m.kernel.Confine(m.heard[u])
	return true
}

// believed takes what a value says of the last round, if it came from its sender.
func (m *Machine) believed(msg step.Msg) {
	m.cleared(msg.Turn-1, msg.From, !slices.Contains(msg.Body[m.p.Params:], float64(m.id)))
}

// cleared notes that a node has not voted against this one in a round, and never will.
func (m *Machine) cleared(t step.Turn, by step.NodeID, clear bool) {
	if who, open := m.absent.asked[t]; open && clear && !slices.Contains(who, by) {
		m.absent.asked[t] = append(who, by)
	}
}

// settled reports whether no quorum can exist that had this node out of a round.
func (a *absences) settled(t step.Turn) bool {
	return len(a.asked[t])+1 > a.Rules.Nodes-a.Rules.Quorum()+a.Rules.Liars
}

// charge charges this node its local loss for a round.
func (m *Machine) charge(t step.Turn, out *step.Out) {
	if _, open := m.absent.asked[t]; !open {
		return
	}
	delete(m.absent.asked, t)
	m.absent.late++
	out.Releases = append(out.Releases, step.Release{From: m.id, To: m.id, Turn: t, Lane: late, Contributed: true,
		Sensitivity: m.p.Noise.SensitivityOf(m.id), NoiseStd: m.p.Noise.Std()})
}

// settle charges all rounds before t of which it is not certain that no quorum had this node out of them.
func (m *Machine) settle(t step.Turn, out *step.Out) {
	for _, at := range slices.Sorted(maps.Keys(m.absent.asked)) {
		switch {
		case at >= t:
		case m.absent.settled(at):
			delete(m.absent.asked, at)
		default:
			m.charge(at, out)
		}
	}
}

// waitsFor reports whether this node waits for a value of u, or for what it shares with a node that is out.
func (m *Machine) waitsFor(u step.NodeID) bool {
	call := m.call(m.turn)
	return u != m.id && !call.Out(u) && (m.heard[u] == nil || len(m.unanswered(u)) > 0)
}

// unanswered returns the nodes that are out of this round and of which u has not said what it shares with them.
func (m *Machine) unanswered(u step.NodeID) (about []step.NodeID) {
	for w := range step.NodeID(m.p.Nodes) {
		if _, known := m.absent.answers[answer{m.turn, w, u}]; w != u && !known && m.call(m.turn).Out(w) {
			about = append(about, w)
		}
	}
	return about
}

// averageThose computes the current round without those that are out of it, and reports whether it could.
func (m *Machine) averageThose(out *step.Out) bool {
	call := m.call(m.turn)
	if m.absent.lost || !m.absent.drawn {
		return false
	}
	if m.vote(out); slices.ContainsFunc(m.neighbours, m.waitsFor) || !call.Close(m.neighbours) {
		return false
	}
	nodes, weights := m.weights.Row(m.id, m.turn)
	if there := call.Averaged(); len(there) < len(m.neighbours) {
		nodes, weights = alike(m.id, there)
		for w := range step.NodeID(m.p.Nodes) {
			if call.Out(w) {
				m.subtract(w)
			}
		}
	}
	m.kernel.Average(m.previous, m.x, nodes, weights, m.value, m.turn)
	m.x, m.previous = m.previous, m.x
	m.closed(call.Averaged(), out)
	clear(m.heard)
	return true
}

// subtract takes the noise that is shared with a node that is out from all values.
func (m *Machine) subtract(w step.NodeID) {
	for u := range step.NodeID(m.p.Nodes) {
		x := m.value(u)
		for i, shared := range m.absent.answers[answer{m.turn, w, u}] {
			if x != nil {
				x[i] -= shared
			}
		}
		if x != nil {
			m.kernel.Confine(x)
		}
	}
}

// alike returns the nodes that average, and their weights, which are all the same but for rounding.
func alike(self step.NodeID, others []step.NodeID) (nodes []int32, weights []float64) {
	weight, stay := 1/float64(1+len(others)), 1.0
	for _, u := range others {
		nodes, weights, stay = append(nodes, int32(u)), append(weights, weight), stay-weight
	}
	at, _ := slices.BinarySearch(nodes, int32(self))
	return slices.Insert(nodes, at, int32(self)), slices.Insert(weights, at, max(0, stay))
}

// closed notes who was in the average of this round.
func (m *Machine) closed(averaged []step.NodeID, out *step.Out) {
	a, mine := m.absent, m.against(m.turn)
	m.settle(m.turn, out)
	if a.used {
		a.asked[m.turn] = nil
	}
	for u := range a.nodes {
		n, id := &a.nodes[u], step.NodeID(u)
		if _, in := slices.BinarySearch(averaged, id); in {
			n.against = [2]bool{slices.Contains(mine, float64(u)), n.last != m.turn-1 || n.against[0]}
			n.last, n.away = m.turn, false
		} else if id != m.id {
			n.away = !n.heard
			m.sent = slices.DeleteFunc(m.sent, func(s step.Msg) bool { return s.To == id && s.Kind == Value })
		}
		n.heard = false
	}
	m.sent = slices.DeleteFunc(m.sent, func(s step.Msg) bool { return s.Kind == Value && s.Turn < m.turn })
}

// finish tells everybody who was in the last round what a Value would.
func (m *Machine) finish(out *step.Out) {
	a := m.absent
	for _, u := range m.neighbours {
		if !a.nodes[u].away {
			m.sent = append(m.sent, step.Msg{Kind: Closed, From: m.id, To: u, Turn: m.turn, Lane: ends, Body: m.against(m.turn - 1)})
		}
	}
	m.repeat(m.turn, out)
	a.waited = 0
	out.Timers = append(out.Timers, step.Timer{Turn: m.turn, Lane: votes, Delay: retry})
}

// ended reports whether nothing is open any more.
func (a *absences) ended() bool {
	for t := range a.asked {
		if !a.settled(t) {
			return false
		}
	}
	return true
}

// lose takes this node out of the round. It goes back to its value before, and asks the others where they are.
func (m *Machine) lose(out *step.Out) {
	a := m.absent
	if a.lost {
		return
	}
	call := m.call(m.turn)
	if call.Sent() && a.used {
		a.asked[m.turn] = nil
	}
	if call.Owes() {
		m.charge(m.turn, out)
	}
	a.lost, a.waited, m.asked = true, 0, nil
	m.sent = slices.DeleteFunc(m.sent, func(s step.Msg) bool { return s.Kind == Value })
	m.x = append(m.x[:0], a.before...)
	m.node.unsent, m.node.fresh = 0, false
	clear(m.heard)
	m.where(out)
}

func (m *Machine) where(out *step.Out) { m.send(step.Msg{Kind: Where, Turn: m.turn}, out, everybody) }

// place tells a node where this one is.
func (m *Machine) place(u step.NodeID, out *step.Out) {
	n := m.absent.nodes[u]
	body := []float64{float64(n.last), float64(truth(n.against[0])), float64(truth(n.against[1]))}
	out.Msgs = append(out.Msgs, step.Msg{Kind: Ahead, From: m.id, To: u, Turn: m.turn, Lane: places, Body: body})
}

// placed takes an Ahead. If more nodes than may lie are two rounds ahead, this round is over without this node.
func (m *Machine) placed(msg step.Msg, out *step.Out) {
	a := m.absent
	if len(msg.Body) != 3 || msg.Turn > m.p.Turns() {
		return
	}
	a.nodes[msg.From].at = max(a.nodes[msg.From].at, msg.Turn)
	last := step.Turn(msg.Body[0])
	m.cleared(last, msg.From, msg.Body[1] == 0)
	m.cleared(last-1, msg.From, msg.Body[2] == 0)
	if m.begun && m.reached() > m.turn+1 {
		m.lose(out)
		m.cleared(last, msg.From, msg.Body[1] == 0)
	}
}

// reached returns the round that more nodes than may lie say they have reached.
func (m *Machine) reached() step.Turn {
	var places []step.Turn
	for _, n := range m.absent.nodes {
		places = append(places, n.at)
	}
	slices.Sort(places)
	return places[len(places)-1-m.absent.Rules.Liars]
}

// welcome tells a node that this one has not voted against it in its round, and waits for it.
func (m *Machine) welcome(u step.NodeID, out *step.Out) {
	call := m.call(m.turn)
	if call == nil || call.Out(u) || slices.ContainsFunc(call.Mine(), func(v rollcall.Vote) bool { return v.Out == u }) {
		return
	}
	if n := &m.absent.nodes[u]; n.waits != m.turn+1 {
		n.waits, m.absent.waited = m.turn+1, 0
	}
	m.send(step.Msg{Kind: Welcome, Turn: m.turn}, out, func(v step.NodeID) bool { return v == u })
}

// welcomed goes on in a round in which no quorum can have this node out.
func (m *Machine) welcomed(t step.Turn, out *step.Out) {
	clear := 0
	for _, n := range m.absent.nodes {
		if n.welcome == t {
			clear++
		}
	}
	if r := m.absent.Rules; m.absent.lost && t > m.turn && t < m.p.Turns() && clear >= r.Nodes-r.Quorum()+r.Liars {
		m.rejoin(t, out)
	}
}

// rejoin goes on in round t.
func (m *Machine) rejoin(t step.Turn, out *step.Out) {
	for ; m.turn < t; m.turn++ {
		m.p.remember(&m.node, m.x, m.turn)
		m.absent.missed++
	}
	m.absent.lost, m.absent.behind = false, t == m.p.Turns()
	for u, msg := range m.ahead {
		if msg.Turn < t {
			delete(m.ahead, u)
		}
	}
	m.goOn(out)
}

// asksAbout handles the kinds of message of this file. It drops what is malformed, and of rounds that it knows nothing of.
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
		if at := (answer{t, who, msg.From}); a.answers[at] == nil && a.answered(t, msg.From) < a.Rules.Absent {
			a.answers[at] = append([]float64{}, msg.Body...)
		}
		m.advance(out)
	}
}

// answered returns of how many nodes u has said what it reveals in a round. No more than may miss it are out.
func (a *absences) answered(t step.Turn, u step.NodeID) (count int) {
	for at := range a.answers {
		if at.turn == t && at.by == u {
			count++
		}
	}
	return count
}

// ballots takes votes against one node. It answers a node that lags behind, or that waits for this one.
func (m *Machine) ballots(msg step.Msg, t step.Turn, all []rollcall.Vote, out *step.Out) {
	call := m.call(t)
	for _, v := range all {
		if len(v.Signature) == signature && !call.Out(v.Out) {
			call.Take(v)
		}
	}
	if len(all) == 0 {
		return
	}
	if !call.Out(all[0].Out) {
		m.relay(t, all[0].Out, msg.From, out)
		return
	}
	who := all[0].Out
	_, known := m.absent.answers[answer{t, who, m.id}]
	if m.decided(t, who, out); known && msg.From != who && (msg.Kind == Proof || t < m.turn) {
		if msg.Kind == Vote {
			m.prove(t, who, msg.From, out)
		}
		m.send(m.answered(answer{t, who, m.id}), out, func(u step.NodeID) bool { return u == msg.From })
	}
	m.advance(out)
}

// prove sends a node the votes of the quorum that has another one, or the node itself, out of a round.
func (m *Machine) prove(t step.Turn, who, to step.NodeID, out *step.Out) {
	m.send(step.Msg{Kind: Proof, Turn: m.about(t, who, 0), Lane: proofs, Body: packed(m.call(t).Certificate(who))}, out,
		func(u step.NodeID) bool { return u == to })
}

// relay passes the value of a node on to one that votes against it.
func (m *Machine) relay(t step.Turn, who, to step.NodeID, out *step.Out) {
	if body := m.absent.values[answer{t, who, 0}]; body != nil && who != to {
		m.send(step.Msg{Kind: Relay, Turn: m.about(t, who, 0), Lane: relays, Body: body}, out, func(u step.NodeID) bool { return u == to })
	}
}

// seeks reports whether half of this node's patience is over. It then asks others for values that it lacks, before it votes.
func (a *absences) seeks() bool { return 2*a.waited >= a.Patience }

// relayed takes the value of a node that this one has asked for, or has voted against.
func (m *Machine) relayed(t step.Turn, who step.NodeID, body []float64, out *step.Out) {
	against := slices.ContainsFunc(m.call(t).Mine(), func(v rollcall.Vote) bool { return v.Out == who })
	if t == m.turn && (against || m.absent.seeks()) && !m.absent.lost && len(body) == m.valueSize() {
		m.counted(who, body)
		m.advance(out)
	}
}

// over takes what a node says after the last round.
func (m *Machine) over(msg step.Msg, out *step.Out) {
	if msg.Turn != m.p.Turns() || m.turn != msg.Turn || len(msg.Body) != m.absent.Rules.Absent {
		return
	}
	m.implied(msg.From, msg.Turn)
	m.cleared(msg.Turn-1, msg.From, !slices.Contains(msg.Body, float64(m.id)))
	out.Msgs = append(out.Msgs, step.Msg{Kind: ClosedAck, From: m.id, To: msg.From, Turn: msg.Turn, Lane: ends})
	m.end(out)
}

// callAgain repeats votes and proofs of the current round, and votes against those that it has waited for too long. After the last
// round it waits no longer than that for others to say that they have ended.
func (m *Machine) callAgain(timer step.Timer, out *step.Out) {
	a := m.absent
	if a == nil || timer.Turn != m.turn {
		return
	}
	a.waited += retry
	switch {
	case a.lost && m.reached() >= m.turn && a.waited > retry:
		m.rejoin(min(m.reached()+1, m.p.Turns()), out)
		m.advance(out)
		return
	case a.lost:
		m.where(out)
	case m.turn == m.p.Turns():
		if a.waited >= a.Patience {
			a.over = true
			m.settle(m.turn, out)
		}
		if m.end(out); out.Done {
			return
		}
	default:
		m.callRoll(out)
	}
	out.Timers = append(out.Timers, step.Timer{Turn: m.turn, Lane: votes, Delay: retry})
}

// callRoll repeats own votes, and proofs for those who have not answered. It asks those that it has waited for too long where they are.
// After twice that time it goes on without an answer of who was heard. What is not revealed then stays in the average.
func (m *Machine) callRoll(out *step.Out) {
	for _, v := range m.call(m.turn).Mine() {
		m.send(m.ballot(m.turn, v), out, everybody)
	}
	for _, u := range m.neighbours {
		if m.absent.drawn && m.waitsFor(u) {
			if m.absent.seeks() && m.heard[u] == nil {
				m.send(step.Msg{Kind: Seek, Turn: m.about(m.turn, u, 0), Lane: relays}, out, func(v step.NodeID) bool { return v != u })
			}
			if m.absent.waited >= m.absent.Patience {
				m.send(step.Msg{Kind: Where, Turn: m.turn}, out, func(v step.NodeID) bool { return v == u })
			}
			for _, w := range m.unanswered(u) {
				m.prove(m.turn, w, u, out)
				if m.absent.waited >= 2*m.absent.Patience && m.heard[u] != nil {
					m.absent.answers[answer{m.turn, w, u}] = []float64{}
				}
			}
		}
	}
	m.advance(out)
}

// hearThere takes a value where nodes may miss rounds. One of a round that its sender is out of is answered by a proof, one of a
// round long over by this node's place, and all others are confirmed.
func (m *Machine) hearThere(msg step.Msg, out *step.Out) {
	a, u := m.absent, msg.From
	a.nodes[u].heard, a.nodes[u].away = true, false
	switch call := m.call(msg.Turn); {
	case a.lost && msg.Turn <= m.turn:
	case msg.Turn < m.turn-1:
		m.place(u, out)
		return
	case call != nil && call.Out(u) && !slices.Contains(call.Averaged(), u):
		m.prove(msg.Turn, u, u, out)
		return
	case msg.Turn == m.turn:
		m.believed(msg)
		m.counted(u, msg.Body)
	case msg.Turn > m.turn:
		m.ahead[u] = msg
	}
	out.Msgs = append(out.Msgs, step.Msg{Kind: Ack, From: m.id, To: u, Turn: msg.Turn})
	m.advance(out)
}

// catchUpThere takes the kept values of the current turn, in the order of their senders.
func (m *Machine) catchUpThere() {
	for _, u := range slices.Sorted(maps.Keys(m.ahead)) {
		if msg := m.ahead[u]; msg.Turn <= m.turn {
			delete(m.ahead, u)
			if m.absent.nodes[u].heard = true; msg.Turn == m.turn {
				m.believed(msg)
				m.counted(u, msg.Body)
			}
		}
	}
}
