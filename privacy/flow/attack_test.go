package flow

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// An explicitAttack is a run in which Phi_j(x) = curve[t][j] x and u's data moves
// its update of round t by moves[t], in units of gamma_t times the sensitivity.
type explicitAttack struct {
	p     Problem
	curve [][]float64 // |curve| <= Lipschitz
	moves []float64   // |moves| <= contributions
	// inTime is how much of the fresh noise of each round a round has, lower triangular; nil: its own.
	inTime [][]float64
}

// leaks is mu^2 of all that the coalition sees, in units of 1/sigma^2: the
// joint Gaussian written out as one dense matrix. States are in real units, noise
// of round t has std Noise gamma_t. It is a little less where messages are seen
// that have no noise of their own.
func (e *explicitAttack) leaks(t testing.TB, u int, coalition []int) float64 {
	return e.leaksOf(t, u, coalition, func(r, j int) bool { return e.p.seen(r, coalition)[j] })
}

// leaksOf returns the leakage of the seen messages of others.
func (e *explicitAttack) leaksOf(t testing.TB, u int, coalition []int, sees func(round, node int) bool) float64 {
	p, n := e.p, e.p.n()
	own := make([]bool, n)
	for _, v := range coalition {
		own[v] = true
	}
	gamma := func(r int) float64 {
		if p.Steps == nil {
			return 1
		}
		return p.Steps[r]
	}
	state, shift := make([][]float64, n), make([]float64, n) // response to every noise, to u's data
	for j := range state {
		state[j] = make([]float64, p.Rounds*n)
	}
	var rows []float64
	var moved []float64
	for r := range p.Rounds {
		for j := range n {
			for k := range state[j] {
				state[j][k] *= e.curve[r][j]
			}
			shift[j] *= e.curve[r][j]
			for s := range r + 1 {
				share := 0.0
				if s == r {
					share = 1
				}
				if e.inTime != nil {
					share = e.inTime[r][s]
				}
				if !own[j] {
					state[j][s*n+j] += gamma(r) * share * p.Noise.At(s, j)
				}
			}
		}
		shift[u] += e.moves[r] * gamma(r)
		for j := range n {
			if !own[j] && sees(r, j) {
				rows, moved = append(rows, state[j]...), append(moved, shift[j])
			}
		}
		state, shift = mixed(p, r, state, shift)
	}
	if len(moved) == 0 {
		return 0
	}
	return quadratic(t, mat.NewDense(len(moved), p.Rounds*n, rows), moved)
}

func mixed(p Problem, r int, state [][]float64, shift []float64) ([][]float64, []float64) {
	next, to := make([][]float64, len(state)), make([]float64, len(state))
	for i := range next {
		next[i] = make([]float64, len(state[0]))
		columns, values := p.weights(r).Row(i)
		for k, j := range columns {
			for c, x := range state[j] {
				next[i][c] += values[k] * x
			}
			to[i] += values[k] * shift[j]
		}
	}
	return next, to
}

// quadratic is g'(G G')^-1 g.
func quadratic(t testing.TB, G *mat.Dense, g []float64) float64 {
	var gram mat.SymDense
	gram.SymOuterK(1, G)
	var factor mat.Cholesky
	for jitter := 1e-11; !factor.Factorize(&gram); jitter *= 10 { // some of it has no noise: add a little
		for i := range g {
			gram.SetSym(i, i, gram.At(i, i)+jitter)
		}
	}
	var x mat.VecDense
	if err := factor.SolveVecTo(&x, mat.NewVecDense(len(g), g)); err != nil && math.IsInf(factor.Cond(), 1) {
		t.Fatal(err)
	}
	return mat.Dot(&x, mat.NewVecDense(len(g), g))
}

// plain is the attack with losses as flat as they are allowed to be.
func plain(p Problem, u int) *explicitAttack {
	e := &explicitAttack{p: p}
	for t := range p.Rounds {
		row := make([]float64, p.n())
		for j := range row {
			row[j] = p.Lipschitz.At(t, j)
		}
		e.curve, e.moves = append(e.curve, row), append(e.moves, p.contribution(t, u))
	}
	return e
}
