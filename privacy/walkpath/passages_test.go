package walkpath

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/sparse"
)

// drawReversible is the walk between n nodes along random edges, in proportion to their
// random weights, and often to itself.
func drawReversible(t *rapid.T) *sparse.Matrix {
	n := rapid.IntRange(3, 24).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "graph"), 5))
	density, lazy := rapid.Float64Range(0, 1).Draw(t, "density"), rapid.Float64Range(0.01, 1).Draw(t, "lazy")
	spread := rapid.Float64Range(0, 3).Draw(t, "spread")
	flow := make([]float64, n*n)
	for i := range n {
		flow[i*n+i] = lazy
		for j := range i {
			if j == i-1 || rng.Float64() < density {
				x := math.Exp(spread * rng.NormFloat64())
				flow[i*n+j], flow[j*n+i] = x, x
			}
		}
	}
	for i := range n {
		row := flow[i*n : (i+1)*n]
		all := sum(row)
		for j := range row {
			row[j] /= all
		}
	}
	return sparse.FromDense(n, flow)
}

// sameLaws compares passages in blocks with the same one by one, turn by turn. Where all but
// nothing has arrived they may end at different turns.
func sameLaws(t rapid.TB, c *chain, limit int, list []passage, laws [][][]float64, rest []float64) {
	t.Helper()
	for k, one := range list {
		want, left := c.firstPassage(one.from, limit, one.stops...)
		if math.Abs(rest[k]-left) > 1e-9*left+2*negligible {
			t.Fatalf("passage %d: %g is on its way, want %g", k, rest[k], left)
		}
		for i := range want {
			for turn := range max(len(want[i]), len(laws[k][i])) {
				a, b := at(laws[k][i], turn), at(want[i], turn)
				if math.Abs(a-b) > 1e-9*b+4*negligible {
					t.Fatalf("passage %d, stop %d, turn %d: %g, want %g", k, i, turn, a, b)
				}
			}
		}
	}
}

func at(law []float64, t int) float64 {
	if t < len(law) {
		return law[t]
	}
	return 0
}

// Leaps arrive where single turns do, and are made wherever a walk is reversible and has
// had time to spread.
func TestLeapsEqualSingleTurns(t *testing.T) {
	drawn, tried, leapt := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		c := &chain{w: drawReversible(t)}
		limit := rapid.IntRange(1, 3000).Draw(t, "limit")
		uniform := make([]float64, c.w.N)
		for i := range uniform {
			uniform[i] = 1 / float64(c.w.N)
		}
		list := []passage{{c.at(0), []int{0, 1}}, {c.at(1), []int{0}}, {uniform, []int{2}}}
		f := newFollowed(c.w.Transpose(), list)
		f.run(limit)
		sameLaws(t, c, limit, list, f.laws, f.rest)
		if limit > 3*firstLeap*leapAgain && f.onTheWay() > 0 {
			tried++
			if f.turn == limit {
				leapt++
			}
		}
	})
	drawntest.Often(t, "walks go on for long enough", tried, drawn, 0.14)
	drawntest.Often(t, "such walks are followed by leaps", leapt, tried, 0.95)
}

// More passages than a block has room for.
func TestPassagesInSeveralBlocks(t *testing.T) {
	w, _ := walkOn(t, "geometric:n=30,r=0.4")
	c := &chain{w: w.W}
	var list []passage
	for x := range w.Nodes - 1 {
		list = append(list, passage{c.at(x), []int{x, x + 1}})
	}
	laws, rest := firstPassages(w.W.Transpose(), 1000, list)
	sameLaws(t, c, 1000, list, laws, rest)
}

// Where a walk is not reversible, comes back in even turns only, never comes to a stop, or has to go far, no leap
// is made before it is exact.
func TestPassagesThatCannotLeap(t *testing.T) {
	oneWay := &sparse.Matrix{N: 6, Offsets: []int{0}}
	for i := range int32(6) {
		next := []int32{i, (i + 1) % 6}
		if next[1] < i {
			next[0], next[1] = next[1], next[0]
		}
		oneWay.Columns, oneWay.Values = append(oneWay.Columns, next...), append(oneWay.Values, 0.5, 0.5)
		oneWay.Offsets = append(oneWay.Offsets, len(oneWay.Columns))
	}
	if reversible(oneWay.Transpose()) != nil {
		t.Error("a walk that goes one way is reversible")
	}
	line, _ := walkOn(t, "line:300")
	even := sparse.FromDense(4, []float64{0, 1, 0, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0, 0.5, 0, 0, 1, 0})
	apart := sparse.FromDense(4, []float64{0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5})
	for name, m := range map[string]*sparse.Matrix{"one way": oneWay, "line": line.W, "even turns": even, "apart": apart} {
		c := &chain{w: m}
		list := []passage{{c.at(0), []int{0, m.N - 1}}, {c.at(m.N - 1), []int{0}}}
		laws, rest := firstPassages(m.Transpose(), 4000, list)
		t.Run(name, func(t *testing.T) { sameLaws(t, c, 4000, list, laws, rest) })
	}
}

// The law of a pair that tells all nodes of a graph apart: most of the time once went to
// three times as many products as there are turns.
func BenchmarkPathLawWithoutSymmetry(b *testing.B) {
	w, _ := walkOn(b, "geometric:n=2048,r=0.07")
	w.Turns, w.Cap = 20000, 12
	for b.Loop() {
		if _, err := w.Law(0, 1); err != nil {
			b.Fatal(err)
		}
	}
}
