package pairwise

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// Of returns the accountant of a run's schedule, in units of its largest sensitivity and its own noise. A noise
// multiplier sigma divides energies by sigma squared. class may be nil (Problem.Class).
func Of(s schedule.Gossip, class func(u, v int) int) (*Accountant, error) {
	if err := Covers(s); err != nil {
		return nil, err
	}
	p := Problem{
		Pairs: s.Pairs, Own: 1, Pair: s.Pairwise, Contributions: s.MostOfUnit(), Class: class,
		Sensitivity: s.Relatives(), Records: s.Records, Absent: s.Absent,
	}
	if s.Memory != nil {
		p.Energy, p.Rounds = s.EnergyOfUnit(), s.Rounds
	}
	return New(p)
}

// Covers returns why a schedule cannot be priced, nil if it can.
func Covers(s schedule.Gossip) error {
	switch {
	case s.Pairwise == 0 || s.Pairs == nil:
		return fault.New("no noise cancels in this run", "have neighbours share noise, or charge the local loss")
	case s.Pairs.N != s.Nodes:
		return fault.New(fmt.Sprintf("%d nodes, and edges that share noise among %d", s.Nodes, s.Pairs.N), "give the edges of this graph")
	case s.Asynchronous && s.Absent == 0:
		return fault.New("nodes that are away in a round leave noise that nobody subtracts", "have all take part in all rounds")
	case s.Memory != nil && (s.Every > 1 || s.NoiseEachTurn || s.StepSizes != nil):
		return fault.New("noise that remembers earlier rounds where steps, noise or contributions differ from round to round", "take steps of one size, with noise in each step alone")
	case !s.NoiseAlways:
		return fault.New("nodes that do not contribute in a round add no noise", "have all add noise in all rounds")
	}
	if err := misses(s); err != nil {
		return err
	}
	return s.Relatives().Check(s.Nodes)
}

// misses returns an error if a node takes part in some turns of a round only, or more nodes miss one than may.
func misses(s schedule.Gossip) error {
	if !s.Asynchronous {
		return nil
	}
	for t := range s.Turns() {
		first := slices.Clone(s.Active(t - t%step.Turn(s.TurnsPerRound)))
		switch active := s.Active(t); {
		case active != nil && s.Nodes-len(active) > s.Absent:
			return fault.New(fmt.Sprintf("%d of %d nodes are away at turn %d, and at most %d may miss a round", s.Nodes-len(active), s.Nodes, t, s.Absent), "have fewer miss it")
		case !slices.Equal(active, first):
			return fault.New(fmt.Sprintf("nodes that are away at turn %d are there in other turns of the round", t), "have nodes miss whole rounds")
		}
	}
	return nil
}
