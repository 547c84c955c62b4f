package gradients

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Where a residual pulls is the transpose of how it falls.
func TestForcesAreTransposes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r := searched(t, 1)
		s.look()
		l := s.lift()
		bundles := []bundle{&draught{s, r.Float64(), r.Float64()}}
		if l != nil {
			bundles = append(bundles, l.normal(l.stands(l.begin(l.home), 0.1, 1)))
		}
		for i, b := range bundles {
			v := make([]float64, s.numbers())
			if i == 1 {
				v = make([]float64, len(l.open))
			}
			for j := range v {
				v[j] = r.NormFloat64()
			}
			moves := b.moves(v)
			other := make([]float64, len(moves))
			for j := range other {
				other[j] = r.NormFloat64()
			}
			x, y := sparse.Dot(moves, other), sparse.Dot(v, b.force(other))
			if math.Abs(x-y) > 1e-9*sparse.Norm(moves)*sparse.Norm(other) {
				t.Fatalf("bundle %d: %g and %g", i, x, y)
			}
		}
	})
}
