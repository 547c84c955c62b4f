package gradientinversion

import (
	"math"

	"github.com/hearsay-dp/hearsay/internal/tile"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A course is a run with the attackers' estimates of the other nodes, and the derivatives of its messages by them. A node holds
// one example and a label of two, in one vector: z = label times (x, 1). Its gradient is a(theta'z) z, with a the slope of the
// loss for the label 1, or its clipped value. So nothing is divided. The label is the last number of z, which may be anything
// between -1 and 1 on the way.
type course struct {
	part  *part
	clip  float64
	loss  model.Margined
	z     []float64 // a row for each node of the part
	slot  []int     // of these nodes: the place among the unknown ones; -1: known
	dirs  []float64 // dim rows: number k of an unknown node moves its z by row k
	heard []float64 // the sums of the run
	at    []slope   // by turn and node: where gradients were taken
}

// A slope is a gradient that was taken, scale times z.
type slope struct {
	theta       []float64
	scale, bend float64 // bend: derivative of scale by theta'z
	cut         float64 // derivative of scale by half the square of z
}

// run runs the protocol.
func (c *course) run() { c.play(nil) }

// play runs the protocol with given slopes, by turn and node as in at. If slopes is nil it uses those of the gradients.
func (c *course) play(slopes []float64) {
	q, d := c.part, c.part.dim
	if c.at == nil {
		c.at = make([]slope, len(q.nodes)*len(q.turns))
		c.heard = make([]float64, len(q.want))
	}
	x, row := make([]float64, 0, len(q.nodes)*d), 0
	for range q.nodes {
		x = append(x, q.begin...)
	}
	q.carry(d, x, true, func(e entry, t int, x []float64) {
		if !e.contributes || e.keep == 0 {
			return
		}
		at, z := c.place(t, e.node), c.row(e.node)
		at.theta = append(at.theta[:0], x...)
		scale(at.theta, 1/e.keep)
		c.take(at, z)
		by := at.scale
		if slopes != nil {
			by = slopes[t*len(q.nodes)+e.node]
		}
		sparse.Axpy(x, -e.rate*by, z)
	}, func(t int, x []float64) { row = q.gather(c.heard, x, d, t, row) })
}

// take computes the gradient of z at its theta.
func (c *course) take(at *slope, z []float64) {
	at.scale, at.bend = c.loss.Bend(sparse.Dot(at.theta, z), 1)
	at.cut = 0
	if square := sparse.Dot(z, z); at.scale*at.scale*square > c.clip*c.clip {
		at.scale, at.bend = math.Copysign(c.clip/math.Sqrt(square), at.scale), 0
		at.cut = -at.scale / square
	}
}

func (c *course) place(t, u int) *slope { return &c.at[t*len(c.part.nodes)+u] }

func (c *course) row(u int) []float64 { return c.z[u*c.part.dim : (u+1)*c.part.dim] }

// panel sets dst, 16 columns and a row for each number of the messages, to the derivatives by the unknown numbers from first
// on. Number i is number i%dim of the node in slot i/dim.
func (c *course) panel(dst []float64, first int) {
	const w = tile.Width
	q, d := c.part, c.part.dim
	var along [w]float64
	row := 0
	q.carry(d*w, make([]float64, len(q.nodes)*d*w), false, func(e entry, t int, x []float64) {
		if !e.contributes || e.keep == 0 {
			return
		}
		at, z := c.place(t, e.node), c.row(e.node)
		clear(along[:])
		for j, v := range z {
			sparse.Axpy(along[:], v*at.bend/e.keep, x[j*w:(j+1)*w])
		}
		own := c.slot[e.node]*d - first // the column of its first number
		if c.slot[e.node] >= 0 && own > -d && own < w {
			for i := max(0, own); i < min(w, own+d); i++ {
				dir := c.dirs[(i-own)*d : (i-own+1)*d]
				along[i] += float64(at.bend*sparse.Dot(at.theta, dir)) + float64(at.cut*sparse.Dot(z, dir))
				for j, v := range dir {
					x[j*w+i] -= float64(e.rate * at.scale * v)
				}
			}
		}
		for j, v := range z {
			sparse.Axpy(x[j*w:(j+1)*w], -e.rate*v, along[:])
		}
	}, func(t int, x []float64) { row = q.gather(dst, x, d*w, t, row) })
}
