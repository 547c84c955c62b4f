package flow

// A role is what a node does in a round with the difference that arrives.
type role uint8

const (
	free  role = iota // it absorbs what the plan says
	whole             // it absorbs everything
	none              // it adds no noise, and passes everything on
)

// A block is the flows of several sources towards one coalition, side by side:
// entry [t][j*cols+k] of its arrays is about round t, node j and source k.
type block struct {
	*Accountant
	sources []int
	cols    int
	stops   [][]bool // by round and node: all must be absorbed here
	roles   [][]role
	plan    [][]float64

	guess          int       // of the roles, how many there were before
	scratch, spare []float64 // one round
}

func (a *Accountant) newBlock(sources []int, stops [][]bool) *block {
	b := &block{Accountant: a, sources: sources, cols: len(sources), stops: stops}
	b.scratch, b.spare = make([]float64, a.n*b.cols), make([]float64, a.n*b.cols)
	b.plan = b.rounds()
	for range a.p.Rounds {
		b.roles = append(b.roles, make([]role, a.n*b.cols))
	}
	return b
}

// rounds makes an array of the block.
func (b *block) rounds() [][]float64 {
	x := make([][]float64, b.p.Rounds)
	for t := range x {
		x[t] = make([]float64, b.n*b.cols)
	}
	return x
}

// enter adds what the sources contribute in round t.
func (b *block) enter(c []float64, t int) {
	for k, u := range b.sources {
		c[u*b.cols+k] += b.gives[t].at(u)
	}
}

// differences sets c to what arrives if roles are kept and the plan is followed
// where they are free, within bounds or not.
func (b *block) differences(c [][]float64) {
	for t := range c {
		b.arrived(c[t], t)
		b.enter(c[t], t)
		rest, plan, roles := b.scratch, b.plan[t], b.roles[t]
		for k, x := range c[t] {
			switch roles[k] {
			case free:
				rest[k] = x - plan[k]
			case none:
				rest[k] = x
			default:
				rest[k] = 0
			}
		}
	}
}

// response sets e to how much less arrives if the plan is raised by d.
func (b *block) response(e, d [][]float64) {
	for t := range e {
		b.arrived(e[t], t)
		rest, d, roles := b.scratch, d[t], b.roles[t]
		for k, x := range e[t] {
			switch roles[k] {
			case free:
				rest[k] = x + d[k]
			case none:
				rest[k] = x
			default:
				rest[k] = 0
			}
		}
	}
}

// arrived sets c to what of scratch, left after the round before, arrives in
// round t.
func (b *block) arrived(c []float64, t int) {
	if t == 0 {
		clear(c)
		return
	}
	b.arrive(c, b.scratch, t, b.cols)
}

// prices turns differences into prices: what one unit more, arriving in round
// t at a node, adds to half of the energy if roles are kept.
func (b *block) prices(c [][]float64) {
	for t := len(c) - 1; t >= 0; t-- {
		b.later(c, t)
		for j := range b.n {
			precision := b.precision(t, j)
			for k := j * b.cols; k < (j+1)*b.cols; k++ {
				if b.roles[t][k] == whole {
					c[t][k] *= precision
				} else {
					c[t][k] = b.scratch[k]
				}
			}
		}
	}
}

// later sets scratch to what one unit left after round t is worth.
func (b *block) later(prices [][]float64, t int) {
	if t+1 == len(prices) {
		clear(b.scratch)
		return
	}
	b.weigh(b.scratch, b.spare, prices[t+1], t+1, b.cols)
}

// precision is 1/variance of a node's noise, 0 without any.
func (a *Accountant) precision(t, node int) float64 {
	if std := a.noise[t].at(node); std > 0 {
		return 1 / (std * std)
	}
	return 0
}

// variance is that of a node's noise.
func (a *Accountant) variance(t, node int) float64 {
	std := a.noise[t].at(node)
	return std * std
}
