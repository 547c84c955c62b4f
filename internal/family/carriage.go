package family

import (
	"iter"

	"github.com/hearsay-dp/hearsay/attack/walklikelihood"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// A Carrier is an algorithm whose nodes pass on tokens, which package attack/walklikelihood attacks.
type Carrier interface {
	Algorithm
	// Carriage returns the attackers' knowledge of its tokens, or an error that says why they are not attacked.
	Carriage() (*Carriage, error)
}

// A Carriage is the attackers' knowledge of the tokens of an algorithm, with the noise set so far.
type Carriage struct {
	Walk    *schedule.Walk // the law of paths; nil: the turns of each node are public
	Lanes   int            // number of tokens
	Updates walklikelihood.Updates
	// Sign is the factor on a node's gradient, or its value, where it is added to a token: -1 or 1.
	Sign float64
	// Linear is "" where contributions do not depend on the token, so that attacks are exact. Else it says why they are not.
	Linear string
	// Releases returns the releases of one token in the run of a seed.
	Releases func(seed uint64, lane step.Lane) iter.Seq[step.Release]
	// Run returns the run of a seed. It is nil without data.
	Run func(seed uint64) *sim.Walk
	// Quiet returns a function that repeats a turn without its noise. The function keeps scratch memory and is not safe for
	// concurrent use.
	Quiet func() func(token []float64, r step.Release)
	// Law bounds the leakage about u towards attackers who pool their views. It returns nil if no noise gives a bound.
	Law func(u int, attackers []int) (*walkpath.Law, error)
}
