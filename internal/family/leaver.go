package family

import (
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/step"
)

// A Leaver is an algorithm whose run goes on when a node contributes no more, and adds noise and passes on what others send
// without its data.
type Leaver interface {
	// Stays returns why a node cannot go on without its data, "" if it can.
	Stays() string
	// LeftLaw returns the law of what is left of node u, which contributed in no turn from one on, so many rounds later: towards
	// whoever sees no message before. It is nil where no accountant of the spec prices that, or the run is over by then.
	LeftLaw(u int, from step.Turn, after int) (*walkpath.Law, error)
}
