package admm

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
)

// 002 Algorithm E.1 without noise, as printed, for constraints A x_i - z = c of every node with a public invertible A and squared
// losses: it is consensus ADMM on rows that are multiplied by the inverse of A transposed. Its z is the model of these rows, A x - c.
func TestAlgorithmE1IsConsensusOfOtherRows(t *testing.T) {
	const p, nodes = 3, 2
	rapid.Check(t, func(t *rapid.T) {
		gamma, lambda := rapid.Float64Range(0.1, 2).Draw(t, "gamma"), rapid.Float64Range(0.1, 1).Draw(t, "lambda")
		r := model.Regulariser{Kind: model.L1, Weight: 0.1}
		constraint := mat.NewDense(p, p, vector(t, "A", p*p, 0.5))
		for j := range p {
			constraint.Set(j, j, constraint.At(j, j)+2)
		}
		c := mat.NewVecDense(p, vector(t, "c", p, 1))
		l := New(Local{
			Local: descent.Local{Params: p, Objective: model.Objective{Model: model.Ridge{}}, Noise: noise.Gaussian{Clip: 1e6}},
			Gamma: gamma, Lambda: lambda, Tolerance: 1e-14, Regulariser: r,
		})
		kernel := NewKernel(&l, noise.NewSimulated(1))
		var held, other []model.Examples
		for range nodes {
			ex := rows(t, "rows", 2, p)
			held = append(held, ex)
			turned := model.Examples{Features: p, X: make([]float64, len(ex.X)), Y: make([]float64, len(ex.Y))}
			for i := range ex.Len() {
				x, y := ex.Row(i)
				row := mat.NewVecDense(p, turned.X[i*p:(i+1)*p])
				if err := row.SolveVec(constraint.T(), mat.NewVecDense(p, x)); err != nil {
					t.Fatal(err)
				}
				turned.Y[i] = y - mat.Dot(row, c)
			}
			other = append(other, turned)
		}
		variables, want := make([][]float64, nodes), make([]*mat.VecDense, nodes)
		for i := range nodes {
			variables[i], want[i] = make([]float64, p), mat.NewVecDense(p, nil)
		}
		z, printed := make([]float64, p), make([]float64, p)
		for range 20 {
			mean, meanPrinted := make([]float64, p), make([]float64, p)
			for i := range nodes {
				for j := range p {
					mean[j] += variables[i][j] / nodes
					meanPrinted[j] += want[i].AtVec(j) / nodes
				}
			}
			l.Consensus(z, mean)
			r.Prox(printed, meanPrinted, gamma)
			for i := range nodes {
				kernel.Update(variables[i], z, other[i], 1, nil, 0, 0, 0)
				printedUpdate(t, want[i], constraint, c, printed, held[i], gamma, lambda)
			}
			for j := range p {
				if math.Abs(z[j]-printed[j]) > 1e-6 {
					t.Fatalf("z is %v, printed %v", z, printed)
				}
			}
		}
	})
}

// printedUpdate takes lines 4 and 5 of Algorithm E.1 for one node: x minimises f + norm(A x - 2 z + u - c)^2/(2 gamma).
func printedUpdate(t *rapid.T, u *mat.VecDense, a *mat.Dense, c *mat.VecDense, z []float64, ex model.Examples, gamma, lambda float64) {
	p := len(z)
	var normal, x, ax mat.Dense
	normal.Mul(a.T(), a)
	normal.Scale(1/gamma, &normal)
	target := mat.NewVecDense(p, nil)
	for j := range p {
		target.SetVec(j, 2*z[j]-u.AtVec(j)+c.AtVec(j))
	}
	right := mat.NewDense(p, 1, nil)
	right.Mul(a.T(), target)
	right.Scale(1/gamma, right)
	for i := range ex.Len() {
		row, y := ex.Row(i)
		for j := range p {
			right.Set(j, 0, right.At(j, 0)+row[j]*y/float64(ex.Len()))
			for k := range p {
				normal.Set(j, k, normal.At(j, k)+row[j]*row[k]/float64(ex.Len()))
			}
		}
	}
	if err := x.Solve(&normal, right); err != nil {
		t.Fatal(err)
	}
	ax.Mul(a, &x)
	for j := range p {
		u.SetVec(j, u.AtVec(j)+2*lambda*(ax.At(j, 0)-z[j]-c.AtVec(j)))
	}
}
