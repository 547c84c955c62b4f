package walk

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/fault"
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
			part += q[at] * q[at]
			sparse.Axpy(value, q[at], sides[k])
		}
		e.Values[u], e.Resolved[u] = value, part > 1-precise
	}
}

// mostUnknown is for how many nodes at once a posterior is worked out.
const mostUnknown = 2500

// Posterior is the mean of all contributions given the receipts, with noise of standard deviation noise in every
// number of a turn, if before them every number of every contribution is an independent Gaussian around 0 of
// standard deviation prior: the estimate of the least mean squared error for such contributions where paths are known, and
// where they are not the least of linear ones, as far as spreads are right.
func Posterior(beliefs []Belief, nodes int, noise, prior float64) (*Estimates, error) {
	e := &Estimates{Values: make([][]float64, nodes), Resolved: make([]bool, nodes), Std: make([]float64, nodes)}
	columns, order := map[int]int{}, []int{}
	for _, r := range beliefs {
		for _, u := range r.Nodes {
			if _, ok := columns[u]; !ok {
				columns[u] = len(order)
				order = append(order, u)
			}
		}
	}
	for u := range e.Std {
		e.Std[u] = prior
	}
	n := len(order)
	switch {
	case n == 0:
		return e, nil
	case n > mostUnknown:
		return nil, fault.New("too many nodes are in what the attackers saw", "name fewer attackers, or take a smaller graph")
	}
	precision, right := mat.NewSymDense(n, nil), mat.NewDense(n, len(beliefs[0].Added), nil)
	for i := range n {
		precision.SetSym(i, i, 1/(prior*prior))
	}
	for _, r := range beliefs {
		weight := 1 / (r.Variance*noise*noise + r.Spread*prior*prior)
		for k, u := range r.Nodes {
			i := columns[u]
			sparse.Axpy(right.RawRowView(i), weight*r.Coefficients[k], r.Added)
			for l, v := range r.Nodes[:k+1] {
				j := columns[v]
				precision.SetSym(i, j, precision.At(i, j)+weight*r.Coefficients[k]*r.Coefficients[l])
			}
		}
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(precision) {
		return nil, fault.New("the attackers' equations have no solution in floating point", "take other noise")
	}
	var means mat.Dense
	var covariance mat.SymDense
	if err := cholesky.SolveTo(&means, right); err != nil && math.IsInf(cholesky.Cond(), 1) {
		return nil, err
	}
	if err := cholesky.InverseTo(&covariance); err != nil && math.IsInf(cholesky.Cond(), 1) {
		return nil, err
	}
	for i, u := range order {
		e.Values[u], e.Std[u] = slices.Clone(means.RawRowView(i)), math.Sqrt(covariance.At(i, i))
	}
	return e, nil
}
