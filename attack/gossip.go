package attack

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// Gossip is the attack of nodes who follow the protocol and pool all that they
// receive in a number of rounds of averaging.
type Gossip struct {
	View      *gossipview.View
	Attackers []int
	averaging *gossipview.Accountant
}

// NewGossip works out what the attackers, distinct nodes and at least one,
// learn together.
func NewGossip(averaging *gossipview.Accountant, attackers []int) (*Gossip, error) {
	view, err := averaging.Thorough(attackers)
	if err != nil {
		return nil, err
	}
	return &Gossip{View: view, Attackers: slices.Clone(attackers), averaging: averaging}, nil
}

// Len is the number of nodes.
func (g *Gossip) Len() int { return g.averaging.Len() }

// Reconstructed lists, ascending, the nodes whose value the attackers compute,
// their own included.
func (g *Gossip) Reconstructed() []int { return g.View.Reconstructed() }

// Unheard lists, ascending, the nodes of whose value nothing has had the time
// to arrive, or nothing ever will.
func (g *Gossip) Unheard() []int {
	var nodes []int
	for u, reached := range g.averaging.Reached(g.Attackers) {
		if !reached {
			nodes = append(nodes, u)
		}
	}
	return nodes
}

// Contacts is the number of nodes that send to an attacker in the first round,
// and that are therefore reconstructed from then on.
func (g *Gossip) Contacts() int {
	if g.averaging.Steps() == 0 {
		return 0
	}
	return len(g.averaging.Heard(g.Attackers, 0))
}

// Rounds are when the attackers learn what they learn.
type Rounds struct {
	Contacts int // the last round after which only attackers and those who sent to them in round 0 are reconstructed; 0 if none
	All      int // the first round after which all are that ever will be
}

// Rounds finds them by bisection, in some 2 log(T) views: reconstruction never
// shrinks.
func (g *Gossip) Rounds() (Rounds, error) {
	all, contacts := len(g.Reconstructed()), len(g.Attackers)+g.Contacts()
	last, err := g.first(contacts + 1)
	if err != nil {
		return Rounds{}, err
	}
	first, err := g.first(all)
	return Rounds{Contacts: last - 1, All: first}, err
}

// first is the least number of rounds after which so many nodes are
// reconstructed, Steps+1 if that never happens.
func (g *Gossip) first(count int) (int, error) {
	lo, hi := 0, g.averaging.Steps()+1
	if len(g.Reconstructed()) >= count {
		hi--
	}
	for lo < hi {
		mid := (lo + hi) / 2
		if mid > g.averaging.Steps() {
			return hi, nil
		}
		view, err := g.averaging.After(mid).Reconstruction(g.Attackers)
		if err != nil {
			return 0, err
		}
		if len(view.Reconstructed()) >= count {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo, nil
}

// Each is what a node reconstructs as the only attacker.
type Each struct {
	Reconstructed []int
	Rank          int
	Exact         bool // decided in exact arithmetic
}

// EachGossip makes every node the attacker in turn, on as many goroutines as
// workers. The result does not depend on workers.
func EachGossip(averaging *gossipview.Accountant, workers int) ([]Each, error) {
	each, failures := make([]Each, averaging.Len()), make([]error, averaging.Len())
	parallel.Each(averaging.Len(), workers, func(v int) {
		view, err := averaging.Reconstruction([]int{v})
		if failures[v] = err; err == nil {
			each[v] = Each{view.Reconstructed(), view.Rank(), view.Exact()}
		}
	})
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return each, nil
}
