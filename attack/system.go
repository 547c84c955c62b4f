package attack

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// rounding bounds the relative error of a message that was computed and written
// with all digits, relative to the largest message. It also bounds the error of
// solving, for every unit of the norms of a and z. A direction is kept if its
// singular value is above margin times its noise.
const (
	rounding = 0x1p-50
	margin   = 4
)

// A system is a z = y in the least-squares sense, reduced to R z = c, with R = U
// S V' square. The columns of y are scaled so that the largest entry is 1, or
// all are 0.
type system struct {
	scale   float64
	rows    int
	rank    int
	turned  *mat.Dense // U'c
	s       []float64  // descending
	v       mat.Dense
	outside float64 // the squared part of y that no z explains
}

// newSystem factorises (a y) by QR. The factor R contains that of a and Q'y,
// because y is rotated exactly as a is. Neither a nor y is needed any more.
func newSystem(a *mat.Dense, received [][]float64) (*system, error) {
	rows, rank := a.Dims()
	dim := len(received[0])
	s := &system{scale: largest(received), rows: rows, rank: rank}
	if s.scale == 0 {
		s.scale = 1
	}
	both := mat.NewDense(max(rows, rank+dim), rank+dim, nil)
	both.Slice(0, rows, 0, rank).(*mat.Dense).Copy(a)
	for k, row := range received {
		for j, x := range row {
			both.Set(k, rank+j, x/s.scale)
		}
	}
	var qr mat.QR
	qr.Factorize(both)
	var r mat.Dense
	qr.RTo(&r)
	rest := mat.Norm(r.Slice(rank, rank+dim, rank, rank+dim), 2)
	s.outside = rest * rest
	return s, s.decompose(r.Slice(0, rank, 0, rank), r.Slice(0, rank, rank, rank+dim))
}

func (s *system) decompose(r, c mat.Matrix) error {
	var svd mat.SVD
	if !svd.Factorize(r, mat.SVDThin) {
		return fault.New("the singular values of the attackers' equations did not converge", "take fewer steps")
	}
	var u mat.Dense
	svd.UTo(&u)
	svd.VTo(&s.v)
	s.s, s.turned = svd.Values(nil), new(mat.Dense)
	s.turned.Mul(u.T(), c)
	return nil
}

// kept returns the number of directions in which messages with error noise still
// carry information.
func (s *system) kept(noise float64) int {
	k := 0
	for k < s.rank && s.s[k] > margin*noise {
		k++
	}
	return k
}

// residual returns the root mean square of the part of y that the kept
// directions do not explain. It returns 0 if there are no more messages than
// unknowns.
func (s *system) residual(kept int) float64 {
	if s.rows == s.rank {
		return 0
	}
	square := s.outside
	for i := kept; i < s.rank; i++ {
		row := s.turned.RawRowView(i)
		square += floats.Dot(row, row)
	}
	_, dim := s.turned.Dims()
	return math.Sqrt(square / float64((s.rows-s.rank)*dim))
}

// length returns the norm of the solution z in the kept directions.
func (s *system) length(kept int) float64 {
	square := 0.0
	for i := range kept {
		row := s.turned.RawRowView(i)
		square += floats.Dot(row, row) / (s.s[i] * s.s[i])
	}
	_, dim := s.turned.Dims()
	return math.Sqrt(square / float64(dim))
}

// solve returns the solution. It first assumes that all digits of the messages are right. If the residual
// is larger, it solves again with that error.
func (s *system) solve(basis [][]float64) (*Values, error) {
	noise := rounding * max(1, s.s[0])
	noise *= max(1, s.length(s.kept(noise)))
	kept := s.kept(noise)
	if off := s.residual(kept); off > noise {
		noise = off
		kept = s.kept(noise)
	}
	if off := s.residual(kept); off > worstResidual || kept == 0 {
		return nil, fault.New(fmt.Sprintf("the messages come from another run: no values explain them closer than to %.2g of the largest", off),
			"give the graph, weights, steps and gamma of the run that the messages come from")
	}
	_, dim := s.turned.Dims()
	v := &Values{Dim: dim, Scale: s.scale, Residual: s.residual(kept), Spare: s.rows - s.rank}
	for u := range basis[0] {
		s.node(v, basis, u, kept, noise)
	}
	return v, nil
}

// node appends the solution for node u: its row of basis V S^-1 U'c.
func (s *system) node(v *Values, basis [][]float64, u, kept int, noise float64) {
	row := make([]float64, len(basis))
	for k, q := range basis {
		row[k] = q[u]
	}
	weights := make([]float64, s.rank)
	mat.NewVecDense(s.rank, weights).MulVec(s.v.T(), mat.NewVecDense(s.rank, row))
	x, gain, drowned := make([]float64, v.Dim), 0.0, 0.0
	for i, weight := range weights {
		if i >= kept {
			drowned += float64(weight * weight)
			continue
		}
		floats.AddScaled(x, s.scale*weight/s.s[i], s.turned.RawRowView(i))
		gain += weight / s.s[i] * weight / s.s[i]
	}
	v.Projection = append(v.Projection, x)
	v.Uncertainty = append(v.Uncertainty, s.scale*(float64(noise*math.Sqrt(gain))+math.Sqrt(drowned)))
}
