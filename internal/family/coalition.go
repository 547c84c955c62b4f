package family

import (
	"context"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// A Pool asks for the worst coalitions of a size against nodes.
type Pool struct {
	Size   int
	Sigma  float64
	Metric privacy.Metric
	Nodes  []int // one of each class of equivalent nodes
	Counts []int // how many nodes each class has; nil: one
	// Alone returns the laws of a node towards each other node. Nodes without a law are in no coalition.
	Alone func(u int) []*walkpath.Law
}

// Worst returns the largest losses of the nodes towards any coalition. A node without a possible coalition loses nothing.
func (p Pool) Worst(ctx context.Context, a Algorithm) (*report.Coalition, error) {
	c, total, nodes := &report.Coalition{Size: p.Size, Status: report.Sound}, 0.0, 0
	done := CountUp(WatchOf(ctx), len(p.Nodes))
	for class, u := range p.Nodes {
		all, err := a.Together(ctx, u, p.Size, p.Alone(u))
		if err != nil {
			return nil, err
		}
		worst, members := 0.0, []int(nil)
		for k, one := range all {
			if one.Status != privacy.Sound {
				c.Status = report.Status(one.Status)
			}
			loss, err := one.Loss(p.Sigma, p.Metric)
			if err != nil {
				return nil, err
			}
			if k == 0 || loss > worst {
				worst, members, c.Assumptions = loss, one.Members, one.Grounds()
			}
		}
		alike := 1
		if p.Counts != nil {
			alike = p.Counts[class]
		}
		nodes += alike
		total += float64(float64(alike) * worst)
		if c.Max < report.Number(worst) {
			c.Max, c.About, c.Worst = report.Number(worst), u, members
		}
		done()
	}
	c.Mean = min(report.Number(total/float64(nodes)), c.Max)
	return c, nil
}
