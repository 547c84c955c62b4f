package walkfamily

import (
	"runtime"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// Pairs implements family.Algorithm.
func (a *Algorithm) Pairs() error { return nil }

// publishedLoss returns the loss of the formula in print for a pair, nil where the spec does not ask for it. A pair needs one
// row of the sums.
func (a *Algorithm) publishedLoss(about, observer int, m privacy.Metric, priced family.Accounting) (*family.PairLoss, error) {
	for _, own := range priced.Accounts {
		if own.Status == report.Published && own.At != nil {
			return &family.PairLoss{Accountant: own.Accountant, Status: own.Status, Loss: report.Number(own.At(about, observer)), Assumptions: own.Assumptions}, nil
		}
	}
	if a.Spec.Privacy.Accountant != "published" {
		return nil, nil
	}
	w, err := a.published()
	if err != nil {
		return nil, err
	}
	reach, err := w.Between(about, observer, a.sender(), runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	loss, claim, err := a.publishedCharge(m).Loss(reach, priced.Sigma, a.sender())
	if err != nil {
		return nil, err
	}
	published := family.NewPairLoss("published", loss, claim)
	return &published, nil
}

// PairLosses implements family.Audit. It returns the path loss, the local loss, and the published one where the spec asks for
// it.
func (a *Algorithm) PairLosses(about, observer int, priced family.Accounting) ([]family.PairLoss, error) {
	m, err := family.Metric(&a.Spec.Privacy)
	if err != nil {
		return nil, err
	}
	law, err := a.PathWalk().Law(about, observer)
	if err != nil {
		return nil, err
	}
	sigma := priced.Sigma
	loss, err := law.Loss(sigma, m)
	if err != nil {
		return nil, err
	}
	local, claim, err := a.localLoss(family.Multiplier(a, about, sigma), m)
	if err != nil {
		return nil, err
	}
	claim.Unit = a.Unit()
	all := []family.PairLoss{family.NewPairLoss("path", loss, law.Claim), family.NewPairLoss(report.LocalAccountant, local, claim)}
	published, err := a.publishedLoss(about, observer, m, priced)
	if published != nil {
		all = append(all, *published)
	}
	return all, err
}
