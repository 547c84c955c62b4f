package walkpublished

import (
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Sender tells whether a node learns who handed it the token.
type Sender int

// The two threat models.
const (
	Hidden Sender = iota // 002, equation 7.5: the sender is anonymous
	Known                // 002, section D.7.1: the worst neighbour is taken
)

// String returns "hidden" or "known".
func (s Sender) String() string {
	if s == Known {
		return "known"
	}
	return "hidden"
}

// localCap is the S at which the loss alpha*S/sigma^2 reaches the local loss alpha/(2 sigma^2), at
// every Renyi order.
const localCap = 0.5

// Pairs holds S[u][v] within [0, 1/2] for every ordered pair of distinct nodes: the share of one
// contribution of u that reaches v. Under a known sender it holds the largest S[u][w] over the
// neighbours w of v, and 1/2 if u is a neighbour.
type Pairs struct {
	n      int
	sender Sender
	values []float64 // n x n, not capped
	sorted []float64 // capped, off the diagonal; one triangle if the matrix is symmetric
	prefix []float64 // prefix[i] is the sum of sorted[:i]
}

// Pairs prepares the losses of all pairs from the sums of the same walk. It keeps s, which must not
// change afterwards.
func (w *Accountant) Pairs(s *Sums, sender Sender) *Pairs {
	if s.N != w.Len() {
		panic("privacy/walkpublished: sums of another walk")
	}
	p := &Pairs{n: s.N, sender: sender, values: s.Values}
	if sender == Known {
		p.values = worstNeighbour(s, w.transition)
	}
	p.sort(w.symmetric && sender == Hidden)
	return p
}

// worstNeighbour returns the matrix of the largest S[u][w] over the nodes w that hand tokens to v
// (002, section D.7.1).
func worstNeighbour(s *Sums, w *sparse.Matrix) []float64 {
	senders := w.Transpose()
	worst := make([]float64, len(s.Values))
	for u := range s.N {
		from, to := s.Values[u*s.N:(u+1)*s.N], worst[u*s.N:(u+1)*s.N]
		for v := range to {
			to[v] = worstSender(from, senders, u, v)
		}
	}
	return worst
}

// worstSender returns the largest sum of row u over the senders of v other than v itself. It
// returns the cap if u is one of them.
func worstSender(row []float64, senders *sparse.Matrix, u, v int) float64 {
	worst := 0.0
	columns, values := senders.Row(v)
	for k, x := range columns {
		switch {
		case int(x) == v || values[k] == 0:
		case int(x) == u:
			return localCap
		default:
			worst = max(worst, row[x])
		}
	}
	return worst
}

// sort collects the capped values in ascending order. mirrored means a symmetric matrix: one
// triangle then stands for both.
func (p *Pairs) sort(mirrored bool) {
	size := p.n * (p.n - 1)
	if mirrored {
		size /= 2
	}
	p.sorted = make([]float64, 0, size)
	for u := range p.n {
		for v := range p.n {
			if v > u || v < u && !mirrored {
				p.sorted = append(p.sorted, p.reach(u, v))
			}
		}
	}
	slices.Sort(p.sorted)
	p.prefix = make([]float64, size+1)
	for i, s := range p.sorted {
		p.prefix[i+1] = p.prefix[i] + s
	}
}

// reach returns the capped value of a pair.
func (p *Pairs) reach(u, v int) float64 {
	return min(max(p.values[u*p.n+v], 0), localCap)
}

// Len returns the number of nodes.
func (p *Pairs) Len() int { return p.n }

// Sender returns the threat model of these pairs.
func (p *Pairs) Sender() Sender { return p.sender }
