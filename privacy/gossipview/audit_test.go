package gossipview

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/audit"
	"github.com/hearsay-dp/hearsay/sparse"
)

// heardRows are the rows of W^t that v hears in T rounds, and its own value.
func heardRows(w *sparse.Matrix, v, steps int) *mat.Dense {
	n := w.N
	rows := [][]float64{unitRow(n, v)}
	power := make([][]float64, n)
	for i := range power {
		power[i] = unitRow(n, i)
	}
	for range steps {
		for i := range n {
			if i != v && w.At(v, i) != 0 {
				rows = append(rows, power[i])
			}
		}
		power = timesRows(w, power)
	}
	m := mat.NewDense(len(rows), n, nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

func unitRow(n, at int) []float64 {
	x := make([]float64, n)
	x[at] = 1
	return x
}

// timesRows is W times a matrix.
func timesRows(w *sparse.Matrix, rows [][]float64) [][]float64 {
	next := make([][]float64, w.N)
	for i := range next {
		next[i] = make([]float64, w.N)
		for k := range w.N {
			for j := range w.N {
				next[i][j] += w.At(i, k) * rows[k][j]
			}
		}
	}
	return next
}

// combination weighs the rows of m so that they sum to direction, or fails.
func combination(t *testing.T, m *mat.Dense, direction []float64) []float64 {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(m.T(), mat.SVDThin) {
		t.Fatal("no singular vectors")
	}
	var weights mat.VecDense
	if left := svd.SolveVecTo(&weights, mat.NewVecDense(len(direction), direction), svd.Rank(1e-10)); left > 1e-12 {
		t.Fatalf("%g of the direction is not in the messages", left)
	}
	return weights.RawVector().Data
}

// gossipMessages runs gossip of noisy values and lists what v hears, in the
// order of heardRows.
func gossipMessages(w *sparse.Matrix, v, steps int, x []float64) []float64 {
	heard := []float64{x[v]}
	next := make([]float64, len(x))
	for range steps {
		for i := range x {
			if i != v && w.At(v, i) != 0 {
				heard = append(heard, x[i])
			}
		}
		w.MulBlock(next, x, 1)
		x, next = next, x
	}
	return heard
}

// An attacker that only combines the messages of real runs finds the sound
// loss: its black-box bound is below it and within a tenth. Each of the bounds
// fails for one seed in a thousand.
func TestGossipAttackOnRunsAttainsTheSoundLoss(t *testing.T) {
	const sigma, runs = 0.7, 20000
	for _, c := range []struct {
		graph       string
		u, v, steps int
	}{{"ring:6", 0, 3, 4}, {"hypercube:3", 1, 6, 3}, {"grid:3x3", 0, 5, 4}} {
		gossip := gossipNamed(t, c.graph, c.steps)
		direction := make([]float64, gossip.Len())
		if err := view(t, gossip, c.v).Direction(direction, c.u); err != nil {
			t.Fatal(err)
		}
		w := gossip.matrices[0]
		weights := combination(t, heardRows(w, c.v, c.steps), direction)
		r := rand.New(rand.NewPCG(9, uint64(c.steps)))
		score := func(shift float64) float64 {
			x := make([]float64, gossip.Len())
			for i := range x {
				x[i] = sigma * r.NormFloat64()
			}
			x[c.u] += shift
			return sparse.Dot(weights, gossipMessages(w, c.v, c.steps, x))
		}
		var first, second []float64
		for range runs {
			first, second = append(first, score(1)), append(second, score(0))
		}
		sound, _, err := view(t, gossip, c.v).AuditMu(c.u, sigma)
		if err != nil {
			t.Fatal(err)
		}
		runs, err := audit.Scores(first, second, privacy.Metric{Delta: 0.01}, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		if found := runs.Mu; !(found <= sound && found >= 0.9*sound) {
			t.Errorf("%s (%d,%d): runs prove %g, sound is %g", c.graph, c.u, c.v, found, sound)
		}
	}
}

// The likelihood-ratio test attains the sound loss: the audit equals the
// accountant, for every pair of small random graphs.
func TestGossipAuditEqualsTheSoundLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 12)
		gossip, err := New(weightsOf(t, g), rapid.IntRange(0, 8).Draw(t, "T"))
		if err != nil {
			t.Fatal(err)
		}
		sigma := math.Exp(rapid.Float64Range(-1, 2).Draw(t, "ln sigma"))
		view, err := gossip.View([]int{rapid.IntRange(0, g.Len()-1).Draw(t, "v")})
		if err != nil {
			t.Fatal(err)
		}
		for u := range g.Len() {
			audit, claim, err := view.AuditMu(u, sigma)
			if err != nil {
				if c := view.Certainty(); c == Confirmed || c == Clear {
					t.Fatal(err)
				}
				return
			}
			sound := math.Sqrt(view.Leakage(u)) / sigma
			if claim.Status != privacy.Audit || math.Abs(audit-sound) > 1e-7*sound+1e-7 {
				t.Fatalf("node %d: audit %v, sound %v", u, audit, sound)
			}
		}
	})
}

// A view that is only bounded from above gives no lower bound.
func TestGossipAuditRefusesAnOpenView(t *testing.T) {
	v := &View{n: 2, certainty: Open, reached: []bool{true, true}}
	if mu, _, err := v.AuditMu(0, 1); err == nil {
		t.Errorf("an open view proves %g", mu)
	}
	if mu, _, err := view(t, gossipNamed(t, "ring:5", 2), 0).AuditMu(1, 0); err == nil {
		t.Errorf("no noise: %g", mu)
	}
}
