package experiment

import (
	"context"
	"reflect"

	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// boundsTowards returns the accountants' bounds on the loss of a node towards a set of nodes, in the spec's metric. The local loss
// is always among them. For one observer, bounds of accountants that price all pairs follow; for an empty set, those on the final model.
func (s *Priced) boundsTowards(ctx context.Context, target int, set []int) ([]family.PairLoss, error) {
	local, err := s.localLoss(target)
	if err != nil {
		return nil, err
	}
	bounds := []family.PairLoss{local}
	switch len(set) {
	case 0:
		more, err := s.modelLosses(ctx, target)
		return append(bounds, more...), err
	case 1:
		more := s.accounted(func(a *family.Account) float64 { return a.At(target, set[0]) })
		if len(more) == 0 {
			more, err = s.explained(target, set[0])
		}
		return append(bounds, more...), err
	}
	more, err := s.poolLosses(ctx, target, set)
	return append(bounds, more...), err
}

// modelLosses returns the accountants' bounds on the loss of a node towards a recipient of nothing but the final model. If the spec's
// accountant charges nodes with seeing that model, the bound is the least loss towards any single node, because the recipient
// learns no more than any node. Where the loss to the public is priced, it is another bound. Else it is the same by the
// accountants that price the same run with the last token shown to everybody.
func (s *Priced) modelLosses(ctx context.Context, target int) ([]family.PairLoss, error) {
	if s.Accounting.Own().ModelCharged {
		bounds := s.leastLoss(target, s.Accounting.Own())
		if p := s.Accounting.Public; p != nil {
			bounds = append(bounds, family.PairLoss{Accountant: p.Accountant, Status: p.Status, Loss: p.Max, Assumptions: p.Assumptions})
		}
		return bounds, nil
	}
	shown, err := s.withShownModel(ctx)
	if err != nil || shown == nil {
		return nil, err
	}
	return shown.leastLoss(target, shown.Accounting.Own()), nil
}

// leastLoss returns the least loss of an account towards any node. It returns none if the account has not priced all pairs, or if it
// is the local one, which is listed already.
func (s *Priced) leastLoss(target int, own *family.Account) []family.PairLoss {
	return s.accounted(func(a *family.Account) float64 {
		if a.Accountant != own.Accountant {
			return math.NaN()
		}
		return leastOf(a, target, s.Spec.Nodes)
	})
}

// withShownModel returns the same run with the last token shown to everybody, priced by sound accountants. It returns nil if that is
// another run, if no accountant prices it, or if the run's own pairs were not all priced either.
func (s *Priced) withShownModel(ctx context.Context) (*Priced, error) {
	sigma := s.Accounting.Sigma
	as, ok := s.Algorithm.Schedule().(schedule.Walk)
	if !ok || s.Accounting.Own().At == nil {
		return nil, nil
	}
	h := s.Algorithm.Of().WithSpec(func(other *spec.Spec) {
		p := &other.Privacy
		p.Release, p.Accountant, p.Sigma, p.Calibrate, p.Coalition = "final", spec.Sound, &sigma, nil, 0
	})
	prepared, err := family.Of(h.Spec).Prepare(ctx, h)
	if err != nil {
		return nil, ctx.Err() // no such run
	}
	a, all, err := family.Price(ctx, prepared)
	if err != nil {
		return nil, ctx.Err()
	}
	also, ok := a.Schedule().(schedule.Walk)
	if as.Final = true; !ok || !all.Own().ModelCharged || !reflect.DeepEqual(as, also) {
		return nil, nil
	}
	return &Priced{newPrepared(a), all}, nil
}

// leastOf returns the least loss of a node towards any other. It returns NaN if none is known.
func leastOf(a *family.Account, target, n int) float64 {
	least := math.NaN()
	for v := range n {
		if loss := a.At(target, v); v != target && !math.IsNaN(loss) && !(loss >= least) {
			least = loss
		}
	}
	return least
}

// accounted returns the losses by accountants that priced all pairs, without the local loss and audits.
func (s *Priced) accounted(at func(a *family.Account) float64) (bounds []family.PairLoss) {
	for i := range s.Accounting.Accounts {
		a := &s.Accounting.Accounts[i]
		if a.At == nil || a.Audits != "" || a.Accountant == report.LocalAccountant {
			continue
		}
		if loss := at(a); !math.IsNaN(loss) {
			bounds = append(bounds, family.PairLoss{Accountant: a.Accountant, Status: a.Status, Loss: report.Number(loss), Assumptions: a.Assumptions})
		}
	}
	return bounds
}

// explained returns the spec's accountant's loss of one pair, if it has not priced all pairs.
func (s *Priced) explained(target, observer int) ([]family.PairLoss, error) {
	if s.Spec.Privacy.Metric.Order != 0 || s.Algorithm.Pairs() != nil || s.Spec.Privacy.Accountant == report.LocalAccountant {
		return nil, nil
	}
	e, err := s.Algorithm.Explain(target, observer, s.Accounting)
	if err != nil || e.Accountant == report.LocalAccountant {
		return nil, err
	}
	return []family.PairLoss{{Accountant: e.Accountant, Status: e.Status, Loss: report.Number(e.Epsilon), Assumptions: e.Assumptions}}, nil
}

// localLoss returns the loss towards an observer of everything that a node sends.
func (s *Priced) localLoss(target int) (family.PairLoss, error) {
	m, err := family.Metric(&s.Spec.Privacy)
	if err != nil {
		return family.PairLoss{}, err
	}
	for _, accountant := range s.Algorithm.Accountants(family.Tightest(m)) {
		if accountant.Name != report.LocalAccountant || accountant.Check != nil && accountant.Check() != nil {
			continue
		}
		account, _, err := accountant.Price(&s.Accounting.Sigma)
		if err != nil {
			return family.PairLoss{}, err
		}
		return family.PairLoss{Accountant: account.Accountant, Status: account.Status, Loss: report.Number(account.At(target, (target+1)%s.Spec.Nodes)),
			Assumptions: account.Assumptions}, nil
	}
	return family.PairLoss{Accountant: report.LocalAccountant, Status: report.Sound, Loss: report.Number(math.Inf(1))}, nil
}

// poolLosses returns the algorithm's bounds on the loss towards nodes that collude. It returns none if the algorithm has none.
func (s *Priced) poolLosses(ctx context.Context, target int, set []int) ([]family.PairLoss, error) {
	if pooled, ok := s.Algorithm.(family.Pooled); ok {
		return pooled.PoolLosses(ctx, target, set, s.Accounting)
	}
	return nil, nil
}
