package privacy

import "strings"

// Status is the trust in a privacy number. Reports print its text.
type Status string

// The four statuses. Only Sound numbers may decide whether a run is accepted.
const (
	Published Status = "published" // a paper's formula, as printed; not always a bound
	Sound     Status = "sound"     // an upper bound whose every step is defended and whose assumptions are checked
	SoundIf   Status = "sound if"  // an upper bound under a condition that somebody asserts and no code has checked
	Audit     Status = "audit"     // a lower bound, attained by an attack
)

// A Claim holds the grounds of a privacy number: its accountant, its status and
// its assumptions.
type Claim struct {
	Accountant  string
	Status      Status
	Assumptions []string // one sentence each, besides the unit
	Unit        Unit     // "": Participant
	If          string   // for SoundIf: the asserted condition, one sentence
	Towards     Observer // the observer that the number bounds the loss towards
	Final       bool     // the number allows for everybody seeing the final model
	Gaussian    bool     // every view is dominated by a Gaussian one, so a bound at one delta implies one at every delta
}

// A Unit is the unit of privacy: the difference between two neighbouring data
// sets.
type Unit string

// The units.
const (
	Participant Unit = "participant" // all the data of one participant, replaced by any other
	Record      Unit = "record"      // one row of one participant, or all rows of a person there, replaced by any other
	AsGiven     Unit = "as given"    // the unit of the loss that the caller gave
)

// Adjacency returns the unit as a sentence for claims.
func (u Unit) Adjacency() string {
	switch u {
	case AsGiven:
		return "the unit of privacy is that of the loss that was given"
	case Record:
		return "unit of privacy: record; neighbouring data sets differ in one record of one participant, replaced by any other; how many records " +
			"each participant has is public; a record is all rows of a person with data.person, else one row, and a person with k rows then loses more than " +
			"k times as much as a rule (hearsay plan --rows-each k)"
	}
	return "unit of privacy: participant; neighbouring data sets differ in all the data of one participant, replaced by any other"
}

// Bound returns the claim of an upper bound whose every step is defended. The
// status is Sound if asserted is "". Otherwise asserted is one sentence that no
// code has checked, such as model.Update's, and the status is SoundIf.
func Bound(accountant, asserted string, assumptions ...string) Claim {
	if asserted == "" {
		return Claim{Accountant: accountant, Status: Sound, Assumptions: assumptions}
	}
	return Claim{Accountant: accountant, Status: SoundIf, If: asserted, Assumptions: assumptions}
}

// UnitOrParticipant returns the unit of privacy of the claim.
func (c Claim) UnitOrParticipant() Unit {
	if c.Unit == "" {
		return Participant
	}
	return c.Unit
}

// Unchecked begins the ground that a claim asserts and no code has checked.
const Unchecked = "asserted, and checked by nobody: "

// Grounds returns everything that the number rests on: anything asserted and unchecked
// first, then the unit of privacy, then the assumptions.
func (c Claim) Grounds() []string {
	var grounds []string
	if c.If != "" {
		grounds = append(grounds, Unchecked+c.If)
	}
	return append(append(grounds, c.UnitOrParticipant().Adjacency()), c.Assumptions...)
}

// String returns the claim in one line.
func (c Claim) String() string {
	return c.Accountant + " (" + string(c.Status) + "): " + strings.Join(c.Grounds(), "; ")
}
