package graph

import "gonum.org/v1/gonum/mat"

// Inner parts that tests compare with simpler ways.
const (
	GapTolerance = gapTolerance
	MaxLine      = maxLine
)

var (
	Farthest      = farthest
	MixingFromGap = mixingFromGap
)

func (t *Transition) Dense() *mat.Dense                           { return t.dense() }
func (t *Transition) SpectralGapWithin(work float64) (Gap, error) { return t.spectralGap(work) }
