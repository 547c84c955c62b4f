package family

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Design compares two walks: one whose visits are in proportion to nodes' constants, as they were shown, and one that visits
// all nodes alike. It compares the bounds of 004 Theorems 1 and 2 on the excess loss after k steps, whose sizes are
// proportional to k^-q. Each bound is a constant times
//
//	max(residual sigma^2, curvature, mixing)/k^(1-q),
//
// where sigma^2 is the mean squared gradient at the optimum. The numbers are estimates, because constants were shown with noise
// and the theorems are about runs without noise on the model.
type Design struct {
	Residual         float64 `json:"residual"`          // mean constant over the least; 1 for the uniform walk
	Curvature        float64 `json:"curvature"`         // squared mean constant
	CurvatureUniform float64 `json:"curvature_uniform"` // squared largest constant
	Mixing           float64 `json:"mixing"`            // 1/ln(1/lambda), lambda = 1 - half of the spectral gap
	MixingUniform    float64 `json:"mixing_uniform"`
}

// NewDesign compares a walk that visits nodes in proportion to constants, with spectral gap gap, to the uniform walk, with
// spectral gap uniform.
func NewDesign(constants []float64, gap, uniform float64) *Design {
	mean := 0.0
	for _, x := range constants {
		mean += x / float64(len(constants))
	}
	least, most := slices.Min(constants), slices.Max(constants)
	return &Design{Residual: mean / least, Curvature: mean * mean, CurvatureUniform: most * most, Mixing: mixingTerm(gap), MixingUniform: mixingTerm(uniform)}
}

func mixingTerm(gap float64) float64 { return -1 / math.Log1p(-min(gap, 1)/2) }

// Says returns the comparison as a clause of a sentence.
func (d *Design) Says() string {
	return fmt.Sprintf("in proportion to constants as shown, %.3g times the least on average; next to a walk that visits all nodes alike, the bounds of 004 have a curvature "+
		"term %.3g times as large, a residual term up to %.3g times and a mixing term %.3g times as large",
		d.Residual, d.Curvature/d.CurvatureUniform, d.Residual, d.Mixing/d.MixingUniform)
}
