package attack

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// Values holds the attackers' estimates from their messages.
type Values struct {
	Dim   int
	Scale float64 // the largest message
	// Projection[u] is coordinate u of P(x + noise), P the projector on the
	// view. It is the noisy value of u if u is reconstructed. Otherwise it is
	// that of the shortest values that fit the messages.
	Projection [][]float64
	// Uncertainty[u] estimates the error of Projection[u] by rounding of the
	// messages: one standard deviation, and everything in lost directions.
	Uncertainty []float64
	// Residual is the root mean square of the differences between the messages
	// and those that the values would have given, relative to the largest
	// message. It is 0 if no message is left over to check with.
	Residual float64
	Spare    int // messages left over
}

// If messages do not fit to two digits, there is no solution. A value with an
// error of more than a tenth of the largest message is lost.
const (
	worstResidual = 1e-2
	lost          = 0.1
	mostSolve     = 4e10 // multiplications: some half a minute
)

// Lost reports whether rounding has destroyed the value of u, although the view
// determines it.
func (v *Values) Lost(u int) bool { return v.Uncertainty[u] > lost*v.Scale }

// Values returns the values that follow from the messages. messages must hold
// all messages that the attackers received, and their own values. gamma is the
// factor of acceleration (002, Algorithm 6.1), 1 for plain gossip. It returns
// an error if the messages come from another run or the system is too large.
//
// The knowledge matrix is far too ill conditioned to be reduced in floating
// point. Instead its product with an orthonormal basis of the view, which is
// exact or nearly so, is solved by least squares. Directions below the rounding
// errors of the messages are left out, and Uncertainty tells which values
// depend on them.
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

// knowledge returns the knowledge matrix times the basis. It runs gossip on
// each basis vector and keeps the values that the attackers see.
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

// BestEstimate returns the estimate of u's value by attackers who know all
// other values. It is unbiased, with variance sigma^2/leakage for each
// coordinate if every value has noise of standard deviation sigma. others[w]
// are the true values, and others[u] is ignored. It returns an error if no
// message depends on u.
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

// largest returns the largest absolute value of an entry.
func largest(rows [][]float64) float64 {
	most := 0.0
	for _, row := range rows {
		for _, x := range row {
			most = max(most, math.Abs(x))
		}
	}
	return most
}
