package family

import (
	"context"
	"errors"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
)

// A Restatement is an account in one more metric, at the noise of the run.
type Restatement struct {
	report.Restated
	At func(u, v int) float64 // as an Account's
}

// Restate prices every account in the further metrics of the spec's report. It skips an account beside the first in a metric in
// which that account cannot be stated.
func Restate(ctx context.Context, a Algorithm, all *Accounting) error {
	r := a.Of().Spec.Report
	var metrics []privacy.Metric
	for _, delta := range r.Deltas {
		metrics = append(metrics, privacy.Metric{Delta: delta})
	}
	for _, order := range r.Orders {
		metrics = append(metrics, privacy.Metric{Order: order})
	}
	for _, m := range metrics {
		if err := all.restate(ctx, a, m); err != nil {
			return err
		}
	}
	return nil
}

func (all *Accounting) restate(ctx context.Context, a Algorithm, m privacy.Metric) error {
	var sound []Account
	for i := len(all.Accounts) - 1; i >= 0; i-- { // last first, because the least of several accounts stands before them
		account := &all.Accounts[i]
		again, err := account.restated(a, all.Sigma, m, sound)
		if cause := ctx.Err(); cause != nil {
			return cause
		}
		if err != nil && (i == 0 || !errors.Is(err, ErrOutOfRange) && account.Status == report.Sound) {
			return err
		}
		if err != nil || again.At == nil {
			continue
		}
		if again.Status == report.Sound {
			sound = append(sound, again)
		}
		own := report.Restated{Order: m.Order, Delta: m.Delta, Mean: again.Mean, Max: again.Max}
		account.Also, account.Restated = append(account.Also, own), append(account.Restated, Restatement{own, again.At})
	}
	return nil
}

// restated returns the account in another metric. The least of several accounts becomes the least of the sound accounts in that
// metric.
func (account *Account) restated(a Algorithm, sigma float64, m privacy.Metric, sound []Account) (Account, error) {
	switch {
	case account.Part != nil && len(sound) > 0:
		return combined(sound, nil, a.Of().Spec.Nodes, m), nil
	case sigma == 0:
		return Account{Accounted: report.Accounted{Mean: account.Mean, Max: account.Max}, At: account.At}, nil
	}
	return account.Again(a, sigma, m)
}
