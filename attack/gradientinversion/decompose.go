package gradientinversion

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/step"
)

// negligible is the singular value, relative to the largest, below which directions are left out. It is below the rounding of messages
// and of the solution.
const negligible = 0x1p-44

func (s *Solver) factorise() error {
	k := s.knowledge
	rows := len(k.rows)
	_, rank := s.basis.Dims()
	a := mat.NewDense(rows, rank, k.Matrix(s.basis.RawMatrix().Data, rank))
	if mat.Norm(a, 2) == 0 {
		return nil // no message holds a contribution yet
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
	s.left, s.ridge = &left, nil // ridge would solve the system without noise, unweighted
	return nil
}

// manyColumns is the rank above which singular values would take too long. Weak directions are then damped by a small multiple of the
// identity below the matrix. Instead of leaving directions out, ridge damps them more.
const manyColumns = 250

func (s *Solver) decompose(a *mat.Dense) error {
	if _, rank := a.Dims(); rank > manyColumns {
		s.triangle(a)
		s.ridge = &ridge{matrix: a}
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

// triangle decomposes a, with its damping below, into Q R, and takes the inverse of R as the right part.
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
	// The damping bounds the condition number. InverseTri only warns of a large one, so its error is ignored.
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
	var along mat.Dense
	along.Mul(s.left, a)
	for range sharpenings {
		s.sharpen(&along)
	}
}

// sharpenings is the number of sharpenings of an inverse. It starts with at least nearly half the digits of a float, and each doubles
// them.
const sharpenings = 3

// sharpen replaces the inverse X of a by X + (1 - X a) X, through its right part (Newton's method; Ben-Israel and Cohen 1966). along
// is the left part times a.
func (s *Solver) sharpen(along *mat.Dense) {
	var off, more mat.Dense
	off.Mul(s.right, along)
	off.Scale(-1, &off)
	for i := range s.values {
		off.Set(i, i, off.At(i, i)+1)
	}
	more.Mul(&off, s.right)
	s.right.Add(s.right, &more)
}

// inverse returns the pseudo-inverse of the knowledge matrix, from messages to combinations. It leaves out directions whose singular
// value is at most cut times the largest. It returns nil if there is nothing to solve.
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

// whitening returns a square root of the inverse of M = C/tr C + AA'/tr AA', C the covariance of the noise in the messages. M gives
// the same estimate as C itself would, even if C is singular because some combinations of messages have no noise (Rao 1973, 4i).
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

// covariance returns the covariance of the messages, in units of the variance of one draw of noise: 002, Algorithm A.1, where the sum
// ends at the earlier of the two messages.
func (s *Solver) covariance() *mat.SymDense {
	rows := len(s.knowledge.rows)
	one := make([]float64, rows*rows)
	for i := range rows {
		one[i*rows+i] = 1
	}
	return s.knowledge.noise(one, rows)
}

// noise returns the covariance of weighted sums of the messages, given cols columns of weights.
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
