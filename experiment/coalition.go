package experiment

import (
	"context"

	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/report"
)

// coalition is what the worst so many honest but curious nodes learn of each node
// if they pool what they see, nil if the spec asks for none. It is at most about
// 64 laws a node more; where the laws of a node were not all computed it is
// charged the local loss.
func (s *Setup) coalition(ctx context.Context) (*report.Coalition, error) {
	size, sigma := s.Spec.Privacy.Coalition, s.Accounting.Sigma
	if size == 0 {
		return nil, nil
	}
	m, err := s.metric()
	if err != nil {
		return nil, err
	}
	m.Conversion = privacy.Tightest
	c := &report.Coalition{Size: size, Status: report.Sound}
	nodes, total := s.unlike(), 0.0
	for _, u := range nodes {
		all, err := s.Together(ctx, u, size, s.lawsOf(u))
		if err != nil {
			return nil, err
		}
		worst, members := 0.0, []int(nil)
		for k, one := range all {
			loss, err := one.Loss(sigma, m)
			if err != nil {
				return nil, err
			}
			if k == 0 || loss > worst {
				worst, members, c.Assumptions = loss, one.Members, one.Grounds()
			}
		}
		total += worst
		if c.Max < report.Number(worst) {
			c.Max, c.About, c.Worst = report.Number(worst), u, members
		}
	}
	c.Mean = report.Number(total / float64(len(nodes)))
	return c, nil
}

// unlike are nodes of which every node is like one.
func (s *Setup) unlike() []int {
	if symmetry, ok := s.Graph.Symmetry(); ok && s.Spec.Algorithm.Start.Uniform {
		if _, known := pathloss.SymmetricClass(symmetry.Family, symmetry.Sides); known {
			return []int{0}
		}
	}
	nodes := make([]int, s.Spec.Nodes)
	for u := range nodes {
		nodes[u] = u
	}
	return nodes
}

// lawsOf are the laws of u by observer that accounting has found, nil at u.
func (s *Setup) lawsOf(u int) []*pathloss.Law {
	laws := make([]*pathloss.Law, s.Spec.Nodes)
	for _, a := range s.Accounting.Accounts {
		for v := range laws {
			if a.law != nil && v != u {
				laws[v] = a.law(u, v)
			}
		}
	}
	return laws
}
