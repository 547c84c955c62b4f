package walk

import (
	"iter"

	"github.com/hearsay-dp/hearsay/step"
)

// Schedule is what a run releases, without any data: the law of the token's
// path is public, and so is what each visit costs.
type Schedule struct {
	Protocol *Protocol
	Holds    func(step.NodeID) bool // whether a node holds any example; nil: all do
}

// Releases yields, turn by turn, the releases of the run whose token follows
// router.
func (s Schedule) Releases(router Router) iter.Seq[step.Release] {
	return func(yield func(step.Release) bool) {
		visits := make(map[step.NodeID]int)
		at := s.Protocol.Start
		for t := range s.Protocol.Turns() {
			next := router.Next(at, t)
			if !yield(s.release(at, next, t, visits)) {
				return
			}
			at = next
		}
	}
}

func (s Schedule) release(at, next step.NodeID, t step.Turn, visits map[step.NodeID]int) step.Release {
	p := s.Protocol
	if int(t) < p.BurnIn {
		return step.Release{From: at, To: next, Turn: t}
	}
	visits[at]++
	contributed := (p.Cap == 0 || visits[at] <= p.Cap) && (s.Holds == nil || s.Holds(at))
	if !contributed && p.After == Forward {
		return step.Release{From: at, To: next, Turn: t}
	}
	return step.Release{
		From: at, To: next, Turn: t, Contributed: contributed,
		Sensitivity: p.Noise.Sensitivity(), NoiseStd: p.Noise.Std(),
	}
}
