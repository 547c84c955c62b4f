package gossipview

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The simple accountant: products of rational matrices written out, and
// Gram-Schmidt on their rows without square roots, in arithmetic so long that
// nothing needs to be orthogonalised twice.
type simpleView struct {
	n       int
	rows    [][]*big.Float // orthogonal, not normalised
	squares []*big.Float
}

const simpleBits = 3000

func simpleFloat() *big.Float { return new(big.Float).SetPrec(simpleBits) }

func simpleDot(x, y []*big.Float) *big.Float {
	sum := simpleFloat()
	for i := range x {
		sum.Add(sum, simpleFloat().Mul(x[i], y[i]))
	}
	return sum
}

// insert adds a row unless what is new in it is below 2^-1000 of it.
func (s *simpleView) insert(row []*big.Float) {
	x := make([]*big.Float, s.n)
	for i := range x {
		x[i] = simpleFloat().Set(row[i])
	}
	before := simpleDot(x, x)
	for k, q := range s.rows {
		factor := simpleFloat().Quo(simpleDot(q, x), s.squares[k])
		for i := range x {
			x[i].Sub(x[i], simpleFloat().Mul(factor, q[i]))
		}
	}
	square := simpleDot(x, x)
	if square.Cmp(before.SetMantExp(before, -2000)) > 0 {
		s.rows, s.squares = append(s.rows, x), append(s.squares, square)
	}
}

func (s *simpleView) product(u, v int) float64 {
	sum := simpleFloat()
	for k, q := range s.rows {
		term := simpleFloat().Mul(q[u], q[v])
		sum.Add(sum, term.Quo(term, s.squares[k]))
	}
	f, _ := sum.Float64()
	return f
}

// simpleWeights are the weights of W as fractions, found anew: off the
// diagonal 1/k, on it the rest of the row.
func simpleWeights(w *sparse.Matrix) [][]*big.Float {
	rows := make([][]*big.Float, w.N)
	for i := range rows {
		rows[i] = make([]*big.Float, w.N)
		rest := simpleFloat().SetInt64(1)
		for j := range w.N {
			rows[i][j] = simpleFloat()
			if v := w.At(i, j); v != 0 && i != j {
				rows[i][j].Quo(simpleFloat().SetInt64(1), simpleFloat().SetInt64(int64(math.Round(1/v))))
				rest.Sub(rest, rows[i][j])
			}
		}
		rows[i][i] = rest
	}
	return rows
}

func simpleUnit(n, at int) []*big.Float {
	x := make([]*big.Float, n)
	for i := range x {
		x[i] = simpleFloat()
	}
	x[at].SetInt64(1)
	return x
}

// simply builds the view of observers from its definition.
func simply(ws []*sparse.Matrix, observers []int) *simpleView {
	n := ws[0].N
	s := &simpleView{n: n}
	product := make([][]*big.Float, n) // rows of W_{t-1}...W_0
	for i := range product {
		product[i] = simpleUnit(n, i)
	}
	for _, w := range ws {
		for _, v := range observers {
			columns, _ := w.Row(v)
			for _, x := range columns {
				if int(x) != v {
					s.insert(product[x])
				}
			}
		}
		weights := simpleWeights(w)
		next := make([][]*big.Float, n)
		for i := range next {
			next[i] = simpleUnit(n, 0)
			next[i][0].SetInt64(0)
			for k := range n {
				if weights[i][k].Sign() != 0 {
					for j := range n {
						next[i][j].Add(next[i][j], simpleFloat().Mul(weights[i][k], product[k][j]))
					}
				}
			}
		}
		product = next
	}
	for _, v := range observers {
		s.insert(simpleUnit(n, v))
	}
	return s
}

// drawGraph draws a graph of 1 to most nodes of any density and any shape.
func drawGraph(t *rapid.T, most int) *graph.Graph {
	n := rapid.IntRange(1, most).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "graph"), 1))
	density := rapid.Float64Range(0, 1).Draw(t, "density")
	var edges [][2]int
	for u := range n {
		for v := range u {
			if rng.Float64() < density {
				edges = append(edges, [2]int{u, v})
			}
		}
	}
	g, err := graph.FromEdges("drawn", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func drawObservers(t *rapid.T, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "observers"), 2))
	rng.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:rapid.IntRange(1, min(n, 4)).Draw(t, "count")]
}

func weightsOf(t *rapid.T, g *graph.Graph) *sparse.Matrix {
	transition, err := graph.NewTransition(g, rapid.SampledFrom([]string{"hamilton", "hamilton-printed", "max-degree", "uniform"}).Draw(t, "weights"))
	if err != nil {
		t.Fatal(err)
	}
	return transition.Sparse()
}

func repeat(w *sparse.Matrix, steps int) []*sparse.Matrix {
	return slices.Repeat([]*sparse.Matrix{w}, steps)
}

// sameView compares leakages, products and, if it was confirmed, the rank.
func sameView(t *rapid.T, got *View, want *simpleView) {
	if got.Certainty() == Open {
		t.Fatalf("%v", got)
	}
	if got.Certainty() == Confirmed && got.Rank() != len(want.rows) {
		t.Fatalf("rank %d, want %d", got.Rank(), len(want.rows))
	}
	for u := range want.n {
		for v := range want.n {
			w := want.product(u, v)
			if d := math.Abs(got.Product(u, v) - w); d > 1e-10 {
				t.Fatalf("product of %d and %d is %v, want %v (%s)", u, v, got.Product(u, v), w, got.Certainty())
			}
			if d := got.Leakage(u) - want.product(u, u); math.Abs(d) > 1e-10 {
				t.Fatalf("leakage of %d is off by %g (%s)", u, d, got.Certainty())
			}
		}
	}
}

func TestTheorem61JointViewEqualsTheSimpleOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 14)
		w, steps := weightsOf(t, g), rapid.IntRange(0, 20).Draw(t, "T")
		gossip, err := New(w, steps)
		if err != nil {
			t.Fatal(err)
		}
		observers := drawObservers(t, g.Len())
		v, err := gossip.View(observers)
		if err != nil {
			t.Fatal(err)
		}
		if steps == 0 {
			steps = 1
			w = &sparse.Matrix{N: w.N, Offsets: make([]int, w.N+1)} // nobody hears anybody
		}
		sameView(t, v, simply(repeat(w, steps), observers))
	})
}

func TestEquation62ChangingGraphsEqualTheSimpleView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "n")
		var ws []*sparse.Matrix
		for range rapid.IntRange(1, 12).Draw(t, "T") {
			ws = append(ws, drawRound(t, n))
		}
		gossip, err := NewChanging(ws)
		if err != nil {
			t.Fatal(err)
		}
		observers := drawObservers(t, n)
		v, err := gossip.View(observers)
		if err != nil {
			t.Fatal(err)
		}
		sameView(t, v, simply(ws, observers))
	})
}

// drawRound is a redrawn graph, or one activated edge.
func drawRound(t *rapid.T, n int) *sparse.Matrix {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "round"), 3))
	edges := [][2]int{{rng.IntN(n), rng.IntN(n)}}
	if rng.IntN(2) == 0 {
		for u := range n {
			for v := range u {
				if rng.IntN(3) == 0 {
					edges = append(edges, [2]int{u, v})
				}
			}
		}
	}
	g, err := graph.FromEdges("round", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return weightsOf(t, g)
}
