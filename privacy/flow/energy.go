package flow

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Plan says how much of the difference that u's data makes is absorbed by the
// noise of each node in each round: a_t of the theorem. Observers are the nodes that
// pool their views.
type Plan struct {
	U         int          `json:"u"`
	Observers []int        `json:"observers"`
	Rounds    []Absorption `json:"rounds"`
}

// An Absorption is one round of a plan. Nodes[k], ascending, absorbs Amounts[k], in
// units of the round's step size times the sensitivity. Other nodes absorb nothing.
type Absorption struct {
	Nodes   []int32   `json:"nodes"`
	Amounts []float64 `json:"amounts"`
}

// planSlack is the part of the largest difference so far by which a plan may leave
// its bounds, because plans are computed with rounding.
const planSlack = 1e-9

// Energy checks a plan and returns its energy V: the view of the observers is mu-GDP
// with mu^2 = V/sigma^2. A plan must absorb the whole difference wherever the
// observers see a message, and nowhere more than there is, up to planSlack.
// Otherwise Energy returns an error. V is infinite if they see a message without
// noise that u's data can move.
//
// V bounds the energy of the plan min(a, c) from above in spite of rounding. c only
// grows if it is rounded upwards or if less is absorbed. So every operation here
// rounds up, and at seen messages no less than c is charged.
func Energy(p Problem, plan Plan) (float64, error) {
	energy := 0.0
	err := Follow(p, plan, func(_ int, r Round) bool {
		spent := 0.0
		for _, x := range r.Cost {
			spent += x
		}
		energy = raised(energy+raised(spent, p.n()+4), 1)
		return !math.IsInf(spent, 1)
	})
	if err != nil {
		return 0, err
	}
	if energy > 0 {
		energy += underflow
	}
	if math.IsNaN(energy) {
		return math.Inf(1), nil
	}
	return energy, nil
}

// A Round describes one round of a plan, by node, in units of the round's step size
// times the sensitivity.
type Round struct {
	Arrived  []float64 // differences, c, with the contribution of u
	Absorbed []float64 // by the node's noise: the whole difference if it is seen
	Cost     []float64 // (absorbed/noise)^2; infinite without noise
	Left     []float64 // the rest, which goes on with the node's message
	Seen     []bool    // the message reaches the observers
}

// Follow checks a plan as Energy does and calls see for its rounds in order, until
// see returns false. The Round is valid until see returns.
func Follow(p Problem, plan Plan, see func(t int, r Round) bool) error {
	if err := p.check(); err != nil {
		return err
	}
	if err := p.checkPair(plan.U, plan.Observers); err != nil {
		return err
	}
	if len(plan.Rounds) != p.Rounds {
		return fault.New(fmt.Sprintf("a plan of %d rounds for a run of %d", len(plan.Rounds), p.Rounds), "give one list for every round")
	}
	if p.averages() {
		return followAveraged(p, plan, see)
	}
	n := p.n()
	r := Round{Arrived: make([]float64, n), Absorbed: make([]float64, n), Cost: make([]float64, n), Left: make([]float64, n)}
	peak, longest := 0.0, p.longest()
	for t, planned := range plan.Rounds {
		p.advance(r.Arrived, r.Left, t, longest)
		r.Arrived[plan.U] = raised(r.Arrived[plan.U]+p.contribution(t, plan.U), 1)
		p.round(r.Arrived, t)
		peak = max(peak, slices.Max(r.Arrived))
		a, err := planned.dense(n, t)
		if err != nil {
			return err
		}
		r.Seen = p.seen(t, plan.Observers)
		if err := p.absorb(r, a, t, peak); err != nil {
			return err
		}
		if !see(t, r) {
			return nil
		}
	}
	return nil
}

// followAveraged is Follow for several turns on one draw of noise (averaged.go).
func followAveraged(p Problem, plan Plan, see func(t int, r Round) bool) error {
	a, err := New(p)
	if err != nil {
		return err
	}
	veils, err := a.veils(plan.Observers)
	if err != nil {
		return err
	}
	peak := 0.0
	_, err = a.follow(veils, plan.U, newTrace(p.Rounds, a.n), func(t int, c, take []float64) error {
		planned, err := plan.Rounds[t].dense(a.n, t)
		if err != nil {
			return err
		}
		peak = max(peak, slices.Max(c))
		for j, x := range planned {
			if x > c[j]+float64(planSlack*peak) {
				return fault.New(fmt.Sprintf("round %d: node %d absorbs %g of %g", t, j, x, c[j]), "a plan absorbs no more than there is")
			}
			take[j] = min(x, c[j])
		}
		return nil
	}, see)
	return err
}

// absorb sets the absorbed part, cost and rest of a round under the planned amounts
// a.
func (p *Problem) absorb(r Round, a []float64, t int, peak float64) error {
	for j, x := range r.Arrived {
		take, std := min(a[j], x), p.Noise.At(t, j)
		switch {
		case std == 0 && r.Seen[j] && x > 0:
			take = x
		case std == 0 && a[j] > 0:
			return fault.New(fmt.Sprintf("round %d: node %d absorbs %g without noise", t, j, a[j]), "a node that adds no noise absorbs nothing")
		case a[j] > x+float64(planSlack*peak):
			return fault.New(fmt.Sprintf("round %d: node %d absorbs %g of %g", t, j, a[j], x), "a plan absorbs no more than there is")
		case r.Seen[j] && a[j] < x-float64(planSlack*peak):
			return fault.New(fmt.Sprintf("round %d: node %d, which is seen, absorbs %g of %g", t, j, a[j], x), "absorb all of it")
		case r.Seen[j]:
			take = x
		}
		take = p.settle(take, x, std)
		r.Absorbed[j], r.Cost[j], r.Left[j] = take, 0, p.kept(x, take, t)
		if take > 0 {
			r.Cost[j] = float64((take / std) * (take / std))
		}
	}
	return nil
}

// advance sets c to the arrivals in round t of rest, which is left after round t-1.
func (p *Problem) advance(c, rest []float64, t, longest int) {
	clear(c)
	if t == 0 {
		return
	}
	w := p.weights(t - 1)
	for i := range c {
		columns, values := w.Row(i)
		sum := 0.0
		for k, j := range columns {
			sum += float64(values[k] * rest[j])
		}
		c[i] = raised(p.spread(t, i)*sum, longest+4)
	}
}

// dense returns the amounts of an absorption for all nodes.
func (b Absorption) dense(n, round int) ([]float64, error) {
	a := make([]float64, n)
	if len(b.Nodes) != len(b.Amounts) {
		return nil, fault.New(fmt.Sprintf("round %d: %d nodes with %d amounts", round, len(b.Nodes), len(b.Amounts)), "give one amount a node")
	}
	for k, j := range b.Nodes {
		if j < 0 || int(j) >= n || k > 0 && j <= b.Nodes[k-1] || !isFinite(b.Amounts[k]) {
			return nil, fault.New(fmt.Sprintf("round %d: node %d absorbs %g", round, j, b.Amounts[k]),
				"name nodes 0..n-1 in order, each with a finite amount of 0 or more")
		}
		a[j] = b.Amounts[k]
	}
	return a, nil
}
