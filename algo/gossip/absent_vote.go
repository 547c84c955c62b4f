package gossip

import (
	"slices"

	"github.com/hearsay-dp/hearsay/algo/rollcall"
	"github.com/hearsay-dp/hearsay/step"
)

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
	awaited := m.awaited()
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

// decided acts on it if a node is out of a round: this node goes back, or reveals the noise that it shares with the node.
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
		if m.answer(t, who, out); t == m.turn {
			delete(m.heard, who)
		}
	}
}

// answer reveals to everybody else, once, the noise of the round that this node shares with a node that is out. This node then
// waits for their answers with new patience.
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

// answerAll answers about all nodes that are out of this round, once the noise is drawn. If the value has data of this node, what
// others say of their votes in this round counts from now on.
func (m *Machine) answerAll(out *step.Out) {
	m.absent.drawn = true
	if len(m.release) > 0 && m.release[0].Contributed {
		m.absent.asked[m.turn] = nil
	}
	for u := range step.NodeID(m.p.Nodes) {
		if u != m.id {
			m.decided(m.turn, u, out)
		}
	}
}

// answersOf returns the number of answers of u in a round. No more nodes than may miss it are out.
func (a *absences) answersOf(t step.Turn, u step.NodeID) (count int) {
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

// callRoll repeats own votes, and proofs for those who have not answered. It asks those that it has waited for too long where they
// are. After twice its patience it goes on without the answers of those whose values it has. What they share then stays in the
// average.
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
