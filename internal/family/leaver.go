package family

import (
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/step"
)

// A Leaver is an algorithm whose run goes on when a node stops contributing. That node then adds noise and passes on the
// messages of others without its data.
type Leaver interface {
	// Stays returns the reason why a node cannot go on without its data, "" if it can.
	Stays() string
	// LeftLaw returns the law of the remaining leakage of node u, after rounds after it stopped contributing at turn from. It is
	// towards an observer of no earlier message. until is the turn from which on u adds no noise. LeftLaw returns nil where no
	// accountant of the spec prices this, or where that round is not over before turn until.
	LeftLaw(u int, from, until step.Turn, after int) (*walkpath.Law, error)

	// LeftPublicLaw returns the law of LeftLaw towards whoever sees the final models alone. It returns nil where nobody is shown
	// them, or no accountant of the spec prices this.
	LeftPublicLaw(u int, from step.Turn) (*walkpath.Law, error)
}
