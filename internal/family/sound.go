package family

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/spec"
)

// An offer is the price of one sound accountant.
type offer struct {
	algorithm Algorithm // whose spec names the accountant
	account   Account
	sigma     float64
}

// choose returns the best offer of all sound accountants that price this run, and says why in words. The best offer has the
// least noise where noise is calibrated, because sigma is nil, else the least mean loss. Its algorithm names the accountant.
func choose(a Algorithm, sigma *float64) (best offer, why string, err error) {
	var others, refusals []string
	var refused error
	none, calibrated := true, sigma == nil
	for _, name := range soundNames(a) {
		o, err := offered(a, name, sigma)
		switch {
		case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
			return best, "", err
		case err != nil:
			refusals = append(refusals, fmt.Sprintf("%s does not apply (%s)", name, strings.TrimPrefix(err.Error(), "privacy.accountant: ")))
			refused = cmp.Or(refused, err)
		case o.account.Status != report.Sound:
		case none || o.better(best, calibrated):
			if !none {
				others = append(others, best.says(calibrated))
			}
			best, none = o, false
		default:
			others = append(others, o.says(calibrated))
		}
	}
	if none {
		if refused == nil {
			refused = fault.New("privacy.accountant: no sound accountant prices this run", "name another one")
		}
		return best, "", refused
	}
	why = fmt.Sprintf("Accountant sound: of all sound accountants that price this run, %s asks for the least: %s", best.name(), best.says(calibrated))
	return best, strings.Join(append(append([]string{why}, others...), refusals...), "; ") + ".", nil
}

// soundNames returns the names of an algorithm's accountants except formulas in print, the one to rely on first. An algorithm
// need not have all accountants of its kind.
func soundNames(a Algorithm) (names []string) {
	m, _ := Metric(&a.Of().Spec.Privacy) // find reports the error
	has := a.Accountants(m)
	all := a.Of().Spec.Kind().Accountants
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] != string(report.Published) && slices.ContainsFunc(has, func(own Accountant) bool { return own.Name == all[i] }) {
			names = append(names, all[i])
		}
	}
	return names
}

// naming returns a under the accountant of that name.
func naming(a Algorithm, name string) Algorithm {
	p := a.Of().Spec.Privacy
	p.Accountant = name
	return a.WithPrivacy(p)
}

func offered(a Algorithm, name string, sigma *float64) (o offer, err error) {
	o.algorithm = naming(a, name)
	own, _, err := find(o.algorithm)
	if err != nil {
		return o, err
	}
	o.account, o.sigma, err = own.ask(o.algorithm, sigma)
	return o, err
}

// name returns the accountant's name in a spec, which may differ from the name of its account.
func (o offer) name() string {
	if o.algorithm == nil {
		return ""
	}
	return o.algorithm.Of().Spec.Privacy.Accountant
}

// better reports whether o needs less noise, where that is calibrated. At the same noise it compares mean losses.
func (o offer) better(than offer, calibrated bool) bool {
	if calibrated && math.Abs(o.sigma-than.sigma) > sharper*than.sigma {
		return o.sigma < than.sigma
	}
	return float64(o.account.Mean) < float64(than.account.Mean)*(1-sharper)
}

func (o offer) says(calibrated bool) string {
	if calibrated {
		return fmt.Sprintf("%s noise multiplier %s", o.name(), report.Upwards(o.sigma, 4))
	}
	return fmt.Sprintf("%s mean loss %s", o.name(), report.Loss(float64(o.account.Mean), o.account.Status))
}

// applicable returns the algorithm to ask about single pairs. It names the first sound accountant whose conditions hold, and
// tries the local one last.
func applicable(a Algorithm) (Algorithm, error) {
	for _, name := range soundNames(a) {
		if name == report.LocalAccountant {
			continue
		}
		if b := naming(a, name); ground(b) == nil {
			return b, nil
		}
	}
	b := naming(a, report.LocalAccountant)
	return b, ground(b)
}

func ground(a Algorithm) error {
	_, _, err := find(a)
	return err
}

// Explaining returns the algorithm to ask about a pair. It names the accountant whose bound of the pair is shown first.
func (all *Accounting) Explaining(a Algorithm, about, observer int) Algorithm {
	if len(all.Accounts) == 0 || all.Accounts[0].Part == nil || about == observer {
		return a
	}
	return naming(a, all.Accounts[0].Part(about, observer))
}

// sharper is the least relative difference at which one loss counts as smaller than another. Losses of many pairs are rounded
// up by a few parts in a million.
const sharper = 1e-5

// least returns the account with the pairwise least loss of several sound accounts. It is sound because each account bounds the
// loss of every pair. It returns the first account if no other is smaller for any pair, or if there are too many pairs.
func least(accounts []Account, n int, m privacy.Metric) Account {
	first, names := accounts[0], []string{accounts[0].Accountant}
	var sound []Account
	for _, a := range accounts {
		if a.Status == report.Sound && a.At != nil {
			sound = append(sound, a)
		}
	}
	if len(sound) < 2 || n > PairLimit || first.Status != report.Sound {
		return first
	}
	for _, a := range sound {
		if a.Accountant != first.Accountant && smallerSomewhere(a, first, n) {
			names = append(names, a.Accountant)
		}
	}
	if len(names) == 1 {
		return first
	}
	return combined(sound, names, n, m)
}

func smallerSomewhere(a, b Account, n int) bool {
	for u := range n {
		for v := range n {
			if u != v && a.At(u, v) < b.Bound(u, v)*(1-sharper) {
				return true
			}
		}
	}
	return false
}

// combined returns the account of the pairwise least of several. It covers an observer or model only if each of them does.
func combined(sound []Account, names []string, n int, m privacy.Metric) Account {
	part := func(u, v int) *Account {
		best := &sound[0]
		for i := range sound {
			if sound[i].Bound(u, v) < best.Bound(u, v) {
				best = &sound[i]
			}
		}
		return best
	}
	at := func(u, v int) float64 { return part(u, v).Bound(u, v) }
	mean, worst := 0.0, 0.0
	for u := range n {
		for v := range n {
			if u != v {
				mean, worst = mean+at(u, v), max(worst, at(u, v))
			}
		}
	}
	c := Account{Accounted: report.Accounted{
		Accountant: spec.Sound, Status: report.Sound, Mean: report.Number(mean / float64(n*(n-1))), MeanStatus: report.Sound, Max: report.Number(worst),
		Assumptions: []string{"of each pair the least of what " + strings.Join(names, " and ") +
			" say: each of them bounds the loss of that very pair, so the least is a bound"},
		Observer: privacy.Everybody.String(), ModelCharged: true, Guess: 1,
	}, At: at, Part: func(u, v int) string { return part(u, v).Accountant }}
	for _, a := range sound {
		a.guesses(m)
		c.Guess = min(c.Guess, a.Guess)
		c.Observer, c.ModelCharged = privacy.Weaker(privacy.Observer(c.Observer), privacy.Observer(a.Observer)).String(), c.ModelCharged && a.ModelCharged
		for _, assumption := range a.Assumptions {
			if !slices.Contains(c.Assumptions, assumption) {
				c.Assumptions = append(c.Assumptions, assumption)
			}
		}
	}
	return c
}
