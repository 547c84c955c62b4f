package privacy

import "strings"

// Status says how far a privacy number can be trusted. Its text is what
// reports print.
type Status string

// The three statuses. Only Sound numbers may decide whether a run is accepted.
const (
	Published Status = "published" // a paper's formula, as printed; not always a bound
	Sound     Status = "sound"     // an upper bound whose every step is defended
	Audit     Status = "audit"     // a lower bound: what an attacker really achieves
)

// A Claim says what stands behind a privacy number: who computed it, how far
// it can be trusted, and what it takes for granted.
type Claim struct {
	Accountant  string
	Status      Status
	Assumptions []string // one sentence each, besides the unit
	Unit        Unit     // "": Participant
}

// UnitOrParticipant is the unit of privacy that the claim is about.
func (c Claim) UnitOrParticipant() Unit {
	if c.Unit == "" {
		return Participant
	}
	return c.Unit
}

// Grounds are all that the number rests on, the unit of privacy first.
func (c Claim) Grounds() []string {
	return append([]string{c.UnitOrParticipant().Adjacency()}, c.Assumptions...)
}

// String is the claim in one line.
func (c Claim) String() string {
	return c.Accountant + " (" + string(c.Status) + "): " + strings.Join(c.Grounds(), "; ")
}
