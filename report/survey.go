package report

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// limits bounds the number of pairs in each output.
type limits struct {
	dense     int // nodes up to which every pair is listed and kept in memory
	pairs     int // pairs up to which every pair is examined
	worst     int // pairs listed above dense nodes
	embedded  int // nodes up to which the page includes every pair
	observers int // observers on the page above that
}

// usual are the limits of every output. All pairs are examined up to 8192
// nodes.
var usual = limits{dense: 4096, pairs: 1 << 26, worst: 100_000, embedded: 2048, observers: 32}

// A visitor receives every loss of the survey once: eps[k] from u towards v
// under accountant k, and hops from u to v (-1 unreachable or unknown). eps is
// valid during the call only.
type visitor interface {
	visit(u, v int, hops int32, eps []float64)
}

// A survey is one pass over the pairwise losses. It looks up each loss once,
// and collects the data of the files and the page.
type survey struct {
	limits    limits
	n         int
	losses    []*Losses
	names     []string // nil: the nodes have none
	seen      []int    // observers: all nodes, or evenly spaced ones if there are too many pairs
	about     []int    // nodes with known losses: all, or one participant alone
	distances *byDistance
	pools     *pools // nil unless all pairs were examined
	list      *worst // nil if every pair is in all
	all       *dense // nil above limits.dense nodes
}

// newSurvey examines the pairs of b. It fails on a loss that is negative or
// NaN, unless the accountant is Partial, and when ctx ends.
func newSurvey(ctx context.Context, b *Bundle, most limits) (*survey, error) {
	n := b.nodes()
	s := &survey{limits: most, n: n, losses: b.Losses, seen: spaced(n, observersFor(n, most.pairs)), about: b.about(n),
		distances: &byDistance{accountants: len(b.Losses)}}
	if b.Picture != nil && len(b.Picture.Names) > 0 {
		s.names = b.Picture.Names
	}
	visitors := []visitor{s.distances}
	if !s.mutual() {
		return s, s.run(ctx, b.Picture, visitors)
	}
	if s.complete() && n > 0 {
		s.pools = newPools(n, len(b.Losses))
		visitors = append(visitors, s.pools)
	}
	if n <= most.dense {
		s.all = newDense(n, len(b.Losses))
		visitors = append(visitors, s.all)
	} else {
		s.list = &worst{keep: most.worst}
		visitors = append(visitors, s.list)
	}
	return s, s.run(ctx, b.Picture, visitors)
}

// mutual reports whether the losses of all nodes are known.
func (s *survey) mutual() bool { return len(s.about) == s.n }

// complete reports whether every known pair was examined.
func (s *survey) complete() bool { return len(s.seen) == s.n }

// observersFor returns the number of observers of n nodes that gives at most
// pairs pairs.
func observersFor(n, pairs int) int {
	if n == 0 {
		return 0
	}
	return max(1, min(n, pairs/n))
}

// spaced lists count of the numbers 0..n-1, evenly spaced, including 0.
func spaced(n, count int) []int {
	list := make([]int, count)
	for i := range list {
		list[i] = i * n / count
	}
	return list
}

func (s *survey) run(ctx context.Context, picture *Picture, visitors []visitor) error {
	hops := make([]int32, s.n)
	eps := make([]float64, len(s.losses))
	for u := range hops {
		hops[u] = -1
	}
	for _, v := range s.seen {
		if err := ctx.Err(); err != nil {
			return err
		}
		if picture != nil && picture.Hops != nil {
			picture.Hops(v, hops)
		}
		if err := s.column(v, hops, eps, visitors); err != nil {
			return err
		}
	}
	return nil
}

// column visits every pair that v observes.
func (s *survey) column(v int, hops []int32, eps []float64, visitors []visitor) error {
	for _, u := range s.about {
		if u == v {
			continue
		}
		for k, l := range s.losses {
			eps[k] = l.At(u, v)
			if !(eps[k] >= 0) && !l.silent(eps[k]) {
				return badLoss(l, u, v, eps[k])
			}
		}
		for _, each := range visitors {
			each.visit(u, v, hops[u], eps)
		}
	}
	return nil
}

func badLoss(l *Losses, u, v int, eps float64) error {
	return fault.New(fmt.Sprintf("accountant %s gives the loss from node %d to node %d as %v", l.Accountant, u, v, eps),
		"this is a defect of the accountant: a loss is never negative; please report it with the spec")
}

// priced counts the pairs that accountant k priced.
func (s *survey) priced(k int) (pairs int64) {
	for _, r := range s.distances.rings {
		if len(r.eps) > k {
			pairs += r.eps[k].pairs
		}
	}
	return pairs
}

// at returns the loss from u towards v under accountant k, from memory if
// possible.
func (s *survey) at(k, u, v int) float64 {
	switch {
	case u == v:
		return 0
	case s.all != nil:
		return s.all.eps[k][u*s.n+v]
	}
	return s.losses[k].At(u, v)
}

// dense keeps every pair: eps[k][u*n+v], hops[v*n+u] (-1 unknown).
type dense struct {
	n    int
	eps  [][]float64
	hops []int32
}

func newDense(n, accountants int) *dense {
	d := &dense{n: n, eps: make([][]float64, accountants), hops: make([]int32, n*n)}
	for k := range d.eps {
		d.eps[k] = make([]float64, n*n)
	}
	return d
}

func (d *dense) visit(u, v int, hops int32, eps []float64) {
	d.hops[v*d.n+u] = hops
	for k, e := range eps {
		d.eps[k][u*d.n+v] = e
	}
}

// byDistance summarises losses over the pairs at each distance.
type byDistance struct {
	accountants int
	rings       []ring // index 0: unreachable or unknown
}

// A ring holds the pairs at one distance.
type ring struct {
	pairs int64
	eps   []span // per accountant
}

// A span summarises the losses of the priced pairs.
type span struct {
	Min, Max, sum float64
	pairs         int64
}

func (b *byDistance) visit(_, _ int, hops int32, eps []float64) {
	at := int(max(hops, 0))
	for len(b.rings) <= at {
		b.rings = append(b.rings, newRing(b.accountants))
	}
	r := &b.rings[at]
	r.pairs++
	for k, e := range eps {
		if s := &r.eps[k]; !math.IsNaN(e) {
			s.Min, s.Max, s.sum, s.pairs = min(s.Min, e), max(s.Max, e), s.sum+e, s.pairs+1
		}
	}
}

func newRing(accountants int) ring {
	r := ring{eps: make([]span, accountants)}
	for k := range r.eps {
		r.eps[k] = span{Min: math.Inf(1), Max: math.Inf(-1)}
	}
	return r
}

// known reports whether any distance is known.
func (b *byDistance) known() bool { return len(b.rings) > 1 }

// mean returns the mean loss of the ring under accountant k. It is limited to
// the range of losses, because rounding of the sum alone could exceed it.
func (r ring) mean(k int) float64 {
	return min(r.eps[k].Max, max(r.eps[k].Min, r.eps[k].sum/float64(r.eps[k].pairs)))
}
