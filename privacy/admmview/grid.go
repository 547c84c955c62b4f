package admmview

import "github.com/hearsay-dp/hearsay/internal/math"

// OnGrid is what an energy becomes where variables are on a grid, so that noise can be moved by whole steps only: of turns in all, of which no
// holder has more than visits, rho being half the diagonal of a cell of the grid of variables in units of the sensitivity. Noise is a
// discrete Gaussian on that grid, and the energy its zCDP, twice rho = energy/(2 multiplier^2) (docs/ADMM.md, "Noise on a grid").
func OnGrid(energy float64, turns, visits int, rho float64) float64 {
	if turns == 0 || energy == 0 {
		return energy
	}
	root := math.Sqrt(energy) + float64(float64(4*visits+6)*rho*math.Sqrt(float64(turns)))
	return root * root * (1 + 1e-12)
}
