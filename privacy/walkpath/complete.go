package walkpath

import (
	"slices"

	"github.com/hearsay-dp/hearsay/privacy"
)

// Most is the largest loss of some laws, and its claim.
func Most(laws []*Law, sigma float64, m privacy.Metric) (most float64, claim privacy.Claim, err error) {
	for i, law := range laws {
		loss, err := law.Loss(sigma, m)
		if err != nil {
			return 0, claim, err
		}
		if i == 0 || loss > most {
			most, claim = loss, law.Claim
		}
	}
	return most, claim, nil
}

// CompleteLaws are laws of pairs of a walk that goes to all nodes alike, such that every
// pair is like one of them: that of two nodes; where all know where the token starts, that
// about this node, that towards it and that of two others.
//
// Where one record is the unit of privacy they are of a node of the largest sensitivity.
func (w Walk) CompleteLaws() (all []*Law, err error) {
	w.Sensitivities = nil
	s := max(0, w.Start)
	x, y := (s+1)%w.Nodes, (s+2)%w.Nodes
	pairs := [][2]int{{s, x}, {x, s}, {x, y}}
	if w.Start < 0 {
		pairs = pairs[:1]
	}
	for _, pair := range pairs {
		law, err := w.Law(pair[0], pair[1])
		if err != nil {
			return nil, err
		}
		all = append(all, law)
	}
	return all, nil
}

// CompleteCoalitions are laws of coalitions of a size such that every one is like one of
// them, of a walk that goes to all nodes alike: one law for all; where all know where the
// token starts, and u does not have it, one with this node and one without.
func (w Walk) CompleteCoalitions(u, size int) ([]Coalition, error) {
	if size = min(size, w.Nodes-1); size < 1 {
		return nil, nil
	}
	var others []int
	for v := range w.Nodes {
		if v != u && v != w.Start {
			others = append(others, v)
		}
	}
	var sets [][]int
	if w.Start >= 0 && w.Start != u {
		sets = append(sets, slices.Sorted(slices.Values(append(slices.Clone(others[:size-1]), w.Start))))
	}
	if size <= len(others) {
		sets = append(sets, others[:size])
	}
	all := make([]Coalition, len(sets))
	for i, set := range sets {
		law, err := w.CoalitionLaw(u, set)
		if err != nil {
			return nil, err
		}
		all[i] = Coalition{set, law}
	}
	if len(all) == 1 && size < w.Nodes-1 {
		all[0].Members = nil // whoever they are
	}
	return all, nil
}
