package pairwise

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Of prices the schedule of a run, in units of its largest sensitivity and its own noise: a noise
// multiplier sigma divides energies by sigma squared. class may be nil (Problem.Class).
func Of(s schedule.Gossip, class func(u, v int) int) (*Accountant, error) {
	if err := Covers(s); err != nil {
		return nil, err
	}
	return New(Problem{
		Pairs: s.Pairs, Own: 1, Pair: s.Pairwise, Contributions: s.Most(), Class: class,
		Sensitivity: s.Relatives(), Records: s.Sensitivities.Records(),
	})
}

// Covers says why a schedule cannot be priced.
func Covers(s schedule.Gossip) error {
	switch {
	case s.Pairwise == 0 || s.Pairs == nil:
		return fault.New("no noise cancels in this run", "have neighbours share noise, or charge the local loss")
	case s.Pairs.N != s.Nodes:
		return fault.New(fmt.Sprintf("%d nodes, and edges that share noise among %d", s.Nodes, s.Pairs.N), "give the edges of this graph")
	case s.Asynchronous:
		return fault.New("nodes that are away in a round leave noise that nobody subtracts", "have all take part in all rounds")
	case !s.NoiseAlways:
		return fault.New("nodes that do not contribute in a round add no noise", "have all add noise in all rounds")
	}
	return s.Relatives().Check(s.Nodes)
}
