package walkpath

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A PairClass numbers ordered pairs of distinct nodes 0, 1, .. so that pairs with the same number have the same
// law, by a symmetry of the walk. Unlawed marks pairs whose law is not computed.
type PairClass func(u, v int) int

// Unlawed is the class of pairs that are charged the local loss.
const Unlawed = -1

// CompleteClass returns the class of pairs of a walk on which all nodes are alike.
func CompleteClass(u, v int) int { return 0 }

// SymmetricClass returns the class of pairs on a vertex-transitive family of graphs (graph.Symmetry), for
// transition matrices that depend on degrees only. It reports false for other families.
func SymmetricClass(family string, sides []int) (PairClass, bool) {
	switch family {
	case "complete":
		return CompleteClass, true
	case "hypercube":
		return HypercubeClass, true
	case "ring":
		return RingClass(sides[0]), true
	case "torus":
		return TorusClass(sides[0], sides[1]), true
	}
	return nil, false
}

// HypercubeClass returns the class of a pair on a hypercube whose edges flip a bit. Pairs at the same distance
// are alike.
func HypercubeClass(u, v int) int { return bits.OnesCount(uint(u^v)) - 1 }

// RingClass returns the classes of rings of n nodes, in order, with edges both ways. Pairs at the same distance
// are alike.
func RingClass(n int) PairClass {
	return func(u, v int) int { return around(u, v, n) - 1 }
}

// around returns the distance of u and v on a ring of n nodes.
func around(u, v, n int) int {
	d := max(u-v, v-u)
	return min(d, n-d)
}

// TorusClass returns the classes of tori of rows x columns nodes, row by row. Pairs with the same distances
// down and across are alike. On a square torus the two distances may be swapped.
func TorusClass(rows, columns int) PairClass {
	return func(u, v int) int {
		down, across := around(u/columns, v/columns, rows), around(u%columns, v%columns, columns)
		if rows != columns {
			return down*(columns/2+1) + across - 1
		}
		down, across = max(down, across), min(down, across)
		return down*(down+1)/2 + across - 1
	}
}

// EveryPair gives each ordered pair of n nodes a class of its own. On a graph
// without symmetry the cost is then n(n-1) times that of Walk.Law.
func EveryPair(n int) PairClass {
	return func(u, v int) int {
		if v > u {
			v--
		}
		return u*(n-1) + v
	}
}

// StratifiedPairs draws up to each ordered pairs of every distance and gives each a class of its own. All other
// pairs are Unlawed. distance must be negative for pairs without a path.
func StratifiedPairs(n int, distance func(u, v int) int, each int, r *rand.Rand) PairClass {
	seen, kept := make(map[int]int), make(map[int][]Pair)
	for u := range n {
		for v := range n {
			if d := distance(u, v); u != v && d >= 0 {
				kept[d] = reservoir(kept[d], Pair{u, v}, seen[d], each, r)
				seen[d]++
			}
		}
	}
	class := make(map[Pair]int)
	for d := range n {
		for _, p := range kept[d] {
			class[p] = len(class)
		}
	}
	return func(u, v int) int {
		if c, ok := class[Pair{u, v}]; ok {
			return c
		}
		return Unlawed
	}
}

// reservoir keeps a uniform sample of the pairs offered so far: p comes after before others.
func reservoir(kept []Pair, p Pair, before, size int, r *rand.Rand) []Pair {
	if len(kept) < size {
		return append(kept, p)
	}
	if k := r.IntN(before + 1); k < size {
		kept[k] = p
	}
	return kept
}

// Laws holds the laws of all ordered pairs of a walk.
type Laws struct {
	privacy.Claim
	nodes int
	class PairClass
	laws  []*Law // by class
	pairs []int  // ordered pairs in each class
	local *Law   // of pairs without a class
	rest  int    // the number of these pairs

	workers int
	watch   *Watch
	ranks   ranks
	started *started // the refinement of class, if it was refined
}

// Laws computes one law a class on at most workers goroutines. If the walk starts at a given node, classes of
// more than one pair are refined by how the token comes to u (start.go).
func (w Walk) Laws(class PairClass, workers int) (*Laws, error) {
	if w.Nodes < 2 {
		return nil, fault.New(fmt.Sprintf("a walk on %d nodes has no pair of nodes", w.Nodes), "give a graph of at least 2 nodes")
	}
	if err := cmp.Or(w.Relatives().Check(w.Nodes), w.CheckTokens()); err != nil {
		return nil, err
	}
	p, err := w.base().allLaws(class, workers)
	if err != nil {
		return p, err
	}
	p.rank(w)
	for _, l := range append(p.laws, p.local) {
		if l != nil {
			l.Besides = w.Besides
		}
	}
	return p, nil
}

// allLaws does as Laws, for the largest sensitivity.
func (w Walk) allLaws(class PairClass, workers int) (*Laws, error) {
	if why := w.notAmplified(); why != "" {
		return allLocal(w, why), nil
	}
	if w.AllTokens() > 1 {
		return w.lawsOfTokens(class, workers)
	}
	p := &Laws{nodes: w.Nodes, class: class, local: localLaw(w.Most(), "its law was not computed"), workers: workers, watch: w.Watch}
	p.Claim = w.claim("walk, path", "pairs of one class are images of each other under a symmetry of the walk")
	first := p.count()
	if p.rest > 0 {
		p.Assumptions = append(p.Assumptions, fmt.Sprintf("%d of %d ordered pairs were not looked at and are charged the local loss",
			p.rest, w.Nodes*(w.Nodes-1)))
	}
	if w.Start != AnyStart && len(first) > 0 && slices.Max(p.pairs) > 1 {
		if err := w.check(0, 1); err != nil {
			return nil, err
		}
		refined := w.startedClasses(class, len(first))
		p.class, p.rest, p.pairs, p.started = refined.of, 0, nil, refined
		first = p.count()
		p.laws = make([]*Law, len(first))
		return p, w.startedLaws(p, refined, first, workers)
	}
	p.laws = make([]*Law, len(first))
	if w.irregular(first) {
		return p, w.batched(p, first, workers)
	}
	return p, w.oneByOne(p, first, workers)
}

// oneByOne computes the law of every class that has a pair.
func (w Walk) oneByOne(p *Laws, first []Pair, workers int) error {
	var blocks [][]Pair
	var class []int
	for k, pair := range first {
		if p.pairs[k] > 0 {
			blocks, class = append(blocks, []Pair{pair}), append(class, k)
		}
	}
	laws, err := w.each("one pair", blocks, workers, func(b int, _ []*Law, found func(int, *Law) error) error {
		if err := w.check(blocks[b][0].U, blocks[b][0].V); err != nil {
			return err
		}
		law, err := w.law(blocks[b][0].U, blocks[b][0].V)
		if err != nil {
			return err
		}
		return found(0, law)
	})
	for b, k := range class {
		p.laws[k] = laws[b][0]
	}
	return err
}

// allLocal returns laws that charge every pair the local loss.
func allLocal(w Walk, why string) *Laws {
	local := localLaw(w.Most(), why)
	return &Laws{
		Claim: local.Claim, nodes: w.Nodes, local: local, rest: w.Nodes * (w.Nodes - 1),
		class: func(u, v int) int { return Unlawed },
	}
}

// count counts the pairs of every class and returns the first of each.
func (p *Laws) count() (first []Pair) {
	for u := range p.nodes {
		for v := range p.nodes {
			if u == v {
				continue
			}
			k := p.class(u, v)
			if k == Unlawed {
				p.rest++
				continue
			}
			for k >= len(first) {
				first, p.pairs = append(first, Pair{}), append(p.pairs, 0)
			}
			if p.pairs[k] == 0 {
				first[k] = Pair{u, v}
			}
			p.pairs[k]++
		}
	}
	return first
}

// Priced reports whether the law of a pair was computed. It is false for a pair that has the local law because
// none was.
func (p *Laws) Priced(u, v int) bool { return len(p.laws) == 0 || p.class(u, v) != Unlawed }

// Unpriced counts the ordered pairs whose law was not computed.
func (p *Laws) Unpriced() int {
	if len(p.laws) == 0 {
		return 0
	}
	return p.rest
}

// Law returns the law of a pair of distinct nodes. If none was computed it returns the local law, whose claim
// names the reason.
func (p *Laws) Law(u, v int) *Law {
	law := p.local
	if k := p.class(u, v); k != Unlawed {
		law = p.laws[k]
	}
	if p.ranks.relatives == nil {
		return law
	}
	own := *law
	own.Relative, own.Unit = p.ranks.relatives[u], p.Unit
	return &own
}
