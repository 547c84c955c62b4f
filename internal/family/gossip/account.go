package gossip

import (
	"fmt"
	"math"
	"runtime"

	"github.com/hearsay-dp/hearsay/schedule"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	gossiploss "github.com/hearsay-dp/hearsay/privacy/gossip"
)

// exactLimit is the most nodes whose pairs the exact accountant is asked for
// unless the spec names it.
const exactLimit = 1024

// StoppingTime is that of 002 Theorem 6.2, or 6.4 where edges wake one by one.
func (a *Algorithm) StoppingTime(sigma float64) (int, error) {
	p := a.Protocol
	rate := a.Gap.Value
	switch edges, ok := a.Weights.(*graph.Activations); {
	case !a.Gap.Converged || rate <= 0:
		return 0, fault.New("algorithm.steps: is missing, and without a positive spectral gap no stopping time is known", "give steps, or weights: hamilton")
	case ok:
		rate = edges.Gap(1 - a.Gap.Second)
	case p.Gamma != 1:
		rate = math.Sqrt(rate)
	default:
		rate *= 2
	}
	std := sigma * p.Noise.Sensitivity()
	return gossip.StoppingTime(p.Nodes, rate, float64(p.Params)*std*std, p.Noise.Clip*p.Noise.Clip), nil
}

// Accountants implements family.Algorithm.
func (a *Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	few := func() bool { return a.Protocol.Nodes <= exactLimit }
	printed := func() bool { return a.Protocol.Nodes <= family.PairLimit && a.checkPublished() == nil }
	all := []family.Accountant{
		{Name: "published", Beside: printed, Price: a.priced("published", m)},
		family.Local(a.Contributions(), &a.Spec.Privacy, m, nil),
	}
	if a.averaging() {
		all = append([]family.Accountant{{Name: "exact", Beside: few, Price: a.priced("exact", m)}}, all...)
	}
	return all
}

// priced is what an accountant of pairs says, at sigma or calibrated.
func (a *Algorithm) priced(name string, m privacy.Metric) func(*float64) (family.Account, float64, error) {
	return func(sigma *float64) (family.Account, float64, error) {
		if n := a.Protocol.Nodes; n > family.PairLimit {
			return family.Account{}, 0, fault.New(fmt.Sprintf("the %s accountant of all pairs of %d nodes would take %d GB", name, n, n*n*16>>30),
				"use privacy.accountant: local, which is one number for all pairs")
		}
		pairs, err := a.pairs(name)
		if err != nil {
			return family.Account{}, 0, err
		}
		var losses *gossiploss.Losses
		if sigma != nil {
			losses, err = pairs.Losses(*sigma, family.Tightest(m))
		} else {
			statistic, target := family.Calibration(&a.Spec.Privacy)
			losses, _, err = pairs.Calibrate(statistic, target, family.Tightest(m))
		}
		if err != nil {
			return family.Account{}, 0, err
		}
		return family.Account{Accounted: family.Accounted(name, losses.Mean(), losses.Max(), losses.Claim), At: losses.Table()}, losses.Sigma, nil
	}
}

// pairs are what reaches whom, by accountant.
func (a *Algorithm) pairs(name string) (*gossiploss.Pairs, error) {
	workers := runtime.GOMAXPROCS(0)
	if !a.averaging() {
		if err := a.checkPublished(); err != nil {
			return nil, err
		}
		rounds, err := gossiploss.RoundsOf(a.schedule())
		if err != nil {
			return nil, err
		}
		return rounds.Published(workers), nil
	}
	accountant, err := gossiploss.Of(a.schedule())
	if err != nil {
		return nil, err
	}
	if name == "published" {
		return accountant.PublishedSum(workers), nil
	}
	return accountant.Leakage(workers), nil
}

// checkPublished says why 002 Theorem 6.9 has no number for this run.
func (a *Algorithm) checkPublished() error {
	if a.averaging() || !a.keys.changes() {
		return nil
	}
	return fault.New("privacy.accountant: 002 Theorem 6.9 prices gossip rounds on a fixed graph only", "use accountant: local")
}

// schedule is that of the protocol, with the matrices that its turns have.
func (a *Algorithm) schedule() schedule.Gossip {
	s := a.Protocol.Schedule(a.Weights, a.Protocol.Objective.Guarantees(a.Federation.Bound))
	if !a.keys.changes() {
		s.W = a.Transition.Sparse()
	}
	return s
}

// Utility is the precision that 002 Theorem 6.2 (C.3) promises at the last
// turn, for averaging on a fixed graph.
func (a *Algorithm) Utility() family.Utility {
	u := family.Utility{NoisePerHop: family.NoiseNorm(a.Local())}
	p := a.Protocol
	if !a.averaging() || a.keys.changes() || p.Gamma == 1 {
		u.Why = "002 Theorem 6.2 is about accelerated averaging on a fixed graph"
		return u
	}
	noise, spread := u.NoisePerHop*u.NoisePerHop, p.Noise.Clip*p.Noise.Clip
	n := float64(p.Nodes)
	distance := 2 * ((spread+noise)*math.Exp(-float64(p.Turns())*math.Sqrt(a.Gap.Value)) + noise/n)
	u.Distance2 = &distance
	u.Why = fmt.Sprintf("002 Theorem C.3: the mean squared distance of the nodes' values from the mean of all, values of norm at "+
		"most %g, %d turns at spectral gap %.4g", p.Noise.Clip, p.Turns(), a.Gap.Value)
	return u
}
