package walkpublished

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/chebyshev"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// An Accountant charges a token that moves on a graph by a transition matrix W for a number of
// steps, pair by pair as published (002, equations D.8 to D.11; 000, Theorem 3):
//
//	single[u][v] = (alpha/sigma^2) S[u][v],  S = sum over t=1..T of W^t / t.
//
// Building S needs only products of W with vectors, except for small graphs and graphs with a small
// spectral gap.
type Accountant struct {
	transition *sparse.Matrix
	steps      int
	form       Form
	symmetric  bool
	complete   bool              // every entry is 1/n
	folded     *chebyshev.Folded // the classes whose matrix is transition; nil: not folded
}

// Form selects the formula of S.
type Form int

// The two forms.
const (
	// Exact is the sum itself, for any W (equation D.8, with the loss alpha/(2 sigma^2 t) after t
	// steps). For a symmetric W it is equation D.10.
	Exact Form = iota
	// ClosedForm is ln T/n - log(I - W + J/n) (equation D.11), which needs a symmetric W. It has ln
	// T in place of the harmonic number, and an endless sum for the rest.
	ClosedForm
)

// Of returns the accountant of a token that walks by a schedule, by the exact sum.
func Of(s schedule.Walk) (*Accountant, error) { return New(s.W, s.Turns, Exact) }

// New returns the accountant of W and steps >= 1. It refuses a W that is not stochastic, and keeps
// w, which must not change. W[u][v] is the probability that u hands the token to v; steps is T.
func New(w *sparse.Matrix, steps int, form Form) (*Accountant, error) {
	if steps < 1 {
		return nil, fault.New(fmt.Sprintf("a walk of %d steps reveals nothing to account for", steps), "give at least 1 step")
	}
	if err := privacy.CheckStochastic(w); err != nil {
		return nil, err
	}
	walk := &Accountant{transition: w, steps: steps, form: form, symmetric: w.Symmetric(privacy.RowTolerance)}
	walk.complete = isUniform(w)
	if form == ClosedForm && !walk.symmetric {
		return nil, fault.New("the closed form of the walk's loss needs a symmetric transition matrix", "use the exact sum")
	}
	return walk, nil
}

// isUniform reports whether w is 1/n everywhere, up to rounding.
func isUniform(w *sparse.Matrix) bool {
	if len(w.Values) != w.N*w.N {
		return false
	}
	for _, p := range w.Values {
		if math.Abs(float64(p*float64(w.N))-1) > float64(w.N)*1e-15 {
			return false
		}
	}
	return true
}

// Len returns the number of nodes.
func (w *Accountant) Len() int { return w.transition.N }

// value returns the function of the gap 1 - lambda whose matrix function is S.
func (w *Accountant) value(gap float64) float64 {
	if w.form == Exact {
		return partialLog(gap, w.steps)
	}
	if gap == 0 {
		return math.Log(float64(w.steps))
	}
	return -math.Log(gap)
}

// Sums holds S: Values[u*N+v] is the loss of one contribution of u towards v in units of
// alpha/sigma^2, before the cap.
type Sums struct {
	N      int
	Values []float64
}

// Sums computes S for all pairs on at most workers goroutines. The result does not depend on
// workers. It takes memory for n^2 numbers.
func (w *Accountant) Sums(workers int) (*Sums, error) {
	n := w.Len()
	s := &Sums{N: n, Values: make([]float64, n*n)}
	if w.complete {
		each(s.Values, w.value(0)/float64(n))
		return s, nil
	}
	plan, err := w.plan(n, workers)
	if err != nil {
		return nil, err
	}
	if plan != nil {
		plan.Matrix(s.Values, workers)
	} else if !chebyshev.DenseGapFunction(s.Values, w.transition, w.value) {
		return nil, fault.New("the eigendecomposition of the transition matrix did not converge", "check its entries")
	}
	w.clip(s.Values)
	return s, nil
}

// Row sets dst to row u of S without any n x n matrix, on at most workers goroutines. The result
// does not depend on workers.
func (w *Accountant) Row(dst []float64, u, workers int) error {
	if len(dst) != w.Len() {
		panic("privacy/walkpublished: a row of the wrong length")
	}
	if w.complete {
		each(dst, w.value(0)/float64(w.Len()))
		return nil
	}
	if w.symmetric && w.Len() > foldFrom {
		return w.foldedRow(dst, u, workers)
	}
	rows := *w
	if !w.symmetric {
		rows.transition = w.transition.Transpose()
	}
	return rows.column(dst, u, workers)
}

// foldFrom is the number of nodes above which a row is computed by classes of nodes with equal rows
// of W.
const foldFrom = 4096

// foldedRow sets dst as Row does, by classes of nodes with equal rows of W.
func (w *Accountant) foldedRow(dst []float64, u, workers int) error {
	rows := *w
	rows.folded = chebyshev.Fold(w.transition, u)
	rows.transition = rows.folded.Matrix
	classes := make([]float64, rows.Len())
	if err := rows.column(classes, rows.folded.Of(u), workers); err != nil {
		return err
	}
	rows.folded.Unfold(dst, classes)
	return nil
}

// column sets dst to column u of S by powers of the transition matrix or a polynomial.
func (w *Accountant) column(dst []float64, u, workers int) error {
	plan, err := w.plan(1, workers)
	if err != nil {
		return err
	}
	if plan == nil {
		return fault.New("one row of the closed form does not converge on a graph that mixes this badly", "use the exact sum")
	}
	plan.Workers = workers
	plan.Columns(dst, make([]float64, len(dst)), u, 1)
	w.clip(dst)
	return nil
}

// clip sets sums that rounding left below 0 to 0, because powers of W have no negative entry. The
// closed form may be negative and stays.
func (w *Accountant) clip(sums []float64) {
	if w.form == ClosedForm {
		return
	}
	for i, v := range sums {
		sums[i] = max(0, v)
	}
}

func each(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}
