package gradients

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/step"
)

// A Method is how the knowledge matrix is solved.
type Method string

// Ordinary least squares weigh all messages alike; generalised ones by the covariance of the noise
// in them (002, Algorithm A.1), which is best where noise is all that changes from round to round.
const (
	Ordinary    Method = "ols"
	Generalised Method = "gls"
)

// A Solver turns messages into gradients. It is linear, and does not depend on what was sent.
type Solver struct {
	Method    Method
	knowledge *Knowledge
	basis     *mat.Dense // a row for each node, a column for each combination of gradients that the messages hold
	left      *mat.Dense // of the singular value decomposition: from messages to directions; nil: there is nothing to solve
	values    []float64  // descending
	right     *mat.Dense // from directions to combinations
	known     []bool     // of nodes: their gradient alone is one of the combinations
	given     []bool     // of nodes: their gradient is known already; nil: of none
}

// A judgement is what a solver can do, leaving out directions below a singular value.
type judgement struct {
	resolved []bool
	gain     []float64
	spread   []float64 // norm of what a node's estimate takes of the messages
}

// How much work a solver may be, in multiplications: some half a minute each.
const (
	mostSolve = 6e10
	mostGain  = 2e10
)

// NewSolver prepares the solution. view, nil if the weights change, says which combinations of
// gradients the messages hold: with weights that do not, those of averaging over as many turns,
// for a message of turn t is a polynomial of degree t in the weights, applied to the gradients,
// and its leading coefficient is not zero.
// Of nodes in given, nil for none, the gradients are known already and their part is taken out of
// the messages that are solved.
func NewSolver(k *Knowledge, m Method, view *gossip.View, given []bool) (*Solver, error) {
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
	cost := rows*rank*rank + 12*math.Pow(min(rows, rank), 3)
	if m == Generalised {
		cost += float64(k.protocol.Turns())*n*rows*rows + 12*math.Pow(rows, 3)
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

// setBasis takes the combinations that view holds besides what is the attackers' own and given, or
// everything there is of the others.
func (s *Solver) setBasis(view *gossip.View, given []bool) error {
	k := s.knowledge
	var columns, all [][]float64
	if view != nil && view.Certainty() != gossip.Open && view.Certainty() != gossip.Saturated {
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
				q[v] = 0 // known alone, so other vectors of the basis have nothing there
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

// negligible is the singular value, over the largest, of what is left out: less than rounding of
// messages and of the solution.
const negligible = 0x1p-44

func (s *Solver) factorise() error {
	k := s.knowledge
	rows := len(k.rows)
	_, rank := s.basis.Dims()
	a := mat.NewDense(rows, rank, k.Matrix(s.basis.RawMatrix().Data, rank))
	if mat.Norm(a, 2) == 0 {
		return nil // nobody has contributed yet when the messages are sent
	}
	if s.Method == Ordinary {
		return s.decompose(a)
	}
	whiten, err := s.whitening(a)
	if err != nil {
		return err
	}
	var white, left mat.Dense
	white.Mul(whiten, a)
	if err := s.decompose(&white); err != nil {
		return err
	}
	left.Mul(s.left, whiten)
	s.left = &left
	return nil
}

// manyColumns is the rank from which singular values would take too long. Weak directions are then damped by
// a small multiple of the identity below the matrix, and none can be left out.
const manyColumns = 250

func (s *Solver) decompose(a *mat.Dense) error {
	if _, rank := a.Dims(); rank > manyColumns {
		s.triangle(a)
		return nil
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return fault.New("the singular values of the knowledge matrix did not converge", "look at fewer rounds")
	}
	var u mat.Dense
	s.right = &mat.Dense{}
	svd.UTo(&u)
	svd.VTo(s.right)
	s.values, s.left = svd.Values(nil), mat.DenseCopyOf(u.T())
	return nil
}

// triangle decomposes a with what damps it into Q R, and takes the inverse of R for the right part.
func (s *Solver) triangle(a *mat.Dense) {
	rows, rank := a.Dims()
	both := mat.NewDense(rows+rank, rank, nil)
	both.Slice(0, rows, 0, rank).(*mat.Dense).Copy(a)
	damp := negligible * mat.Norm(a, 2)
	for i := range rank {
		both.Set(rows+i, i, damp)
	}
	var qr mat.QR
	qr.Factorize(both)
	var r mat.Dense
	qr.RTo(&r)
	upper := mat.NewTriDense(rank, mat.Upper, nil)
	for i := range rank {
		for j := i; j < rank; j++ {
			upper.SetTri(i, j, r.At(i, j))
		}
	}
	var inverse mat.TriDense
	// Its condition number is bounded by the damping, so an error, which is about that, is none.
	_ = inverse.InverseTri(upper)
	s.right = mat.DenseCopyOf(&inverse)
	// Q = A R^-1 above the damping.
	var q mat.Dense
	q.Mul(a, &inverse)
	s.left = mat.DenseCopyOf(q.T())
	s.values = make([]float64, rank)
	for i := range s.values {
		s.values[i] = 1
	}
}

// inverse is that of the knowledge matrix, from messages to combinations, but for directions whose singular
// value is at most cut times the largest; nil where there is nothing to solve.
func (s *Solver) inverse(cut float64) *mat.Dense {
	if s.left == nil {
		return nil
	}
	kept := 0
	for kept < len(s.values) && s.values[kept] > cut*s.values[0] {
		kept++
	}
	rank, _ := s.right.Dims()
	_, rows := s.left.Dims()
	var out mat.Dense
	if kept == 0 {
		return mat.NewDense(rank, rows, nil)
	}
	right := mat.DenseCopyOf(s.right.Slice(0, rank, 0, kept))
	for j := range kept {
		for i := range rank {
			right.Set(i, j, right.At(i, j)/s.values[j])
		}
	}
	out.Mul(right, s.left.Slice(0, kept, 0, rows))
	return &out
}

// whitening is a square root of the inverse of M = C/tr C + AA'/tr AA', C the covariance of the noise
// in the messages. With M the estimate is the one that C itself would give, also where C is
// singular because some combinations of messages have no noise at all (Rao 1973, 4i).
func (s *Solver) whitening(a *mat.Dense) (*mat.Dense, error) {
	rows, _ := a.Dims()
	covariance := s.covariance()
	signal := mat.NewSymDense(rows, nil)
	signal.SymOuterK(1, a)
	if noise := mat.Trace(covariance); noise > 0 {
		covariance.ScaleSym(1/noise, covariance)
	}
	signal.ScaleSym(1/mat.Trace(signal), signal)
	covariance.AddSym(covariance, signal)
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return nil, fault.New("the covariance of the messages' noise has eigenvalues that did not converge", "use ols")
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	first := 0 // ascending
	for first < rows && values[first] <= negligible*values[rows-1] {
		first++
	}
	whiten := mat.NewDense(rows-first, rows, nil)
	for i := first; i < rows; i++ {
		for j := range rows {
			whiten.Set(i-first, j, vectors.At(j, i)/math.Sqrt(values[i]))
		}
	}
	return whiten, nil
}

// covariance is that of the messages, in units of the variance of one draw of noise: 002, Algorithm A.1,
// where the sum ends at the earlier of the two messages.
func (s *Solver) covariance() *mat.SymDense {
	rows := len(s.knowledge.rows)
	one := make([]float64, rows*rows)
	for i := range rows {
		one[i*rows+i] = 1
	}
	return s.knowledge.noise(one, rows)
}

// noise is the covariance of weighted sums of the messages, in cols columns of weights.
func (k *Knowledge) noise(weights []float64, cols int) *mat.SymDense {
	sum := mat.NewSymDense(cols, nil)
	k.trace(weights, cols, func(_ step.Turn, entries []entry, response []float64) {
		some := mat.NewDense(max(1, len(entries)), cols, nil)
		for i, e := range entries {
			floats.AddScaled(some.RawRowView(i), e.rate, response[e.node*cols:(e.node+1)*cols])
		}
		var more mat.SymDense
		more.SymOuterK(1, some.T())
		sum.AddSym(sum, &more)
	})
	return sum
}

// judge finds out of which nodes the solver tells the gradient and nothing else, and how much noise
// the estimates have.
func (s *Solver) judge(inverse *mat.Dense) judgement {
	k := s.knowledge
	j := judgement{make([]bool, k.Len()), make([]float64, k.Len()), make([]float64, k.Len())}
	if inverse == nil {
		return j
	}
	n, cols := s.basis.Dims()
	weights := mat.DenseCopyOf(inverse.T())
	response := mat.NewDense(n, cols, nil) // of each combination found in each node's gradient
	k.trace(weights.RawMatrix().Data, cols, func(_ step.Turn, entries []entry, now []float64) {
		for _, e := range entries {
			if e.contributes {
				floats.AddScaled(response.RawRowView(e.node), -e.rate, now[e.node*cols:(e.node+1)*cols])
			}
		}
	})
	var covariance *mat.SymDense
	if float64(k.protocol.Turns())*float64(n)*float64(cols)*float64(cols) <= mostGain {
		covariance = k.noise(weights.RawMatrix().Data, cols)
	}
	for u := range n {
		j.gain[u], j.spread[u] = math.NaN(), math.NaN()
		if !s.known[u] {
			continue
		}
		q := entriesOf(s.basis.RawRowView(u))
		j.resolved[u] = s.tells(u, q, response)
		if covariance != nil {
			sum := 0.0
			for _, a := range q {
				for _, b := range q {
					sum += a.x * b.x * covariance.At(a.at, b.at)
				}
			}
			j.gain[u] = math.Sqrt(max(0, sum))
		}
		j.spread[u] = floats.Norm(combined(weights, q), 2)
	}
	return j
}

// A nonzero is an entry of a vector most of whose entries are 0: a node that is known alone is often one of the basis.
type nonzero struct {
	at int
	x  float64
}

func entriesOf(v []float64) (some []nonzero) {
	for i, x := range v {
		if x != 0 {
			some = append(some, nonzero{i, x})
		}
	}
	return some
}

// combined is a times a vector.
func combined(a *mat.Dense, q []nonzero) []float64 {
	rows, _ := a.Dims()
	sum := make([]float64, rows)
	for i := range sum {
		row := a.RawRowView(i)
		for _, e := range q {
			sum[i] += e.x * row[e.at]
		}
	}
	return sum
}

// apart is how far what an estimate takes of gradients may be from one of u's own and none of others'.
const apart = 1e-6

func (s *Solver) tells(u int, q []nonzero, response *mat.Dense) bool {
	of := combined(response, q)
	of[u]--
	for v, x := range of {
		if math.Abs(x) > apart && !(s.given != nil && s.given[v]) {
			return false
		}
	}
	return true
}

// A Solution is what attackers make of what they saw.
type Solution struct {
	Dim int
	// Gradients are those of all nodes, as nodes add them times the step size; of the attackers zeros. Where
	// Resolved says so, and gradients are the same in all rounds, they are the true ones but for
	// noise and rounding; elsewhere the least of all that fit the messages.
	Gradients [][]float64
	Resolved  []bool
	// Gain is the standard deviation of a number of an estimate over that of one draw of noise in a
	// gradient; not a number where it was too long to work out.
	Gain []float64
	// Rounding is how far rounding of the messages may have moved a number of an estimate. Both are of nodes whose gradient
	// is a combination of its own, not numbers elsewhere.
	Rounding []float64
	// Residual is the root mean square of what gradients that are the same in all rounds leave unexplained,
	// relative to what they should explain.
	Residual float64
}

// rounding is what a message is off by, relative to the largest.
const rounding = 0x1p-50

// Solve finds the gradients behind what is left of messages of dim numbers (Knowledge.Remove). The
// largest number of the messages themselves says how much they were rounded.
func (s *Solver) Solve(rest []float64, dim int, largest float64) *Solution {
	out := s.solve(rest, dim, negligible)
	s.assess(out, largest)
	return out
}

// assess says how good a solution is that uses all directions.
func (s *Solver) assess(out *Solution, largest float64) {
	j := s.judge(s.inverse(negligible))
	out.Resolved, out.Gain = j.resolved, j.gain
	for _, spread := range j.spread {
		out.Rounding = append(out.Rounding, spread*largest*rounding)
	}
}

// solve leaves out directions whose singular value is at most cut times the largest.
func (s *Solver) solve(rest []float64, dim int, cut float64) *Solution {
	k := s.knowledge
	n := k.Len()
	out := &Solution{Dim: dim}
	values := make([]float64, n*dim)
	if s.left != nil {
		var along, z, g mat.Dense
		along.Mul(s.left, mat.NewDense(len(k.rows), dim, rest))
		for i, x := range s.values {
			by := 0.0
			if x > cut*s.values[0] {
				by = 1 / x
			}
			floats.Scale(by, along.RawRowView(i))
		}
		z.Mul(s.right, &along)
		g.Mul(s.basis, &z)
		copy(values, g.RawMatrix().Data)
		explained := k.Matrix(values, dim)
		floats.Sub(explained, rest)
		if of := floats.Norm(rest, 2); of > 0 {
			out.Residual = floats.Norm(explained, 2) / of
		}
	}
	for u := range n {
		out.Gradients = append(out.Gradients, values[u*dim:(u+1)*dim])
	}
	return out
}
