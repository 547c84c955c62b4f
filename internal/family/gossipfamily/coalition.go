package gossipfamily

import (
	"runtime"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
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
