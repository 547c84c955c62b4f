package gradientinversion

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// An Attack holds everything that attackers do after a run.
type Attack struct {
	*Solver
	Inversion Inversion
	// Refinements is the largest number of times that they run the protocol with the examples found, and subtract from the messages
	// the changes of gradients in that run. It is 0 if noise is added, because there is nothing to refine then.
	Refinements int
	Workers     int                   // goroutines that search for examples; 0: one
	Watch       func(done, total int) // called with the numbers of nodes done and of all, one call at a time; may be nil
	// Work is the largest number of multiplications of the joint search, which looks in all messages at once for the examples that
	// peeling leaves. 0: no joint search. A processor does some 10^9 a second.
	Work float64
	Say  func(what string) // called often with the state of that search; may be nil

	first *Solver   // for the messages of the first round, in which no gradient has changed; nil: not used
	given []bool    // nodes that it resolves, which Solver takes as known
	start *Solution // its solution
	told  []float64 // the part of the messages due to their gradients

	changes bool // the weights change

	without map[stage]bool // stages left out, to measure what each adds
}

// A stage is a part of the attack that can be left out.
type stage string

const (
	refining   stage = "refining"       // run the protocol with the examples found
	weakLast   stage = "weak ones last" // add directions one after the other
	peelingOff stage = "peeling"        // node after node, exactly
	jointly    stage = "joint search"   // examples in all messages at once
	slopesToo  stage = "slopes"         // a joint search with free slopes
	byTurns    stage = "ladder"         // a joint search of large parts, turn by turn
	fewer      stage = "narrowing"      // work in the directions of the messages
)

// mostRefinements is the number of refinements of an attack on a run without noise.
const mostRefinements = 60

// Prepare returns the attack of some nodes on a run. fixed says that its weights never change. Without noise the attack solves the
// first round alone first, and refines. Without a method it weights messages by the covariance of the noise, if there is noise and
// that does not take too long. Otherwise it weights all messages equally.
func Prepare(p *gossip.Protocol, w gossip.Weights, fixed bool, attackers []int, m Method, i Inversion) (*Attack, error) {
	noisy := p.Noise.Std() > 0
	try := []Method{m}
	switch {
	case m == "" && noisy:
		try = []Method{Generalised, Ordinary}
	case m == "":
		try = []Method{Ordinary}
	}
	a := &Attack{Inversion: i, changes: !fixed}
	if !noisy && !i.searches() { // refinements would repeat each search
		a.Refinements = mostRefinements
	}
	if !noisy && !i.deep() {
		if err := a.prepareFirst(p, w, fixed, attackers); err != nil {
			return nil, err
		}
	}
	var err error
	for _, m := range try {
		if a.Solver, err = solverOf(p, w, fixed, attackers, m, a.given); err == nil {
			break
		}
	}
	return a, err
}

// firm bounds the error, by rounding of the messages and relative to the largest, of gradients that are taken from the first round.
const firm = 1e-10

// prepareFirst finds the nodes that the first round alone determines.
func (a *Attack) prepareFirst(p *gossip.Protocol, w gossip.Weights, fixed bool, attackers []int) (err error) {
	one := *p
	one.Rounds = 1
	if a.first, err = solverOf(&one, w, fixed, attackers, Ordinary, nil); err != nil {
		return err
	}
	can := a.first.judge(a.first.inverse(negligible))
	a.given = can.resolved
	for u, spread := range can.spread {
		a.given[u] = a.given[u] && spread*p.StepSize.At(0)*rounding <= firm
	}
	return nil
}

func solverOf(p *gossip.Protocol, w gossip.Weights, fixed bool, attackers []int, m Method, given []bool) (*Solver, error) {
	k, err := NewKnowledge(p, w, attackers)
	if err != nil || !fixed {
		if err != nil {
			return nil, err
		}
		return NewSolver(k, m, nil, given)
	}
	accountant, err := gossipview.New(w.Matrix(0), int(p.Turns()))
	if err != nil {
		return nil, err
	}
	view, err := accountant.View(attackers) // resolved nodes are checked again later
	if err == nil && view.Certainty() == gossipview.Open {
		view, err = accountant.Thorough(attackers)
	}
	if err != nil {
		return nil, err
	}
	return NewSolver(k, m, view, given)
}

// A Found holds the result of an attack.
type Found struct {
	*Solution
	Points      []*Point // by node; nil if its gradient determines none
	Unexplained float64  // root mean square of the messages that a run with these examples does not explain, over the others' part in them
	Refined     int      // number of refinements
	Peeled      []bool   // by node: the example follows exactly, node by node, however gradients change; nil: not tried
	Solved      []bool   // by node: the example follows from all messages together, and nothing else explains them; nil: not tried
	// Open marks nodes whose example cannot be determined, even if the node is singled out. They are in a part with more unknown
	// numbers, labels aside, than known sums have, and another example explains the messages as well. nil: not tried.
	Open  []bool
	First []bool // by node: the first round alone determines the gradient, whatever changes later; nil: not tried
	// Unlooked lists the nodes whose examples were not searched for to the end. It is nil if there are none.
	Unlooked *Unlooked
}

// enough is the part of the messages below which nothing is left to explain.
const enough = 1e-13

// Run runs the attack on the messages. It first uses all directions of the knowledge matrix. If weak directions drown in the changes
// of gradients, so that the examples found explain the messages badly, it adds directions one after the other. If the messages have
// few directions it works in these (narrow).
func (a *Attack) Run(seen *Seen) *Found {
	if b, s, w := a.narrowed(seen); w != nil && !a.without[fewer] {
		return w.widen(b.run(s), seen.Dim)
	}
	return a.run(seen)
}

func (a *Attack) run(seen *Seen) *Found {
	rest, largest := a.knowledge.Remove(seen), floats.Norm(seen.Heard, math.Inf(1))
	a.begin(rest, seen.Dim, largest)
	best := a.refine(seen, rest, negligible)
	if a.Refinements > 0 && !(best.Unexplained < badly) && !a.without[weakLast] {
		if other := a.refine(seen, rest, coarse); other.Unexplained < best.Unexplained {
			best = other
		}
	}
	if a.first != nil && !(best.Unexplained <= settled) && !a.without[peelingOff] {
		best = a.strip(best, seen, rest, largest)
	}
	a.assess(best.Solution, largest)
	best.First = a.given
	for u := range best.Gradients {
		if a.sure(u) {
			best.Resolved[u], best.Gain[u], best.Rounding[u] = true, a.start.Gain[u], a.start.Rounding[u]
		}
	}
	return best
}

// settled is the part of the messages below which everything counts as explained.
const settled = 1e-11

// strip adds the examples that peeling and the joint search find to the result.
func (a *Attack) strip(best *Found, seen *Seen, rest []float64, largest float64) *Found {
	p := a.peel(seen, largest, mostOff)
	s := *best.Solution
	s.Gradients = slices.Clone(s.Gradients)
	f := &Found{Solution: &s, Points: slices.Clone(best.Points), Refined: best.Refined, Peeled: make([]bool, len(best.Points))}
	for u, book := range p.books {
		if book != nil {
			f.Peeled[u], f.Points[u], s.Gradients[u] = true, book.point, book.first
		}
	}
	a.unravel(f, func() *peeling { return a.peel(seen, largest, littleOff) })
	_, missed := a.drift(f, seen, rest)
	f.Unexplained = over(missed, floats.Norm(rest, 2))
	return f
}

// Knowledge returns the attackers' knowledge before the run.
func (a *Attack) Knowledge() *Knowledge { return a.knowledge }

// begin solves for the gradients that the first round determines.
func (a *Attack) begin(rest []float64, dim int, largest float64) {
	if a.first == nil {
		return
	}
	a.start = a.first.Solve(rest[:len(a.first.knowledge.rows)*dim], dim, largest)
	known := make([]float64, a.knowledge.Len()*dim)
	for u, g := range a.start.Gradients {
		if a.given[u] {
			copy(known[u*dim:], g)
		}
	}
	a.told = a.knowledge.Matrix(known, dim)
}

// sure reports whether the first round determines a node's gradient.
func (a *Attack) sure(u int) bool { return a.given != nil && a.given[u] }

// badly is the part of the messages that may be unexplained at first. If it is more, directions from coarse times the strongest on are
// used. The cut falls by finer whenever perStage refinements in a row did not halve the unexplained part.
const (
	badly    = 0.1
	coarse   = 0.1
	finer    = 0.1
	perStage = 3
)

// refine returns the solution that explains most, starting with directions above a cut.
func (a *Attack) refine(seen *Seen, rest []float64, cut float64) (best *Found) {
	whole, drift, left := floats.Norm(rest, 2), make([]float64, len(rest)), make([]float64, len(rest))
	idle := 0
	for round := range a.Refinements + 1 {
		if round > 0 && a.without[refining] {
			break
		}
		floats.SubTo(left, rest, drift)
		if a.told != nil {
			floats.Sub(left, a.told)
		}
		now := a.invert(a.solve(left, seen.Dim, max(cut, negligible)))
		changes, missed := a.drift(now, seen, rest)
		now.Unexplained, now.Refined = over(missed, whole), round
		switch {
		case best == nil || now.Unexplained < best.Unexplained/2:
			idle = 0
		case now.Unexplained < best.Unexplained:
			idle++
		default:
			idle = perStage
		}
		if best == nil || now.Unexplained < best.Unexplained {
			best, drift = now, changes
		}
		if best.Unexplained <= enough || math.IsNaN(missed) || idle >= perStage && cut <= negligible {
			break
		}
		if idle >= perStage {
			cut, idle = cut*finer, 0
		}
	}
	return best
}

func over(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// invert computes the examples behind gradients.
func (a *Attack) invert(s *Solution) *Found {
	f := &Found{Solution: s, Points: make([]*Point, len(s.Gradients))}
	more := parallel.Count(len(s.Gradients), a.Watch)
	parallel.Each(len(s.Gradients), max(1, a.Workers), func(u int) {
		if a.sure(u) {
			s.Gradients[u] = a.start.Gradients[u]
		}
		if !a.knowledge.attacker[u] {
			if p, ok := a.Inversion.Point(s.Gradients[u]); ok {
				f.Points[u] = &p
			}
		}
		more(1)
	})
	return f
}

// drift runs the protocol with the examples found. It returns the part of that run's messages due to changes of gradients since the
// first round. missed is the norm of the part of rest that the run does not explain.
func (a *Attack) drift(f *Found, seen *Seen, rest []float64) (drift []float64, missed float64) {
	k, d := a.knowledge, seen.Dim
	nodes := make([]replay, k.Len())
	first := make([]float64, 0, k.Len()*d)
	for u := range nodes {
		nodes[u] = a.replay(f, u)
		first = append(first, nodes[u].first...)
	}
	x, scratch, row := make([]float64, 0, k.Len()*d), make([]float64, d), 0
	for range k.Len() {
		x = append(x, k.begin(d)...)
	}
	messages := make([]float64, len(seen.Heard))
	k.carry(cargo{cols: d, x: x,
		add: func(e entry, _ step.Turn, x []float64) {
			if e.contributes {
				sparse.Axpy(x, -e.rate, nodes[e.node].at(a, scratch, x, e.keep))
			}
		},
		pin: func(t step.Turn, i int, row []float64) { copy(row, seen.Own[t][i*d:(i+1)*d]) },
		see: func(t step.Turn, x []float64) {
			for ; row < len(k.rows) && k.rows[row].Turn == t; row++ {
				copy(messages[row*d:(row+1)*d], x[k.rows[row].Node*d:])
			}
		},
	})
	// The part of others in that run, minus that of constant gradients, is the drift.
	others := slices.Clone(messages)
	floats.Sub(others, seen.Heard)
	floats.Add(others, rest)
	drift = slices.Clone(others)
	floats.Sub(drift, k.Matrix(first, d))
	floats.Sub(others, rest)
	return drift, floats.Norm(others, 2)
}

// A replay is a node as the attackers run it.
type replay struct {
	point *Point    // nil: its gradient is constant
	label float64   // of the point, as losses use it
	scale float64   // constant factor of the node's gradients
	first []float64 // gradient in the first round
}

// replay returns the node with its example if its gradient is known alone, and with a constant gradient otherwise.
func (a *Attack) replay(f *Found, u int) replay {
	r := replay{first: f.Gradients[u]}
	p := f.Points[u]
	if p == nil || !a.known[u] && !a.sure(u) && (f.Peeled == nil || !f.Peeled[u]) && (f.Solved == nil || !f.Solved[u]) {
		return r
	}
	return a.replayOf(p, f.Gradients[u])
}

// replayOf returns a node with an example and its first gradient. The gradient stays constant if it is not that of one example.
func (a *Attack) replayOf(p *Point, first []float64) replay {
	r := replay{first: first}
	if !finite(p.X) {
		return r
	}
	r.point, r.label, r.scale = p, p.Label, 1
	if math.IsNaN(r.label) {
		r.label = 0
		if !a.regress(&r, first) {
			return replay{first: first}
		}
	}
	g := slices.Clone(a.gradient(make([]float64, len(first)), a.Inversion.Theta, &r))
	square := sparse.Dot(g, g)
	if !(square > 0) {
		return replay{first: first}
	}
	r.scale = sparse.Dot(g, first) / square
	scale(g, r.scale)
	r.first = g
	return r
}

// regress computes the label of a squared loss, assuming that the gradient was not clipped.
func (a *Attack) regress(r *replay, gradient []float64) bool {
	switch m := a.Inversion.Model.(type) {
	case model.Mean, model.Own:
		return true
	case model.Ridge:
		if !m.Intercept {
			return false
		}
		r.label = m.Slope(a.Inversion.Theta, r.point.X, 0) - gradient[len(gradient)-1]
		return true
	}
	return false
}

// gradient sets dst to the clipped gradient of a node's example at theta.
func (a *Attack) gradient(dst, theta []float64, r *replay) []float64 {
	a.Inversion.Model.Gradient(dst, theta, r.point.X, r.label)
	if length, clip := model.RowNorm(dst, false), a.knowledge.protocol.LossClip(); length > clip {
		scale(dst, clip/length)
	}
	return dst
}

// at returns the gradient of a node whose value, after multiplication by keep, is x.
func (r *replay) at(a *Attack, scratch, x []float64, keep float64) []float64 {
	if r.point == nil || keep == 0 {
		return r.first
	}
	theta := x
	if keep != 1 {
		theta = divided(x, keep)
	}
	a.gradient(scratch, theta, r)
	scale(scratch, r.scale)
	return scratch
}

func finite(v []float64) bool {
	n := model.RowNorm(v, false)
	return n <= math.MaxFloat64
}

// Plan returns the parts of the result that are known before there are messages.
func (a *Attack) Plan() *Found {
	f := &Found{Solution: &Solution{}, Points: make([]*Point, a.knowledge.Len()), First: a.given}
	a.assess(f.Solution, 1)
	for u := range f.Resolved {
		if a.sure(u) {
			f.Resolved[u] = true
		}
	}
	return f
}

// PrepareAsPublished returns the attack of 002 as printed: one least-squares solution, of all rounds.
func PrepareAsPublished(p *gossip.Protocol, w gossip.Weights, fixed bool, attackers []int, m Method, i Inversion) (*Attack, error) {
	solver, err := solverOf(p, w, fixed, attackers, m, nil)
	return &Attack{Solver: solver, Inversion: i}, err
}
