package family

import (
	"iter"

	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// A Carrier is an algorithm whose nodes hand tokens on, which package attack/walklikelihood attacks.
type Carrier interface {
	Algorithm
	// Carriage is what attackers know of its tokens, or why they are not attacked.
	Carriage() (*Carriage, error)
}

// A Carriage is what attackers know of the tokens of an algorithm, with the noise set so far.
type Carriage struct {
	Walk    *schedule.Walk // the law of paths; nil: everybody knows who has which turn
	Lanes   int            // tokens
	Updates walklikelihood.Updates
	// Sign is what a node's gradient is multiplied by where it is added to a token, or its value: -1 or 1.
	Sign float64
	// Linear is "" where what nodes add does not depend on the token, and attacks are exact; else why they are not.
	Linear string
	// Releases are those of one token in the run of a seed.
	Releases func(seed uint64, lane step.Lane) iter.Seq[step.Release]
	// Run is the run of a seed; nil without data.
	Run func(seed uint64) *sim.Walk
	// Quiet returns what takes a turn again without its noise; it keeps scratch memory, and is for one goroutine.
	Quiet func() func(token []float64, r step.Release)
	// Law bounds what attackers who put together what they see learn about u; nil: nothing does, whatever the noise.
	Law func(u int, attackers []int) (*walkpath.Law, error)
}
