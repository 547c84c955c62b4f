package walkfamily

import (
	"fmt"
	"runtime"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/privacy/walkpublished"
	"github.com/hearsay-dp/hearsay/report"
)

// Accountants implements family.Algorithm. The published accountant prices only where the spec asks for it, sound ones always.
func (a *Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	all := []family.Accountant{
		{Name: "published", Check: a.check("published"), Price: func(sigma *float64) (family.Account, float64, error) { return a.publishedAccount(m, sigma) }},
		{Name: "path", Check: a.check("path"), Beside: a.hasPath, Price: func(sigma *float64) (family.Account, float64, error) { return a.pathAccount(m, sigma) }},
		a.local(m),
	}
	if a.Protocol.Proximal || a.Protocol.Importance != nil { // the papers' theorems are about gradient steps
		return all[1:]
	}
	return all
}

// local returns the accountant that charges all of a node's contributions, and the release before the walk.
func (a *Algorithm) local(m privacy.Metric) family.Accountant {
	if a.Besides == 0 {
		return family.Local(&a.Holdings, a.Protocol.Cap, a.Protocol.Noise, m, a.check("local"))
	}
	all := family.TowardsAll{Name: report.LocalAccountant, Relatives: a.Protocol.Noise.Relatives(), Loss: func(_, own float64) (float64, privacy.Claim, error) {
		return a.localLoss(own, m)
	}}
	return family.Accountant{Name: report.LocalAccountant, Check: a.check("local"), Beside: family.Always,
		Price: func(sigma *float64) (family.Account, float64, error) { return all.Price(&a.Holdings, sigma) }}
}

// localLoss returns the loss of all contributions of a node at its own noise multiplier, and of its release before the walk.
func (a *Algorithm) localLoss(own float64, m privacy.Metric) (float64, privacy.Claim, error) {
	loss, claim, err := privacy.LocalLoss(a.Protocol.Cap, own, m)
	if a.Besides > 0 && err == nil {
		loss = m.GaussianView(float64(a.Protocol.Cap)/(own*own) + a.Besides)
		claim.Assumptions = append(claim.Assumptions, walkpath.Besides(a.Besides))
	}
	return loss, claim, err
}

// hasPath reports whether the path accountant can say more than the local one: its assumptions hold and the pairs can be
// listed.
func (a *Algorithm) hasPath() bool {
	return a.checkNonExpansive() == nil && a.Spec.Nodes <= family.PairLimit
}

// publishedAccount returns the account of 000 Theorem 3 on the spec's graph, at sigma or at a calibrated one. Low is then the
// lower end of its bracket.
func (a *Algorithm) publishedAccount(m privacy.Metric, sigma *float64) (family.Account, float64, error) {
	if n := a.Spec.Nodes; n > family.PairLimit {
		return family.Account{}, 0, fault.New(fmt.Sprintf("the published accountant of all pairs of %d nodes would take %d GB", n, n*n*24>>30),
			"use privacy.accountant: local, which is one number for all pairs")
	}
	w, err := a.published()
	if err != nil {
		return family.Account{}, 0, err
	}
	sums, err := w.Sums(runtime.GOMAXPROCS(0))
	if err != nil {
		return family.Account{}, 0, err
	}
	pairs, charge := w.Pairs(sums, a.sender()), a.publishedCharge(m)
	var losses *walkpublished.Losses
	var low float64
	if sigma != nil {
		losses, err = pairs.Losses(*sigma, charge)
	} else {
		var calibration privacy.Calibration
		losses, calibration, err = a.calibratePublished(pairs, charge)
		low = calibration.Low
	}
	if err != nil {
		return family.Account{}, 0, err
	}
	return family.Account{Accounted: family.Accounted("published", losses.Mean(), losses.Max(), losses.Claim), At: losses.At, Low: low}, losses.Sigma, nil
}

// published returns the accountant in print, if its theorem covers the matrix.
func (a *Algorithm) published() (*walkpublished.Accountant, error) {
	if err := a.checkWeights("published"); err != nil {
		return nil, err
	}
	return walkpublished.Of(a.schedule())
}

func (a *Algorithm) calibratePublished(pairs *walkpublished.Pairs, charge walkpublished.Charge) (*walkpublished.Losses, privacy.Calibration, error) {
	target, err := a.Target()
	switch {
	case err != nil:
		return nil, privacy.Calibration{}, err
	case target.Mean != 0:
		return pairs.Calibrate(privacy.Mean, target.Mean, charge)
	case target.IsMax():
		return pairs.Calibrate(privacy.Max, target.Limits[0].Loss, charge)
	}
	return pairs.CalibrateLimits(target.Limits, charge)
}

func (a *Algorithm) sender() walkpublished.Sender {
	if a.Spec.Privacy.Sender == "known" {
		return walkpublished.Known
	}
	return walkpublished.Hidden
}

// publishedCharge returns the spec's way to turn sums of a walk into losses.
func (a *Algorithm) publishedCharge(m privacy.Metric) walkpublished.Charge {
	charge := walkpublished.Charge{Contributions: a.Protocol.Cap, Metric: m}
	if a.Spec.Privacy.Condition == "printed" {
		charge.Condition = privacy.Printed
	}
	return charge
}
