package privacy

import (
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Orders is the grid that serves curves of unknown shape: 1 + 2^(k/8), from
// 1.016 to 4097, so that a smooth curve is minimised to about a thousandth.
func Orders() []float64 {
	var orders []float64
	for k := -48; k <= 96; k++ {
		orders = append(orders, 1+math.Exp2(float64(k)/8))
	}
	return orders
}
