package family

import (
	"context"
	"slices"
)

// An Exposure is who could reconstruct whom if nobody added noise, by what is sent alone.
type Exposure struct {
	How     string  // what can be worked out, and by whom, in words
	Alone   [][]int // of each node those who could alone, ascending; nil: not worked out
	Missing string  // what was not worked out, and why; "": nothing
}

// An Exposer is an algorithm that has more to say of this than that messages are sums.
type Exposer interface {
	Algorithm
	Exposed(ctx context.Context) (*Exposure, error)
}

// mostExposed is the most nodes whose exposure is worked out one by one.
const mostExposed = 4096

// Exposed is that of any algorithm.
func Exposed(ctx context.Context, a Algorithm) (*Exposure, error) {
	if e, ok := a.(Exposer); ok {
		return e.Exposed(ctx)
	}
	if a.Of().Graph == nil {
		return &Exposure{How: "This kind has one place that is shown everything: without noise it has all data as they are."}, nil
	}
	return &Exposure{Alone: Talking(a), How: "A message carries what all before it have added. Without noise whoever has it right before a participant's turn and right after it subtracts, " +
		"and holds what that participant added exactly: a neighbour to whom it comes back can alone, two neighbours who hand it over and take it can together. Others see what several added together."}, nil
}

// Talking are those that each node exchanges messages with; nil of too many nodes.
func Talking(a Algorithm) [][]int {
	h := a.Of()
	if h.Spec.Nodes > mostExposed {
		return nil
	}
	meeter, meets := a.(Meeter)
	all := make([][]int, h.Spec.Nodes)
	for u := range all {
		near := h.Graph.Neighbours(u)
		if meets && meeter.Meets(u) != nil {
			near = meeter.Meets(u)
		}
		for _, v := range near {
			all[u] = append(all[u], int(v))
		}
		slices.Sort(all[u])
	}
	return all
}
