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

// Several tokens do not interact. The paths of two of them are independent given their starts, and each has
// noise of its own. A node's contributions to one token depend on the path of that token alone, because each
// token has a share of the cap (schedule.Share). So given all paths, v's view of K tokens is K independent
// releases, and the k-th tells no more than a Gaussian of squared shift V_k/sigma^2. Together they tell no more
// than one of V_1+..+V_K, because Gaussian differential privacy composes by adding squares. The paths reveal
// nothing, so that the theorem of one token holds with this sum in place of V, and its law is the convolution
// of the laws of the tokens. A law that exceeds V_k in the increasing convex order may replace it. The order is
// closed under sums of independent numbers, and rounding a sum to a grid with its mean kept can only raise it.
// Exponential moments multiply.

// A part is a law and the number of tokens that have it.
type part struct {
	law   *Law
	times int
}

// aloneWalk is the walk of one token, and the number of tokens that walk alike.
type aloneWalk struct {
	walk  Walk
	times int
}

// token returns the walk of one token by itself.
func (w Walk) token(k int) Walk {
	w.Walk = w.Walk.Token(step.Lane(k))
	return w
}

// alone returns the different walks of the tokens, by start and share of the cap. These are few.
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

// lawOfTokens returns the law of the sum of the energies of all tokens, where of returns the law of one.
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

// mostExact is the largest number of energies of a law that lists the sums exactly.
const mostExact = 4096

// sumOf returns the law of the sum of independent energies.
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

// claimOfSum returns the claim of a sum, from the claim of the law of one token.
func (w Walk) claimOfSum(one *Law) privacy.Claim {
	claim := w.claim("walk, path")
	for _, a := range one.Assumptions {
		if !slices.Contains(claim.Assumptions, a) {
			claim.Assumptions = append(claim.Assumptions, a)
		}
	}
	return claim
}

// listSums returns all sums of energies with their probabilities. It reports false if there are too many.
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

// sumGrid returns a grid from 0 to at least most, finer than those of single laws, because many sums accumulate
// its error.
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

// sumsOf returns the law of the sum on a grid that reaches beyond all sums.
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

// point returns the law with all mass at energy 0.
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

// momentOfParts returns an upper bound of ln E exp(rate V) of a sum.
func momentOfParts(rate float64, parts []part) float64 {
	total := 0.0
	for _, p := range parts {
		one := min(p.law.logMoment(rate), rate*float64(p.law.Most))
		total += float64(float64(p.times) * one)
	}
	return total
}

// lawsOfTokens returns the laws of all pairs from those of every different token. A class of the sums is a
// class of pairs whose u all tokens reach alike.
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

// groupsOf numbers the nodes by how all tokens reach them. It returns nil if that makes no difference.
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

// momentsOfTokens bounds the moments of the sum of all tokens' energies by those of each token. With e_k = E
// V^k/k! the series sum of e_k x^k of the sum is the product of those of the tokens, whose terms are not
// negative.
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

// A series holds E V^k/k! for k from 0, where it is 1, up to the last order.
type series [allpairs.Orders + 1]float64

// seriesSlack is the relative amount by which a product of series is raised to cover its rounding.
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
