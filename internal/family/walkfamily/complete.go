package walkfamily

import (
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// CompleteCoalition returns the joint leakage about each node to the worst coalition of honest but curious nodes, for a uniform
// walk. It uses the laws of a node where the token starts and of one where it does not, at every node's own noise multiplier.
// It returns nil for size 0.
func CompleteCoalition(w walkpath.Walk, size int, sigma float64, m privacy.Metric) (*report.Coalition, error) {
	relatives := w.Relatives()
	if w.Sensitivities, w.Records = nil, false; size == 0 {
		return nil, nil
	}
	type kind struct {
		starts   bool
		relative float64
	}
	laws, known := map[bool][]walkpath.Coalition{}, map[kind]float64{}
	c, total := &report.Coalition{Size: size, Status: report.Sound}, 0.0
	for u := range w.Nodes {
		k := kind{u == w.Start, relatives.At(u)}
		worst, seen := known[k]
		if !seen {
			if laws[k.starts] == nil {
				found, err := w.CompleteCoalitions(u, size)
				if err != nil {
					return nil, err
				}
				laws[k.starts] = found
			}
			for _, one := range laws[k.starts] {
				loss, err := one.Loss(sigma/k.relative, m)
				if err != nil {
					return nil, err
				}
				worst = max(worst, loss)
				if c.Max < report.Number(loss) {
					c.Max, c.About, c.Worst, c.Status = report.Number(loss), u, one.Members, report.Status(one.Status)
					claim := one.Claim
					if relatives != nil {
						claim.Unit = privacy.Record
					}
					c.Assumptions = claim.Grounds()
				}
			}
			known[k] = worst
		}
		total += worst
	}
	c.Mean = report.Number(total / float64(w.Nodes))
	return c, nil
}
