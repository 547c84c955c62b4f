package graph_test

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
	"github.com/hearsay-dp/hearsay/sparse"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

func toGonum(g *graph.Graph) *simple.UndirectedGraph {
	h := simple.NewUndirectedGraph()
	for u := range g.Len() {
		h.AddNode(simple.Node(u))
	}
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			h.SetEdge(simple.Edge{F: simple.Node(u), T: simple.Node(v)})
		}
	}
	return h
}

func adjacencyMatrix(g *graph.Graph) *mat.SymDense {
	a := mat.NewSymDense(g.Len(), nil)
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			a.SetSym(u, int(v), 1)
		}
	}
	return a
}

// gonum counts a node once for each ordered pair.
func TestBetweennessAgreesWithGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, false)
		n := g.Len()
		want := network.Betweenness(toGonum(g))
		for u, c := range g.Betweenness() {
			if n > 2 && math.Abs(c-want[int64(u)]/float64((n-1)*(n-2))) > 1e-12 {
				t.Fatalf("betweenness of %d is %g, gonum's %g", u, c, want[int64(u)])
			}
		}
	})
}

func TestClosenessAgreesWithDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, false)
		all := floyd(g)
		for u, c := range g.Closeness() {
			reached, total := 0.0, 0.0
			for v, d := range all[u] {
				if v != u && d < graph.Unreachable {
					reached++
					total += float64(d)
				}
			}
			want := 0.0
			if reached > 0 {
				want = reached / float64(g.Len()-1) * reached / total
			}
			if math.Abs(c-want) > 1e-14 {
				t.Fatalf("closeness of %d is %g, want %g", u, c, want)
			}
		}
	})
}

func TestDegreesOfAStar(t *testing.T) {
	if c := mustParse(t, "star:5").Degrees(); !floats.Equal(c, []float64{1, 0.25, 0.25, 0.25, 0.25}) {
		t.Errorf("degree centrality %v", c)
	}
}

func TestEigenvectorAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, true)
		x, err := g.Eigenvector()
		if err != nil {
			t.Fatal(err)
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(adjacencyMatrix(g), true) {
			t.Fatal("no dense eigenvectors")
		}
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		for u := range x {
			if want := math.Abs(vectors.At(u, g.Len()-1)); math.Abs(x[u]-want) > 1e-9 {
				t.Fatalf("eigenvector centrality of %d is %g, want %g", u, x[u], want)
			}
		}
	})
	if _, err := mustParse(t, "er:4,0").Eigenvector(); err == nil {
		t.Error("an empty graph has an eigenvector centrality")
	}
}

func TestCommunicabilityAgreesWithDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, false)
		w, err := graph.NewTransition(g, "hamilton")
		if err != nil {
			t.Fatal(err)
		}
		checkExponential(t, g.Adjacency(), adjacencyMatrix(g))
		checkExponential(t, w, w.Dense())
	})
}

func checkExponential(t *rapid.T, a sparse.Operator, dense mat.Matrix) {
	var want mat.Dense
	want.Exp(dense)
	column := make([]float64, a.Len())
	for u := range column {
		graph.Communicability(column, a, u)
		for v, c := range column {
			if math.Abs(c-want.At(v, u)) > 1e-12*mat.Max(&want) {
				t.Fatalf("communicability of %d and %d is %g, want %g", v, u, c, want.At(v, u))
			}
		}
	}
}

// Between the ends of a long line it is nearly 1/distance!, far below what a
// method that subtracts can resolve.
func TestCommunicabilityIsRightWhereItIsTiny(t *testing.T) {
	g := mustParse(t, "line:31")
	column := make([]float64, 31)
	graph.Communicability(column, g.Adjacency(), 0)
	want := 1.0 // the sum over walks of 30 + 2k hops, by the reflection principle
	factorial, _ := math.Lgamma(31)
	for k, term := 0, 1.0; k < 20; k++ {
		m := float64(30 + 2*k + 1)
		term *= 1 / (m * (m + 1)) // 30!/(32+2k)!
		want += walksAcross(30, k+1) * term
	}
	if ratio := column[30] / (want * math.Exp(-factorial)); math.Abs(ratio-1) > 1e-12 {
		t.Errorf("communicability %g is %g times what it should be", column[30], ratio)
	}
}

// walksAcross counts the walks of length+2k hops between the ends of a line
// of length hops.
func walksAcross(length, k int) float64 {
	count := make([]float64, length+1)
	count[0] = 1
	for range length + 2*k {
		next := make([]float64, length+1)
		for u, c := range count {
			if u > 0 {
				next[u-1] += c
			}
			if u < length {
				next[u+1] += c
			}
		}
		count = next
	}
	return count[length]
}

func TestKatzSolvesItsEquation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t, false)
		_, _, degree := g.DegreeRange()
		alpha := rapid.Float64Range(0, 0.9).Draw(t, "share") / float64(max(degree, 1))
		x, err := graph.Katz(g.Adjacency(), alpha)
		if err != nil {
			t.Fatal(err)
		}
		ax := make([]float64, len(x))
		g.Adjacency().Mul(ax, x)
		for u := range x {
			if math.Abs(1+alpha*ax[u]-x[u]) > 1e-12*x[u] {
				t.Fatalf("node %d: %g is not 1 + alpha A x = %g", u, x[u], 1+alpha*ax[u])
			}
		}
	})
	if _, err := graph.Katz(mustParse(t, "complete:5").Adjacency(), 0.25); err == nil {
		t.Error("Katz centrality converged at the largest eigenvalue")
	}
	if _, err := graph.Katz(mustParse(t, "complete:5").Adjacency(), 0.3); err == nil {
		t.Error("Katz centrality converged beyond the largest eigenvalue")
	}
}
