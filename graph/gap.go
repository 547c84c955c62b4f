package graph

import (
	"gonum.org/v1/gonum/floats"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/spectral"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A Gap is the spectral gap 1 - max over i > 1 of |lambda_i| of a transition
// matrix (002, Definition 2.10). lambda_i runs over all eigenvalues except one
// eigenvalue 1.
//
// Second approaches lambda_2 from below and Last lambda_n from above, so Value
// is at least the gap up to rounding. If Converged, the one of larger modulus
// is within Residual of an eigenvalue, at most gapTolerance. If not, the work
// limit was reached and Value is an estimate.
type Gap struct {
	Value     float64
	Second    float64
	Last      float64
	Residual  float64
	Converged bool
	Steps     int // products with W
}

const (
	gapTolerance = 1e-11
	gapWork      = 4e9 // entries and vector elements touched before giving up
)

// SpectralGap computes the spectral gap of W by the Lanczos method. W must be
// reversible, as on undirected graphs. The gap is 0 on a graph that is not
// connected and 1 on a single node.
func (t *Transition) SpectralGap() (Gap, error) { return t.spectralGap(gapWork) }

func (t *Transition) spectralGap(work float64) (Gap, error) {
	switch {
	case t.Reversible():
	case t.Own():
		return Gap{}, fault.New(sprintf("the walk with weights %s on %s is not reversible and its eigenvalues are complex", t.rule, t.graph.name),
			"ask for the spectral gap of a symmetric matrix")
	default:
		return Gap{}, fault.New(sprintf("the walk on the directed graph %s is not reversible and its eigenvalues are complex", t.graph.name),
			"ask for the spectral gap of an undirected graph")
	}
	if t.Len() == 1 {
		return Gap{Value: 1, Converged: true}, nil
	}
	if _, sizes := t.graph.Components(); len(sizes) > 1 {
		return Gap{Second: 1, Converged: true}, nil
	}
	operator, top := t.symmetrised()
	steps := work / float64(len(t.graph.targets)+12*t.Len())
	ends := spectral.Lanczos{
		A:        operator,
		Start:    randomVector(t.Len()),
		Deflate:  [][]float64{top},
		Norm:     1,
		MaxSteps: int(min(steps, float64(10*float64(t.Len()))+50)) + 1,
		Enough:   decided,
	}.Ends()
	low, high := ends.Low, ends.High
	first, _ := byModulus(low, high)
	return Gap{
		Value:     max(0, 1-math.Abs(first.Value)),
		Second:    high.Value,
		Last:      low.Value,
		Residual:  first.Residual,
		Converged: decided(low, high),
		Steps:     ends.Steps,
	}, nil
}

// decided reports whether the extreme eigenvalue of larger modulus has
// converged and the other cannot exceed it.
func decided(low, high spectral.Ritz) bool {
	first, other := byModulus(low, high)
	return first.Residual <= gapTolerance &&
		(other.Residual <= gapTolerance || math.Abs(other.Value)+other.Residual < math.Abs(first.Value))
}

func byModulus(low, high spectral.Ritz) (first, other spectral.Ritz) {
	if math.Abs(low.Value) > math.Abs(high.Value) {
		return low, high
	}
	return high, low
}

// symmetrised returns the symmetric matrix D W D^-1, which has the eigenvalues
// of W, and its unit eigenvector at 1. D holds the square roots of measure.
func (t *Transition) symmetrised() (sparse.Operator, []float64) {
	root := t.perNode(func(u int) float64 { return math.Sqrt(t.measureOf(u)) })
	top := append([]float64(nil), root...)
	sparse.Scale(top, 1/sparse.Norm(top))
	if t.measure == nil {
		return t, top
	}
	return &scaledWalk{t, root, make([]float64, t.Len())}, top
}

// A scaledWalk is D W D^-1 for a diagonal D.
type scaledWalk struct {
	*Transition
	root    []float64
	scratch []float64
}

func (s *scaledWalk) Mul(dst, x []float64) {
	floats.DivTo(s.scratch, x, s.root)
	s.Transition.Mul(dst, s.scratch)
	floats.Mul(dst, s.root)
}

// randomVector returns a fixed vector of normal entries, for methods whose
// result does not depend on the starting point.
func randomVector(n int) []float64 {
	var stream step.Stream
	r := stream.At(0, 0, 0, 0, step.Topology)
	x := make([]float64, n)
	for i := range x {
		x[i] = step.Normal(r)
	}
	return x
}
