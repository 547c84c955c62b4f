package walkfamily

import (
	"context"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// Coalition implements family.Algorithm. It returns the joint leakage about each node to the worst coalition of honest but
// curious nodes, nil if the spec asks for none. It needs at most about 64 more laws a node. A node whose laws were not all
// computed is charged the local loss.
func (a *Algorithm) Coalition(ctx context.Context, priced family.Accounting) (*report.Coalition, error) {
	size, sigma := a.Spec.Privacy.Coalition, priced.Sigma
	if size == 0 {
		return nil, nil
	}
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	nodes, counts := a.unlike()
	pool := family.Pool{Size: size, Sigma: sigma, Metric: family.Tightest(m), Nodes: nodes, Counts: counts,
		Alone: func(u int) []*walkpath.Law { return a.lawsOf(u, priced) }}
	return pool.Worst(ctx, a)
}

// unlike returns one node of each class of equivalent nodes, and how many nodes each class has. Nodes of a graph with known
// symmetries are equivalent if their sensitivities are equal, because a law about a node depends on no other's.
func (a *Algorithm) unlike() (nodes, counts []int) {
	_, symmetric := a.symmetry()
	symmetric = symmetric && a.Spec.Algorithm.Start.Each == nil && a.Spec.Algorithm.Start.Uniform
	classes, relatives := map[float64]int{}, a.Protocol.Noise.Relatives()
	for u := range a.Spec.Nodes {
		size := 1.0
		if relatives != nil {
			size = relatives[u]
		}
		class, found := classes[size]
		if !found || !symmetric {
			class = len(nodes)
			nodes, counts, classes[size] = append(nodes, u), append(counts, 0), class
		}
		counts[class]++
	}
	return nodes, counts
}

// lawsOf returns the laws of u by observer that accounting has computed. Entry u is nil.
func (a *Algorithm) lawsOf(u int, priced family.Accounting) []*walkpath.Law {
	laws := make([]*walkpath.Law, a.Spec.Nodes)
	for _, account := range priced.Accounts {
		for v := range laws {
			if account.Law != nil && v != u {
				laws[v] = account.Law(u, v)
			}
		}
	}
	return laws
}

// PoolLosses implements family.Pooled. It returns the worst loss towards any coalition of the pool's size.
func (a *Algorithm) PoolLosses(ctx context.Context, u int, pool []int, priced family.Accounting) ([]family.PairLoss, error) {
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	all, err := a.Together(ctx, u, len(pool), a.lawsOf(u, priced))
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var worst family.PairLoss
	for k, one := range all {
		loss, err := one.Loss(priced.Sigma, family.Tightest(m))
		if err != nil {
			return nil, err
		}
		if k == 0 || report.Number(loss) > worst.Loss {
			worst = family.PairLoss{Accountant: one.Accountant, Status: report.Status(one.Status), Loss: report.Number(loss), Assumptions: one.Grounds()}
		}
	}
	return []family.PairLoss{worst}, nil
}
