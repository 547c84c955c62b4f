// Package policy implements the limits that one participant accepts. They are in its own file, read by its own
// node, which refuses to join a federation whose plan exceeds them. The other participants neither see the file
// nor influence it.
//
// Only losses with the status sound are compared, and those that are sound if a program in Programs does as
// asserted. A plan whose losses come from a formula that is no upper bound, or from a lower bound, is refused
// whatever its values.
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
  named: {}              # towards these participants, such as {bob: 0.5}, each of whom must take part
  public: 1              # towards the public, if it is shown the final models
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

// A Policy holds the limits that a participant accepts. An optional key that the file omits sets no limit. The
// required limits of epsilon state it as .inf.
type Policy struct {
	Unit          privacy.Unit // Participant, whose limits hold for each record too, or Record
	Delta         float64      // in (0, 1)
	Neighbours    float64      // largest epsilon towards a neighbour, +Inf without limit
	Others        float64      // towards any other participant, +Inf without limit
	Coalitions    []Coalition  // by increasing size
	Named         []Loss       // largest epsilon towards these participants, by name
	Public        float64      // towards the public, who sees the final models if they are shown, +Inf without limit
	Deviators     float64      // towards participants that deviate from the protocol, +Inf without limit
	Sigma         float64      // least noise multiplier, 0 without limit
	Models        []string     // nil: any; external accepts any program's model, external:NAME that of one program
	Programs      []string     // own programs that this participant asserts to compute each row's gradient from that row alone
	Turns         int64        // longest run, MaxInt64 without limit
	Contributions int64        // MaxInt64 without limit
	Hours         float64      // +Inf without limit
	Total         *Total       // nil: no limit on the total of all runs
	Text          []byte       // the file as it was read
}

// A Coalition is a limit on the loss towards nodes that collude.
type Coalition struct {
	Size    int     `yaml:"size"`    // 1 or more nodes, not this one
	Epsilon float64 `yaml:"epsilon"` // towards the worst such coalition
}

// Sizes returns the sizes of the coalitions that p limits.
func (p *Policy) Sizes() (sizes []int) {
	for _, c := range p.Coalitions {
		sizes = append(sizes, c.Size)
	}
	return sizes
}

// unlimited returns a policy without limits.
func unlimited() Policy {
	return Policy{
		Unit: privacy.Participant, Neighbours: math.Inf(1), Others: math.Inf(1), Deviators: math.Inf(1), Public: math.Inf(1),
		Turns: math.MaxInt64, Contributions: math.MaxInt64, Hours: math.Inf(1),
	}
}
