package walkpath

import (
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath/allpairs"
	"github.com/hearsay-dp/hearsay/step"
)

// Several tokens do not meet. The paths of two of them are independent given where they
// start, each has noise of its own, and a node's contributions to one are decided by
// the path of that one alone, because each token has a share of the cap
// (schedule.Share). So given all paths, what v sees of K tokens is K independent
// releases, and the k-th is no better than a Gaussian of squared shift V_k/sigma^2:
// together they are no better than one of V_1+..+V_K (Gaussian differential privacy
// composes by adding squares). The paths reveal nothing, so the theorem of one token
// holds with this sum in place of V, and its law is the convolution of the laws of one
// token each. A law that exceeds V_k in the increasing convex order may stand for it:
// the order is closed under sums of independent numbers, and rounding a sum to a grid
// with its mean kept can only raise it. Exponential moments multiply.

// A part is how many tokens have a law.
type part struct {
	law   *Law
	times int
}

// aloneWalk is the walk of one token, and how many walk like it.
type aloneWalk struct {
	walk  Walk
	times int
}

// token is the walk of one token by itself.
func (w Walk) token(k int) Walk {
	w.Walk = w.Walk.Token(step.Lane(k))
	return w
}

// alone are the different walks of the tokens, of which there are few: by start and
// share of the cap.
func (w Walk) alone() []aloneWalk {
	type like struct{ start, cap int }
	place := make(map[like]int)
	var list []aloneWalk
	for k := range w.AllTokens() {
		one := w.token(k)
		at, known := place[like{one.Start, one.Cap}]
		if !known {
			at = len(list)
			place[like{one.Start, one.Cap}] = at
			list = append(list, aloneWalk{walk: one})
		}
		list[at].times++
	}
	return list
}

// lawOfTokens is the law of the sum of the energies of all tokens, where of gives that
// of one.
func (w Walk) lawOfTokens(of func(one Walk) (*Law, error)) (*Law, error) {
	var parts []part
	for _, g := range w.alone() {
		law, err := of(g.walk)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{law, g.times})
	}
	return w.sumOf(parts), nil
}

// mostExact is how many energies a law may have for its sums to be listed one by one.
const mostExact = 4096

// sumOf is the law of the sum of independent energies.
func (w Walk) sumOf(parts []part) *Law {
	l := &Law{Claim: w.claimOfSum(parts[0].law), Most: w.Most(), parts: parts, exact: true}
	reach := 0.0
	for _, p := range parts {
		l.exact = l.exact && p.law.exact
		reach += float64(float64(p.times) * slices.Max(p.law.Energies))
	}
	if l.exact {
		if sums, ok := listSums(parts); ok {
			l.Energies = slices.Sorted(maps.Keys(sums))
			for _, e := range l.Energies {
				l.Weights = append(l.Weights, sums[e])
			}
			return l
		}
	}
	l.exact = false
	l.Energies = sumGrid(reach)
	l.Weights = grid(l.Energies).sumsOf(parts)
	return l
}

// claimOfSum is what stands behind a sum: what does behind one law, said of all tokens.
func (w Walk) claimOfSum(one *Law) privacy.Claim {
	claim := w.claim("walk, path")
	for _, a := range one.Assumptions {
		if !slices.Contains(claim.Assumptions, a) {
			claim.Assumptions = append(claim.Assumptions, a)
		}
	}
	return claim
}

// listSums are all sums of energies with their probabilities; false: too many.
func listSums(parts []part) (map[float64]float64, bool) {
	sums := map[float64]float64{0: 1}
	for _, p := range parts {
		for range p.times {
			next := make(map[float64]float64)
			for _, e := range slices.Sorted(maps.Keys(sums)) {
				for i, more := range p.law.Energies {
					next[gathered(e+more, false)] += float64(sums[e] * p.law.Weights[i])
				}
				if len(next) > mostExact {
					return nil, false
				}
			}
			sums = next
		}
	}
	return sums, true
}

// sumGrid is finer than the grids of single laws, to lose little in many sums.
func sumGrid(most float64) grid {
	g := grid{0}
	for x := 0.0; x < most; {
		growth := 0.02
		if x > fineEnergy {
			growth = 0.08
		}
		x += max(1e-4, x*growth)
		g = append(g, x)
	}
	if len(g) == 1 {
		g = append(g, 1)
	}
	return g
}

// sumsOf is the law of the sum on a grid that reaches beyond all sums.
func (g grid) sumsOf(parts []part) []float64 {
	total := g.point()
	for _, p := range parts {
		power := make([]float64, len(g)) // the law of 1, 2, 4, .. tokens
		for i, e := range p.law.Energies {
			g.put(power, e, max(0, p.law.Weights[i]))
		}
		for n := p.times; ; {
			if n&1 == 1 {
				total = g.added(total, power)
			}
			if n >>= 1; n == 0 {
				break
			}
			power = g.added(power, power)
		}
	}
	return total
}

// point is the law of no energy.
func (g grid) point() []float64 {
	law := make([]float64, len(g))
	law[0] = 1
	return law
}

func (g grid) added(a, b []float64) []float64 {
	sum := make([]float64, len(g))
	g.convolve(sum, a, b, 1)
	return sum
}

// momentOfParts bounds ln E exp(rate V) of a sum.
func momentOfParts(rate float64, parts []part) float64 {
	total := 0.0
	for _, p := range parts {
		one := min(p.law.logMoment(rate), rate*float64(p.law.Most))
		total += float64(float64(p.times) * one)
	}
	return total
}

// lawsOfTokens are the laws of all pairs, from those of every different token: one
// class of the sums is a class of pairs whose u all tokens reach alike.
func (w Walk) lawsOfTokens(class PairClass, workers int) (*Laws, error) {
	alone := w.alone()
	of := make([]*Laws, len(alone))
	for i, g := range alone {
		laws, err := g.walk.allLaws(class, workers)
		if err != nil {
			return nil, err
		}
		of[i] = laws
	}
	first := of[0]
	p := &Laws{nodes: w.Nodes, class: first.class, local: localLaw(w.Most(), "its law was not computed"), workers: workers, watch: w.Watch}
	p.Claim = w.claimOfSum(&Law{Claim: first.Claim})
	groups := groupsOf(of, w.Nodes)
	if groups != nil {
		n := 1 + slices.Max(groups)
		p.class = func(u, v int) int {
			if k := class(u, v); k != Unlawed {
				return k*n + groups[u]
			}
			return Unlawed
		}
	}
	pairs := p.count()
	p.laws = make([]*Law, len(pairs))
	parallel.Each(len(pairs), workers, func(k int) {
		if p.pairs[k] > 0 && w.Watch.err() == nil {
			var parts []part
			for i, laws := range of {
				parts = append(parts, part{laws.laws[laws.class(pairs[k].U, pairs[k].V)], alone[i].times})
			}
			p.laws[k] = w.sumOf(parts)
		}
	})
	return p, w.Watch.err()
}

// groupsOf numbers the nodes by how all tokens reach them, nil where that makes no
// difference.
func groupsOf(of []*Laws, n int) []int {
	if !slices.ContainsFunc(of, func(p *Laws) bool { return p.started != nil }) {
		return nil
	}
	groups, known := make([]int, n), make(map[string]int)
	for u := range groups {
		var key []float64
		for _, p := range of {
			if p.started != nil {
				key = append(key, float64(p.started.group[u]))
			}
		}
		name := string(bytesOf(key))
		if _, ok := known[name]; !ok {
			known[name] = len(known)
		}
		groups[u] = known[name]
	}
	return groups
}

// momentsOfTokens bounds the moments of the sum of all tokens' energies by those of each:
// with e_k = E V^k/k! the sum has the product of the series sum of e_k x^k, whose terms
// are not negative.
func (w Walk) momentsOfTokens(m *Moments, workers int) error {
	alone := w.alone()
	of := make([]*Moments, len(alone))
	for i, g := range alone {
		one, err := g.walk.Moments(workers)
		if err != nil {
			return err
		}
		of[i] = one
	}
	return w.Watch.all(w.Nodes, workers, func(u int) {
		for v := range w.Nodes {
			if v == u {
				continue
			}
			total := series{1}
			for i, g := range alone {
				total = total.times(seriesOf(of[i].of(u, v)).power(g.times))
			}
			total.logs(m.of(u, v))
		}
	})
}

// A series is 1 and E V^k/k! for k up to the last order.
type series [allpairs.Orders + 1]float64

// seriesSlack is by what share a product of series is raised for what it was rounded.
const seriesSlack = 1e-12

func seriesOf(logs []float32) (s series) {
	s[0] = 1
	factorial := 0.0
	for k, l := range logs {
		factorial += math.Log(float64(k + 1))
		s[k+1] = math.Exp(float64(l) - factorial)
	}
	return s
}

func (s series) times(o series) (product series) {
	for i, x := range s {
		for j, y := range o[:len(o)-i] {
			if x != 0 && y != 0 {
				product[i+j] += float64(x * y)
			}
		}
	}
	for k := range product[1:] {
		product[k+1] *= 1 + seriesSlack
	}
	return product
}

func (s series) power(n int) series {
	total := series{1}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			total = total.times(s)
		}
		s = s.times(s)
	}
	return total
}

func (s series) logs(to []float32) {
	factorial := 1.0
	for k := range to {
		factorial *= float64(k + 1)
		to[k] = logUp(s[k+1] * factorial * (1 + seriesSlack))
	}
}
