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

// An Attack is everything that attackers do once a run is over.
type Attack struct {
	*Solver
	Inversion Inversion
	// Refinements is how often at most they run the protocol with the examples that they found, and
	// take what that says of how gradients change out of the messages. Where noise is added there
	// is nothing to refine.
	Refinements int
	Workers     int                   // goroutines that look for examples; 0: one
	Watch       func(done, total int) // told how many nodes' examples were looked for, one call at a time; nil: nobody
	// Work is how many multiplications it may take to look for the examples that are left when nodes were taken apart one by one,
	// in all messages at once; 0: it does not. A processor takes some 10^9 in a second.
	Work float64
	Say  func(what string) // told what that search is at, often; nil: nobody

	first *Solver   // of the messages of the first round, in which no gradient has changed; nil: not asked
	given []bool    // nodes that it finds, which Solver takes as known
	start *Solution // what it gave
	told  []float64 // what the messages hold of their gradients

	changes bool // weights do

	without map[stage]bool // left out, to see what each adds
}

// A stage is a part of the attack that does something of its own.
type stage string

const (
	refining   stage = "refining"       // the protocol is run with what was found
	weakLast   stage = "weak ones last" // directions come in one after the other
	peelingOff stage = "peeling"        // node after node, exactly
	jointly    stage = "joint search"   // examples in all messages at once
	slopesToo  stage = "slopes"         // a joint search in which slopes are free
	byTurns    stage = "ladder"         // a joint search of large parts, turn by turn
	fewer      stage = "narrowing"      // work in the directions of what was seen
)

// mostRefinements is how often an attack on a run without noise refines.
const mostRefinements = 60

// Prepare is the attack of some nodes on a run; fixed says that its weights never change. Without noise
// it takes what the first round alone gives away, and refines. Without a method it weighs messages by the
// covariance of the noise, if there is some and that does not take long, and else all alike.
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
	if !noisy && !i.searches() { // nobody searches so often
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

// firm is how far rounding of the messages may move, relative to the largest, what is taken from the first round.
const firm = 1e-10

// prepareFirst finds out what the first round alone gives away.
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
	view, err := accountant.View(attackers) // who is resolved is looked at again
	if err == nil && view.Certainty() == gossipview.Open {
		view, err = accountant.Thorough(attackers)
	}
	if err != nil {
		return nil, err
	}
	return NewSolver(k, m, view, given)
}

// Found is what came of it.
type Found struct {
	*Solution
	Points      []*Point // of every node; nil where its gradient says nothing
	Unexplained float64  // root mean square of the messages that a run with these examples does not explain, relative to what others brought about
	Refined     int      // how often it was refined
	Peeled      []bool   // of nodes: the example follows exactly, node by node, however gradients change; nil: not asked
	Solved      []bool   // of nodes: the example follows from all messages together, and nothing else explains them; nil: not asked
	// Open are nodes whose example nobody can tell, also of those that are singled out: it is one of more examples than there are sums of what
	// they send that can be known, labels known besides, and another one explains the messages as well; nil: not asked.
	Open  []bool
	First []bool // of nodes: the messages of the first round alone give the gradient away, whatever changes later; nil: not asked
	// Unlooked are nodes whose examples were not looked for to the end; nil: there are none.
	Unlooked *Unlooked
}

// enough is the part of the messages below which nothing is left to explain.
const enough = 1e-13

// Run is the attack on what was seen. All directions of the knowledge matrix are used at first; where the
// weak ones drown in how gradients change, so that the examples found explain the messages badly, they come
// in one after the other. Where what was seen has few directions it works in these (narrow).
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

// settled is the part of the messages below which everything is understood.
const settled = 1e-11

// strip takes the examples that peeling finds into what was found.
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

// Knowledge is what the attackers know before the run.
func (a *Attack) Knowledge() *Knowledge { return a.knowledge }

// begin solves for what the first round gives away.
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

// sure reports whether the first round gives a node's gradient away.
func (a *Attack) sure(u int) bool { return a.given != nil && a.given[u] }

// badly is the part of the messages that may be left unexplained at first. Then directions come in from coarse
// times the strongest on, finer times as many whenever as many refinements as perStage did not halve what is left.
const (
	badly    = 0.1
	coarse   = 0.1
	finer    = 0.1
	perStage = 3
)

// refine looks for the solution that explains most, beginning with directions above a cut.
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

// invert finds the examples behind gradients.
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

// drift is what the messages of a run with the examples that were found hold besides gradients as they
// are in the first round, and the norm of what that run does not explain of rest.
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
	// What others brought about in that run, less gradients that stay the same, is the drift.
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
	point *Point    // nil: its gradient stays as it is
	label float64   // of the point, as losses take it
	scale float64   // constant of the node's gradients
	first []float64 // gradient in the first round
}

// replay takes nodes whose gradient is known alone by their examples.
func (a *Attack) replay(f *Found, u int) replay {
	r := replay{first: f.Gradients[u]}
	p := f.Points[u]
	if p == nil || !a.known[u] && !a.sure(u) && (f.Peeled == nil || !f.Peeled[u]) && (f.Solved == nil || !f.Solved[u]) {
		return r
	}
	return a.replayOf(p, f.Gradients[u])
}

// replayOf is a node with an example and its first gradient, which stays as it is if that is no example's.
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

// regress finds the label that a squared loss must have had, where gradients are not cut.
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

// gradient sets dst to that of a node's example, clipped, at theta.
func (a *Attack) gradient(dst, theta []float64, r *replay) []float64 {
	a.Inversion.Model.Gradient(dst, theta, r.point.X, r.label)
	if length, clip := model.RowNorm(dst, false), a.knowledge.protocol.LossClip(); length > clip {
		scale(dst, clip/length)
	}
	return dst
}

// at is the gradient of a node whose value, after it was multiplied by keep, is x.
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

// Plan is what is known of an attack before there is anything to see.
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

// PrepareAsPublished is the attack of 002 as it is printed: one solution by least squares, of all rounds.
func PrepareAsPublished(p *gossip.Protocol, w gossip.Weights, fixed bool, attackers []int, m Method, i Inversion) (*Attack, error) {
	solver, err := solverOf(p, w, fixed, attackers, m, nil)
	return &Attack{Solver: solver, Inversion: i}, err
}
