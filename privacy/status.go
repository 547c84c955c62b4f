package privacy

import "strings"

// Status says how far a privacy number can be trusted. Its text is what
// reports print.
type Status string

// The four statuses. Only Sound numbers may decide whether a run is accepted.
const (
	Published Status = "published" // a paper's formula, as printed; not always a bound
	Sound     Status = "sound"     // an upper bound whose every step is defended and whose assumptions are checked
	SoundIf   Status = "sound if"  // an upper bound if something holds that somebody only asserts
	Audit     Status = "audit"     // a lower bound: what an attacker really achieves
)

// A Claim says what stands behind a privacy number: who computed it, how far
// it can be trusted, and what it takes for granted.
type Claim struct {
	Accountant  string
	Status      Status
	Assumptions []string // one sentence each, besides the unit
	Unit        Unit     // "": Participant
	If          string   // of SoundIf: what somebody asserts, one sentence
	Towards     Observer // who the number is a bound towards
	Final       bool     // the number counts that everybody is shown the final model
	Gaussian    bool     // views are no better than Gaussian ones, so that a bound at one delta is one at every delta
}

// A Unit says between which data sets a privacy loss compares: what one of them
// may have that the other has not.
type Unit string

// The units.
const (
	Participant Unit = "participant" // all the data of one participant, replaced by any other
	Record      Unit = "record"      // one row of one participant, replaced by any other
	AsGiven     Unit = "as given"    // that of the loss that was handed over
)

// Adjacency is the unit in a sentence, as claims list it.
func (u Unit) Adjacency() string {
	switch u {
	case AsGiven:
		return "the unit of privacy is that of the loss that was given"
	case Record:
		return "unit of privacy: record; neighbouring data sets differ in one row of one participant, replaced by any other; how many rows " +
			"each participant has is public; a person with k rows loses more than k times as much as a rule (hearsay plan --rows-each k)"
	}
	return "unit of privacy: participant; neighbouring data sets differ in all the data of one participant, replaced by any other"
}

// Bound is the claim of an upper bound whose every step is defended. It is Sound,
// or SoundIf where it rests on what somebody asserts and no code has checked, such
// as model.Update's: one sentence, "" for nothing.
func Bound(accountant, asserted string, assumptions ...string) Claim {
	if asserted == "" {
		return Claim{Accountant: accountant, Status: Sound, Assumptions: assumptions}
	}
	return Claim{Accountant: accountant, Status: SoundIf, If: asserted, Assumptions: assumptions}
}

// UnitOrParticipant is the unit of privacy that the claim is about.
func (c Claim) UnitOrParticipant() Unit {
	if c.Unit == "" {
		return Participant
	}
	return c.Unit
}

// Grounds are all that the number rests on, the unit of privacy first, then what
// nobody has checked.
func (c Claim) Grounds() []string {
	grounds := []string{c.UnitOrParticipant().Adjacency()}
	if c.If != "" {
		grounds = append(grounds, "asserted, and checked by nobody: "+c.If)
	}
	return append(grounds, c.Assumptions...)
}

// String is the claim in one line.
func (c Claim) String() string {
	return c.Accountant + " (" + string(c.Status) + "): " + strings.Join(c.Grounds(), "; ")
}
