package flow

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/sparse"
)

type goldenFlow struct {
	Case          string
	N             int
	Edges         json.RawMessage
	Rounds, U, V  int
	Contributions []float64
	Lipschitz     float64
	Release       string
	Optimum       float64
	Linear        *float64
	Local         float64
}

// flowFiles are our own cases, and those outside if they are here.
func flowFiles(t *testing.T) (files [][]goldenFlow) {
	for _, file := range testdata.Goldens[struct{ Cases []goldenFlow }](t, "flow") {
		files = append(files, file.Cases)
	}
	return files
}

// problem reads a case: one list of edges, or one a round.
func (g *goldenFlow) problem(t *testing.T) Problem {
	p := Problem{Rounds: g.Rounds, Contributions: ByRound(g.Contributions), Lipschitz: Table{{g.Lipschitz}}, Final: g.Release == "final"}
	var fixed [][2]int
	var changing [][][2]int
	if json.Unmarshal(g.Edges, &fixed) == nil {
		changing = [][][2]int{fixed}
	} else if err := json.Unmarshal(g.Edges, &changing); err != nil {
		t.Fatal(err)
	}
	for _, edges := range changing {
		p.Weights = append(p.Weights, weightsOf(t, g.N, edges))
	}
	return p
}

// weightsOf is hamilton weights on the graph of these edges; of a matching it
// is 1/2 for both.
func weightsOf(t testing.TB, n int, edges [][2]int) *sparse.Matrix {
	t.Helper()
	g, err := graph.FromEdges("test", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return hamilton(t, g)
}

func hamilton(t testing.TB, g *graph.Graph) *sparse.Matrix {
	t.Helper()
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	return w.Sparse()
}

// accountant is New without an error.
func accountant(t testing.TB, p Problem) *Accountant {
	t.Helper()
	a, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The optimum of an interior-point solver: never below it, and equal to a millionth.
func TestOptimumEqualsTheReference(t *testing.T) {
	for i, g := range slices.Concat(flowFiles(t)...) {
		p := g.problem(t)
		best, err := accountant(t, p).Optimal(g.U, g.V)
		if err != nil {
			t.Fatal(err)
		}
		if best.Energy < g.Optimum*(1-1e-9)-1e-9 || best.Energy > g.Optimum*(1+1e-6)+1e-9 {
			t.Errorf("case %d (%s, T=%d): energy %.10g, the optimum is %.10g", i, g.Case, g.Rounds, best.Energy, g.Optimum)
		}
		if best.Floor > best.Energy || best.Floor < best.Energy*(1-1e-6) {
			t.Errorf("case %d (%s, T=%d): energy %.10g, floor %.10g", i, g.Case, g.Rounds, best.Energy, best.Floor)
		}
		if !slices.Contains([]float64{p.Local()}, g.Local) {
			t.Errorf("case %d: local %g, want %g", i, p.Local(), g.Local)
		}
	}
}

// The leakage of linear losses, by the exact joint Gaussian.
func TestAuditEqualsTheReference(t *testing.T) {
	for i, g := range slices.Concat(flowFiles(t)...) {
		low, err := accountant(t, g.problem(t)).Audit(g.U, g.V)
		if err != nil {
			t.Fatal(err)
		}
		if g.Linear != nil && math.Abs(low-*g.Linear) > 1e-8**g.Linear+1e-10 {
			t.Errorf("case %d (%s, T=%d): %.12g, linear losses leak %.12g", i, g.Case, g.Rounds, low, *g.Linear)
		}
		if low > g.Optimum*(1+1e-9)+1e-9 {
			t.Errorf("case %d (%s, T=%d): an attack attains %g where the bound is %g", i, g.Case, g.Rounds, low, g.Optimum)
		}
	}
}

// weightsList is hamilton weights that stay.
func weightsList(t testing.TB, g *graph.Graph) []*sparse.Matrix {
	return []*sparse.Matrix{hamilton(t, g)}
}

func accountantWeights(ws ...*sparse.Matrix) []*sparse.Matrix { return ws }
