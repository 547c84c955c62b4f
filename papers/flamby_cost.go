package papers

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Parameters of the benchmark's private training, by its published code (dp_example, strategies,
// fed_heart_disease/common.py at commit edacf54): batches of 4 rows, 15 rounds of 100 batches at
// every centre. Opacus finds the noise for 15 epochs, each with as many steps as the centre has
// batches. But 15 rounds are more than 15 epochs.
const (
	flambyBatch  = 4
	flambyRounds = 15
	flambySteps  = 1500
	flambyDelta  = 1e-3
)

var flambyCentres = []struct {
	name string
	rows int // training rows, 66 %
}{{"cleveland", 199}, {"hungarian", 172}, {"switzerland", 30}, {"va", 85}}

// A cost is the true loss behind one centre's claimed epsilon, at delta 1e-3. The unit is the
// addition or removal of one patient, as in Opacus, unless stated otherwise.
type cost struct {
	centre  string
	batches int     // in an epoch
	claimed float64 // epsilon
	sigma   float64 // noise over clip by the curve of Renyi losses, as in Opacus's moments accountant
	moments float64 // epsilon of the executed steps, by that curve
	exact   float64 // epsilon of the executed steps, by the exact loss distribution
	shuffle float64 // epsilon of the executed steps at sigma with shuffled batches, not drawn ones, and replacement of a patient
}

// flambyCosts returns the costs of all claims and centres.
func flambyCosts(claims []flambyClaim) (all []cost, err error) {
	for _, claim := range claims {
		for _, centre := range flambyCentres {
			c := cost{centre: centre.name, batches: (centre.rows + flambyBatch - 1) / flambyBatch, claimed: claim.epsilon}
			if err := c.price(); err != nil {
				return nil, fmt.Errorf("%s at %g: %w", c.centre, c.claimed, err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// price computes the numbers. A step draws every row with probability 1/batches, so the pair of
// laws is that of privacy.Central with that many nodes.
func (c *cost) price() error {
	counted, runs := privacy.Central{Nodes: c.batches, Steps: flambyRounds * c.batches}, privacy.Central{Nodes: c.batches, Steps: flambySteps}
	moments := func(of privacy.Central) func(float64) float64 {
		return func(sigma float64) float64 { return of.RDP(sigma).Minimise(privacy.CanonneKamathSteinke, flambyDelta) }
	}
	cal, err := privacy.Calibrate(moments(counted), privacy.LeastSigma, c.claimed)
	if err != nil {
		return err
	}
	c.sigma, c.moments = cal.Sigma, moments(runs)(cal.Sigma)
	c.exact = runs.Epsilon(c.sigma, flambyDelta)
	visits := (flambySteps + c.batches - 1) / c.batches // of a row, each changing a sum by at most twice the clip
	c.shuffle = privacy.EpsilonGaussian(2*math.Sqrt(float64(visits))/c.sigma, flambyDelta)
	return nil
}

// String returns a progress line.
func (c cost) String() string {
	return fmt.Sprintf("benchmark, %s, claimed %g: %.3g by its own model, %.3g exactly", c.centre, c.claimed, c.moments, c.exact)
}

// costsTable returns a row for each claim and centre.
func costsTable(all []cost) Table {
	t := Table{Name: "epsilons", Header: []string{
		"centre", "claimed_epsilon", "steps_counted", "steps_run", "sigma", "epsilon_by_moments", "epsilon_exact", "epsilon_shuffled_replaced",
	}}
	for _, c := range all {
		t.Rows = append(t.Rows, []string{c.centre, decimal(c.claimed), fmt.Sprint(flambyRounds * c.batches), fmt.Sprint(flambySteps),
			decimal(c.sigma), decimal(c.moments), decimal(c.exact), decimal(c.shuffle)})
	}
	return t
}

// judgeFLamby compares the claimed losses with the true ones, and ours with both. In the
// benchmark every centre adds its own noise, as in ours towards all others together.
func judgeFLamby(claims []flambyClaim, costs []cost, all []ours) (checks []Check) {
	for _, claim := range claims {
		above, measured := true, ""
		for _, c := range costs {
			if c.claimed == claim.epsilon {
				above = above && c.moments > c.claimed && c.exact > c.claimed
				measured += fmt.Sprintf("%s %.3g, exactly %.3g; ", c.centre, c.moments, c.exact)
			}
		}
		checks = append(checks, Check{fmt.Sprintf("The benchmark's epsilon %g is larger at every centre", claim.epsilon), AsRecorded, above && measured != "",
			measured + "at delta 0.001"})
	}
	for _, towards := range []string{allTogether, eachOfThem} {
		for _, claim := range flambyPrivate {
			basis := AsRecorded
			if claim.epsilon < 1 && towards == allTogether {
				basis = WhatIsTrue
			}
			same := ours{towards: towards, epsilon: claim.epsilon, delta: flambyDelta}
			checks = append(checks, reaches(all, same, claim.accuracy, "what the benchmark reports at that number", basis))
		}
		strict := ours{towards: towards, epsilon: 1, delta: 1e-6}
		checks = append(checks, reaches(all, strict, flambyNoiseless, "what the benchmark reports without noise", AsRecorded),
			reaches(all, strict, flambyFederated, "its best federated strategy without privacy", AsRecorded),
			reaches(all, strict, flambyPooled, "its pooled model without privacy", AsRecorded))
	}
	return checks
}

// reaches checks that ours reaches an accuracy at a sound epsilon.
func reaches(all []ours, at ours, accuracy float64, what string, basis Basis) Check {
	c := Check{Claim: fmt.Sprintf("Ours at epsilon %g, delta %g, towards %s reaches %s", at.epsilon, at.delta, at.towards, what),
		Basis: basis, Measured: "not trained"}
	for _, o := range all {
		if o.towards == at.towards && o.epsilon == at.epsilon && o.delta == at.delta {
			c.Holds = o.byHospital.mean >= accuracy
			c.Measured = fmt.Sprintf("%.3f +- %.3f against %.3f", o.byHospital.mean, o.byHospital.std, accuracy)
		}
	}
	return c
}
