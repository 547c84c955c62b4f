package walkpath

import (
	"slices"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// Nodes with different numbers of records, or with clips of their own, have different sensitivities and add the same noise. The path
// of the token does not depend on that. The updates of other nodes are non-expansive, and their noise hides the
// same share of any difference. A contribution of u begins a difference that is at most u's own sensitivity
// long, instead of the largest of all nodes. All shifts of the proof are shorter by that factor, and V is
// smaller by its square. Laws are therefore computed for the largest sensitivity, and evaluated at u's own
// noise multiplier, which is larger by the factor.

// base returns the walk for which laws are computed: with the largest sensitivity for all, and one token as one
// token.
func (w Walk) base() Walk {
	if w.AllTokens() == 1 && w.Starts != nil {
		w = w.token(0)
	}
	w.Sensitivities, w.Records = nil, false
	return w
}

// of returns l as the law of node u under the walk's sensitivities, with the other releases of nodes added.
func (l *Law) of(w Walk, u int) *Law {
	relatives := w.Relatives()
	if relatives == nil && w.Besides == 0 {
		return l
	}
	own := *l
	own.Besides = w.Besides
	if relatives != nil {
		own.Relative = relatives.At(u)
	}
	if w.Records {
		own.Unit = privacy.Record
	}
	return &own
}

// multiplier returns the node's own noise multiplier, where sigma is in units of the largest sensitivity.
func (l *Law) multiplier(sigma float64) float64 {
	if l.Relative == 0 {
		return sigma
	}
	return sigma / l.Relative
}

// ranks holds the different sensitivities of nodes, relative to the largest, and the number of pairs of each.
type ranks struct {
	relatives schedule.Relatives // by node; nil: all are 1
	values    []float64
	of        []int   // rank by node; nil: all are of the first rank
	pairs     [][]int // by rank and class, ordered
	rest      []int   // by rank: pairs without a class
}

func (r *ranks) at(u int) int {
	if r.of == nil {
		return 0
	}
	return r.of[u]
}

// rank counts the pairs of every sensitivity.
func (p *Laws) rank(w Walk) {
	p.ranks = ranks{relatives: w.Relatives(), values: []float64{1}, pairs: [][]int{p.pairs}, rest: []int{p.rest}}
	if w.Records {
		p.Unit = privacy.Record
	}
	if p.ranks.relatives == nil {
		return
	}
	r := &p.ranks
	r.values = slices.Compact(slices.Sorted(slices.Values(r.relatives)))
	r.of, r.rest, r.pairs = make([]int, p.nodes), make([]int, len(r.values)), make([][]int, len(r.values))
	for k := range r.pairs {
		r.pairs[k] = make([]int, len(p.pairs))
	}
	for u := range r.of {
		k, _ := slices.BinarySearch(r.values, r.relatives[u])
		r.of[u] = k
		if len(p.pairs) == 0 {
			r.rest[k] += p.nodes - 1
			continue
		}
		for v := range p.nodes {
			if u == v {
				continue
			}
			switch class := p.class(u, v); class {
			case Unlawed:
				r.rest[k]++
			default:
				r.pairs[k][class]++
			}
		}
	}
}
