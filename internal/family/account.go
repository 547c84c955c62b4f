package family

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// PairLimit is the most nodes for which all n^2 losses are computed.
const PairLimit = 8192

// An Accountant prices one algorithm.
type Accountant struct {
	Name string
	// Check says why it has no ground here; nil: it needs none besides what the spec holds.
	Check func() error
	// Beside reports whether it is worth its while beside the spec's own; nil: never.
	Beside func() bool
	// Price is the account at sigma, or at the least sigma that meets the spec's
	// target if that is nil; with the sigma.
	Price func(sigma *float64) (Account, float64, error)
}

// Account is what one accountant says about every pair.
type Account struct {
	report.Accounted
	// At is from u towards observer v, NaN where that pair was not priced, or attacked;
	// nil: it was not asked yet.
	At func(u, v int) float64
	// Rest bounds the pairs that At does not price; nil: it prices all, or nothing does.
	Rest func(u, v int) float64
	// In is At in another metric and at another sigma; nil: it is not known.
	In       func(u, v int, sigma float64, m privacy.Metric) (float64, error)
	Audits   string                       // the accountant whose bounds these lower bounds stand beside; "": these are no audit
	Law      func(u, v int) *walkpath.Law // behind At; nil where there is none
	Part     func(u, v int) string        // of the least of several: the accountant that At takes its bound from; nil: of this one alone
	Restated []Restatement                // in the further metrics of the spec's report
	asked    string                       // the name by which a spec asks for its accountant
	Low      float64                      // a calibrated sigma's bracket: here the target is missed; 0 if not known
}

// Accounting is the noise of a run and what it costs: the account that sigma was
// calibrated on first, then the others.
type Accounting struct {
	Sigma     float64
	Accounts  []Account
	Chosen    string            // the accountant that was taken where the spec leaves the choice (sound); "": the spec names one
	Why       string            // that is so, in words
	Coalition *report.Coalition // nil: the spec asks for none
	Public    *report.Public    // nil: nothing is shown to everybody, or nobody prices it apart
}

// Partial reports whether there are pairs that were not priced, or attacked.
func (a *Account) Partial() bool { return a.Unpriced > 0 || a.Audits != "" }

// Bound is the loss of a pair, or what holds of it though it was not priced; NaN where
// nothing does.
func (a *Account) Bound(u, v int) float64 {
	if loss := a.At(u, v); a.Rest == nil || !math.IsNaN(loss) {
		return loss
	}
	return a.Rest(u, v)
}

// Leading is the account that a reader should go by: the sound one with the least mean,
// else the first.
func (all *Accounting) Leading() *Account {
	best := &all.Accounts[0]
	for i := range all.Accounts {
		if a := &all.Accounts[i]; a.Status == report.Sound && a.At != nil && (best.Status != report.Sound || a.Mean < best.Mean) {
			best = a
		}
	}
	return best
}

// Own is the account of the spec's accountant, whatever it is called: behind it stand the others, before it at most the
// least of all of them.
func (all *Accounting) Own() *Account {
	if first := &all.Accounts[0]; first.Accountant != spec.Sound {
		return first
	}
	return &all.Accounts[1]
}

// ask prices a by the accountant. An average of iterates follows from all messages, and not from the last model that a run
// shows: losses that do not count every message as seen do not cover it.
func (o *Accountant) ask(a Algorithm, sigma *float64) (Account, float64, error) {
	account, found, err := o.Price(sigma)
	account.asked = o.Name
	account.doubt(a.Of().Spec)
	if a.Of().Spec.Algorithm.Average != "none" && !privacy.Observer(account.Observer).SeesAll() {
		account.ModelCharged = false
	}
	return account, found, err
}

// Of returns the account of an accountant, nil where it priced nothing.
func (all *Accounting) Of(accountant string) *Account {
	for i := range all.Accounts {
		if a := &all.Accounts[i]; a.Accountant == accountant {
			return a
		}
	}
	return nil
}

// Always is an accountant that stands beside every other.
func Always() bool { return true }

// Unprotected is the account of a run without noise.
func Unprotected(unit privacy.Unit) Account {
	return Account{
		Accounted: report.Accounted{
			Accountant: "local", Status: report.Sound, Mean: report.Number(math.Inf(1)), MeanStatus: report.Sound, Max: report.Number(math.Inf(1)),
			Assumptions: []string{unit.Adjacency(), "no noise is added: whoever receives the token may learn everything"},
		},
		At: func(int, int) float64 { return math.Inf(1) },
	}
}

// Unpriced names the spec's accountant, which was not asked yet: it has no At.
func Unpriced(p *spec.Privacy) Account {
	status := report.Sound
	if p.Accountant == string(report.Published) {
		status = report.Published
	}
	return Account{Accounted: report.Accounted{Accountant: p.Accountant, Status: status}}
}

// Constant is an account that is the same for all pairs.
func Constant(name string, loss float64, claim privacy.Claim) Account {
	a := Account{Accounted: Accounted(name, loss, loss, claim), At: func(int, int) float64 { return loss }}
	a.MaxBeyondNeighbours = &a.Accounted.Max
	return a
}

// A Formula is one loss for all pairs at a noise multiplier, in an accountant's words.
type Formula func(sigma float64) (float64, privacy.Claim, error)

// Price is what an accountant called name says by the formula, at sigma or at the least
// multiplier from least on that meets the target. least is the smallest at which the formula is defined.
func (f Formula) Price(name string, p *spec.Privacy, least float64) func(sigma *float64) (Account, float64, error) {
	return func(sigma *float64) (Account, float64, error) {
		low := 0.0
		if sigma == nil {
			found, err := privacy.SmallestSigma(func(sigma float64) (float64, error) {
				loss, _, err := f(sigma)
				return loss, err
			}, least, p.Calibrate.Target())
			if err != nil {
				return Account{}, 0, err
			}
			sigma, low = &found.Sigma, found.Low
		}
		loss, claim, err := f(*sigma)
		if err != nil {
			return Account{}, 0, err
		}
		account := Constant(name, loss, claim)
		account.Low = low
		return account, *sigma, nil
	}
}

// InRange is the formula of a paper, whose errors say that it is not defined there.
func (f Formula) InRange() Formula {
	return func(sigma float64) (float64, privacy.Claim, error) {
		loss, claim, err := f(sigma)
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrOutOfRange, err)
		}
		return loss, claim, err
	}
}

// Accounted are an account's numbers as a report states them.
func Accounted(name string, mean, worst float64, claim privacy.Claim) report.Accounted {
	return report.Accounted{
		Accountant: name, Status: report.Status(claim.Status), Observer: claim.Towards.String(), ModelCharged: claim.CoversModel(), Gaussian: claim.Gaussian,
		Mean: report.Number(min(mean, worst)), MeanStatus: report.Status(claim.Status), Max: report.Number(worst), Assumptions: claim.Grounds(),
	}
}

// Metric is the spec's, in the accountants' words.
func Metric(p *spec.Privacy) (privacy.Metric, error) {
	conversion, err := privacy.ParseConversion(p.Conversion)
	return privacy.Metric{Order: p.Metric.Order, Delta: p.Metric.Delta, Conversion: conversion}, err
}

// Tightest is m with the tighter conversion: a sound number need not follow
// the papers in theirs.
func Tightest(m privacy.Metric) privacy.Metric {
	m.Conversion = privacy.Tightest
	return m
}

// AsPublished calibrates an epsilon at a delta as the papers do for their baselines.
func AsPublished(p *spec.Privacy, m privacy.Metric, check func() error, calibrate func(eps float64) (privacy.Noise, error)) Accountant {
	return Accountant{Name: string(report.Published), Check: check, Price: func(*float64) (Account, float64, error) {
		if m.Order != 0 || p.Calibrate == nil {
			return Account{}, 0, fault.New("privacy.accountant: the papers' baselines only calibrate an epsilon at a delta",
				"give calibrate: {mean: 1} with metric: {epsilon_at_delta: 1.0e-6}, or accountant: local")
		}
		target := p.Calibrate.Target()
		noise, err := calibrate(target)
		if err != nil {
			return Account{}, 0, err
		}
		return Constant(string(report.Published), target, noise.Claim), noise.Multiplier, nil
	}}
}

// A PairLoss is what one accountant says about one ordered pair of nodes, in
// the spec's metric.
type PairLoss struct {
	Accountant  string        `json:"-"`
	Status      report.Status `json:"status"`
	Loss        report.Number `json:"eps"`
	Assumptions []string      `json:"assumptions"`
}

// NewPairLoss is a loss with its claim.
func NewPairLoss(name string, loss float64, c privacy.Claim) PairLoss {
	return PairLoss{name, report.Status(c.Status), report.Number(loss), c.Grounds()}
}
