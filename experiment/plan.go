package experiment

import (
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/report"
)

// Plan states the costs and the utility of a spec, before anything runs.
type Plan struct {
	Name    string         `json:"name"`
	Spec    any            `json:"spec"`
	Privacy report.Privacy `json:"privacy"`
	// SeveralRows holds the loss of a person who gave several rows. It is nil if it was not asked for.
	SeveralRows *SeveralRows              `json:"several_rows,omitempty"`
	Pairs       report.List[DistanceLoss] `json:"pairs"` // by distance, for each account
	Utility     family.Utility            `json:"utility"`
	Cost        family.Cost               `json:"cost"`
	Data        report.Data               `json:"data"`
	Graph       report.Graph              `json:"graph"`
	Notes       report.List[string]       `json:"notes"`
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
	plain, err := RelativeTo(s.Spec, "").Plain()
	if err != nil {
		return nil, err
	}
	return &Plan{
		Name: s.Spec.Title(), Spec: plain, Privacy: s.privacy(), Pairs: s.byDistance(), Utility: s.Algorithm.Utility(),
		Cost: s.Algorithm.Cost(), Data: dataFacts(s.Holdings), Graph: s.graphFacts(), Notes: s.notes(),
	}, nil
}

// byDistance groups every account's pairs by distance. It returns nil without a graph or
// distances.
func (s *Priced) byDistance() (all []DistanceLoss) {
	if s.Graph == nil || s.Graph.Len() > pictureLimit {
		return nil
	}
	for _, account := range s.Accounting.Accounts {
		for _, ring := range s.Graph.Rings(account.At) {
			of := ring.Of[0]
			if of.Count > 0 {
				all = append(all, DistanceLoss{
					account.Accountant, account.Status, ring.Hops, of.Count, report.Number(of.Mean()), report.Number(of.Max),
				})
			}
		}
	}
	return all
}
