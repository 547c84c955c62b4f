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

// PairLimit is the largest number of nodes for which all n^2 losses are computed.
const PairLimit = 8192

// An Accountant prices one algorithm.
type Accountant struct {
	Name string
	// Check returns an error if a condition of the accountant does not hold. nil: it has no condition besides those of the
	// spec.
	Check func() error
	// Beside reports whether the account is worth showing beside the spec's own. nil: never.
	Beside func() bool
	// Price returns the account and its sigma. It prices at *sigma, or calibrates the least sigma that meets the spec's target
	// if sigma is nil.
	Price func(sigma *float64) (Account, float64, error)
}

// Account holds one accountant's loss of every ordered pair.
type Account struct {
	report.Accounted
	// At returns the loss of node u towards observer v, NaN for a pair that was not priced or attacked. nil: the accountant has
	// not been asked yet.
	At func(u, v int) float64
	// Rest bounds the pairs that At does not price. nil: At prices all pairs, or no bound exists.
	Rest func(u, v int) float64
	// In returns At in another metric and at another sigma. nil: not known.
	In       func(u, v int, sigma float64, m privacy.Metric) (float64, error)
	Audits   string                                      // for an audit: the accountant whose bounds these lower bounds audit; "": this is no audit
	Law      func(u, v int) *walkpath.Law                // the law behind At; nil where there is none
	Part     func(u, v int) string                       // for the least of several accounts: the accountant whose bound At takes; nil: there is one accountant
	Restated []Restatement                               // this account in the further metrics of the spec's report
	alone    func(u int, sigma float64) (float64, error) // loss of node u towards all others alike, at another sigma; nil: other observers learn other amounts
	asked    string                                      // the name by which a spec asks for the accountant
	Low      float64                                     // the lower end of the bracket of a calibrated sigma, where the target is missed; 0: not known
}

// Accounting is the noise of a run and its price. The account that sigma was calibrated on comes first, then the others.
type Accounting struct {
	Sigma     float64
	Accounts  []Account
	Chosen    string            // the accountant that was chosen where the spec leaves the choice (sound); "": the spec names one
	Why       string            // the reason for the choice, as text
	Coalition *report.Coalition // nil: the spec asks for none
	Public    *report.Public    // nil: nothing is shown to everybody, or no accountant prices it separately
}

// Partial reports whether there are pairs that were not priced, or attacked.
func (a *Account) Partial() bool { return a.Unpriced > 0 || a.Audits != "" }

// Bound returns the loss of a pair, or the bound of Rest for a pair that was not priced. It returns NaN if there is neither.
func (a *Account) Bound(u, v int) float64 {
	if loss := a.At(u, v); a.Rest == nil || !math.IsNaN(loss) {
		return loss
	}
	return a.Rest(u, v)
}

// Leading returns the sound account with the least mean loss, or the first account if none is sound.
func (all *Accounting) Leading() *Account {
	best := &all.Accounts[0]
	for i := range all.Accounts {
		if a := &all.Accounts[i]; a.Status == report.Sound && a.At != nil && (best.Status != report.Sound || a.Mean < best.Mean) {
			best = a
		}
	}
	return best
}

// Own returns the account of the accountant that the spec names, under any name. Before it stands at most the pairwise least of
// all accounts; the others follow.
func (all *Accounting) Own() *Account {
	if first := &all.Accounts[0]; first.Accountant != spec.Sound {
		return first
	}
	return &all.Accounts[1]
}

// ask prices a by the accountant. It clears ModelCharged where the run shows an average of iterates and the account does not count
// every message as seen, because such an average follows from all messages and not from the last model.
func (o *Accountant) ask(a Algorithm, sigma *float64) (Account, float64, error) {
	account, found, err := o.Price(sigma)
	account.asked = o.Name
	account.doubt(a.Of().Spec)
	if a.Of().Spec.Algorithm.Average != "none" && !privacy.Observer(account.Observer).SeesAll() {
		account.ModelCharged = false
	}
	return account, found, err
}

// Of returns the account of the given accountant, nil if that priced nothing.
func (all *Accounting) Of(accountant string) *Account {
	for i := range all.Accounts {
		if a := &all.Accounts[i]; a.Accountant == accountant {
			return a
		}
	}
	return nil
}

// Always returns true: it is the Beside of an accountant that stands beside every other.
func Always() bool { return true }

// Unprotected returns the account of a run without noise: every loss is infinite.
func Unprotected(unit privacy.Unit) Account {
	return Account{
		Accounted: report.Accounted{
			Accountant: "local", Status: report.Sound, Mean: report.Number(math.Inf(1)), MeanStatus: report.Sound, Max: report.Number(math.Inf(1)),
			Assumptions: []string{unit.Adjacency(), "no noise is added: whoever receives the token may learn everything"},
		},
		At: func(int, int) float64 { return math.Inf(1) },
	}
}

// Unpriced returns an account that names the spec's accountant before that is asked. It has no At.
func Unpriced(p *spec.Privacy) Account {
	status := report.Sound
	if p.Accountant == string(report.Published) {
		status = report.Published
	}
	return Account{Accounted: report.Accounted{Accountant: p.Accountant, Status: status}}
}

// Constant returns an account with the same loss for all pairs.
func Constant(name string, loss float64, claim privacy.Claim) Account {
	a := Account{Accounted: Accounted(name, loss, loss, claim), At: func(int, int) float64 { return loss }}
	a.MaxBeyondNeighbours = &a.Accounted.Max
	return a
}

// A Formula returns one loss for all pairs at a noise multiplier, with the accountant's claim.
type Formula func(sigma float64) (float64, privacy.Claim, error)

// Price returns an Accountant's Price function for the accountant called name. It evaluates the formula at sigma, or at the
// least multiplier that meets the target. least is the smallest multiplier at which the formula is defined.
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

// InRange returns the formula with every error marked as ErrOutOfRange: a paper's formula is not defined there.
func (f Formula) InRange() Formula {
	return func(sigma float64) (float64, privacy.Claim, error) {
		loss, claim, err := f(sigma)
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrOutOfRange, err)
		}
		return loss, claim, err
	}
}

// Accounted returns an account's numbers as a report states them.
func Accounted(name string, mean, worst float64, claim privacy.Claim) report.Accounted {
	return report.Accounted{
		Accountant: name, Status: report.Status(claim.Status), Observer: claim.Towards.String(), ModelCharged: claim.CoversModel(), Gaussian: claim.Gaussian,
		Mean: report.Number(min(mean, worst)), MeanStatus: report.Status(claim.Status), Max: report.Number(worst), Assumptions: claim.Grounds(),
	}
}

// Metric returns the spec's metric as accountants take it.
func Metric(p *spec.Privacy) (privacy.Metric, error) {
	conversion, err := privacy.ParseConversion(p.Conversion)
	return privacy.Metric{Order: p.Metric.Order, Delta: p.Metric.Delta, Conversion: conversion}, err
}

// Tightest returns m with the tighter conversion. A sound number need not follow the papers in their conversion.
func Tightest(m privacy.Metric) privacy.Metric {
	m.Conversion = privacy.Tightest
	return m
}

// AsPublished returns an accountant that calibrates an epsilon at a delta, as the papers do for their baselines.
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

// A PairLoss is one accountant's loss of one ordered pair of nodes, in the spec's metric.
type PairLoss struct {
	Accountant  string        `json:"-"`
	Status      report.Status `json:"status"`
	Loss        report.Number `json:"eps"`
	Assumptions []string      `json:"assumptions"`
}

// NewPairLoss returns a loss with the status and grounds of its claim.
func NewPairLoss(name string, loss float64, c privacy.Claim) PairLoss {
	return PairLoss{name, report.Status(c.Status), report.Number(loss), c.Grounds()}
}
