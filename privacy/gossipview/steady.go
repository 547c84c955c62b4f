package gossipview

import (
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/subspace"
)

// Of nodes whose traces are fainter than rounding, what is found is rounding's: it grows from step to step
// as the traces would, to whole directions, however clear every decision is. So a view is computed again with other
// roundings, of matrices divided by otherScale, and is steady if energies are the same to mostUnsteady.
const (
	mostUnsteady = 1e-9
	otherScale   = 1.37
)

// measured is a span whose energies are known.
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

// alike reports whether two spaces of the same view, of so many cells, agree.
func alike(one, other projector, cells int) bool {
	for i := range cells {
		if !(math.Abs(one.Product(i, i)-other.Product(i, i)) <= mostUnsteady) {
			return false
		}
	}
	return true
}

// steady reports whether the space, found as such, does not depend on roundings. They may find everything:
// that is believed only where nothing exact is known.
func (k *krylov) steady(found measured) bool {
	if found.Full() {
		return !k.exact()
	}
	return found.same(measure(k.grown(otherScale)))
}

// steadyChanging is steady for changing matrices.
func (g *Accountant) steadyChanging(found measured, stretches []subspace.Stretch, observers []int) bool {
	if found.Full() {
		return !g.exactThroughout()
	}
	return found.same(measure(g.pulledBack(stretches, observers, otherScale)))
}

// pulledBack is the view of changing matrices with roundings that depend on scale.
func (g *Accountant) pulledBack(stretches []subspace.Stretch, observers []int, scale float64) *subspace.Span {
	span := subspace.NewSpan(g.n)
	for _, s := range rescaled(stretches, scale) {
		span = span.Pullback(s.Factors, s.Heard)
	}
	span.InsertUnits(observers)
	return span
}
