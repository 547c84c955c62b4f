package admmview

import "github.com/hearsay-dp/hearsay/internal/math"

// OnGrid returns an upper bound on an energy if variables are on a grid, so that noise can be moved by whole steps only. turns counts
// all turns, and no holder has more than visits of them. rho is half the diagonal of a grid cell, in units of the sensitivity. Noise
// is a discrete Gaussian on that grid. The energy is its zCDP: twice rho = energy/(2 multiplier^2) (docs/ADMM.md, "Noise on a grid").
func OnGrid(energy float64, turns, visits int, rho float64) float64 {
	if turns == 0 || energy == 0 {
		return energy
	}
	root := math.Sqrt(energy) + float64(float64(4*visits+6)*rho*math.Sqrt(float64(turns)))
	return root * root * (1 + 1e-12)
}
