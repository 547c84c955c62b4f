package rollcall

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/step"
)

// A Vote says that By waits no longer for Out in a round.
type Vote struct {
	Out, By   step.NodeID
	Signature []float64
}

// A Notary signs votes of one participant and checks those of all.
type Notary interface {
	Sign(round int, out step.NodeID) []float64
	Signed(round int, v Vote) bool
}

// A Call holds the acts and the knowledge of one participant in one round. Its caller must store it before anything leaves that
// a method has allowed or returned.
type Call struct {
	rules  Rules
	round  int
	self   step.NodeID
	notary Notary

	sent   bool          // its own message of the round may have left
	closed bool          // it has averaged, and goes on
	heard  []step.NodeID // whose messages it has accepted, ascending; once closed, those in its average
	votes  []Vote        // ascending by Out, then By
}

// NewCall returns the call of a round as it begins at node self.
func NewCall(rules Rules, round int, self step.NodeID, notary Notary) *Call {
	return &Call{rules: rules, round: round, self: self, notary: notary}
}

// Send reports whether the node may send its message of the round, which may have left from then on. A node that is out may
// not.
func (c *Call) Send() bool {
	c.sent = c.sent || !c.Out(c.self)
	return c.sent && !c.Out(c.self)
}

// Sent reports whether the node's message of the round may have left.
func (c *Call) Sent() bool { return c.sent }

// Hear takes the message of a node, and reports whether it counts. That of a node that is out does not, nor one that comes
// after the average.
func (c *Call) Hear(from step.NodeID) bool {
	at, known := slices.BinarySearch(c.heard, from)
	if c.closed || from == c.self || c.Out(from) {
		return false
	}
	if !known {
		c.heard = slices.Insert(c.heard, at, from)
	}
	return true
}

// Miss returns the node's vote against out, which it waits for too long: for its message, or for its answer about another one
// that is out. It returns false if out is out or is the node itself, if the node has voted against it or has no vote left, and
// if the average is computed.
func (c *Call) Miss(out step.NodeID) (Vote, bool) {
	if c.closed || out == c.self || c.Out(out) || len(c.Mine()) >= c.rules.Absent {
		return Vote{}, false
	}
	v := Vote{Out: out, By: c.self, Signature: c.notary.Sign(c.round, out)}
	return v, c.keep(v)
}

// Take takes a vote that somebody passes on, and reports whether it is new and signed. It is then passed on.
func (c *Call) Take(v Vote) bool {
	inside := func(u step.NodeID) bool { return u >= 0 && int(u) < c.rules.Nodes }
	return inside(v.Out) && inside(v.By) && v.Out != v.By && v.By != c.self && c.notary.Signed(c.round, v) && c.keep(v)
}

// keep stores a vote, and reports whether it is new.
func (c *Call) keep(v Vote) bool {
	at, known := slices.BinarySearchFunc(c.votes, v, func(a, b Vote) int { return cmp.Or(cmp.Compare(a.Out, b.Out), cmp.Compare(a.By, b.By)) })
	if !known {
		c.votes = slices.Insert(c.votes, at, v)
	}
	return !known
}

// Mine returns the node's own votes, which are sent again after a restart.
func (c *Call) Mine() (mine []Vote) {
	for _, v := range c.votes {
		if v.By == c.self {
			mine = append(mine, v)
		}
	}
	return mine
}

// Certificate returns the known votes against a node. They prove to everybody that it is out if they are a quorum.
func (c *Call) Certificate(out step.NodeID) (votes []Vote) {
	for _, v := range c.votes {
		if v.Out == out {
			votes = append(votes, v)
		}
	}
	return votes
}

// Out reports whether a node is out of the round.
func (c *Call) Out(u step.NodeID) bool { return len(c.Certificate(u)) >= c.rules.Quorum() }

// Close computes the average without those that are out, if all others of awaited were heard, and reports whether it is
// computed. Those in it stay in it.
func (c *Call) Close(awaited []step.NodeID) bool {
	if c.closed {
		return true
	}
	for _, u := range awaited {
		if _, heard := slices.BinarySearch(c.heard, u); !heard && !c.Out(u) {
			return false
		}
	}
	c.heard, c.closed = slices.DeleteFunc(c.heard, c.Out), true
	return true
}

// Averaged returns whose messages are in the average, nil before it is computed.
func (c *Call) Averaged() []step.NodeID {
	if !c.closed {
		return nil
	}
	return c.heard
}

// Reveals reports whether the node reveals the noise of the round that it shares with out: out is out, and its message is not
// in the average.
func (c *Call) Reveals(out step.NodeID) bool {
	_, averaged := slices.BinarySearch(c.Averaged(), out)
	return c.Out(out) && !averaged
}

// Owes reports whether the node is charged with its local loss in the round: it is out, and its message may have left.
func (c *Call) Owes() bool { return c.sent && c.Out(c.self) }

// Append appends the state to dst.
func (c *Call) Append(dst []byte) []byte {
	dst = state.AppendBool(state.AppendBool(dst, c.sent), c.closed)
	dst = binary.AppendUvarint(dst, uint64(len(c.heard)))
	for _, u := range c.heard {
		dst = binary.AppendUvarint(dst, uint64(u))
	}
	dst = binary.AppendUvarint(dst, uint64(len(c.votes)))
	for _, v := range c.votes {
		dst = state.AppendFloats(binary.AppendUvarint(binary.AppendUvarint(dst, uint64(v.Out)), uint64(v.By)), v.Signature)
	}
	return dst
}

// Restore reads the state that Append wrote. It refuses votes out of order or unsigned.
func (c *Call) Restore(r *state.Reader) {
	node := func() step.NodeID { return step.NodeID(r.Uint(uint64(c.rules.Nodes - 1))) }
	c.sent, c.closed, c.heard, c.votes = r.Bool(), r.Bool(), nil, nil
	for range r.Uint(uint64(c.rules.Nodes)) {
		c.heard = append(c.heard, node())
	}
	for range r.Uint(uint64(c.rules.Nodes * c.rules.Nodes)) {
		v := Vote{Out: node(), By: node(), Signature: r.Floats()}
		if at := len(c.votes); !c.notary.Signed(c.round, v) || !c.keep(v) || c.votes[at].Out != v.Out || c.votes[at].By != v.By {
			r.Fail("a vote is damaged")
			return
		}
	}
	if !slices.IsSorted(c.heard) {
		r.Fail("nodes that were heard are out of order")
	}
}
