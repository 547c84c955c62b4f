// Package rollcall decides who is out of a round, so that the others go on without it, among participants of whom some lie
// (docs/PAIRWISE.md, missing a round).
//
// In each round a participant has as many votes as nodes may miss the round. It votes against a node that it waits for too
// long. Votes are signed, stored before they are sent, and passed on by everybody. A node with the votes of a quorum is out.
// A Call holds the knowledge of one participant in one round.
package rollcall

// Rules hold the numbers that all participants of a federation have agreed on.
type Rules struct {
	Nodes  int
	Absent int // largest number of nodes that are out of a round, at least 1
	Liars  int // largest number of participants that break the protocol
}

// Quorum returns the number of votes that put a node out of a round. Honest participants have Absent votes, and liars vote
// against everybody. So if m nodes have q votes each, m q <= Absent (Nodes - Liars) + m Liars. Quorum is the least q that
// leaves m at most Absent; for Absent 1 it is the least number above (Nodes + Liars)/2.
func (r Rules) Quorum() int { return r.Liars + r.Absent*(r.Nodes-r.Liars)/(r.Absent+1) + 1 }

// Least returns the least number of nodes that have a quorum although absent of them are missing and all liars are silent.
func Least(absent, liars int) int { return liars + (absent+1)*(liars+absent) + 1 }
