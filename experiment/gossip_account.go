package experiment

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy"
	gossiploss "github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
)

// exactLimit is the most nodes whose pairs the exact accountant is asked for
// unless the spec names it.
const exactLimit = 1024

// account finds the noise and, for averaging without a number of turns, the
// stopping time of 002 Theorem 6.2, which falls as noise grows.
func (f gossipFamily) account(ctx context.Context) (Accounting, error) {
	m, err := f.metric()
	if err != nil {
		return Accounting{}, err
	}
	open := f.Spec.Algorithm.Steps == 0
	if open {
		turns, err := f.stoppingTime(math.Inf(1))
		if err != nil {
			return Accounting{}, err
		}
		f.setTurns(turns)
	}
	for ctx.Err() == nil {
		all, err := f.accounts(m)
		if err != nil || !open {
			return all, err
		}
		turns, err := f.stoppingTime(all.Sigma)
		if err != nil || turns <= f.Gossip.TurnsPerRound {
			return all, err
		}
		f.setTurns(turns)
	}
	return Accounting{}, ctx.Err()
}

// stoppingTime is that of 002 Theorem 6.2, or 6.4 where edges wake one by one.
func (f gossipFamily) stoppingTime(sigma float64) (int, error) {
	p := f.Gossip
	rate := f.Gap.Value
	switch edges, ok := f.Weights.(*graph.Activations); {
	case !f.Gap.Converged || rate <= 0:
		return 0, fault.New("algorithm.steps: is missing, and without a positive spectral gap no stopping time is known", "give steps, or weights: hamilton")
	case ok:
		rate = edges.Gap(1 - f.Gap.Second)
	case p.Gamma != 1:
		rate = math.Sqrt(rate)
	default:
		rate *= 2
	}
	std := sigma * p.Noise.Sensitivity()
	return gossip.StoppingTime(p.Nodes, rate, float64(p.Params)*std*std, p.Noise.Clip*p.Noise.Clip), nil
}

// accounts sets sigma by the accountant of the spec and puts the others beside
// it: sound ones, and the formula in print.
func (f gossipFamily) accounts(m privacy.Metric) (Accounting, error) {
	name := f.Spec.Privacy.Accountant
	own, sigma, err := f.priced(name, m, f.Spec.Privacy.Sigma)
	if err != nil {
		return Accounting{}, err
	}
	all := Accounting{Sigma: sigma, Accounts: []Account{own}}
	for _, other := range f.beside(name) {
		account, _, err := f.priced(other, m, &sigma)
		if err != nil {
			return Accounting{}, err
		}
		all.Accounts = append(all.Accounts, account)
	}
	return all, nil
}

// beside are the accountants that are worth their while beside the named one.
func (f gossipFamily) beside(name string) (others []string) {
	for _, other := range []string{"exact", "published", report.LocalAccountant} {
		exact := other == "exact" && (!f.Spec.Algorithm.Averaging() || f.Spec.Nodes > exactLimit)
		published := other == "published" && (f.Spec.Nodes > pairLimit || f.checkPublished() != nil)
		if other != name && !exact && !published {
			others = append(others, other)
		}
	}
	return others
}

// priced is the account of one accountant, at sigma or calibrated.
func (f gossipFamily) priced(name string, m privacy.Metric, sigma *float64) (Account, float64, error) {
	if name == report.LocalAccountant {
		return f.pricedLocally(m, sigma)
	}
	if f.Spec.Nodes > pairLimit {
		return Account{}, 0, fault.New(fmt.Sprintf("the %s accountant of all pairs of %d nodes would take %d GB", name, f.Spec.Nodes, f.Spec.Nodes*f.Spec.Nodes*16>>30),
			"use privacy.accountant: local, which is one number for all pairs")
	}
	pairs, err := f.pairs(name)
	if err != nil {
		return Account{}, 0, err
	}
	var losses *gossiploss.Losses
	if sigma != nil {
		losses, err = pairs.Losses(*sigma, tightest(m))
	} else {
		statistic, target := f.calibration()
		losses, _, err = pairs.Calibrate(statistic, target, tightest(m))
	}
	if err != nil {
		return Account{}, 0, err
	}
	return Account{Accounted: accounted(name, losses.Mean(), losses.Max(), losses.Claim), At: losses.Table()}, losses.Sigma, nil
}

func (f gossipFamily) pricedLocally(m privacy.Metric, sigma *float64) (Account, float64, error) {
	if sigma == nil {
		_, target := f.calibration()
		calibrated, err := f.localSigma(target, m)
		if err != nil {
			return Account{}, 0, err
		}
		sigma = &calibrated
	}
	account, err := f.localAccount(*sigma, m)
	return account, *sigma, err
}

// pairs are what reaches whom, by accountant.
func (f gossipFamily) pairs(name string) (*gossiploss.Pairs, error) {
	workers := runtime.GOMAXPROCS(0)
	if !f.Spec.Algorithm.Averaging() {
		if err := f.checkPublished(); err != nil {
			return nil, err
		}
		rounds, err := gossiploss.RoundsOf(f.schedule())
		if err != nil {
			return nil, err
		}
		return rounds.Published(workers), nil
	}
	accountant, err := gossiploss.Of(f.schedule())
	if err != nil {
		return nil, err
	}
	if name == "published" {
		return accountant.PublishedSum(workers), nil
	}
	return accountant.Leakage(workers), nil
}

// checkPublished says why 002 Theorem 6.9 has no number for this run.
func (f gossipFamily) checkPublished() error {
	a := f.Spec.Algorithm
	if a.Averaging() || a.Wake == "all" && a.Dropout == 0 && a.Redraw == 0 {
		return nil
	}
	return fault.New("privacy.accountant: 002 Theorem 6.9 prices gossip rounds on a fixed graph only", "use accountant: local")
}

// schedule is that of the protocol, with the matrices that its turns have.
func (f gossipFamily) schedule() schedule.Gossip {
	s := f.Gossip.Schedule(f.Weights, f.Gossip.Objective.Guarantees(f.Federation.Bound))
	if a := f.Spec.Algorithm; a.Wake == "all" && a.Dropout == 0 && a.Redraw == 0 {
		s.W = f.Transition.Sparse()
	}
	return s
}

// utility is the precision that 002 Theorem 6.2 (C.3) promises at the last
// turn, for averaging on a fixed graph.
func (f gossipFamily) utility() Utility {
	u := Utility{NoisePerHop: f.noiseNorm()}
	p, a := f.Gossip, f.Spec.Algorithm
	if !a.Averaging() || a.Wake != "all" || a.Dropout > 0 || a.Redraw > 0 || p.Gamma == 1 {
		u.Why = "002 Theorem 6.2 is about accelerated averaging on a fixed graph"
		return u
	}
	noise, spread := u.NoisePerHop*u.NoisePerHop, p.Noise.Clip*p.Noise.Clip
	n := float64(p.Nodes)
	distance := 2 * ((spread+noise)*math.Exp(-float64(p.Turns())*math.Sqrt(f.Gap.Value)) + noise/n)
	u.Distance2 = &distance
	u.Why = fmt.Sprintf("002 Theorem C.3: the mean squared distance of the nodes' values from the mean of all, values of norm at "+
		"most %g, %d turns at spectral gap %.4g", p.Noise.Clip, p.Turns(), f.Gap.Value)
	return u
}
