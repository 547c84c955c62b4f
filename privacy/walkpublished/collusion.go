package walkpublished

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
)

// Coalition returns the published loss from u towards a coalition (002, equations D.12 and D.13).
// It adds the sums towards the members, as a bound of the probability to reach any of them in t
// steps, and caps the total at the local loss as for one observer. Repeated members count once. It
// is an error if u is a member or if there is none.
func (l *Losses) Coalition(u int, members []int) (float64, error) {
	if err := l.pairs.checkCoalition(u, members); err != nil {
		return 0, err
	}
	sum, seen := 0.0, make(map[int]bool)
	for _, v := range members {
		if !seen[v] {
			seen[v] = true
			sum += l.pairs.reach(u, v)
		}
	}
	if sum == 0 {
		return 0, nil
	}
	return max(0, l.curve.at(min(sum, localCap))), nil
}

func (p *Pairs) checkCoalition(u int, members []int) error {
	if len(members) == 0 {
		return fault.New("a coalition without members", "name at least one node")
	}
	for _, v := range append([]int{u}, members...) {
		if v < 0 || v >= p.n {
			return fault.New(fmt.Sprintf("node %d is not in a graph of %d nodes", v, p.n), "nodes are 0..n-1")
		}
	}
	for _, v := range members {
		if v == u {
			return fault.New(fmt.Sprintf("node %d is in the coalition that is to learn about it", u), "leave it out")
		}
	}
	return nil
}
