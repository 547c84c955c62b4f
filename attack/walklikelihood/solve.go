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

// A Belief is a receipt and what attackers believe of its path: a row, and the variance of what is added
// that comes from not knowing the path, in units of the variance of a contribution.
type Belief struct {
	Row
	Added  []float64
	Spread float64
}

// Estimates are what attackers make of all nodes' contributions together, by node; nil where nothing of a node was seen.
type Estimates struct {
	Values   [][]float64
	Resolved []bool    // without noise: the receipts hold this node's contribution and no other's
	Std      []float64 // with noise: of a number, given the receipts
}

// precise is how near to 1 the part of a node is that receipts span when they single it out.
const precise = 1e-9

// negligibleRow is the part of a row that is left of it, as a length, where it says nothing new.
const negligibleRow = 1e-9

// Solve finds contributions without noise: the smallest that explain the receipts, by elimination of those
// that are singled out by one receipt, the shortest first, and by orthogonal rows of the rest.
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

// peel takes receipts in which one node is left, until there are none, and returns those in which more are.
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

// without is what was added but for those that are resolved.
func (e *Estimates) without(r Belief) []float64 {
	added := slices.Clone(r.Added)
	for k, u := range r.Nodes {
		if e.Resolved[u] {
			sparse.Axpy(added, -r.Coefficients[k], e.Values[u])
		}
	}
	return added
}

// project makes rows orthonormal, with what was added beside them, and reads off the smallest solution.
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

// mostUnknown is how large the systems are that a posterior is worked out of.
const mostUnknown = 2500

// loose is the part of a row's variance that is taken for noise where it has none: receipts that say the same twice.
const loose = 1e-10

// Posterior is the mean of all contributions given the receipts, with noise of standard deviation noise > 0 in every
// number of a turn, if before them every number of every contribution is an independent Gaussian around 0 of
// standard deviation prior: the estimate of the least mean squared error for such contributions where paths are known, and
// where they are not the least of linear ones, as far as spreads are right.
//
// With C the rows and R the variances of what is added besides, it is prior^2 C'(prior^2 C C' + R)^-1 what was added.
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

// A place is a coefficient of a node.
type place struct {
	row         int
	coefficient float64
}

// A prior are the rows by node.
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

// gram is the covariance of what contributions add to the rows.
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
