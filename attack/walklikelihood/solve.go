package walklikelihood

import (
	"cmp"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A Belief is a receipt with the attackers' belief about its path: a row, and the variance of the added sum due to the
// unknown path, in units of the variance of a contribution.
type Belief struct {
	Row
	Added  []float64
	Spread float64
}

// Estimates holds the attackers' joint estimates of all nodes' contributions, by node. A value is nil if nothing of the
// node was seen.
type Estimates struct {
	Values   [][]float64
	Resolved []bool    // without noise: the receipts determine this node's contribution
	Std      []float64 // with noise: of one coordinate, given the receipts
}

// precise is the largest distance from 1 of the squared projection of a node on the receipts if they determine it.
const precise = 1e-9

// negligibleRow is the relative length below which the rest of a row counts as no new information.
const negligibleRow = 1e-9

// Solve returns contributions without noise: the shortest that explain the receipts. It eliminates those that a single
// receipt determines, the shortest receipts first, and orthogonalises the rest.
func Solve(beliefs []Belief, nodes int) *Estimates {
	e := &Estimates{Values: make([][]float64, nodes), Resolved: make([]bool, nodes)}
	rows := slices.Clone(beliefs)
	slices.SortStableFunc(rows, func(a, b Belief) int { return cmp.Compare(a.Len(), b.Len()) })
	rows = e.peel(rows)
	columns := map[int]int{}
	for _, r := range rows {
		for _, u := range r.Nodes {
			if _, ok := columns[u]; !ok && !e.Resolved[u] {
				columns[u] = len(columns)
			}
		}
	}
	e.project(rows, columns)
	return e
}

// peel solves receipts with one unresolved node until there are none, and returns those with more.
func (e *Estimates) peel(rows []Belief) []Belief {
	for again := true; again; {
		again = false
		rest := rows[:0:0]
		for _, r := range rows {
			at, left := -1, 0
			for k, u := range r.Nodes {
				if !e.Resolved[u] {
					at, left = k, left+1
				}
			}
			switch left {
			case 0:
			case 1:
				u := r.Nodes[at]
				e.Values[u], e.Resolved[u], again = e.without(r), true, true
				for i := range e.Values[u] {
					e.Values[u][i] /= r.Coefficients[at]
				}
			default:
				rest = append(rest, r)
			}
		}
		rows = rest
	}
	return rows
}

// without returns the added sum minus the resolved contributions.
func (e *Estimates) without(r Belief) []float64 {
	added := slices.Clone(r.Added)
	for k, u := range r.Nodes {
		if e.Resolved[u] {
			sparse.Axpy(added, -r.Coefficients[k], e.Values[u])
		}
	}
	return added
}

// project orthonormalises rows together with their added sums, and computes the shortest solution.
func (e *Estimates) project(rows []Belief, columns map[int]int) {
	n := len(columns)
	var basis, sides [][]float64
	for _, r := range rows {
		if len(basis) == n {
			break
		}
		row, side := make([]float64, n), e.without(r)
		for k, u := range r.Nodes {
			if at, ok := columns[u]; ok {
				row[at] = r.Coefficients[k]
			}
		}
		scale := sparse.Norm(row)
		for range 2 {
			for k, q := range basis {
				part := sparse.Dot(row, q)
				sparse.Axpy(row, -part, q)
				sparse.Axpy(side, -part, sides[k])
			}
		}
		norm := sparse.Norm(row)
		if norm <= negligibleRow*scale {
			continue
		}
		for i := range row {
			row[i] /= norm
		}
		for i := range side {
			side[i] /= norm
		}
		basis, sides = append(basis, row), append(sides, side)
	}
	for u, at := range columns {
		part := 0.0
		value := make([]float64, len(rows[0].Added))
		for k, q := range basis {
			part += float64(q[at] * q[at])
			sparse.Axpy(value, q[at], sides[k])
		}
		e.Values[u], e.Resolved[u] = value, part > 1-precise
	}
}

// mostUnknown is the largest number of receipts that a posterior is computed from.
const mostUnknown = 2500

// loose is the relative variance that is added to each row as noise, because receipts without noise may repeat each other.
const loose = 1e-10

// Posterior returns the mean of all contributions given the receipts, with noise of standard deviation noise > 0 in every
// coordinate of a turn. Before the receipts every coordinate of every contribution is an independent Gaussian around 0 of
// standard deviation prior. If paths are known, this is the estimate of least mean squared error for such contributions.
// If they are not, it is the best linear one, as far as spreads are right. Above mostUnknown receipts it uses the
// shortest.
//
// With C the rows and R the variances of the other parts, it is prior^2 C'(prior^2 C C' + R)^-1 times the added sums.
func Posterior(beliefs []Belief, nodes int, noise, prior float64) (*Estimates, error) {
	e := &Estimates{Values: make([][]float64, nodes), Resolved: make([]bool, nodes), Std: make([]float64, nodes)}
	for u := range e.Std {
		e.Std[u] = prior
	}
	if len(beliefs) == 0 {
		return e, nil
	}
	if len(beliefs) > mostUnknown {
		beliefs = slices.Clone(beliefs)
		slices.SortStableFunc(beliefs, func(a, b Belief) int { return cmp.Compare(a.Len(), b.Len()) })
		beliefs = beliefs[:mostUnknown]
	}
	all := newPrior(beliefs, prior)
	gram := all.gram()
	for i, r := range beliefs {
		gram.SetSym(i, i, float64(gram.At(i, i)*(1+loose))+float64(r.Variance*noise*noise)+float64(r.Spread*prior*prior))
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(gram) {
		return nil, fault.New("what the attackers saw cannot be told apart in floating point", "take more noise, or none")
	}
	right := mat.NewDense(len(beliefs), len(beliefs[0].Added), nil)
	for i, r := range beliefs {
		right.SetRow(i, r.Added)
	}
	var weighed mat.Dense
	if err := cholesky.SolveTo(&weighed, right); err != nil && math.IsInf(cholesky.Cond(), 1) {
		return nil, err
	}
	column, solved := mat.NewVecDense(len(beliefs), nil), mat.NewVecDense(len(beliefs), nil)
	for u, rows := range all.of {
		value := make([]float64, len(beliefs[0].Added))
		column.Zero()
		for _, at := range rows {
			sparse.Axpy(value, prior*prior*at.coefficient, weighed.RawRowView(at.row))
			column.SetVec(at.row, at.coefficient)
		}
		if err := cholesky.SolveVecTo(solved, column); err != nil && math.IsInf(cholesky.Cond(), 1) {
			return nil, err
		}
		left := 1 - float64(prior*prior*mat.Dot(column, solved))
		e.Values[u], e.Std[u] = value, prior*math.Sqrt(max(0, left))
	}
	return e, nil
}

// A place is a coefficient of a node in a row.
type place struct {
	row         int
	coefficient float64
}

// A prior holds the rows by node.
type prior struct {
	rows  int
	scale float64
	of    map[int][]place
}

func newPrior(beliefs []Belief, scale float64) *prior {
	p := &prior{len(beliefs), scale, map[int][]place{}}
	for i, r := range beliefs {
		for k, u := range r.Nodes {
			p.of[u] = append(p.of[u], place{i, r.Coefficients[k]})
		}
	}
	return p
}

// gram returns the covariance of the rows due to contributions.
func (p *prior) gram() *mat.SymDense {
	gram := mat.NewSymDense(p.rows, nil)
	for _, u := range slices.Sorted(maps.Keys(p.of)) {
		for k, a := range p.of[u] {
			for _, b := range p.of[u][:k+1] {
				gram.SetSym(b.row, a.row, gram.At(b.row, a.row)+float64(p.scale*p.scale*a.coefficient*b.coefficient))
			}
		}
	}
	return gram
}
