package family

import (
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/step"
)

// HopsOnGrid returns the energy of a path for noise on a grid, for m contributions over l turns. Each turn has to hide rho more,
// so that the result is 2 rho m + l rho^2 more than energy (package discrete, noise of several hops).
func HopsOnGrid(energy float64, contributions int, turns int64, rho float64) float64 {
	return energy + (float64(2*rho*float64(contributions)) + float64(float64(turns)*rho*rho))
}

// LocalLaws returns the laws of a node u whose contributions are all public. The law is the same towards each of n nodes; entry
// u is nil.
func LocalLaws(contributions int, noise noise.Gaussian, n, u int) []*walkpath.Law {
	law := &walkpath.Law{
		Claim: privacy.LocalClaim(contributions), Energies: []float64{float64(contributions)}, Weights: []float64{1}, Most: contributions,
	}
	if relatives := noise.Relatives(); relatives != nil {
		law.Relative = relatives[u]
		if noise.Records() {
			law.Unit = privacy.Record
		}
		if law.Rate = noise.Rate(step.NodeID(u)); law.Rate < 1 {
			law.Claim = privacy.Poisson{Rate: law.Rate, Steps: contributions}.Claim()
		}
	}
	laws := make([]*walkpath.Law, n)
	for v := range laws {
		if v != u {
			laws[v] = law
		}
	}
	return laws
}
