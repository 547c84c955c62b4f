package attack

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Values are what attackers make of their messages.
type Values struct {
	Dim   int
	Scale float64 // the largest message
	// Projection[u] is coordinate u of P(x + noise), P the projector on the view:
	// the value that u perturbed if u is reconstructed, the least of all values
	// that fit the messages otherwise.
	Projection [][]float64
	// Uncertainty[u] is how far rounding of the messages may have moved
	// Projection[u]: one standard deviation, and all of what is lost.
	Uncertainty []float64
	// Residual is the root mean square by which the messages miss those that the
	// values would have given, relative to the largest message; 0 when no message
	// is left over to check with.
	Residual float64
	Spare    int // messages left over
}

// What does not fit the messages to two digits is no solution; a value that may
// be off by a tenth of the largest message is lost.
const (
	worstResidual = 1e-2
	lost          = 0.1
	mostSolve     = 4e10 // multiplications: some half a minute
)

// Lost reports whether rounding has destroyed the value of u, and not the view.
func (v *Values) Lost(u int) bool { return v.Uncertainty[u] > lost*v.Scale }

// Values solves for the values from the messages that the attackers received,
// all of them, and their own. gamma is the factor of acceleration (002,
// Algorithm 6.1), 1 for plain gossip.
//
// The knowledge matrix is far too ill conditioned to be reduced in floating
// point. Instead its product with an orthonormal basis of the view, which is
// exact or nearly, is solved by least squares. Directions that rounding of the
// messages has drowned are left out, and Uncertainty says whose value they
// hold.
func (g *Gossip) Values(messages []Message, gamma float64) (*Values, error) {
	if err := g.checkGamma(gamma); err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, fault.New("there is no message", "give what the attackers received, and their own values")
	}
	rows := g.observations()
	received, err := g.arrange(rows, messages)
	if err != nil {
		return nil, err
	}
	if cost := float64(len(rows)) * float64(g.View.Rank()) * float64(g.View.Rank()); cost > mostSolve {
		return nil, fault.New(fmt.Sprintf("%d messages about %d combinations of values are too many to solve", len(rows), g.View.Rank()), "take fewer steps")
	}
	basis, err := g.View.Basis()
	if err != nil {
		return nil, err
	}
	s, err := newSystem(g.knowledge(rows, basis, gamma), received)
	if err != nil {
		return nil, err
	}
	return s.solve(basis)
}

func (g *Gossip) checkGamma(gamma float64) error {
	switch {
	case !(gamma >= 1 && gamma <= 2):
		return fault.New(fmt.Sprintf("acceleration factor gamma %g is not between 1 and 2", gamma), "give the factor of the run, 1 for plain gossip")
	case gamma != 1 && g.averaging.Changing():
		return fault.New("acceleration of a changing graph is not analysed", "give gamma 1")
	}
	return nil
}

// knowledge is the knowledge matrix times the basis: gossip on each basis
// vector, and of that what the attackers see.
func (g *Gossip) knowledge(rows []seen, basis [][]float64, gamma float64) *mat.Dense {
	n, rank := g.Len(), len(basis)
	now, before := make([]float64, n*rank), make([]float64, n*rank)
	for k, q := range basis {
		for u, weight := range q {
			now[u*rank+k] = weight
		}
	}
	a := mat.NewDense(len(rows), rank, nil)
	at := 0
	for t := range max(1, g.averaging.Steps()) {
		for ; at < len(rows) && rows[at].turn == t; at++ {
			a.SetRow(at, now[rows[at].node*rank:(rows[at].node+1)*rank])
		}
		if at == len(rows) {
			break
		}
		weight, older := gamma, 1-gamma
		if t == 0 {
			weight, older = 1, 0
		}
		g.averaging.Matrix(t).ThreeTerm(before, now, rank, weight, 0, older)
		now, before = before, now
	}
	return a
}

// BestEstimate is the estimate of u's value by attackers who know all other
// values: unbiased, of variance sigma^2/leakage a coordinate with noise of
// standard deviation sigma on every value. others[w] are the true values; that
// of u is not looked at. It is an error if nothing of u arrives.
func (g *Gossip) BestEstimate(v *Values, u int, others [][]float64) ([]float64, error) {
	weights := make([]float64, g.Len())
	if err := g.View.Direction(weights, u); err != nil {
		return nil, err
	}
	if !(weights[u] > 0) {
		return nil, fault.New(fmt.Sprintf("nothing of node %d arrives", u), "take more steps")
	}
	estimate := make([]float64, v.Dim)
	for j := range estimate {
		rest := v.Projection[u][j]
		for w, weight := range weights {
			if w != u && weight != 0 {
				rest -= float64(weight * others[w][j])
			}
		}
		estimate[j] = rest / weights[u]
	}
	return estimate, nil
}

// largest is the largest entry in size.
func largest(rows [][]float64) float64 {
	most := 0.0
	for _, row := range rows {
		for _, x := range row {
			most = max(most, math.Abs(x))
		}
	}
	return most
}
