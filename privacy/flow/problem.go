package flow

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Problem describes a run of gossip for the accountant. In round t = 0, 1, .. every node j updates
// x_j by a map of its own and sends y_j = Phi_j(x_j) + noise to its neighbours. All nodes go on from
// W_t y. The maps are unknown, except for their Lipschitz constants.
type Problem struct {
	Rounds int // T >= 1

	// Weights are W_0, W_1, ..: one a round (a turn, see Turns), or one for all. W[i][j] >= 0 is the
	// weight that i gives to y_j. i hears every j that its row has an entry for, even with weight 0.
	// Weights do not depend on data and are public.
	Weights []*sparse.Matrix

	// Hears lists further hearing, in rows as Weights does. Its values do not matter. It is for
	// messages that reach a node and are not averaged. nil: none.
	Hears []*sparse.Matrix

	// Contributions are s_t, of each u: the largest move of u's update in round t by its own data,
	// in units of the step size times the sensitivity. It is 0 in rounds in which u only adds noise
	// and averages, or does nothing. nil: 1 in every round. ByRound makes a table of a list.
	Contributions Table

	// Steps are the step sizes gamma_t. They scale contributions and noise alike. nil: all equal.
	Steps []float64

	// Lipschitz holds the Lipschitz constants of Phi by round and node. It is 1 for descent on a
	// convex smooth loss with a step of at most 2/smoothness, and for a node that takes no step.
	// nil: 1 everywhere.
	Lipschitz Table

	// Noise is the standard deviation of a node's noise in a round, in units of sigma gamma_t times
	// the sensitivity of u. It is 0 for a node that adds none. nil: 1 everywhere.
	Noise Table

	// Rounding is, by round, the largest distance by which rounding to the grid of the noise can
	// move two updates apart. Its unit is the step size times the sensitivity (see grid.go). nil
	// means that noise is continuous, and nothing is rounded.
	Rounding []float64

	// Final says that all messages of the last round are public, or a function of them such as the
	// mean model.
	Final bool

	// Turns is the number of turns of averaging of a round on its one draw of noise. 0 means 1:
	// noise on every message. With more, Weights holds one matrix a turn, or one for all, and noise
	// is continuous and the same at all nodes. See averaged.go.
	Turns int

	// Gamma is the acceleration of those turns, from 1, which is none, to 2. 0 means 1.
	Gamma float64
}

// A Table holds a number for every round and node. It has one row a round, or one for all rounds. A
// row has one number a node, or one for all nodes.
type Table [][]float64

// At returns the entry of a round and node. It returns 1 for an empty table.
func (b Table) At(round, node int) float64 {
	if len(b) == 0 {
		return 1
	}
	row := b[min(round, len(b)-1)]
	return row[min(node, len(row)-1)]
}

// ByRound returns a table of one number a round, the same for all nodes.
func ByRound(list []float64) Table {
	b := make(Table, len(list))
	for t := range list {
		b[t] = list[t : t+1]
	}
	return b
}

// n returns the number of nodes.
func (p *Problem) n() int { return p.Weights[0].N }

// weights returns W_t, t counting turns.
func (p *Problem) weights(t int) *sparse.Matrix { return p.Weights[min(t, len(p.Weights)-1)] }

// longest returns the number of entries of the longest row.
func (p *Problem) longest() int {
	longest := 0
	for t, w := range p.Weights {
		if t > 0 && w == p.Weights[t-1] {
			continue
		}
		for i := range w.N {
			longest = max(longest, w.Offsets[i+1]-w.Offsets[i])
		}
	}
	return longest
}

// contribution returns s_t of a node.
func (p *Problem) contribution(t, node int) float64 { return p.Contributions.At(t, node) }

// spread returns the largest growth of a difference left after round t-1, in units of round t >= 1:
// L_t gamma_(t-1)/gamma_t.
func (p *Problem) spread(t, node int) float64 {
	if p.Steps == nil {
		return p.Lipschitz.At(t, node)
	}
	return p.Lipschitz.At(t, node) * (p.Steps[t-1] / p.Steps[t])
}

// rounding returns the amount that rounding adds to a difference of round t.
func (p *Problem) rounding(t int) float64 {
	if p.Rounding == nil {
		return 0
	}
	return p.Rounding[t]
}

// Local returns the largest energy over nodes of their messages seen directly.
func (p *Problem) Local() float64 {
	largest := 0.0
	for u := range max(p.Contributions.width(), p.Noise.width()) {
		largest = max(largest, p.LocalOf(u))
	}
	return largest
}

// LocalOf returns the energy of u's messages seen directly: the sum of s_t^2 over the variance of
// its noise, with the effect of rounding.
func (p *Problem) LocalOf(u int) float64 {
	sum := 0.0
	for t := range p.Rounds {
		if s := p.contribution(t, u); s > 0 {
			s = (s + p.rounding(t)) / p.Noise.At(t, u)
			sum += float64(s * s)
		}
	}
	return sum
}

// width returns the number of nodes that a table has separate entries for, at least 1.
func (b Table) width() int {
	width := 1
	for _, row := range b {
		width = max(width, len(row))
	}
	return width
}

// seen marks the nodes whose messages of round t, in any of its turns, reach the coalition. The
// coalition's own nodes are marked too.
func (p *Problem) seen(t int, coalition []int) []bool {
	seen := make([]bool, p.n())
	if p.Final && t == p.Rounds-1 {
		for j := range seen {
			seen[j] = true
		}
		return seen
	}
	for _, v := range coalition {
		seen[v] = true
		for k := range p.turns() {
			mark(seen, p.turn(t, k), v)
		}
		if len(p.Hears) > 0 {
			mark(seen, p.Hears[min(t, len(p.Hears)-1)], v)
		}
	}
	return seen
}

func mark(seen []bool, m *sparse.Matrix, row int) {
	columns, _ := m.Row(row)
	for _, j := range columns {
		seen[j] = true
	}
}

// The range of every number but 0. It is far from overflow and from losing digits.
const (
	least = 0x1p-100
	most  = 0x1p100
)

// check returns an error for the first invalid field.
func (p *Problem) check() error {
	if p.Rounds < 1 {
		return fault.New(fmt.Sprintf("gossip of %d rounds", p.Rounds), "give at least 1 round")
	}
	for _, list := range []struct {
		name     string
		matrices []*sparse.Matrix
		none     bool
	}{{"weights", p.Weights, false}, {"lists of who hears whom", p.Hears, true}} {
		k := len(list.matrices)
		if k != 1 && k != p.Rounds*p.turns() && !(list.none && k == 0) {
			return fault.New(fmt.Sprintf("%d %s for %d rounds of %d turns", k, list.name, p.Rounds, p.turns()), "give one for every turn, or one for all")
		}
	}
	if p.n() < 2 {
		return fault.New(fmt.Sprintf("gossip among %d nodes", p.n()), "give at least 2 nodes")
	}
	for t, w := range slices.Concat(p.Weights, p.Hears) {
		if w.N != p.n() {
			return fault.New(fmt.Sprintf("a matrix of order %d among others of order %d", w.N, p.n()), "keep all nodes in every round")
		}
		if t >= len(p.Weights) || t > 0 && w == p.Weights[t-1] {
			continue
		}
		if err := checkWeights(w, t); err != nil {
			return err
		}
	}
	if err := p.checkTurns(); err != nil {
		return err
	}
	return p.checkNumbers()
}

// checkWeights returns an error for the first weight that is negative or out of range.
func checkWeights(w *sparse.Matrix, t int) error {
	for i := range w.N {
		columns, values := w.Row(i)
		for k, x := range values {
			if x != 0 && !(x >= least && x <= most) {
				return fault.New(fmt.Sprintf("round %d: weight %g of node %d for node %d is negative or out of range", t, x, i, columns[k]),
					"weights are 0 or positive; of a mixing polynomial with negative entries take the moduli")
			}
		}
	}
	return nil
}

// checkNumbers returns an error for the first number out of range.
func (p *Problem) checkNumbers() error {
	inRange := func(what string, x float64, zero bool) error {
		if zero && x == 0 || x >= least && x <= most {
			return nil
		}
		return fault.New(fmt.Sprintf("%s %g is negative or out of range", what, x), "give finite numbers, such as 1")
	}
	for _, list := range []struct {
		name   string
		values []float64
		zero   bool
	}{{"step sizes", p.Steps, false}, {"roundings", p.Rounding, true}} {
		if list.values != nil && len(list.values) != p.Rounds {
			return fault.New(fmt.Sprintf("%d %s for %d rounds", len(list.values), list.name, p.Rounds), "give one for every round")
		}
		for t, x := range list.values {
			if err := inRange(fmt.Sprintf("round %d: one of the %s,", t, list.name), x, list.zero); err != nil {
				return err
			}
		}
	}
	for _, table := range []struct {
		name string
		rows Table
	}{{"contribution", p.Contributions}, {"Lipschitz constant", p.Lipschitz}, {"noise", p.Noise}} {
		if k := len(table.rows); k > 1 && k != p.Rounds {
			return fault.New(fmt.Sprintf("a table of %ss with %d rows for %d rounds", table.name, k, p.Rounds), "give a row for every round, or one for all")
		}
		for t, row := range table.rows {
			if len(row) != 1 && len(row) != p.n() {
				return fault.New(fmt.Sprintf("round %d: %d %ss for %d nodes", t, len(row), table.name, p.n()), "give one for every node, or one for all")
			}
			for j, x := range row {
				if err := inRange(fmt.Sprintf("round %d: the %s of node %d,", t, table.name, j), x, true); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkPair returns an error for an invalid coalition, or one that u is in. An empty coalition is
// the public, and valid only if something is published.
func (p *Problem) checkPair(u int, coalition []int) error {
	if len(coalition) == 0 && !p.Final {
		return fault.New("no observer", "name the node, or the nodes, that observe")
	}
	for i, v := range append([]int{u}, coalition...) {
		if v < 0 || v >= p.n() {
			return fault.New(fmt.Sprintf("node %d is not in a graph of %d nodes", v, p.n()), "nodes are 0..n-1")
		}
		if i > 0 && v == u {
			return fault.New(fmt.Sprintf("node %d observes itself", u), "a loss is towards other nodes")
		}
		if i > 0 && slices.Contains(coalition[:i-1], v) {
			return fault.New(fmt.Sprintf("node %d observes twice", v), "name every observer once")
		}
	}
	return nil
}

// isFinite reports whether x is finite and at least 0.
func isFinite(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
