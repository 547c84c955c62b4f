package descent

import (
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Span is the range of parameters from Lo to below Hi.
type Span struct{ Lo, Hi int }

// partGradients yields gradients in some parameters alone, as if the others were constants.
type partGradients struct {
	noise.Gradients                 // example by example
	all             noise.Gradients // the gradients in all parameters
	part            []Span
	whole           []float64 // the direction, 0 in the other parameters
}

// Within restricts gradients to some of the parameters. Each example's gradient is clipped in these, so that the clip
// bounds its norm there. The values of the other parameters after a step are undefined. Spans must not overlap, and
// must not change until the next call. nil selects all parameters again. Within panics for proximal steps.
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
		if s.Lo+copied < s.Hi { // a direction one shorter than the parameters implies a 1
			g.whole[s.Hi-1] = 1
		}
	}
	return slope, sparse.Norm(g.whole), g.whole
}
