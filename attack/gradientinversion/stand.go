package gradientinversion

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A stand is a position of a lifting with all values that follow from it.
type stand struct {
	slopes []float64     // by turn and node
	e      []float64     // examples that follow, in units of the belief
	missed *mat.Dense    // residual of sums, weighted, in these units
	least  *leastSquares // the problem that gives the examples
	off    []float64     // of open slopes: the protocol's slope for slopes and examples, minus the slope
	bends  []float64     // its derivative by the margin
	along  *mat.Dense    // its derivative by z
	cost   float64       // objective
	noise  float64       // of sums
	pull   float64       // scale of the distance of slopes from the protocol's
}

// stands computes everything that follows from slopes.
func (l *lifting) stands(slopes []float64, noise, pull float64) *stand {
	s := &stand{slopes: slopes, noise: noise, pull: pull, e: slices.Clone(l.home), least: newLeastSquares(l.response(slopes), noise)}
	moved := s.least.solve(l.unexplained(s.e, slopes))
	sparse.Axpy(s.e, 1, moved)
	s.missed = l.unexplained(s.e, slopes)
	s.cost = square(s.missed.RawMatrix().Data)/(noise*noise) + square(moved)
	s.along = mat.NewDense(len(l.open), l.part.dim, nil)
	for i, k := range l.open {
		at := &l.at[l.spot(k)]
		off := at.scale - slopes[l.spot(k)]
		s.off, s.bends = append(s.off, off), append(s.bends, at.bend)
		sparse.Axpy(s.along.RawRowView(i), at.bend, at.theta)
		sparse.Axpy(s.along.RawRowView(i), at.cut, l.row(l.takes[k].node))
		s.cost += off * off / (pull * pull)
	}
	return s
}

func square(v []float64) float64 { return sparse.Dot(v, v) }

// response returns the derivative of sums by z of the unknown nodes, weighted.
func (l *lifting) response(slopes []float64) *mat.Dense {
	a := mat.NewDense(len(l.part.sums), len(l.free), nil)
	for i, w := range l.weights {
		row := a.RawRowView(i)
		for k, x := range l.reach.RawRowView(i) {
			if slot := l.slot[l.takes[k].node]; slot >= 0 {
				row[slot] += float64(w * x * slopes[l.spot(k)])
			}
		}
	}
	return a
}

// unexplained returns the residual of sums for examples and slopes, weighted and in units of the belief.
func (l *lifting) unexplained(e, slopes []float64) *mat.Dense {
	d := l.part.dim
	for i, u := range l.free {
		l.put(l.row(u), e[i*d:(i+1)*d])
	}
	l.play(slopes)
	rest := slices.Clone(l.part.want)
	sparse.Axpy(rest, -1, l.heard)
	l.weigh(rest, 1)
	for i := range l.part.sums {
		l.units(rest[i*d : (i+1)*d])
	}
	return mat.NewDense(len(l.part.sums), d, rest)
}

// normal sets up the normal equations of steps from s.
func (l *lifting) normal(s *stand) *normal {
	size := len(l.open)
	zs, units := l.examples(s)
	n := &normal{matrix: mat.NewDense(size, size, nil), noise: s.noise, units: mat.NewDense(size, l.part.dim, nil)}
	reach := l.openReach()
	var follow *mat.Dense
	n.project, follow = s.least.project(reach, l.workers)
	addProduct(n.matrix, columns(n.project), columns(n.project), len(l.part.sums)+len(l.free), true, l.workers)
	var near mat.Dense
	near.Mul(units, units.T())
	for i, k := range l.open {
		n.units.SetRow(i, units.RawRowView(l.takes[k].node))
	}
	parallel.Each(size, l.workers, func(i int) {
		u, row := near.RawRowView(l.takes[l.open[i]].node), n.matrix.RawRowView(i)
		for j := i; j < size; j++ {
			row[j] *= u[l.takes[l.open[j]].node] / (s.noise * s.noise)
		}
	})
	n.stays = l.stays(s, zs, follow, l.tugs(s, reach))
	scale(n.stays.RawMatrix().Data, 1/s.pull)
	addProduct(n.matrix, columns(n.stays), columns(n.stays), size, true, l.workers)
	return n
}

// examples returns z of all nodes, and z in units of the belief, without subtracting the mean.
func (l *lifting) examples(s *stand) (zs, units *mat.Dense) {
	d, n := l.part.dim, len(l.part.nodes)
	for i, u := range l.free {
		l.put(l.row(u), s.e[i*d:(i+1)*d])
	}
	zs = mat.NewDense(n, d, slices.Clone(l.z))
	units = mat.DenseCopyOf(zs)
	for u := range n {
		l.units(units.RawRowView(u))
	}
	return zs, units
}

// openReach returns the derivative of sums by unknown slopes times z, weighted.
func (l *lifting) openReach() *mat.Dense {
	m := mat.NewDense(len(l.part.sums), len(l.open), nil)
	for i, w := range l.weights {
		row, all := m.RawRowView(i), l.reach.RawRowView(i)
		for j, k := range l.open {
			row[j] = w * all[k]
		}
	}
	return m
}

// tugs returns, in a row for each slope, the gradient by z of the residual that the slope brings.
func (l *lifting) tugs(s *stand, reach *mat.Dense) *mat.Dense {
	var felt, tugs mat.Dense
	felt.Mul(reach.T(), s.missed)
	tugs.Mul(&felt, mat.NewDense(l.part.dim, l.part.dim, l.dirs))
	return &tugs
}

// stays returns the derivative of each slope minus the protocol's slope, in a row for each, by all slopes. Examples follow the
// slopes by follow, as sums stay explained, and by tugs.
func (l *lifting) stays(s *stand, zs, follow, tugs *mat.Dense) *mat.Dense {
	n := len(l.open)
	by := mat.NewDense(n, len(l.free), nil)
	parallel.Each(n, l.workers, func(i int) {
		row := by.RawRowView(i)
		for k, x := range l.within.RawRowView(i) {
			if slot := l.slot[l.takes[k].node]; slot >= 0 {
				row[slot] -= float64(x * s.slopes[l.spot(k)])
			}
		}
	})
	stays := mat.NewDense(n, n, nil)
	addProduct(stays, rows(by), columns(follow), len(l.free), false, l.workers)
	var near, along, tugged, gives mat.Dense
	near.Mul(zs, zs.T())
	along.Mul(s.along, zs.T())
	inverse := s.least.inverse()
	tugged.Mul(zs, tugs.T())
	gives.Mul(by, inverse)
	parallel.Each(n, l.workers, func(i int) {
		u, row, within := l.takes[l.open[i]].node, stays.RawRowView(i), l.within.RawRowView(i)
		slot := l.slot[u]
		for j, k := range l.open {
			v := l.takes[k].node
			x := float64((row[j] + within[k]) * near.At(u, v))
			other := l.slot[v]
			if other >= 0 {
				x -= float64(gives.At(i, other) * tugged.At(u, j))
			}
			x = float64(x * s.bends[i])
			if slot >= 0 {
				x -= float64(follow.At(slot, j) * along.At(i, v))
				if other >= 0 {
					x += float64(inverse.At(slot, other) * sparse.Dot(s.along.RawRowView(i), tugs.RawRowView(j)))
				}
			}
			row[j] = -x
		}
		row[i]++
	})
	return stays
}

// units sets z, or a difference of two, to its coordinates in units of the belief.
func (b belief) units(z []float64) {
	d := len(z)
	blas64.Trsv(blas.Trans, blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: d, Data: b.root, Stride: d}, blas64.Vector{N: d, Data: z, Inc: 1})
}
