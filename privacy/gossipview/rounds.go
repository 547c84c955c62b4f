package gossipview

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/internal/subspace"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// Rounds is gossip with fresh inputs and fresh noise in every round (Muffliato-GD and -SGD: 002, Algorithm
// 6.3). A round adds each node's noisy contribution to its value and makes K steps of averaging. The messages
// of all later rounds still carry the inputs of a round.
type Rounds struct {
	gossip *Accountant // of K steps
	rounds int
	gamma  float64
}

// NewRounds returns the accountant of a stochastic matrix, K >= 1 steps a round, T >= 1 rounds and the
// acceleration factor gamma from 1, which means none, to 2. A step sends gamma W x(k) + (1-gamma) x(k-1), and
// the first step of each round W x(0).
func NewRounds(w *sparse.Matrix, steps, rounds int, gamma float64) (*Rounds, error) {
	if err := cmp.Or(privacy.CheckCount(steps, "gossip steps a round"), privacy.CheckCount(rounds, "rounds")); err != nil {
		return nil, err
	}
	if !(gamma >= 1 && gamma <= 2) {
		return nil, fault.New(fmt.Sprintf("acceleration factor %g", gamma), "give 1 for none, or a number up to 2")
	}
	g, err := New(w, steps)
	if err != nil {
		return nil, err
	}
	return &Rounds{g, rounds, gamma}, nil
}

// Inputs tells the dependence of a node's contributions on earlier messages.
type Inputs int

// The two kinds.
const (
	// FixedInputs do not depend on earlier messages: a stream of values.
	FixedInputs Inputs = iota
	// StateInputs are computed from the state of the node, as gradients are. The values that u sends then
	// change later contributions of others, which the observer does not see. No loss below the local one is
	// proved.
	StateInputs
)

// Sound returns the sound loss for these inputs: Joint if they are fixed, the local loss of all rounds if they
// depend on the state.
func (r *Rounds) Sound(inputs Inputs, workers int) *Pairs {
	if inputs == FixedInputs {
		return r.Joint(workers)
	}
	n := r.gossip.n
	p := &Pairs{N: n, Values: slices.Repeat([]float64{float64(r.rounds)}, n*n)}
	p.Claim = privacy.Claim{Accountant: "gossip rounds, local", Status: privacy.Sound, Towards: privacy.Everybody, Assumptions: []string{
		fmt.Sprintf("a node releases %d noisy contributions, all public", r.rounds),
		"contributions that follow the state carry what u sent to others by ways that linear views do not see, so the local loss is charged",
	}}
	return p
}

// fixedInputs is the assumption of Composed and Joint, which no code checks. Their bounds are sound if it
// holds.
const fixedInputs = "what a node contributes in a round does not depend on earlier rounds (gradients at the current state do)"

// Composed charges each round the leakage of all steps that still carry it, and adds up. Values are the sum
// over m = 1..T of the leakage of gossip of m K steps, in units of alpha/(2 sigma^2).
func (r *Rounds) Composed(workers int) *Pairs {
	n := r.gossip.n
	total := &Pairs{N: n, Values: make([]float64, n*n), Views: map[Certainty]int{}}
	for m := 1; m <= r.rounds; m++ {
		carried := *r.gossip
		carried.steps *= m
		leakage := carried.Leakage(workers)
		sparse.Axpy(total.Values, 1, leakage.Values)
		for certainty, count := range leakage.Views {
			total.Views[certainty] += count
		}
	}
	total.Claim = privacy.Bound("gossip rounds, composed", fixedInputs, assumptions(total.Views)...)
	return total
}

// Joint charges all rounds together, by the projector P on v's view of the inputs (t,u) of all nodes in all
// rounds (the matrix factorisation view; Bellet et al. 2025). Values are the sum over rounds t, s of
// |P_(t,u),(s,u)|, or T if that is less, in units of alpha/(2 sigma^2). The sum bounds the worst case over the
// directions of u's changes.
func (r *Rounds) Joint(workers int) *Pairs {
	n := r.gossip.n
	p := &Pairs{N: n, Values: make([]float64, n*n), Ranks: make([]int, n)}
	certainties := make([]Certainty, n)
	parallel.Each(n, workers, func(v int) {
		space, clear := r.space([]int{v})
		p.Ranks[v], certainties[v] = space.Rank(), Clear
		if !clear {
			certainties[v] = Open
		}
		for u := range n {
			p.Values[u*n+v] = r.charge(space, u)
			if !clear {
				p.Values[u*n+v] = float64(r.rounds)
			}
		}
	})
	p.Views = tally(certainties)
	p.Claim = privacy.Bound("gossip rounds, joint Gaussian view", fixedInputs, assumptions(p.Views)...)
	return p
}

// charge returns the sum over rounds t, s of |P_(t,u),(s,u)|, at most T.
func (r *Rounds) charge(space *subspace.Span, u int) float64 {
	sum, n := 0.0, r.gossip.n
	for t := range r.rounds {
		for s := range r.rounds {
			sum += math.Abs(space.Product(t*n+u, s*n+u))
		}
	}
	return min(sum, float64(r.rounds))
}

// space returns the view of the observers on the inputs, with input (t,u) at t*n+u, and reports whether all
// decisions were clear. The view in round t of that round's inputs is spanned by an orthonormal basis B of a
// view of K steps. The view of the inputs of round s < t is B times the operator C of a round to the power t-s.
// These rows are independent, and as well conditioned as T allows, for every B.
func (r *Rounds) space(observers []int) (*subspace.Span, bool) {
	n := r.gossip.n
	seen := measure(r.seen(observers, 1))
	space := subspace.NewSpan(r.rounds * n)
	for b := range seen.Rank() {
		powers := r.powers(seen.Vector(b))
		var rows [][]float64
		for t := range r.rounds {
			row := make([]float64, r.rounds*n)
			for s := range t + 1 {
				copy(row[s*n:(s+1)*n], powers[t-s])
			}
			rows = append(rows, row)
		}
		space.Insert(rows...)
	}
	space.InsertUnits(r.own(observers))
	return space, isClear(seen.Span) && isClear(space) && r.complete(seen, space, observers) && r.steady(seen, observers)
}

// complete reports whether neither the view of a round's own inputs nor the whole space can have more
// dimensions. Let V be the view in a round plus the observers' own values. A round maps own values to V,
// because W maps them to combinations of themselves and of messages. So for x in V or own, (t, x) is the view
// of x in rounds up to t less that of C'x in rounds up to t-1. The space therefore has dim V dimensions a
// round.
func (r *Rounds) complete(seen measured, space *subspace.Span, observers []int) bool {
	g, each := r.gossip, space.Rank()/r.rounds
	return each*r.rounds == space.Rank() && g.complete(observers, nil, g.n, seen.Rank()) && g.complete(observers, observers, g.n, each)
}

// steady reports whether the view of a round's own inputs does not depend on rounding.
func (r *Rounds) steady(seen measured, observers []int) bool {
	return seen.Full() || seen.same(measure(r.seen(observers, otherScale)))
}

// seen returns the view of K steps without the observers' own values, with rounding errors that depend on
// scale.
func (r *Rounds) seen(observers []int, scale float64) *subspace.Span {
	w := r.gossip.parts[0]
	seen := subspace.NewKrylov(w.transposed, w.symmetric, r.gossip.heard(observers, 0))
	if scale != 1 {
		seen.Check(scale)
	}
	seen.Grow(r.gossip.steps)
	return seen.Span
}

// own lists the observers' inputs of all rounds.
func (r *Rounds) own(observers []int) []int {
	var inputs []int
	for t := range r.rounds {
		for _, v := range observers {
			inputs = append(inputs, t*r.gossip.n+v)
		}
	}
	return inputs
}

// powers returns x, C'x, C'^2 x ... for every round.
func (r *Rounds) powers(x []float64) [][]float64 {
	powers := [][]float64{x}
	for len(powers) < r.rounds {
		powers = append(powers, r.carry(powers[len(powers)-1]))
	}
	return powers
}

// carry returns C'x, where C is the polynomial of W that K steps apply.
func (r *Rounds) carry(x []float64) []float64 {
	transposed := r.gossip.parts[0].transposed
	previous, now := append([]float64(nil), x...), make([]float64, len(x))
	transposed.MulBlock(now, x, 1)
	for range r.gossip.steps - 1 {
		transposed.ThreeTerm(previous, now, 1, r.gamma, 0, 1-r.gamma)
		previous, now = now, previous
	}
	return now
}

// Published returns the formula of 002, Theorem 6.9 (equation 6.6), in units of alpha/(2 sigma^2): T^2 times
// the sum over messages of K steps. Like that sum it is not an upper bound. It charges nothing for steps after
// the first K of an input, and ignores that gradients depend on the state.
func (r *Rounds) Published(workers int) *Pairs {
	p := r.gossip.PublishedSum(workers)
	for k := range p.Values {
		p.Values[k] *= float64(r.rounds) * float64(r.rounds)
	}
	p.Claim = privacy.Claim{Accountant: "gossip rounds, Theorem 6.9", Status: privacy.Published, Assumptions: append(p.Assumptions,
		"messages carry an input for K steps only, T^2 times over", fixedInputs)}
	return p
}
