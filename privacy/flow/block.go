package flow

// A role says how a node treats the difference that arrives in a round.
type role uint8

const (
	free  role = iota // it absorbs the planned amount
	whole             // it absorbs everything
	none              // it adds no noise, and passes everything on
)

// A block holds the flows of several sources towards one coalition, side by
// side. Entry [t][j*cols+k] of its arrays is about round t, node j and source
// k.
type block struct {
	*Accountant
	sources []int
	cols    int
	stops   [][]bool // by round and node: all must be absorbed here
	roles   [][]role
	plan    [][]float64

	guess          int       // number of earlier guesses of the roles
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

// rounds returns a new array of the block.
func (b *block) rounds() [][]float64 {
	x := make([][]float64, b.p.Rounds)
	for t := range x {
		x[t] = make([]float64, b.n*b.cols)
	}
	return x
}

// enter adds the contributions of the sources in round t.
func (b *block) enter(c []float64, t int) {
	for k, u := range b.sources {
		c[u*b.cols+k] += b.gives[t].at(u)
	}
}

// differences sets c to the arrivals if roles are kept and the plan is followed
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

// response sets e to the decrease of the arrivals if the plan is raised by d.
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

// arrived sets c to the arrivals in round t of scratch, which is left after the
// round before.
func (b *block) arrived(c []float64, t int) {
	if t == 0 {
		clear(c)
		return
	}
	b.arrive(c, b.scratch, t, b.cols)
}

// prices turns differences into prices. A price is the increase of half the
// energy by one more unit that arrives in round t at a node, if roles are kept.
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

// later sets scratch to the price of one unit left after round t.
func (b *block) later(prices [][]float64, t int) {
	if t+1 == len(prices) {
		clear(b.scratch)
		return
	}
	b.weigh(b.scratch, b.spare, prices[t+1], t+1, b.cols)
}

// precision returns 1/variance of a node's noise. It returns 0 without noise.
func (a *Accountant) precision(t, node int) float64 {
	if std := a.noise[t].at(node); std > 0 {
		return 1 / (std * std)
	}
	return 0
}

// variance returns the variance of a node's noise.
func (a *Accountant) variance(t, node int) float64 {
	std := a.noise[t].at(node)
	return std * std
}
