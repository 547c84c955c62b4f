package walkpath

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// One node of a large graph has too many pairs for one law each, and its graph has too many nodes for moments
// of all pairs. This file bounds the node's pairs by the first passage alone.
//
// On every path the energy V towards v is at most
//
//	sum over contributions i of min(1, (2 r_i - 1) / D_i),
//
// where D_i is the number of turns from contribution i to the next receipt of v, and r_i is its place, counted
// backwards from that receipt, among the contributions that this receipt ends. To see this, take the
// contributions of an excursion from its end. Let the first j-1 of them be hidden by a spread s of energy
// V_(j-1) over the last turns, which adds up to j-1. Spreading the next contribution evenly over its D turns,
// which contain all of s, gives V_(j-1) + 2 (j-1)/D + 1/D. Leaving it to its own turn, which s does not use,
// gives V_(j-1) + 1.
//
// The i-th contribution of at most cap has r_i <= cap-i+1. Whenever it is made, D_i has the law of the first
// passage D from u to v, whatever happened before. The dependence of the D_i does not matter: of all joint
// laws, the sum of equal ones is the largest in increasing convex order (pool.go), so that
//
//	V <= Phi(D),    Phi(d) = sum over j = 1..cap of min(1, (2j - 1) / d),
//
// in that order, and V = 0 unless the token comes to u at all. Phi falls with d. A measure with more weight on
// small d is therefore an upper bound too. Expected visits of v are such a measure, which needs no first
// passage and is computed for all v at once.

// A Side bounds the losses of all nodes towards one observer, or those of one node towards all observers.
type Side struct {
	privacy.Claim
	Node     int
	Towards  bool // Node observes; else Node is the one whose data leak
	walk     Walk
	turns    int       // the number of turns that are followed
	energies []float64 // by bin
	weights  []float64 // of other node i: [i*len(energies)+bin]
}

// mostSideTurns is the number of turns that are followed one by one. In each later turn the first passage has
// at most the largest probability of any node in the last turn followed. This holds because a token that comes
// to v first in turn t+s is somewhere after s turns and comes to v first t turns later. Expected visits have
// the same bound if the columns of W sum to at most 1.
const mostSideTurns = 2_000

// SideTurns returns the number of products with W that a side of the walk takes.
func (w Walk) SideTurns() int {
	products := w.sideTurns()
	if w.W == nil || w.Turns > mostVisitTurns {
		return products
	}
	if _, moved := w.firstMove(w.W.Transpose(), 1); !w.settled(moved) {
		products += w.Turns
	}
	return products
}

func (w Walk) sideTurns() int { return min(w.Turns, mostSideTurns) }

// mostVisitTurns is the longest walk whose visits are counted turn by turn, if they must be counted.
const mostVisitTurns = 10 * mostSideTurns

// checkSide returns an error if the argument above does not cover a walk.
func (w Walk) checkSide(node int) error {
	switch why := w.notAmplified(); {
	case why != "":
		return fault.New("one node's pairs are bounded by first passages only, and "+why, "choose a pair with --u and --v")
	case w.Cap < 1:
		return fault.New("one node's pairs are bounded by how often it contributes, and nothing limits that", "give a cap: --contributions 10")
	case w.Final:
		return fault.New("one node's pairs are bounded by first passages only, and the last token is shown to everybody", "choose a pair with --u and --v")
	case w.AllTokens() > 1 || w.Skip > 0:
		return fault.New("one node's pairs are bounded for one token whose holders all contribute", "choose a pair with --u and --v")
	case w.W == nil:
		return fault.New("one node's pairs are bounded on a graph only", "choose a pair: on a complete graph all are alike")
	}
	return w.check(node, (node+1)%max(2, w.Nodes))
}

// SideTowards returns the Side of v as observer of every node, computed on at most workers goroutines.
func (w Walk) SideTowards(v, workers int) (*Side, error) {
	return w.side(v, true, w.sideTurns(), workers)
}

// SideFrom returns the Side of u's losses towards all other nodes.
func (w Walk) SideFrom(u, workers int) (*Side, error) {
	return w.side(u, false, w.sideTurns(), workers)
}

// side computes first passages P(D = t) to the node, by where they begin, or expected visits of each node in
// turn t. It follows turns turns.
func (w Walk) side(node int, towards bool, turns, workers int) (*Side, error) {
	if err := w.checkSide(node); err != nil {
		return nil, err
	}
	s := &Side{Node: node, Towards: towards, walk: w, turns: turns,
		Claim: w.claim("walk, path", "the energy is bounded by the law of the first passage to the observer, all contributions as if they were of one excursion")}
	at := make([]float64, w.Nodes)
	at[node] = 1
	if towards {
		return s, s.follow(w.W, at, workers, func(first []float64) { first[node] = 0 })
	}
	return s, s.follow(w.W.Transpose(), at, workers, func([]float64) {})
}

// phi returns Phi(d).
func phi(d, most int) float64 {
	total := 0.0
	for j := 1; j <= most; j++ {
		total += min(1, float64(2*j-1)/float64(d))
	}
	return total
}

// sideBins returns the first turns of the bins of turns. The first bins have one turn each, later ones grow.
func sideBins(turns int) (first []int) {
	const alone, growth = 24, 1.12
	for t := 1; t <= turns; t = max(t+1, int(float64(t)*growth)) {
		first = append(first, t)
		for t < alone && t < turns {
			t++
			first = append(first, t)
		}
	}
	return first
}

// follow multiplies by the matrix turn by turn, applies mend to each result, and sums the results by bin. It
// limits the total weight of a node to 1.
func (s *Side) follow(by *sparse.Matrix, at []float64, workers int, mend func([]float64)) error {
	w, turns, n := s.walk, s.turns, s.walk.Nodes
	bins := sideBins(turns)
	later := sideBins(w.Turns - turns) // after those that are followed
	for _, t := range bins {
		s.energies = append(s.energies, phi(t, w.Cap))
	}
	for _, t := range later {
		s.energies = append(s.energies, phi(turns+t, w.Cap))
	}
	s.weights = make([]float64, n*len(s.energies))
	met, err := s.met(workers)
	if err != nil {
		return err
	}
	w.Watch.stage("first passages of one node")
	next, sum, all := make([]float64, n), make([]float64, n), make([]float64, n)
	bin := 0
	flush := func() {
		for i, x := range sum {
			x = min(x*(1+1e-9), 1-all[i]) // more than the rounding error
			all[i] += x
			s.weights[i*len(s.energies)+bin] = x * met[i]
			sum[i] = 0
		}
	}
	for t := 1; t <= turns; t++ {
		if err := w.Watch.err(); err != nil {
			return err
		}
		multiply(by, next, at, workers)
		at, next = next, at
		mend(at)
		if bin+1 < len(bins) && bins[bin+1] == t {
			flush()
			bin++
		}
		for i, x := range at {
			sum[i] += x
		}
		w.Watch.progress(t, turns)
	}
	flush()
	s.rest(len(bins), later, all, met, s.rate(by, at))
	return nil
}

// rate bounds the probability of any later turn, given the distribution in the last turn followed.
func (s *Side) rate(by *sparse.Matrix, last []float64) float64 {
	if !s.Towards {
		ones := slices.Repeat([]float64{1}, by.N)
		columns := make([]float64, by.N)
		multiply(by, columns, ones, 1)
		if slices.Max(columns) > 1+privacy.RowTolerance {
			return 1
		}
	}
	return slices.Max(last) * (1 + 1e-9) * math.Exp(float64(s.walk.Turns)*privacy.RowTolerance)
}

// rest fills the bins of later turns in order, with rate for each turn, until no weight is left.
func (s *Side) rest(from int, later []int, all, met []float64, rate float64) {
	for k, t := range later {
		width := s.walk.Turns - s.turns + 1 - t
		if k+1 < len(later) {
			width = later[k+1] - t
		}
		for i := range all {
			x := min(float64(width)*rate, 1-all[i])
			all[i] += x
			s.weights[i*len(s.energies)+from+k] = x * met[i]
		}
	}
}

// multiply sets dst = m x.
func multiply(m *sparse.Matrix, dst, x []float64, workers int) {
	const rows = 1 << 14
	parallel.Each((m.N+rows-1)/rows, workers, func(b int) {
		m.ThreeTermRows(dst, x, 1, b*rows, min(m.N, (b+1)*rows), 1, 0, 0)
	})
}

// met bounds, for each other node, the probability that the leaking node is visited at all by its expected
// number of visits.
func (s *Side) met(workers int) ([]float64, error) {
	w, met := s.walk, make([]float64, s.walk.Nodes)
	visits, err := w.visits(workers)
	if err != nil {
		return nil, err
	}
	for i := range met {
		leaks := s.Node
		if s.Towards {
			leaks = i
		}
		met[i] = min(1, visits[leaks]*(1+1e-9))
	}
	return met, nil
}

// visits returns the expected number of visits of each node. It returns 1 for all nodes if the walk is longer
// than mostVisitTurns and does not start in its stationary law.
func (w Walk) visits(workers int) ([]float64, error) {
	all := slices.Repeat([]float64{1}, w.Nodes)
	now, backwards := w.startLaw(), w.W.Transpose()
	next, moved := w.firstMove(backwards, workers)
	if w.settled(moved) {
		turns := float64(w.Turns)
		for i, p := range now {
			all[i] = turns * (p + float64(turns*moved))
		}
		return all, nil
	}
	if w.Turns > mostVisitTurns {
		return all, nil
	}
	w.Watch.stage("how often nodes are visited")
	copy(all, now)
	for t := 1; t < w.Turns; t++ {
		if err := w.Watch.err(); err != nil {
			return nil, err
		}
		if t > 1 {
			multiply(backwards, next, now, workers)
		}
		now, next = next, now
		sparse.Axpy(all, 1, now)
		w.Watch.progress(t, w.Turns)
	}
	return all, nil
}

// firstMove returns the law of the token after a turn, and the sum over nodes of the changes of probability in
// that turn. No later turn has a larger sum.
func (w Walk) firstMove(backwards *sparse.Matrix, workers int) (next []float64, moved float64) {
	now := w.startLaw()
	next = make([]float64, w.Nodes)
	multiply(backwards, next, now, workers)
	for i := range next {
		moved += math.Abs(next[i] - now[i])
	}
	return next, moved
}

// settled reports whether moved is due to rounding only.
func (w Walk) settled(moved float64) bool { return float64(w.Turns)*moved <= 1e-3/float64(w.Nodes) }

// Law returns the law of the pair with another node.
func (s *Side) Law(other int) *Law {
	if other == s.Node {
		panic("privacy/walkpath: a node as observer of itself")
	}
	weights := s.weights[other*len(s.energies) : (other+1)*len(s.energies)]
	l := &Law{Claim: s.Claim, Energies: s.energies, Weights: weights, Most: s.walk.Most()}
	if s.Towards {
		return l.of(s.walk, other)
	}
	return l.of(s.walk, s.Node)
}

// Losses returns the losses of the pairs with all other nodes, by node. The loss of the node itself is 0.
func (s *Side) Losses(sigma float64, m privacy.Metric, workers int) ([]float64, error) {
	if err := cmp.Or(m.Check(), privacy.CheckSigma(sigma)); err != nil {
		return nil, err
	}
	losses := make([]float64, s.walk.Nodes)
	s.walk.Watch.stage(fmt.Sprintf("losses of %d pairs", len(losses)-1))
	return losses, s.walk.Watch.all(len(losses), workers, func(i int) {
		if i != s.Node {
			losses[i] = s.Law(i).loss(sigma, m)
		}
	})
}
