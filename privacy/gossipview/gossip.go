package gossipview

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/subspace"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// An Accountant charges a number of rounds of averaging after one draw of noise per node (Muffliato: 002,
// Algorithms 6.1 and 6.2). Round t, from 0 on, sends x to the neighbours and replaces it by W_t x, so that the
// first messages are the noisy values themselves. Acceleration sends other polynomials of the same degrees,
// which carry the same information (002, Remark 4.2).
type Accountant struct {
	n        int
	steps    int
	fixed    bool
	matrices []*sparse.Matrix // one if fixed, otherwise one a round
	parts    []parts          // of the matrices
	shared   *shared          // data that all single observers share; nil: not computed
	progress func(done, total int)
}

// WithProgress returns the same accountant with a progress function. Where it decides the views of all
// observers it calls progress after each, with the number done and the total, from any goroutine, one call at a
// time. nil turns it off.
func (g *Accountant) WithProgress(progress func(done, total int)) *Accountant {
	other := *g
	other.progress = progress
	return &other
}

// parts holds the data that are computed once for a matrix.
type parts struct {
	symmetric  bool
	transposed *sparse.Matrix
	fractions  *exact.Fractions // nil if its entries are not known exactly
	residues   [2][]uint64      // in exact.Fields()
	long       []exact.Fixed
	small      *sparse.Matrix // its Small; nil if not symmetric
	factor     subspace.Factor
}

// New returns the accountant of fixed gossip. W must be stochastic, where W[v][w] is the weight that v gives to
// w; New keeps it, and it must not change. steps >= 0 is T, the number of rounds. v hears w if W has an entry
// off the diagonal.
func New(w *sparse.Matrix, steps int) (*Accountant, error) {
	if steps < 0 {
		return nil, fault.New(fmt.Sprintf("gossip of %d steps", steps), "give 0 steps or more")
	}
	if float64(steps)*float64(w.N) > mostMessages {
		return nil, fault.New(fmt.Sprintf("gossip of %d steps over %d nodes is too long to account for", steps, w.N),
			fmt.Sprintf("stay below %g steps times nodes", float64(mostMessages)))
	}
	g := &Accountant{n: w.N, steps: steps, fixed: true}
	return g, g.add(w, 0)
}

// mostMessages is the largest number of rows of products of W that fit into memory.
const mostMessages = 2e8

// NewChanging returns the accountant of gossip whose matrix changes. There must be one matrix a round, at least
// one, all of the same order. Examples are realised edges of randomised gossip, redrawn graphs and dropout.
func NewChanging(ws []*sparse.Matrix) (*Accountant, error) {
	if len(ws) == 0 {
		return nil, fault.New("gossip over changing graphs without any graph", "give one matrix a round")
	}
	g := &Accountant{n: ws[0].N, steps: len(ws)}
	for t, w := range ws {
		if w.N != g.n {
			return nil, fault.New(fmt.Sprintf("the matrix of round %d is of order %d, the first of order %d", t, w.N, g.n),
				"keep all nodes in every round; one that is absent stays with its own value")
		}
		if k := slices.Index(ws[:t], w); k >= 0 {
			g.matrices, g.parts = append(g.matrices, w), append(g.parts, g.parts[k])
			continue
		}
		if err := g.add(w, t); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// add checks a matrix and appends it.
func (g *Accountant) add(w *sparse.Matrix, round int) error {
	if err := checkWeights(w); err != nil {
		return fault.Wrap(err, fmt.Sprintf("round %d", round), fault.Hint(err))
	}
	p := parts{symmetric: w.Symmetric(0), transposed: w, factor: subspace.NewFactor(w)}
	if !p.symmetric {
		p.transposed = w.Transpose()
	}
	if fractions, ok := exact.FractionsOf(w); ok {
		p.fractions = fractions
		p.long = fractions.Fixed()
		for k, f := range exact.Fields() {
			p.residues[k] = fractions.Residues(f)
		}
		if p.symmetric {
			p.small = fractions.Small()
		}
	}
	g.matrices, g.parts = append(g.matrices, w), append(g.parts, p)
	return nil
}

// checkWeights does as privacy.CheckStochastic, and accepts a single node too.
func checkWeights(w *sparse.Matrix) error {
	switch {
	case w.N == 0:
		return fault.New("gossip among no nodes", "give a graph of at least 1 node")
	case w.N == 1 && !(math.Abs(w.At(0, 0)-1) <= privacy.RowTolerance):
		return fault.New(fmt.Sprintf("the weight of the only node for itself is %g, not 1", w.At(0, 0)), "give a stochastic matrix")
	case w.N == 1:
		return nil
	}
	return privacy.CheckStochastic(w)
}

// Len returns the number of nodes.
func (g *Accountant) Len() int { return g.n }

// Steps returns T.
func (g *Accountant) Steps() int { return g.steps }

// at returns the index of the matrix of a round.
func (g *Accountant) at(round int) int {
	if g.fixed {
		return 0
	}
	return round
}

// heard lists the nodes that the observers receive from in a round, in ascending order, without the observers.
func (g *Accountant) heard(observers []int, round int) []int {
	var senders []int
	for _, v := range observers {
		columns, _ := g.matrices[g.at(round)].Row(v)
		for _, w := range columns {
			if !slices.Contains(observers, int(w)) {
				senders = append(senders, int(w))
			}
		}
	}
	slices.Sort(senders)
	return slices.Compact(senders)
}

// reached marks the nodes whose value has had the time to arrive.
func (g *Accountant) reached(observers []int) []bool {
	sources := make([]bool, g.n) // nodes whose values at the beginning of the round arrive later
	for round := g.steps - 1; round >= 0; round-- {
		earlier := make([]bool, g.n)
		for w, arrives := range sources {
			columns, _ := g.matrices[g.at(round)].Row(w)
			for _, x := range columns {
				earlier[x] = earlier[x] || arrives
			}
		}
		for _, w := range g.heard(observers, round) {
			earlier[w] = true
		}
		sources = earlier
	}
	for _, v := range observers {
		sources[v] = true
	}
	return sources
}

// checkNodes returns an error for the first that is not a node, or that occurs twice.
func (g *Accountant) checkNodes(nodes []int, what string) error {
	if len(nodes) == 0 {
		return fault.New("no "+what, "name at least one node")
	}
	for k, v := range nodes {
		if v < 0 || v >= g.n {
			return fault.New(fmt.Sprintf("%s %d is not a node: nodes are 0 to %d", what, v, g.n-1), "name nodes of the graph")
		}
		if slices.Contains(nodes[:k], v) {
			return fault.New(fmt.Sprintf("%s %d is named twice", what, v), "name every node once")
		}
	}
	return nil
}
