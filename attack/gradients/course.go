package gradients

import (
	"math"

	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A course is a run with what attackers believe of the others, and how its messages move with that. A node holds one
// example and a label of two, in one vector: z = label times (x, 1). Its gradient is a(theta'z) z, with a the slope of the loss
// for the label 1, or what is left of that where gradients are cut. So nothing is divided, and a label is the last number
// of z, which may be anything between -1 and 1 on the way.
type course struct {
	knowledge *Knowledge
	seen      *Seen
	loss      model.Margined
	z         []float64 // a row for each node
	slot      []int     // of nodes: their place among those that are looked for; -1: known
	dirs      []float64 // dim rows: number k of a node that is looked for moves its z by row k
	heard     []float64 // the messages of the run
	at        []slope   // turn by turn and node by node: where gradients were taken
}

// A slope is a gradient that was taken, scale times z.
type slope struct {
	theta       []float64
	scale, bend float64 // bend: how scale moves with theta'z
	cut         float64 // how scale moves with half the square of z
}

// run plays the protocol.
func (c *course) run() {
	k, d := c.knowledge, c.seen.Dim
	if c.at == nil {
		c.at = make([]slope, k.Len()*int(k.protocol.Turns()))
		c.heard = make([]float64, len(c.seen.Heard))
	}
	x, row := make([]float64, 0, k.Len()*d), 0
	for range k.Len() {
		x = append(x, k.begin(d)...)
	}
	clip := k.protocol.LossClip()
	k.carry(cargo{cols: d, x: x,
		add: func(e entry, t step.Turn, x []float64) {
			if !e.contributes || e.keep == 0 {
				return
			}
			at, z := c.place(t, e.node), c.row(e.node)
			at.theta = append(at.theta[:0], x...)
			scale(at.theta, 1/e.keep)
			at.scale, at.bend = c.loss.Bend(sparse.Dot(at.theta, z), 1)
			at.cut = 0
			if square := sparse.Dot(z, z); at.scale*at.scale*square > clip*clip {
				at.scale, at.bend = math.Copysign(clip/math.Sqrt(square), at.scale), 0
				at.cut = -at.scale / square
			}
			sparse.Axpy(x, -e.rate*at.scale, z)
		},
		pin: func(t step.Turn, i int, row []float64) { copy(row, c.seen.Own[t][i*d:(i+1)*d]) },
		see: func(t step.Turn, x []float64) {
			for ; row < len(k.rows) && k.rows[row].Turn == t; row++ {
				copy(c.heard[row*d:(row+1)*d], x[k.rows[row].Node*d:])
			}
		},
	})
}

func (c *course) place(t step.Turn, u int) *slope { return &c.at[int(t)*c.knowledge.Len()+u] }

func (c *course) row(u int) []float64 { return c.z[u*c.seen.Dim : (u+1)*c.seen.Dim] }

// panel sets dst, 16 columns and a row for each number of the messages, to how these move with the numbers from
// first on that are looked for: number i is number i%dim of the node in slot i/dim.
func (c *course) panel(dst []float64, first int) {
	const w = tile.Width
	k, d := c.knowledge, c.seen.Dim
	var along [w]float64
	row := 0
	k.carry(cargo{cols: d * w, x: make([]float64, k.Len()*d*w),
		add: func(e entry, t step.Turn, x []float64) {
			if !e.contributes || e.keep == 0 {
				return
			}
			at, z := c.place(t, e.node), c.row(e.node)
			clear(along[:])
			for j, v := range z {
				sparse.Axpy(along[:], v*at.bend/e.keep, x[j*w:(j+1)*w])
			}
			own := c.slot[e.node]*d - first // the lane of its first number
			if c.slot[e.node] >= 0 && own > -d && own < w {
				for i := max(0, own); i < min(w, own+d); i++ {
					dir := c.dirs[(i-own)*d : (i-own+1)*d]
					along[i] += at.bend*sparse.Dot(at.theta, dir) + at.cut*sparse.Dot(z, dir)
					for j, v := range dir {
						x[j*w+i] -= e.rate * at.scale * v
					}
				}
			}
			for j, v := range z {
				sparse.Axpy(x[j*w:(j+1)*w], -e.rate*v, along[:])
			}
		},
		see: func(t step.Turn, x []float64) {
			for ; row < len(k.rows) && k.rows[row].Turn == t; row++ {
				copy(dst[row*d*w:(row+1)*d*w], x[k.rows[row].Node*d*w:])
			}
		},
	})
}
