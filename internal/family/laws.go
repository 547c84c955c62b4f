package family

import (
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/step"
)

// HopsOnGrid is what a grid makes of the energy of a path: 2 rho m + l rho^2 more for
// m contributions over l turns that have to hide rho more each (package discrete, noise
// of several hops).
func HopsOnGrid(energy float64, contributions int, turns int64, rho float64) float64 {
	return energy + (float64(2*rho*float64(contributions)) + float64(float64(turns)*rho*rho))
}

// LocalLaws are of a node u whose contributions are all public: the same towards
// each of n nodes, none towards itself.
func LocalLaws(contributions int, noise noise.Gaussian, n, u int) []*walkpath.Law {
	law := &walkpath.Law{
		Claim: privacy.LocalClaim(contributions), Energies: []float64{float64(contributions)}, Weights: []float64{1}, Most: contributions,
	}
	if relatives := noise.Relatives(); relatives != nil {
		law.Relative, law.Unit = relatives[u], privacy.Record
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
