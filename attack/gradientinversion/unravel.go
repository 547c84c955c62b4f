package gradientinversion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/model"
)

const (
	// leastSteps is the number of steps that the work must suffice for. lastWork is the number of annealing steps that count for a
	// step of a lifting.
	leastSteps, lastWork = 20, 0.5
	// draws is the number of tries. It is fewDraws if there are fewer sums than examples, because most must then stay open.
	// annealSteps is the largest number of steps of each try.
	draws, fewDraws, annealSteps = 96, 3, 150
	// width is the distance of a start from the mean of known examples, in standard deviations.
	width = 0.5
	// nearly is the excess below which the search is repeated without the distance from a draw, because that can keep it from
	// getting further if sums leave much open.
	nearly = 1e6
	// promising is the excess below which an annealing goes on from the result of a lifting.
	promising = 1e9
)

// unravel searches for the examples that peeling left, jointly in all known sums of messages. It adds the examples without doubt to
// f. Peeling goes on from each example found, which may determine further ones.
func (a *Attack) unravel(f *Found, peel func() *peeling) {
	m, ok := a.Inversion.twoSided()
	if !ok || a.Work <= 0 || a.without[jointly] || !slices.ContainsFunc(a.knowledge.Targets(), func(u int) bool { return !f.Peeled[u] }) {
		return
	}
	p := peel()
	u := &unravelling{Attack: a, peeling: p, loss: m, found: f, budget: a.Work, tried: map[string]bool{}, lookout: newLookout(a.knowledge.Len())}
	f.Solved, f.Open = make([]bool, a.knowledge.Len()), make([]bool, a.knowledge.Len())
	for _, wide := range []bool{false, true} {
		for u.climb(wide, u.large(wide)) || u.round(wide) {
			for p.sweep() {
			}
		}
	}
	for v, book := range p.books {
		if book != nil && !f.Peeled[v] && !f.Solved[v] { // peeled after those that were solved
			f.Solved[v], f.Points[v], f.Gradients[v] = true, book.point, book.first
		}
		f.Open[v] = f.Open[v] && book == nil && !f.Peeled[v]
	}
	f.Unlooked = u.unlooked(a.Work-u.budget, func(v int) bool { return p.books[v] != nil || f.Open[v] })
}

// An unravelling is a joint search in parts of a run.
type unravelling struct {
	*Attack
	*peeling
	*lookout
	loss   model.Margined
	found  *Found
	budget float64
	tried  map[string]bool // parts already tried
}

// round searches for the examples of all parts, and reports whether any were found.
func (u *unravelling) round(wide bool) (more bool) {
	for _, q := range u.parts(wide, len(u.entries)) {
		more = u.solve(q) || more
	}
	return more
}

// solve searches for the examples of a part, and reports whether any were found.
func (u *unravelling) solve(q *part) bool {
	s := u.annealing(q)
	if s == nil || !u.new("all turns", q) {
		return false
	}
	if needs := least(len(s.free), q); needs > u.budget {
		u.leave(q, s.free, needs)
		return false
	}
	u.look(q, s.free)
	defer func() { u.budget = s.budget }()
	tries := draws
	if len(s.free) > len(q.sums) {
		tries = fewDraws
	}
	l := s.lift()
	if u.without[slopesToo] {
		l = nil
	}
	for k := range tries {
		rng := rand.New(rand.NewPCG(uint64(k), 16))
		if !l.turn(k) {
			s.hop(rng, width)
		} else if l.kick(rng); l.run(rng) || s.excess < promising {
			s.home = slices.Clone(s.e)
		} else if s.budget > 0 {
			continue
		} else {
			break
		}
		if s.anneal(1, annealSteps) || s.excess < nearly && s.anneal(0, annealSteps) {
			verdicts := s.certain(rng)
			for i, v := range verdicts {
				u.found.Open[q.nodes[s.free[i]]] = v.open && len(s.free)*(q.dim-1) > len(q.want)
			}
			return u.take(s, verdicts)
		}
		s.remember()
		if s.budget <= 0 {
			break
		}
	}
	if s.budget <= 0 {
		u.stop(q, s.free)
	}
	return false
}

// new reports whether a part was not tried before in a given way.
func (u *unravelling) new(how string, q *part) bool {
	key := fmt.Sprint(how, q.nodes, len(q.sums))
	seen := u.tried[key]
	u.tried[key] = true
	return !seen
}

// take settles the examples without doubt, and reports whether there are any.
func (u *unravelling) take(s *annealing, verdicts []verdict) (any bool) {
	for i, v := range verdicts {
		if v.sure {
			u.settle(s.part.nodes[s.free[i]], s.row(s.free[i]), v.off)
			any = true
		}
	}
	return any
}

// settle adds a node's z, with the largest error off, to the results.
func (u *unravelling) settle(node int, z []float64, off float64) {
	d := len(z)
	label := math.Copysign(1, z[d-1])
	point := Point{X: divided(z[:d-1], z[d-1]), Label: label, Exact: true}
	r := &replay{point: &point, label: label, scale: 1}
	r.first = u.gradient(make([]float64, d), u.Inversion.Theta, r)
	u.found.Solved[node], u.found.Points[node], u.found.Gradients[node] = true, &point, r.first
	u.books[node], u.off[node], u.blur[node] = r, off, off
}

// annealing prepares an annealing of a part. It returns nil if no example is unknown.
func (u *unravelling) annealing(q *part) *annealing {
	d := q.dim
	c := &course{part: q, clip: u.peeling.knowledge.protocol.LossClip(), loss: u.loss, z: make([]float64, len(q.nodes)*d)}
	var known []float64
	slot := make([]int, u.peeling.knowledge.Len())
	for v, book := range u.books {
		if book == nil {
			continue
		}
		z := make([]float64, d)
		copy(z, book.point.X)
		z[d-1] = 1
		scale(z, book.label)
		known = append(known, z...)
		slot[v] = -1
		if i, ok := slices.BinarySearch(q.nodes, v); ok {
			copy(c.row(i), z)
		}
	}
	var free []int
	for i, v := range q.nodes {
		if u.books[v] == nil {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return nil
	}
	s := newAnnealing(c, believe(known, d), free)
	alike := u.peeling.knowledge.lookalikes(slot)
	for _, v := range q.nodes {
		s.alike = append(s.alike, alike[v])
	}
	s.workers, s.say, s.budget = max(1, u.Workers), u.Say, u.budget
	return s
}
