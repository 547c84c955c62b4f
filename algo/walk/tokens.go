package walk

import (
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Several tokens walk at once, each in a lane of its own with its own turns, hops and noise, and independently of the
// others. A node has a share of its contributions for each token (schedule.Share), so that a token's run does not
// depend on the order in which tokens arrive, under any driver. At the end a node that is shown all tokens can
// average them (Mean).

// AllTokens returns the number of tokens, at least 1.
func (p *Protocol) AllTokens() int { return max(1, p.Tokens) }

// Token returns the protocol of the token of one lane, which is p itself if there is only one.
func (p *Protocol) Token(lane step.Lane) *Protocol {
	if p.Tokens <= 1 && p.Starts == nil {
		return p
	}
	one := *p
	if p.Starts != nil {
		one.Start = p.Starts[lane]
	}
	if p.Tokens > 1 {
		one.Lane, one.Cap = lane, schedule.Share(p.Cap, p.Tokens, lane)
	}
	one.Tokens, one.Starts = 0, nil
	return &one
}

// Lanes returns the protocols of all tokens.
func (p *Protocol) Lanes() []*Protocol {
	all := make([]*Protocol, p.AllTokens())
	for lane := range all {
		all[lane] = p.Token(step.Lane(lane))
	}
	return all
}

// Mean returns the mean of tokens, added in the order of their lanes, so that all nodes with the same tokens get the
// same bits. It returns nil if any token is missing.
func Mean(tokens [][]float64) []float64 {
	if len(tokens) == 1 {
		return tokens[0]
	}
	for _, token := range tokens {
		if token == nil {
			return nil
		}
	}
	mean := make([]float64, len(tokens[0]))
	MeanInto(mean, tokens)
	return mean
}

// MeanInto sets dst to the Mean of tokens, none of which may be missing.
func MeanInto(dst []float64, tokens [][]float64) {
	clear(dst)
	for _, token := range tokens {
		for i, x := range token {
			dst[i] += x
		}
	}
	for i := range dst {
		dst[i] /= float64(len(tokens))
	}
}

// Tokens is one node of a walk of several tokens: a Machine for each, which handles the messages and timers of its
// lane.
type Tokens struct{ lanes []*Machine }

// NewTokens returns the machine of node id for all tokens of p, with a hopper for each; see NewMachine.
func NewTokens(p *Protocol, id step.NodeID, neighbours []step.NodeID, ex model.Examples, hopper func(*Protocol) *Hopper) *Tokens {
	m := &Tokens{}
	for _, one := range p.Lanes() {
		m.lanes = append(m.lanes, NewMachine(one, id, neighbours, ex, hopper(one)))
	}
	return m
}

// Lane returns the machine of one token.
func (m *Tokens) Lane(lane step.Lane) *Machine { return m.lanes[lane] }

// Start implements step.Machine.
func (m *Tokens) Start(out *step.Out) {
	m.each(out, func(one *Machine) { one.Start(out) })
}

// Step implements step.Machine. It drops a message of a lane that does not exist.
func (m *Tokens) Step(msg step.Msg, out *step.Out) {
	if int64(msg.Lane) < int64(len(m.lanes)) {
		m.whole(out, func() { m.lanes[msg.Lane].Step(msg, out) })
	}
}

// Tick implements step.Machine.
func (m *Tokens) Tick(t step.Timer, out *step.Out) {
	if int64(t.Lane) < int64(len(m.lanes)) {
		m.whole(out, func() { m.lanes[t.Lane].Tick(t, out) })
	}
}

func (m *Tokens) each(out *step.Out, do func(*Machine)) {
	m.whole(out, func() {
		for _, one := range m.lanes {
			do(one)
		}
	})
}

// whole calls do for lanes. The run has ended if it has for every token.
func (m *Tokens) whole(out *step.Out, do func()) {
	before := out.Done
	out.Done = false
	do()
	ended := out.Done
	for _, one := range m.lanes {
		ended = ended && one.told()
	}
	out.Done = before || ended
}

// told reports whether this node knows of the end and has no neighbour left to tell.
func (m *Machine) told() bool { return m.end.known && len(m.end.tell) == 0 }

// Contributions returns the number of times this node has used its data, for all tokens.
func (m *Tokens) Contributions() int {
	total := 0
	for _, one := range m.lanes {
		total += one.Contributions()
	}
	return total
}

// Ended reports whether this node knows that the run is over for every token, and returns the mean of the last
// tokens, nil if not all were shown to it.
func (m *Tokens) Ended() (model []float64, ended bool) {
	last := make([][]float64, len(m.lanes))
	ended = true
	for lane, one := range m.lanes {
		token, over := one.Ended()
		last[lane], ended = token, ended && over
	}
	if !ended {
		return nil, false
	}
	return Mean(last), true
}

// Turn returns the least number of turns of a token, as far as this node knows.
func (m *Tokens) Turn() step.Turn {
	least := m.lanes[0].Turn()
	for _, one := range m.lanes[1:] {
		least = min(least, one.Turn())
	}
	return least
}

// Epoch returns the sum of the epochs of all tokens, which grows with each of them. A release of one token in a new
// epoch is therefore never taken for a turn that was released before.
func (m *Tokens) Epoch() uint64 {
	total := uint64(0)
	for _, one := range m.lanes {
		total += one.Epoch()
	}
	return total
}

// Expect calls Expect for every token.
func (m *Tokens) Expect(turns int) {
	for _, one := range m.lanes {
		one.Expect(turns)
	}
}

// Source returns the node that told this one of the end of the first token, and reports whether the end of any token
// is disputed.
func (m *Tokens) Source() (from step.NodeID, disputed bool) {
	from, _ = m.lanes[0].Source()
	for _, one := range m.lanes {
		_, contradicted := one.Source()
		disputed = disputed || contradicted
	}
	return from, disputed
}
