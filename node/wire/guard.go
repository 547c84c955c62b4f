package wire

import "github.com/hearsay-dp/hearsay/step"

// window is the number of sequence numbers behind the highest for which a Guard distinguishes late frames from
// repeated ones.
const window = 64

// A Guard checks the numbers of the frames that arrive on one link in one direction. It admits each (incarnation,
// sequence) at most once, in increasing order. Gaps are allowed, because frames may be lost. A restarted sender
// begins again at sequence 0 under a larger incarnation.
//
// Refusing late frames loses no message for good: a sender without an acknowledgement sends again, as a new frame.
//
// The zero Guard has seen nothing. A Guard is a value and may be copied to save it.
type Guard struct {
	begun       bool
	incarnation uint64
	highest     uint64
	seen        uint64 // bit i: highest-i has arrived
}

// Admit admits a frame or refuses it. It returns ErrReplay if the number has arrived before or is of an earlier
// incarnation. It also does for a number 64 or more behind the highest, because late and repeated cannot be told
// apart there. It returns ErrReordered if the frame comes for the first time, but after a later one.
func (g *Guard) Admit(incarnation, sequence uint64) error {
	switch {
	case !g.begun || incarnation > g.incarnation:
		*g = Guard{begun: true, incarnation: incarnation, highest: sequence, seen: 1}
		return nil
	case incarnation < g.incarnation:
		return refuse(ErrReplay, hintAgain, "frame of incarnation %d, incarnation %d has been heard", incarnation, g.incarnation)
	case sequence > g.highest:
		g.seen = g.seen<<(sequence-g.highest) | 1 // a shift by 64 or more gives 0
		g.highest = sequence
		return nil
	}
	return g.late(sequence)
}

// late refuses a sequence number that is not above the highest.
func (g *Guard) late(sequence uint64) error {
	behind := g.highest - sequence
	if behind >= window || g.seen>>behind&1 == 1 {
		return refuse(ErrReplay, hintAgain, "frame %d, frame %d has been heard", sequence, g.highest)
	}
	g.seen |= 1 << behind
	return refuse(ErrReordered, hintAgain, "frame %d after frame %d", sequence, g.highest)
}

// CheckLink returns ErrMisdirected for a frame whose sender is not the neighbour of the link, or whose receiver is
// not this node. A transport authenticates the neighbour, not the fields of the frame.
func CheckLink(m *step.Msg, from, to step.NodeID) error {
	if m.From == from && m.To == to {
		return nil
	}
	return refuse(ErrMisdirected, hintCaller, "frame from node %d to %d on the link from %d to %d", m.From, m.To, from, to)
}
