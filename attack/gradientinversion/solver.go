package gradientinversion

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// A Method is a way to solve for the gradients.
type Method string

// Ordinary least squares weight all messages equally. Generalised ones weight them by the
// covariance of their noise (002, Algorithm A.1), which is best if only noise changes from round
// to round.
const (
	Ordinary    Method = "ols"
	Generalised Method = "gls"
)

// A Solver computes gradients from messages. It is linear, and independent of the messages.
type Solver struct {
	Method    Method
	knowledge *Knowledge
	basis     *mat.Dense // a row for each node, a column for each combination of gradients that the messages hold
	left      *mat.Dense // of the singular value decomposition, from messages to directions; nil: nothing to solve
	values    []float64  // descending
	right     *mat.Dense // from directions to combinations
	ridge     *ridge     // if there are too many combinations for singular values
	known     []bool     // by node: its gradient alone is one of the combinations
	given     []bool     // by node: its gradient is known already; nil: none is
}

// The largest work of a solver, in multiplications: some half a minute each.
const (
	mostSolve = 6e10
	mostGain  = 2e10
)

// NewSolver prepares the solution. view gives the combinations of gradients that the messages
// hold, and is nil if the weights change. With fixed weights they are the combinations of
// averaging over as many turns. The reason is that a message of turn t is a polynomial of degree t
// in the weights, applied to the gradients, and its leading coefficient is not zero.
//
// given marks nodes whose gradients are known already, and nil marks none. Their part is
// subtracted from the messages before they are solved. NewSolver returns an error if the work
// would be too much.
func NewSolver(k *Knowledge, m Method, view *gossipview.View, given []bool) (*Solver, error) {
	if m != Ordinary && m != Generalised {
		return nil, fault.New(fmt.Sprintf("there is no method %.20q", m), "use ols or gls")
	}
	s := &Solver{Method: m, knowledge: k, given: given}
	if err := s.setBasis(view, given); err != nil {
		return nil, err
	}
	rows, n := float64(len(k.rows)), float64(k.Len())
	_, cols := s.basis.Dims()
	rank := float64(cols)
	cost := float64(rows*rank*rank) + float64(12*math.Pow(min(rows, rank), 3))
	if m == Generalised {
		cost += float64(float64(k.protocol.Turns())*n*rows*rows) + float64(12*math.Pow(rows, 3))
	}
	if cost > mostSolve {
		return nil, fault.New(fmt.Sprintf("%d messages about %d combinations of gradients are too many to solve by %s", len(k.rows), cols, m),
			"use ols, look at fewer rounds, or at attackers with fewer neighbours")
	}
	s.known = make([]bool, k.Len())
	if len(k.rows) == 0 || cols == 0 {
		return s, nil
	}
	for u := range s.known {
		q := s.basis.RowView(u)
		s.known[u] = !k.attacker[u] && math.Abs(mat.Dot(q, q)-1) <= apart
	}
	return s, s.factorise()
}

// setBasis takes the combinations of view without the attackers' and given nodes, or all other
// nodes if view does not decide.
func (s *Solver) setBasis(view *gossipview.View, given []bool) error {
	k := s.knowledge
	var columns, all [][]float64
	if view != nil && view.Certainty() != gossipview.Open && view.Certainty() != gossipview.Saturated {
		var err error
		if all, err = view.Basis(); err != nil {
			return err
		}
	} else {
		for _, v := range k.Targets() {
			q := make([]float64, k.Len())
			q[v] = 1
			all = append(all, q)
		}
	}
	for _, q := range all {
		for v := range q {
			if k.attacker[v] || given != nil && given[v] {
				q[v] = 0 // known alone, so other basis vectors are 0 there
			}
		}
		if floats.Norm(q, 2) > 0.5 {
			columns = append(columns, q)
		}
	}
	s.basis = &mat.Dense{}
	if len(columns) > 0 {
		s.basis = mat.NewDense(k.Len(), len(columns), nil)
		for j, q := range columns {
			s.basis.SetCol(j, q)
		}
	}
	return nil
}
