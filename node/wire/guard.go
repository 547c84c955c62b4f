package wire

import "github.com/hearsay-dp/hearsay/step"

// window is how many sequence numbers back a Guard tells a late frame from a
// repeated one.
const window = 64

// A Guard watches the numbers of the frames that arrive on one link in one
// direction, and lets each (incarnation, sequence) pass at most once, in
// increasing order. Gaps are allowed: frames may be lost. A sender that was
// restarted starts again at sequence 0 under a larger incarnation.
//
// Refusing what comes late loses nothing that was not lost before: a sender
// that has no acknowledgement sends again, as a new frame.
//
// The zero Guard has seen nothing. It is a value: copy it to save it.
type Guard struct {
	begun       bool
	incarnation uint64
	highest     uint64
	seen        uint64 // bit i: highest-i has arrived
}

// Admit lets a frame pass or refuses it: with ErrReplay if its number has
// arrived before, is of an earlier incarnation, or is too old to tell (64 or
// more behind the highest); with ErrReordered if it comes for the first time,
// but after a later one.
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

// CheckLink refuses, with ErrMisdirected, a frame that does not say to come
// from the neighbour that sent it or to be for the node that got it. (A
// transport authenticates the neighbour, not what the frame says.)
func CheckLink(m *step.Msg, from, to step.NodeID) error {
	if m.From == from && m.To == to {
		return nil
	}
	return refuse(ErrMisdirected, hintCaller, "frame from node %d to %d on the link from %d to %d", m.From, m.To, from, to)
}
