package gradientinversion

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
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

// At the true examples one step that takes moves back tells who is certain, as a search does that is moved away.
func TestOneStepTellsWhoIsCertain(t *testing.T) {
	drawn, both, neither, differ := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		s, r, l := searchedOf(t, 3)
		s.budget, s.slack = 1e12, slack
		d := s.part.dim
		for i, place := range s.free {
			x, y := l.slab.Examples(step.NodeID(s.part.nodes[place])).Row(0)
			z := append(slices.Clone(x), 1)
			scale(z, y)
			sparse.Axpy(z, -1, s.mean)
			s.units(z)
			copy(s.e[i*d:(i+1)*d], z)
		}
		s.allow(s.floor())
		s.try(s.missed, s.e)
		s.excess = s.over()
		if !s.explained() {
			t.Fatalf("true examples leave %g times what rounding may", s.excess)
		}
		once := s.restored(r)
		var certain, not, other int
		for i, v := range s.certain(r) {
			switch {
			case v.sure && once[i].sure:
				certain = 1
			case v.sure != once[i].sure:
				other = 1
			default:
				not = 1
			}
		}
		both, neither, differ = both+certain, neither+not, differ+other
	})
	drawntest.Often(t, "somebody is certain", both, drawn, 0.4)
	drawntest.Often(t, "somebody is not certain", neither, drawn, 0.4)
	drawntest.Often(t, "the two agree", drawn-differ, drawn, 0.9)
}
