package privacy

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
			"each participant has is public, and whoever gave several rows loses as many times as much"
	}
	return "unit of privacy: participant; neighbouring data sets differ in all the data of one participant, replaced by any other"
}
