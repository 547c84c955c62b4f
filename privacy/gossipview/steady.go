package gossipview

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/subspace"
)

// Directions of nodes whose traces are fainter than rounding consist of rounding errors. They grow from step to
// step as the traces would, to whole directions, however clear every decision is. A view is therefore computed
// again with other rounding errors, by dividing matrices by otherScale. It is steady if the energies agree to
// mostUnsteady.
const (
	mostUnsteady = 1e-9
	otherScale   = 1.37
)

// measured is a span with its energies.
type measured struct {
	*subspace.Span
	energy []float64
}

func measure(span *subspace.Span) measured {
	m := measured{span, make([]float64, span.Len())}
	span.Energy(m.energy)
	return m
}

func (m measured) Product(i, j int) float64 {
	if i == j {
		return m.energy[i]
	}
	return m.Span.Product(i, j)
}

// near lists the unit vectors that lie in the span up to rounding.
func (m measured) near() []int {
	var units []int
	for i, e := range m.energy {
		if e >= 1-nearOne {
			units = append(units, i)
		}
	}
	return units
}

// same reports whether two spans of the same view agree.
func (m measured) same(other measured) bool {
	for i, e := range m.energy {
		if !(math.Abs(e-other.energy[i]) <= mostUnsteady) {
			return false
		}
	}
	return m.Rank() == other.Rank()
}

// alike reports whether two spaces of the same view, on so many cells, agree.
func alike(one, other projector, cells int) bool {
	for i := range cells {
		if !(math.Abs(one.Product(i, i)-other.Product(i, i)) <= mostUnsteady) {
			return false
		}
	}
	return true
}

// steady reports whether the space found does not depend on rounding. A full space may be due to rounding, and
// counts as steady only if the weights are not known exactly.
func (k *krylov) steady(found measured) bool {
	if found.Full() {
		return !k.exact()
	}
	return found.same(measure(k.grown(otherScale)))
}

// steadyChanging does as steady for changing matrices.
func (g *Accountant) steadyChanging(found measured, stretches []subspace.Stretch, observers []int) bool {
	if found.Full() {
		return !g.exactThroughout()
	}
	return found.same(measure(g.pulledBack(stretches, observers, otherScale)))
}

// pulledBack returns the view of changing matrices, with rounding errors that depend on scale.
func (g *Accountant) pulledBack(stretches []subspace.Stretch, observers []int, scale float64) *subspace.Span {
	span := subspace.NewSpan(g.n)
	for _, s := range rescaled(stretches, scale) {
		span = span.Pullback(s.Factors, s.Heard)
	}
	span.InsertUnits(observers)
	return span
}
