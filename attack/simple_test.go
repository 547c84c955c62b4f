package attack

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The simple attack: the knowledge matrix of 002, Algorithm 4.1, written out in
// fractions of any length, and reduced by Gauss and Jordan.

// simpleWeights are the weights of W: off the diagonal fractions of small
// denominators, on it the rest of the row.
func simpleWeights(w *sparse.Matrix) [][]*big.Rat {
	rows := make([][]*big.Rat, w.N)
	for i := range rows {
		rows[i] = make([]*big.Rat, w.N)
		rest := big.NewRat(1, 1)
		for j := range w.N {
			rows[i][j] = new(big.Rat)
			if x := w.At(i, j); x != 0 && i != j {
				numerator, denominator, _ := exact.Rational(x)
				rows[i][j].SetFrac64(numerator, denominator)
				rest.Sub(rest, rows[i][j])
			}
		}
		rows[i][i] = rest
	}
	return rows
}

// simpleKnowledge is the knowledge matrix, K_T.
func simpleKnowledge(ws []*sparse.Matrix, n int, attackers []int) [][]*big.Rat {
	power := make([][]*big.Rat, n)
	for i := range power {
		power[i] = make([]*big.Rat, n)
		for j := range n {
			power[i][j] = new(big.Rat)
		}
		power[i][i].SetInt64(1)
	}
	var rows [][]*big.Rat
	for _, v := range attackers {
		rows = append(rows, power[v])
	}
	for _, w := range ws {
		for _, v := range attackers {
			columns, _ := w.Row(v)
			for _, u := range columns {
				rows = append(rows, power[u])
			}
		}
		weights, next := simpleWeights(w), make([][]*big.Rat, n)
		for i := range next {
			next[i] = make([]*big.Rat, n)
			for j := range n {
				next[i][j] = new(big.Rat)
				for k := range n {
					next[i][j].Add(next[i][j], new(big.Rat).Mul(weights[i][k], power[k][j]))
				}
			}
		}
		power = next
	}
	return rows
}

// simpleReduce returns the rows of the reduced row-echelon form that are not 0.
func simpleReduce(rows [][]*big.Rat, n int) [][]*big.Rat {
	m := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		m[i] = make([]*big.Rat, n)
		for j := range row {
			m[i][j] = new(big.Rat).Set(row[j])
		}
	}
	rank := 0
	for column := 0; column < n && rank < len(m); column++ {
		pivot := rank
		for pivot < len(m) && m[pivot][column].Sign() == 0 {
			pivot++
		}
		if pivot == len(m) {
			continue
		}
		m[rank], m[pivot] = m[pivot], m[rank]
		inverse := new(big.Rat).Inv(m[rank][column])
		for j := range n {
			m[rank][j].Mul(m[rank][j], inverse)
		}
		for i := range m {
			if factor := new(big.Rat).Set(m[i][column]); i != rank && factor.Sign() != 0 {
				for j := range n {
					m[i][j].Sub(m[i][j], new(big.Rat).Mul(factor, m[rank][j]))
				}
			}
		}
		rank++
	}
	return m[:rank]
}

// support lists where a row is not 0.
func support(row []*big.Rat) (nodes []int) {
	for j, x := range row {
		if x.Sign() != 0 {
			nodes = append(nodes, j)
		}
	}
	return nodes
}

// drawnCase is gossip on a random graph of any shape.
type drawnCase struct {
	n         int
	steps     int
	ws        []*sparse.Matrix // one a round
	averaging *gossipview.Accountant
	attackers []int
}

func drawGraph(t *rapid.T, n int, label string) *sparse.Matrix {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label), 1))
	density := rapid.Float64Range(0, 1).Draw(t, label+" density")
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
	rule := rapid.SampledFrom([]string{"hamilton", "max-degree", "uniform"}).Draw(t, label+" weights")
	w, err := graph.NewTransition(g, rule)
	if err != nil {
		t.Fatal(err)
	}
	return w.Sparse()
}

func drawCase(t *rapid.T, most, mostSteps int) drawnCase {
	c := drawnCase{n: rapid.IntRange(1, most).Draw(t, "n"), steps: rapid.IntRange(0, mostSteps).Draw(t, "T")}
	var err error
	if c.steps > 0 && rapid.Bool().Draw(t, "changing") {
		for range c.steps {
			c.ws = append(c.ws, drawGraph(t, c.n, "round"))
		}
		c.averaging, err = gossipview.NewChanging(c.ws)
	} else {
		w := drawGraph(t, c.n, "graph")
		for range c.steps {
			c.ws = append(c.ws, w)
		}
		c.averaging, err = gossipview.New(w, c.steps)
	}
	if err != nil {
		t.Fatal(err)
	}
	nodes := make([]int, c.n)
	for i := range nodes {
		nodes[i] = i
	}
	c.attackers = rapid.Permutation(nodes).Draw(t, "attackers")[:rapid.IntRange(1, min(3, c.n)).Draw(t, "coalition")]
	return c
}

// averaged runs gossip in a simple implementation, with factor gamma, and
// returns the attackers' messages, with their own values.
func averaged(ws []*sparse.Matrix, x [][]float64, attackers []int, gamma float64) []Message {
	var messages []Message
	for _, v := range attackers {
		messages = append(messages, Message{From: v, To: v, Values: x[v]})
	}
	var before [][]float64
	for t, w := range ws {
		for _, v := range attackers {
			columns, _ := w.Row(v)
			for _, u := range columns {
				if int(u) != v {
					messages = append(messages, Message{Turn: t, From: int(u), To: v, Values: x[u]})
				}
			}
		}
		next := make([][]float64, len(x))
		for i := range next {
			next[i] = make([]float64, len(x[i]))
			columns, weights := w.Row(i)
			for j := range next[i] {
				for k, u := range columns {
					next[i][j] += weights[k] * x[u][j]
				}
				if t > 0 {
					next[i][j] = gamma*next[i][j] + (1-gamma)*before[i][j]
				}
			}
		}
		before, x = x, next
	}
	return messages
}

func drawNumbers(rng *rand.Rand, n, dim int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, dim)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
		}
	}
	return x
}

func newGossip(t testing.TB, averaging *gossipview.Accountant, attackers ...int) *Gossip {
	t.Helper()
	g, err := NewGossip(averaging, attackers)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// named is gossip with hamilton weights on the graph of an expression.
func named(t testing.TB, expr string, steps int) (*gossipview.Accountant, *sparse.Matrix) {
	t.Helper()
	g, err := gen.Parse(expr, 1)
	if err != nil {
		t.Fatal(err)
	}
	return on(t, g, steps)
}

func on(t testing.TB, g *graph.Graph, steps int) (*gossipview.Accountant, *sparse.Matrix) {
	t.Helper()
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	averaging, err := gossipview.New(w.Sparse(), steps)
	if err != nil {
		t.Fatal(err)
	}
	return averaging, w.Sparse()
}
