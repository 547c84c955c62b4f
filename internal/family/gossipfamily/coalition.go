package gossipfamily

import (
	"context"
	"runtime"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// pooledExactly returns the joint leakage about each node to the worst coalition of the spec's size, for averaging. It computes
// the one view of every coalition and looks at all (002, section C.7.1, adds leakages up instead).
func (a *Algorithm) pooledExactly(sigma float64) (*report.Coalition, error) {
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	s := a.schedule()
	accountant, err := gossipview.Of(s)
	if err != nil {
		return nil, err
	}
	a.stage("what coalitions see")
	pool, err := accountant.Coalitions(a.Spec.Privacy.Coalition, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	n := len(pool.Worst)
	pairs := &gossipview.Pairs{Claim: pool.Claim, N: n, Values: make([]float64, n*n)}
	for u, worst := range pool.Worst {
		for v := range n {
			pairs.Values[u*n+v] = worst
		}
	}
	losses, err := pairs.Of(s.Relatives(), a.Unit()).Losses(sigma, family.Tightest(m))
	if err != nil {
		return nil, err
	}
	c := &report.Coalition{Size: pool.Size, Status: report.Status(losses.Claim.Status), Assumptions: losses.Claim.Grounds()}
	for u := range n {
		loss := losses.At(u, u)
		c.Mean += report.Number(loss / float64(n))
		if c.Max < report.Number(loss) || u == 0 {
			c.Max, c.About, c.Worst = report.Number(loss), u, pool.To[u]
		}
	}
	return c, nil
}

// pooledFlows returns the joint leakage about each node to the worst coalition of the spec's size, and to the worst of those
// that have no neighbour of the node. A neighbour mostly is sent all that there is to learn.
func (a *Algorithm) pooledFlows(ctx context.Context, sigma float64) (*report.Coalition, error) {
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	pairs, err := a.flowPairs(runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	n := a.Protocol.Nodes
	pool := family.Pool{Size: a.Spec.Privacy.Coalition, Sigma: sigma, Metric: family.Tightest(m), Nodes: make([]int, n)}
	for u := range pool.Nodes {
		pool.Nodes[u] = u
	}
	pool.Alone = func(u int) []*walkpath.Law {
		laws := make([]*walkpath.Law, n)
		for v := range laws {
			if v != u {
				laws[v] = a.ofEnergy(pairs.Claim, u, pairs.At(u, v))
			}
		}
		return laws
	}
	a.stage("what coalitions see")
	c, err := pool.Worst(ctx, a)
	if err != nil {
		return nil, err
	}
	all := pool.Alone
	pool.Alone = func(u int) []*walkpath.Law {
		laws := all(u)
		for _, v := range a.Graph.Neighbours(u) {
			laws[v] = nil
		}
		return laws
	}
	far, err := pool.Worst(ctx, a)
	if err == nil && far.Assumptions != nil { // else everybody is everybody's neighbour
		c.MaxBeyondNeighbours = &far.Max
	}
	return c, err
}
