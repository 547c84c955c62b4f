package experiment

import (
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
)

// brackets returns, for each distance, the attacked pair that loses most: the loss
// that the attack attains, and the bound. It returns nil if nothing was attacked or
// distances are not known.
func (s *Priced) brackets() []report.Bracket {
	audit, sound := s.attacked()
	if audit == nil || s.Graph == nil || s.Graph.Len() > pictureLimit {
		return nil
	}
	from := hopsTo(s.Graph)
	var worst []report.Bracket // by distance; Distance 0: none was attacked
	hops := make([]int32, s.Spec.Nodes)
	for v := range s.Spec.Nodes {
		from(v, hops)
		for u, d := range hops {
			if u == v || d < 0 {
				continue
			}
			attained := audit.At(u, v)
			if math.IsNaN(attained) {
				continue
			}
			for len(worst) <= int(d) {
				worst = append(worst, report.Bracket{})
			}
			if loss := report.Number(sound.At(u, v)); worst[d].Distance == 0 || loss > worst[d].Sound {
				worst[d] = report.Bracket{Distance: int(d), About: u, Observer: v, Audit: report.Number(attained), Sound: loss, Accountant: sound.Accountant}
			}
		}
	}
	var found []report.Bracket
	for _, b := range worst {
		if b.Distance > 0 {
			found = append(found, b)
		}
	}
	return found
}

// attacked returns the account of an audit and the account of the bounds that it audits. Both are nil without
// an audit.
func (s *Priced) attacked() (audit, sound *family.Account) {
	all := s.Accounting.Accounts
	for i := range all {
		for j := range all {
			if all[i].Audits != "" && all[j].Accountant == all[i].Audits {
				return &all[i], &all[j]
			}
		}
	}
	return nil, nil
}
