package family

import (
	"context"
	"slices"
)

// An Exposure says who could reconstruct whose data from the messages if nobody added noise.
type Exposure struct {
	How     string  // the attack and the attackers, as text
	Alone   [][]int // for each node the nodes that could do so alone, ascending; nil: not computed
	Missing string  // the part that was not computed, and why; "": none
}

// An Exposer is an algorithm with a more precise exposure than the general one for messages that are sums.
type Exposer interface {
	Algorithm
	Exposed(ctx context.Context) (*Exposure, error)
}

// mostExposed is the largest number of nodes for which exposure is listed node by node.
const mostExposed = 4096

// Exposed returns the exposure of any algorithm.
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

// Talking returns the nodes that each node exchanges messages with. It returns nil above mostExposed nodes.
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
