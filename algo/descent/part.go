package descent

import (
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Span is the parameters from Lo to below Hi.
type Span struct{ Lo, Hi int }

// partGradients are gradients in some parameters alone, as if the others were constants.
type partGradients struct {
	noise.Gradients                 // of each example alone
	all             noise.Gradients // what steps take of all parameters
	part            []Span
	whole           []float64 // the direction, 0 in the other parameters
}

// Within has steps take gradients in some of the parameters alone: each example's is
// clipped in these, so that their norm is what the clip bounds. What a step does to the
// other parameters is not to be used. Spans do not overlap; they are borrowed until the
// next call. nil: all parameters again. A proximal step has no parts.
func (k *Kernel) Within(part []Span) {
	switch {
	case k.proximal != nil:
		panic("descent: a proximal step in some parameters alone")
	case part == nil && k.part != nil:
		k.of, k.part = k.part.all, nil
	case part != nil:
		if k.part == nil {
			k.part = &partGradients{Gradients: &k.local.localGradients, all: k.of, whole: make([]float64, k.p.Params)}
			k.of = k.part
		}
		clear(k.part.whole)
		k.part.part = part
	}
}

// Gradient implements noise.Gradients.
func (g *partGradients) Gradient(i int) (slope, norm float64, direction []float64) {
	slope, _, full := g.Gradients.Gradient(i)
	for _, s := range g.part {
		copied := 0
		if s.Lo < len(full) {
			copied = copy(g.whole[s.Lo:s.Hi], full[s.Lo:])
		}
		if s.Lo+copied < s.Hi { // a direction one shorter than the parameters goes on with a 1
			g.whole[s.Hi-1] = 1
		}
	}
	return slope, sparse.Norm(g.whole), g.whole
}
