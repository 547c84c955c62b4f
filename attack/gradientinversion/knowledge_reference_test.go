package gradientinversion

import (
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Attackers are they, in the order given.
func (k *Knowledge) Attackers() []int { return k.attackers }

// Drift returns the part of messages due to changing gradients: gradient(v, round) of node v,
// nil for none.
func (k *Knowledge) Drift(cols int, gradient func(v, round int) []float64) []float64 {
	out, row := make([]float64, len(k.rows)*cols), 0
	k.carry(cargo{cols: cols, x: make([]float64, k.Len()*cols),
		add: func(e entry, t step.Turn, x []float64) {
			if !e.contributes {
				return
			}
			if g := gradient(e.node, k.round(t)); g != nil {
				sparse.Axpy(x, -e.rate, g)
			}
		},
		see: func(t step.Turn, x []float64) {
			for ; row < len(k.rows) && k.rows[row].Turn == t; row++ {
				copy(out[row*cols:(row+1)*cols], x[k.rows[row].Node*cols:])
			}
		},
	})
	return out
}
