package experiment

import (
	"github.com/hearsay-dp/hearsay/report"
)

// Plan is what a spec would cost and give, before anything runs.
type Plan struct {
	Name    string                    `json:"name"`
	Spec    any                       `json:"spec"`
	Privacy report.Privacy            `json:"privacy"`
	Pairs   report.List[DistanceLoss] `json:"pairs"` // by distance, for each account
	Utility Utility                   `json:"utility"`
	Cost    Cost                      `json:"cost"`
	Data    report.Data               `json:"data"`
	Graph   report.Graph              `json:"graph"`
	Notes   report.List[string]       `json:"notes"`
}

// DistanceLoss summarises one account over all ordered pairs at one distance.
type DistanceLoss struct {
	Accountant string        `json:"accountant"`
	Status     report.Status `json:"status"`
	Distance   int           `json:"distance"`
	Pairs      int           `json:"pairs"`
	Mean       report.Number `json:"mean"`
	Max        report.Number `json:"max"`
}

// Utility is what a theorem promises about the last iterate, under public
// bounds. Of a walk 002 Theorem 7.6 (000 Theorem 2): clipping norm for
// gradients, C/mu for the distance to the optimum. Of averaging 002 Theorem 6.2.
type Utility struct {
	Distance2   *float64 `json:"expected_squared_distance"` // bound on E norm(x_T - x*)^2, x* the mean for averaging; null when the theorem does not apply
	StepSize    *float64 `json:"step_size"`                 // the theorem's
	Excess      *float64 `json:"expected_excess_loss"`      // beta/2 times Distance2
	Why         string   `json:"why"`                       // why there is no promise, or what it rests on
	NoisePerHop float64  `json:"noise_norm_per_hop"`        // root mean squared norm of the noise of one step
}

// Cost is what a run puts on the wire.
type Cost struct {
	Unit        string  `json:"unit"` // what is sent: a hop of the token, or a message of gossip
	Hops        int     `json:"hops"`
	BytesPerHop int     `json:"bytes_per_hop"` // of model; a frame adds a little
	Bytes       int     `json:"bytes"`
	PerNode     float64 `json:"hops_per_node"`
}

// Plan prices a spec without training.
func (s *Setup) Plan() (*Plan, error) {
	plain, err := s.Spec.Plain()
	if err != nil {
		return nil, err
	}
	return &Plan{
		Name: s.Spec.Name, Spec: plain, Privacy: s.privacy(), Pairs: s.byDistance(), Utility: s.family().utility(),
		Cost: s.family().cost(), Data: s.data(), Graph: s.graphFacts(), Notes: s.notes(),
	}, nil
}

// byDistance groups every account's pairs by distance; nil without a graph or
// distances.
func (s *Setup) byDistance() []DistanceLoss {
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
				if u != v {
					groups[d].add(report.Number(account.At(u, v)))
				}
			}
		}
		for _, g := range groups[1:] {
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
