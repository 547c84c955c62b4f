package gradients

import (
	"math/rand/v2"
	"slices"
)

const (
	// rungTries is how often a lifting begins anew on a rung, rungShare the part of the work left that it may take, and climbShare
	// what all of them may.
	rungTries, rungShare, climbShare = 4, 0.25, 0.5
)

// A rung is a lifting that explains all sums up to some turn, but for slopes.
type rung struct {
	*lifting
	whose  []int // nodes
	labels int
}

// rungs are the last turns of all rungs, ever further apart.
func rungs(last int) (all []int) {
	for until := 1; until < last; until += max(1, until/2) {
		all = append(all, until)
	}
	return append(all, last)
}

// climb looks for the examples of parts of some nodes in ever more turns. What nodes send in the first few turns depends on few slopes that are not known,
// and tells of nearly everybody whom all turns tell of; what it says is where the search in one turn more begins. Those are taken
// into what was found of whom the highest rungs leave no doubt, and it reports whether there are any.
func (u *unravelling) climb(wide bool, nodes map[int]bool) (more bool) {
	if nodes == nil {
		return false
	}
	var top []*rung
	u.guess = map[int][]float64{}
	spare := (1 - climbShare) * u.budget
	for _, until := range rungs(len(u.entries) - 1) {
		for _, q := range u.parts(wide, until) {
			if !nodes[q.nodes[0]] {
				continue
			}
			if r := u.rung(q, top, min(rungShare*u.budget, u.budget-spare)); r != nil {
				top = r.over(top)
			}
		}
	}
	for k, r := range top {
		r.budget = u.budget
		more = u.take(r.annealing, r.verdicts(rand.New(rand.NewPCG(uint64(k), 18)))) || more
		u.budget = r.budget
	}
	return more
}

// large are the nodes of parts where beginning an annealing anew takes too long; nil: of none.
func (u *unravelling) large(wide bool) (nodes map[int]bool) {
	for _, q := range u.parts(wide, len(u.entries)) {
		s := u.annealing(q)
		if s == nil || !s.lengthy() {
			continue
		}
		if nodes == nil {
			nodes = map[int]bool{}
		}
		for _, v := range q.nodes {
			nodes[v] = true
		}
	}
	return nodes
}

// verdicts says whose examples are certain. Where that takes neither long nor much memory, a run that explains everything, slopes too, is looked for as well: it
// may leave less doubt.
func (r *rung) verdicts(rng *rand.Rand) []verdict {
	found := slices.Clone(r.e)
	all := r.certain(rng)
	sure := 0
	for _, v := range all {
		if v.sure {
			sure++
		}
	}
	if sure == r.labels || annealSteps*work(len(r.free), r.part) > r.budget || held(len(r.free), r.part) > mostHeld {
		return all
	}
	r.home = slices.Clone(found)
	if r.anneal(1, annealSteps) || r.excess < nearly && r.anneal(0, annealSteps) {
		for i, v := range r.annealing.certain(rng) {
			if v.sure && !all[i].sure {
				all[i] = v
			}
		}
		return all
	}
	copy(r.e, found)
	r.show(found)
	return all
}

// rung looks for the examples of a part from what was found on lower ones, with pulls that these came to an end with; nil: it does not come to
// one with that work, or there is nothing to explain.
func (u *unravelling) rung(q *part, lower []*rung, budget float64) *rung {
	s := u.annealing(q)
	if s == nil || !u.new("rung", q) {
		return nil
	}
	s.budget = budget
	l := s.lift()
	if l == nil {
		return nil
	}
	for _, place := range s.free {
		l.guess = append(l.guess, u.guess[q.nodes[place]])
	}
	u.look(q, s.free)
	defer func() { u.budget -= budget - s.budget }()
	for k := range rungTries {
		rng := rand.New(rand.NewPCG(uint64(k), 17))
		l.kick(rng)
		switch explained := l.run(rng); {
		case l.now == nil:
			return nil
		case explained:
			most := len(powers) - 1
			for _, r := range lower {
				if r.meets(q.nodes) {
					most = min(most, r.tight)
				}
			}
			l.tighten(most)
			return u.reached(l)
		case s.budget <= 0:
			return nil
		}
	}
	return nil
}

// reached is a rung, and what it says of examples.
func (u *unravelling) reached(l *lifting) *rung {
	d := l.part.dim
	r := &rung{lifting: l, labels: l.labels()}
	for i, place := range l.free {
		node := l.part.nodes[place]
		u.guess[node] = slices.Clone(l.e[i*d : (i+1)*d])
		r.whose = append(r.whose, node)
	}
	return r
}

// over are the rungs that stay in use, with one more: of the same nodes, the one that finds more labels, or that is of more turns.
func (r *rung) over(lower []*rung) (top []*rung) {
	labels := 0
	for _, other := range lower {
		if other.meets(r.whose) {
			labels += other.labels
		}
	}
	if labels > r.labels {
		return lower
	}
	for _, other := range lower {
		if !other.meets(r.whose) {
			top = append(top, other)
		}
	}
	return append(top, r)
}

// meets reports whether it is of some of these nodes, ascending.
func (r *rung) meets(nodes []int) bool {
	return slices.ContainsFunc(r.whose, func(v int) bool { _, ok := slices.BinarySearch(nodes, v); return ok })
}
