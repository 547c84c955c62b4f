package model

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// margins sets dst[i] to the margin of row i of ex; see SlopesOf for how long dst is.
func margins(dst, theta []float64, ex *Examples) {
	plus := 0.0
	if len(theta) > ex.Features {
		plus = theta[ex.Features]
	}
	sparse.DotRows(dst, ex.X, len(ex.Y), ex.Features, theta, plus)
}

// SlopesOf sets dst[i] to the slope of m at theta on example i, with the same bits as Slope. dst must have length
// sparse.Fours(ex.Len()). Its values beyond the examples have no meaning afterwards.
func SlopesOf(dst []float64, m Linear, theta []float64, ex *Examples) {
	switch m := m.(type) {
	case Logistic:
		margins(dst, theta, ex)
		math.Logistic(dst, dst, ex.Y, m.weight(-1), m.weight(1))
	case Margined:
		margins(dst, theta, ex)
		for i, y := range ex.Y {
			dst[i], _ = m.Bend(dst[i], y)
		}
	default:
		for i := range ex.Len() {
			x, y := ex.Row(i)
			dst[i] = m.Slope(theta, x, y)
		}
	}
}
