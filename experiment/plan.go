package experiment

import (
	"math"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

// Plan is what a spec would cost and give, before anything runs.
type Plan struct {
	Name    string                    `json:"name"`
	Spec    any                       `json:"spec"`
	Privacy report.Privacy            `json:"privacy"`
	Pairs   report.List[DistanceLoss] `json:"pairs"` // by distance, for each account
	Utility family.Utility            `json:"utility"`
	Cost    family.Cost               `json:"cost"`
	Data    report.Data               `json:"data"`
	Graph   report.Graph              `json:"graph"`
	Notes   report.List[string]       `json:"notes"`
}

// DistanceLoss summarises one account over all ordered pairs at one distance.
type DistanceLoss struct {
	Accountant string        `json:"accountant"`
	Status     report.Status `json:"status"`
	Distance   int           `json:"distance"`
	Pairs      int           `json:"pairs"` // that the account says something of
	Mean       report.Number `json:"mean"`
	Max        report.Number `json:"max"`
}

// Plan prices a spec without training.
func (s *Priced) Plan() (*Plan, error) {
	plain, err := s.Spec.Plain()
	if err != nil {
		return nil, err
	}
	return &Plan{
		Name: s.Spec.Name, Spec: plain, Privacy: s.privacy(), Pairs: s.byDistance(), Utility: s.Algorithm.Utility(),
		Cost: s.Algorithm.Cost(), Data: dataFacts(s.Holdings), Graph: s.graphFacts(), Notes: s.notes(),
	}, nil
}

// byDistance groups every account's pairs by distance; nil without a graph or
// distances.
func (s *Priced) byDistance() []DistanceLoss {
	picture := s.picture()
	if picture == nil || picture.Hops == nil {
		return nil
	}
	var all []DistanceLoss
	hops := make([]int32, s.Spec.Nodes)
	for _, account := range s.Accounting.Accounts {
		var groups []DistanceLoss
		for v := range s.Spec.Nodes {
			picture.Hops(v, hops)
			for u, d := range hops {
				for len(groups) <= int(d) {
					groups = append(groups, DistanceLoss{Accountant: account.Accountant, Status: account.Status, Distance: len(groups)})
				}
				if u == v {
					continue
				}
				if loss := account.At(u, v); !math.IsNaN(loss) {
					groups[d].add(report.Number(loss))
				}
			}
		}
		for _, g := range groups[1:] {
			if g.Pairs == 0 {
				continue
			}
			g.Mean /= report.Number(g.Pairs)
			all = append(all, g)
		}
	}
	return all
}

func (d *DistanceLoss) add(loss report.Number) {
	d.Pairs++
	d.Mean += loss
	d.Max = max(d.Max, loss)
}
