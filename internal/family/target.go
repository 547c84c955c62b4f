package family

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/spec"
)

// A Target is the target of noise calibration: a mean over all pairs, or limits that must all hold.
type Target struct {
	Mean   float64 // 0: there are limits
	Limits []privacy.Limit
}

// IsMax reports whether one limit holds for all pairs.
func (t Target) IsMax() bool { return len(t.Limits) == 1 && t.Limits[0].Of == nil }

// Target returns the target of the spec's privacy.calibrate, with names resolved. It returns an empty Target if the spec has
// none.
func (h *Holdings) Target() (Target, error) {
	c := h.Spec.Privacy.Calibrate
	switch {
	case c == nil:
		return Target{}, nil
	case c.Mean != 0:
		return Target{Mean: c.Mean}, nil
	case c.Max != 0:
		return Target{Limits: []privacy.Limit{{Loss: c.Max}}}, nil
	case c.Beyond != 0:
		if h.allNeighbours() {
			return Target{}, fault.New(fmt.Sprintf("privacy.calibrate: max_beyond_neighbours, but all nodes of %s are neighbours", h.Graph.Name()), "use mean or max")
		}
		return Target{Limits: []privacy.Limit{{Loss: c.Beyond, Of: h.apart}}}, nil
	case c.Pair != nil:
		limit, err := h.ofPair(c.Pair)
		return Target{Limits: []privacy.Limit{limit}}, err
	}
	return h.towards(c.Observers)
}

// apart reports whether no edge joins two nodes. Without a graph it is true.
func (h *Holdings) apart(u, v int) bool {
	return h.Graph == nil || !h.Graph.HasEdge(u, v) && !h.Graph.HasEdge(v, u)
}

// allNeighbours reports whether an edge joins every two nodes. Without a graph it is false.
func (h *Holdings) allNeighbours() bool {
	if h.Graph == nil {
		return false
	}
	for u := range h.Graph.Len() {
		for v := range u {
			if h.apart(u, v) {
				return false
			}
		}
	}
	return true
}

// ofPair returns the limit of one pair.
func (h *Holdings) ofPair(p *spec.PairTarget) (privacy.Limit, error) {
	about, err := h.Find(string(p.About))
	if err != nil {
		return privacy.Limit{}, fault.Wrap(err, "privacy.calibrate.pair.about", fault.Hint(err))
	}
	observer, err := h.Find(string(p.Observer))
	if err != nil {
		return privacy.Limit{}, fault.Wrap(err, "privacy.calibrate.pair.observer", fault.Hint(err))
	}
	if about == observer {
		return privacy.Limit{}, fault.New(fmt.Sprintf("privacy.calibrate.pair: %s observes itself", h.Name(about)), "name two different nodes")
	}
	return privacy.Limit{Loss: p.Eps, Of: func(u, v int) bool { return u == about && v == observer }}, nil
}

// towards returns the limits by observer, on the losses of all nodes, as a policy states them.
func (h *Holdings) towards(o *spec.ObserverTargets) (Target, error) {
	var t Target
	add := func(loss float64, of func(u, v int) bool) {
		if loss != 0 {
			t.Limits = append(t.Limits, privacy.Limit{Loss: loss, Of: of})
		}
	}
	add(o.Neighbours, func(u, v int) bool { return !h.apart(u, v) })
	if o.Others != 0 && o.Neighbours == 0 && len(o.Named) == 0 && h.allNeighbours() {
		return t, fault.New(fmt.Sprintf("privacy.calibrate.observers: others, but all nodes of %s are neighbours", h.Graph.Name()), "give neighbours too")
	}
	add(o.Others, h.apart)
	for _, name := range slices.Sorted(maps.Keys(o.Named)) {
		observer, err := h.Find(name)
		if err != nil {
			return t, fault.Wrap(err, "privacy.calibrate.observers.named", fault.Hint(err))
		}
		add(o.Named[name], func(_, v int) bool { return v == observer })
	}
	return t, nil
}
