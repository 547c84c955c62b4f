package attack

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// Gossip is the attack of nodes that follow the protocol and pool everything
// that they receive in a number of rounds of averaging.
type Gossip struct {
	View      *gossipview.View
	Attackers []int
	averaging *gossipview.Accountant
}

// NewGossip computes the joint view of the attackers, distinct nodes and at
// least one.
func NewGossip(averaging *gossipview.Accountant, attackers []int) (*Gossip, error) {
	view, err := averaging.Thorough(attackers)
	if err != nil {
		return nil, err
	}
	return &Gossip{View: view, Attackers: slices.Clone(attackers), averaging: averaging}, nil
}

// Len returns the number of nodes.
func (g *Gossip) Len() int { return g.averaging.Len() }

// Reconstructed returns, ascending, the nodes whose value the attackers
// compute, their own included.
func (g *Gossip) Reconstructed() []int { return g.View.Reconstructed() }

// Unheard returns, ascending, the nodes whose value has no effect on any
// message to the attackers in the rounds of the run.
func (g *Gossip) Unheard() []int {
	var nodes []int
	for u, reached := range g.averaging.Reached(g.Attackers) {
		if !reached {
			nodes = append(nodes, u)
		}
	}
	return nodes
}

// Contacts returns the number of nodes that send to an attacker in the first
// round. They are reconstructed from then on.
func (g *Gossip) Contacts() int {
	if g.averaging.Steps() == 0 {
		return 0
	}
	return len(g.averaging.Heard(g.Attackers, 0))
}

// Rounds holds the times at which the attackers gain their information.
type Rounds struct {
	Contacts int // the last round after which only attackers and the senders of their first messages are reconstructed; 0 if none
	All      int // the first round after which everyone is reconstructed who ever will be
}

// Rounds finds them by bisection, in some 2 log(T) views, because
// reconstruction never shrinks.
func (g *Gossip) Rounds() (Rounds, error) {
	all, contacts := len(g.Reconstructed()), len(g.Attackers)+g.Contacts()
	last, err := g.first(contacts + 1)
	if err != nil {
		return Rounds{}, err
	}
	first, err := g.first(all)
	return Rounds{Contacts: last - 1, All: first}, err
}

// first returns the least number of rounds after which count nodes are
// reconstructed. It returns Steps+1 if that never happens.
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

// An Each holds the reconstruction of a node as the only attacker.
type Each struct {
	Reconstructed []int
	Rank          int
	Exact         bool // decided in exact arithmetic
}

// EachGossip returns the reconstruction of every node as the only attacker,
// computed on workers goroutines. The result does not depend on workers.
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
