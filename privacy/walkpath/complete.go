package walkpath

import (
	"slices"

	"github.com/hearsay-dp/hearsay/privacy"
)

// Most returns the largest loss of some laws, and its claim.
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

// CompleteLaws returns laws of a walk that goes to all nodes with the same probability, such that every
// pair has one of them. If the start is not known to all there is one law. Else there are three: about the
// starting node, towards it, and between two others.
//
// Where one record is the unit of privacy the laws are for a node of the largest sensitivity.
func (w Walk) CompleteLaws() (all []*Law, err error) {
	w.Sensitivities, w.Records = nil, false
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

// CompleteCoalitions returns laws of coalitions of a size, of a walk that goes to all nodes with the same
// probability, such that every coalition has one of them. There is one law, or two if all know the starting
// node and it is not u: one with this node as a member and one without.
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
		all[0].Members = nil // any members have this law
	}
	return all, nil
}
