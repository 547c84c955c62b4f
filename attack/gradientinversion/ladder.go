package gradientinversion

import (
	"math/rand/v2"
	"slices"
)

const (
	// rungTries is how often a lifting begins anew on a rung, rungShare the part of the work left that a rung may take, and climbShare
	// what all of them may.
	rungTries, rungShare, climbShare = 6, 0.6, 0.9
	// ascendShare is the part of a rung's work in which examples are looked for; in what is left it is looked who is certain.
	ascendShare = 0.6
	// fewSteps is for how many steps there must be work, that examples alone are looked for from a rung, and runShare the part of it that this may take.
	fewSteps, runShare = 8, 0.6
	// doubtful is the part of those with labels that may be left in doubt before that is done.
	doubtful = 0.1
)

// A ladder is what was found of the nodes of large parts in the messages of the first few turns.
type ladder struct {
	guess map[int][]float64  // of nodes: where to look for their examples, in units of the belief
	sure  map[int]*certainty // of those of whom there is no doubt
}

// A certainty is z of a node, that it may be as far off.
type certainty struct {
	z   []float64
	off float64
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
// into what was found of whom there is no doubt, and it reports whether there are any.
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

// verdicts says whose examples are certain. Where that leaves many in doubt, and takes not too long nor much memory, a run that explains everything, slopes
// too, is looked for: it leaves less.
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

// explains reports whether a run with examples explains everything, which it looks for from where it is.
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

// rung looks for the examples of a part from what was found on lower ones.
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

// ascend looks for examples until a run with them nearly explains everything too, and goes to where most labels come to one. It reports whether
// sums are explained there.
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

// take takes what a rung says of examples.
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
