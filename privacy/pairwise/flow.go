package pairwise

import (
	"github.com/hearsay-dp/hearsay/sparse"
)

// A circuit is one connected part of a view, its nodes numbered from 0, with the scratch vectors of conjugate
// gradients.
type circuit struct {
	nodes       []int32
	offsets     []int
	columns     []int32
	conductance float64

	x, r, p, sp []float64
}

func (v *view) circuit(part []int32) *circuit {
	m := len(part)
	at := make(map[int32]int32, m)
	for i, node := range part {
		at[node] = int32(i)
	}
	c := &circuit{nodes: part, offsets: make([]int, m+1), conductance: v.conductance}
	for i, node := range part {
		for _, next := range v.neighbours(node) {
			c.columns = append(c.columns, at[next])
		}
		c.offsets[i+1] = len(c.columns)
	}
	c.x, c.r, c.p, c.sp = make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	return c
}

// apart returns a copy of c with its own scratch vectors, for another goroutine.
func (c *circuit) apart() *circuit {
	other, m := *c, len(c.nodes)
	other.x, other.r, other.p, other.sp = make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	return &other
}

func (c *circuit) neighbours(i int) []int32 { return c.columns[c.offsets[i]:c.offsets[i+1]] }

// enough is the relative gap between the bounds at which conjugate gradients stop; mostSteps caps the steps.
const (
	enough    = 1e-11
	mostSteps = 100_000
)

// resistance returns the resistance of node u to the ground, rounded upwards. Conjugate gradients find potentials
// x with S x = e_u, and energy turns them into a bound. In exact arithmetic x_u <= resistance <= x_u +
//
// r
//
// ^2.
func (c *circuit) resistance(u int) float64 {
	x, r, p, sp := c.x, c.r, c.p, c.sp
	clear(x)
	clear(r)
	clear(p)
	r[u], p[u] = 1, 1
	square := 1.0
	for range mostSteps {
		c.apply(sp, p)
		alpha := square / sparse.Dot(p, sp)
		sparse.Axpy(x, alpha, p)
		sparse.Axpy(r, -alpha, sp)
		next := sparse.Dot(r, r)
		if next <= enough*x[u] {
			break
		}
		beta := next / square
		square = next
		for i, v := range r {
			p[i] = v + float64(beta*p[i])
		}
	}
	return min(1, c.energy(u))
}

// apply sets dst = (I + c L) x.
func (c *circuit) apply(dst, x []float64) {
	for i, v := range x {
		columns := c.neighbours(i)
		sum := float64(len(columns)) * v
		for _, j := range columns {
			sum -= x[j]
		}
		dst[i] = v + float64(c.conductance*sum)
	}
}

// energy returns the energy of the flow from u to the ground that the potentials x drive. Each node passes the
// rest of its flow to the ground. The energy is at least the resistance, whatever x is (Thomson). It is rounded
// upwards: the flow of an edge is the same number at both ends, and the rounding error of a node's sum is added to
// its rest.
func (c *circuit) energy(u int) float64 {
	edges, ground := 0.0, 0.0
	for i, v := range c.x {
		left, all := 0.0, 0.0
		if i == u {
			left, all = 1, 1
		}
		columns := c.neighbours(i)
		for _, j := range columns {
			f := float64(c.conductance * (c.x[j] - v)) // comes in from j
			left += f
			edges += float64(f * f)
			all += max(f, -f)
		}
		left = max(left, -left) + float64(1.001*ulp*float64(len(columns)+2)*all)
		ground += float64(left * left)
	}
	slack := 1 + float64(1.001*ulp*float64(len(c.columns)+len(c.x)+16))
	if c.conductance == 0 {
		return float64(ground * slack)
	}
	return float64((ground + edges/(2*c.conductance)) * slack)
}
