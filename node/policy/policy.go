// Package policy is what one participant accepts: its own file, read by its
// own node, which refuses to join a federation whose plan asks for more. The
// other participants neither see it nor have a say in it.
//
// Only losses with the status sound are weighed. A published formula that is
// no bound, or a lower bound, gets the plan refused whatever it says.
package policy

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Example is a policy with every key.
const Example = `# What this participant accepts.
unit: participant        # what the limits protect: all data of this participant, or a record of it each
delta: 1.0e-6            # losses are (epsilon, delta); delta at most this
epsilon:
  neighbours: 1          # towards any one neighbour in the graph
  others: 0.1            # towards any one other participant
  coalitions:            # towards any so many nodes that put together what they saw
    - {size: 2, epsilon: 2}
    - {size: 5, epsilon: 8}
  deviators: 8           # towards anybody who does not keep to the protocol, however many they are
least:
  sigma: 2               # noise multiplier of every release
models: [logistic, ridge]
longest:
  turns: 1000000         # of the whole run
  contributions: 50      # uses of this participant's data
  hours: 48
total:                   # of all runs on the same rows together, by the budget book beside the key
  epsilon: 4             # towards one participant of each run, all of these together
  delta: 1.0e-5
  since: 2020-01-01      # runs that were signed before do not count; without it all do
`

// A Policy is what a participant accepts at most, or at least. Where its file
// says nothing, there is no limit, which the towards limits must say.
type Policy struct {
	Unit          privacy.Unit // Participant, which is kept for records too, or Record
	Delta         float64      // in (0, 1)
	Neighbours    float64      // largest epsilon towards a neighbour, +Inf without limit
	Others        float64      // towards anybody else, +Inf without limit
	Coalitions    []Coalition  // by rising size
	Deviators     float64      // towards anybody who does not keep to the protocol, +Inf without limit
	Sigma         float64      // least noise multiplier, 0 without limit
	Models        []string     // nil: any; external is any of a program, external:NAME that of one
	Programs      []string     // of this participant's own, which it asserts to compute each row's gradient from that row alone
	Turns         int64        // longest run, MaxInt64 without limit
	Contributions int64        // MaxInt64 without limit
	Hours         float64      // +Inf without limit
	Total         *Total       // nil: runs are weighed one by one
	Text          []byte       // the file as it was read
}

// A Coalition is a limit on what nodes that work together may learn.
type Coalition struct {
	Size    int     `yaml:"size"`    // 1 or more nodes, not this one
	Epsilon float64 `yaml:"epsilon"` // towards the worst such coalition
}

// Sizes are those of the coalitions that it limits.
func (p *Policy) Sizes() (sizes []int) {
	for _, c := range p.Coalitions {
		sizes = append(sizes, c.Size)
	}
	return sizes
}

// unlimited has no limit anywhere.
func unlimited() Policy {
	return Policy{
		Unit: privacy.Participant, Neighbours: math.Inf(1), Others: math.Inf(1), Deviators: math.Inf(1), Turns: math.MaxInt64, Contributions: math.MaxInt64, Hours: math.Inf(1),
	}
}
