package family

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// ErrOutOfRange is the error of an accountant whose formula is not defined at the given noise. Its account is then left out
// beside the others.
var ErrOutOfRange = errors.New("the formula in print is out of its range")

// Price sets the noise by the spec's accountant and prices every pair by it and by the accountants beside it. It returns the
// algorithm with that noise, and with the number of turns that the noise asks for where that number is open.
func Price(ctx context.Context, a Algorithm) (Algorithm, Accounting, error) {
	if sigma := a.Of().Spec.Privacy.Sigma; sigma != nil && *sigma == 0 {
		quiet, err := a.WithNoise(0)
		return quiet, Accounting{Accounts: []Account{Unprotected(a.Of().Unit())}}, err
	}
	a, all, err := limited(ctx, a, settling(ctx, priceFirst), settling(ctx, priceAll))
	if err != nil {
		return a, all, err
	}
	if all.Coalition, err = a.Coalition(ctx, all); err != nil {
		return a, all, err
	}
	all.Public, err = publicLosses(ctx, a, all)
	return a, all, err
}

// SetNoise sets the noise as Price does, for questions about single pairs. It prices pairs only to calibrate the noise, and
// then by the spec's own accountant alone.
func SetNoise(ctx context.Context, a Algorithm) (Algorithm, Accounting, error) {
	if sigma := a.Of().Spec.Privacy.Sigma; sigma != nil && *sigma == 0 {
		return a, Accounting{}, nil
	}
	return limited(ctx, a, settling(ctx, priceFirst), settling(ctx, priceOwn))
}

// settling returns the pricing that settles by a function.
func settling(ctx context.Context, price func(Algorithm, *float64) (Accounting, error)) pricing {
	return func(a Algorithm, sigma *float64) (Algorithm, Accounting, error) {
		return settle(ctx, a, func(a Algorithm) (Accounting, error) { return price(a, sigma) })
	}
}

// settle prices repeatedly until the noise asks for no more turns than were priced.
func settle(ctx context.Context, a Algorithm, price func(Algorithm) (Accounting, error)) (Algorithm, Accounting, error) {
	for ctx.Err() == nil {
		all, err := price(a)
		if err != nil {
			return a, all, err
		}
		noisy, err := a.WithNoise(all.Sigma)
		if err != nil || noisy.Turns() == a.Turns() {
			if all.Chosen != "" && err == nil {
				noisy = naming(noisy, all.Chosen)
			}
			return noisy, all, errors.Join(err, planned(noisy, all.Sigma))
		}
		a = noisy
	}
	return a, Accounting{}, ctx.Err()
}

// planned returns an error if the schedule, which runs keep to, has other noise than was priced.
func planned(a Algorithm, sigma float64) error {
	s, ok := a.Schedule().(schedule.Noisy)
	if !ok {
		return nil
	}
	if noise, ok := s.Multiplier(); ok && !(math.Abs(noise-sigma) <= 1e-12*sigma) {
		return fmt.Errorf("algorithm.kind: %s releases %v times its sensitivity as noise, and %v was priced", a.Of().Spec.Algorithm.Kind, noise, sigma)
	}
	return nil
}

// priceAll prices at sigma, or calibrates if sigma is nil, by all accountants.
func priceAll(a Algorithm, sigma *float64) (Accounting, error) {
	all, err := priceFirst(a, sigma)
	if err != nil {
		return Accounting{}, err
	}
	if all.Chosen != "" {
		a = naming(a, all.Chosen)
	}
	own, accountants, err := find(a)
	if err != nil {
		return Accounting{}, err
	}
	for _, other := range accountants {
		if other.Name == own.Name || other.Beside == nil || !other.Beside() {
			continue
		}
		account, err := all.beside(a, other)
		if errors.Is(err, ErrOutOfRange) {
			continue
		}
		if err != nil {
			return Accounting{}, err
		}
		all.Accounts = append(all.Accounts, account)
	}
	if all.Chosen != "" {
		m, err := Metric(&a.Of().Spec.Privacy)
		if err != nil {
			return Accounting{}, err
		}
		all.combine(a.Of().Spec.Nodes, m)
	}
	return all, nil
}

// beside prices by an accountant that stands beside the first. Where the spec leaves the choice, it asks each sound accountant
// as if the spec named it, so that its numbers do not depend on the choice.
func (all *Accounting) beside(a Algorithm, other Accountant) (Account, error) {
	if all.Chosen != "" && slices.Contains(soundNames(a), other.Name) {
		a = naming(a, other.Name)
		if own, _, err := find(a); err == nil {
			other = own
		}
	}
	account, _, err := other.ask(a, &all.Sigma)
	return account, err
}

// priceFirst returns the account of the spec's accountant, or of the least sound one if the spec leaves the choice.
func priceFirst(a Algorithm, sigma *float64) (Accounting, error) {
	if a.Of().Spec.Privacy.Accountant == spec.Sound {
		best, why, err := choose(a, sigma)
		return Accounting{Sigma: best.sigma, Accounts: []Account{best.account}, Chosen: best.name(), Why: why}, err
	}
	own, _, err := find(a)
	if err != nil {
		return Accounting{}, err
	}
	first, at, err := own.ask(a, sigma)
	return Accounting{Sigma: at, Accounts: []Account{first}}, err
}

// combine puts the pairwise least of all sound accounts before them, unless one of them is the least for all pairs.
func (all *Accounting) combine(n int, m privacy.Metric) {
	if first := least(all.Accounts, n, m); first.Accountant == spec.Sound {
		all.Accounts = append([]Account{first}, all.Accounts...)
		all.Why += " Of some pairs others say less; the first account is the least of each pair."
	}
}

func priceOwn(a Algorithm, sigma *float64) (Accounting, error) {
	p := &a.Of().Spec.Privacy
	if sigma == nil {
		return priceFirst(a, nil)
	}
	chosen := ""
	if p.Accountant == spec.Sound {
		b, err := applicable(a)
		if err != nil {
			return Accounting{}, err
		}
		a, p = b, &b.Of().Spec.Privacy
		chosen = p.Accountant
	}
	if _, _, err := find(a); err != nil {
		return Accounting{}, err
	}
	return Accounting{Sigma: *sigma, Accounts: []Account{Unpriced(p)}, Chosen: chosen}, nil
}

// Again returns the account of the same accountant at another noise multiplier, or in another metric.
func (account *Account) Again(a Algorithm, sigma float64, m privacy.Metric) (Account, error) {
	p := naming(a, account.asked).Of().Spec.Privacy
	p.Metric = spec.Metric{Delta: m.Delta, Order: m.Order}
	asked := a.WithPrivacy(p)
	own, _, err := find(asked)
	if err != nil {
		return Account{}, err
	}
	again, at, err := own.ask(asked, &sigma)
	if err == nil && at != sigma { // a formula that calibrates only
		err = ErrOutOfRange
	}
	again.guesses(m)
	return again, err
}

// find returns the spec's accountant, after checking its conditions, and all accountants of the algorithm.
func find(a Algorithm) (own Accountant, all []Accountant, err error) {
	p := &a.Of().Spec.Privacy
	m, err := Metric(p)
	if err != nil {
		return own, nil, err
	}
	all = a.Accountants(m)
	for _, own := range all {
		if own.Name != p.Accountant {
			continue
		}
		_, err := a.Of().Target()
		if err == nil && own.Check != nil {
			err = own.Check()
		}
		return own, all, err
	}
	var names []string
	for _, other := range all {
		names = append(names, other.Name)
	}
	return own, all, fault.New(fmt.Sprintf("privacy.accountant: %s does not price this %s", p.Accountant, a.Of().Spec.Algorithm.Kind),
		"use one of "+strings.Join(names, ", "))
}
