package gradientinversion

import (
	"math/rand/v2"
	"slices"
)

const (
	// rungTries is the number of restarts of a lifting on a rung. rungShare is the part of the remaining work that a rung may take,
	// and climbShare the part that all rungs may take.
	rungTries, rungShare, climbShare = 6, 0.6, 0.9
	// ascendShare is the part of a rung's work for the search. The rest is for verdicts.
	ascendShare = 0.6
	// fewSteps is the number of steps that the work must suffice for before examples alone are searched for from a rung. runShare is
	// the part of it for that.
	fewSteps, runShare = 8, 0.6
	// doubtful is the part of nodes with labels that may stay in doubt before that is done.
	doubtful = 0.1
)

// A ladder holds the results for the nodes of large parts in the messages of the first turns.
type ladder struct {
	guess map[int][]float64  // of nodes: where to start the search for their examples, in units of the belief
	sure  map[int]*certainty // of nodes without doubt
}

// A certainty holds z of a node, and its largest error.
type certainty struct {
	z   []float64
	off float64
}

// rungs returns the last turns of all rungs, at growing distances.
func rungs(last int) (all []int) {
	for until := 1; until < last; until += max(1, until/2) {
		all = append(all, until)
	}
	return append(all, last)
}

// climb searches for the examples of parts of some nodes in ever more turns. Messages of the first turns depend on few unknown slopes,
// and hold information on nearly every node that all turns do. Their solution is the start of the search in more turns. climb settles
// the examples without doubt, and reports whether there are any.
func (u *unravelling) climb(wide bool, nodes map[int]bool) bool {
	if nodes == nil || u.without[byTurns] || u.without[slopesToo] {
		return false
	}
	on := &ladder{map[int][]float64{}, map[int]*certainty{}}
	spare := float64((1 - climbShare) * u.budget)
	for _, until := range rungs(len(u.entries) - 1) {
		for _, q := range u.parts(wide, until) {
			if nodes[q.nodes[0]] {
				u.rung(on, q, min(rungShare*u.budget, u.budget-spare))
			}
		}
	}
	for v, c := range on.sure {
		u.settle(v, c.z, c.off)
	}
	return len(on.sure) > 0
}

// large returns the nodes of parts in which restarts of an annealing take too long. It returns nil if there are none.
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

// verdicts returns the verdicts on all examples. If they leave many in doubt, and work and memory suffice, it searches for a run that
// explains everything, slopes too, because that leaves fewer.
func (l *lifting) verdicts(rng *rand.Rand) []verdict {
	found, all := slices.Clone(l.e), l.certain(rng)
	labels, doubts := 0.0, 0.0
	for i, v := range l.eligible() {
		if v.sure {
			labels++
		}
		if v.sure && !all[i].sure {
			doubts++
		}
	}
	if doubts <= doubtful*labels {
		return all
	}
	if l.explains() {
		return l.restored(rng)
	}
	l.e = found
	return all
}

// explains reports whether a run with examples explains everything. It searches from the current position.
func (l *lifting) explains() bool {
	share := float64(runShare * l.budget)
	if l.excess > nearly || fewSteps*work(len(l.free), l.part) > share || held(len(l.free), l.part) > mostHeld {
		return false
	}
	spare := l.budget - share
	l.home, l.budget, l.slack = slices.Clone(l.e), share, slack
	defer func() { l.budget += spare }()
	return l.anneal(1, annealSteps)
}

// rung searches for the examples of a part from the results of lower rungs.
func (u *unravelling) rung(on *ladder, q *part, budget float64) {
	s := u.annealing(q)
	if s == nil || !u.new("rung", q) {
		return
	}
	s.budget = ascendShare * budget
	l := s.lift()
	if l == nil {
		return
	}
	for _, place := range s.free {
		l.guess = append(l.guess, on.guess[q.nodes[place]])
	}
	u.look(q, s.free)
	defer func() { u.budget -= budget - s.budget }()
	found := l.ascend()
	s.budget += float64((1 - ascendShare) * budget)
	if found {
		on.take(l)
	}
}

// ascend searches for examples until a run with them nearly explains everything too, and goes back to the result with most converged
// labels. It reports whether the sums are explained there.
func (l *lifting) ascend() bool {
	var best *landing
	for k := range rungTries {
		rng := rand.New(rand.NewPCG(uint64(k), 17))
		l.kick(rng)
		explained := l.run(rng)
		if l.now == nil {
			break
		}
		if explained {
			l.tighten(len(powers) - 1)
			if now := l.landing(); best == nil || now.labels > best.labels {
				best = now
			}
		}
		if explained && l.excess < nearly || l.budget <= 0 {
			break
		}
	}
	if best == nil {
		return false
	}
	l.back(best)
	return true
}

// take records the results of a rung.
func (on *ladder) take(l *lifting) {
	d, news := l.part.dim, false
	for i, place := range l.free {
		node := l.part.nodes[place]
		on.guess[node] = slices.Clone(l.e[i*d : (i+1)*d])
		news = news || on.sure[node] == nil && l.labelled(i) && !l.alike[place]
	}
	if !news {
		return
	}
	verdicts := l.verdicts(rand.New(rand.NewPCG(uint64(len(l.part.turns)), 18)))
	l.show(l.e)
	for i, place := range l.free {
		node, v := l.part.nodes[place], verdicts[i]
		on.guess[node] = slices.Clone(l.e[i*d : (i+1)*d])
		if old := on.sure[node]; v.sure && (old == nil || v.off < old.off) {
			on.sure[node] = &certainty{slices.Clone(l.row(place)), v.off}
		}
	}
}
