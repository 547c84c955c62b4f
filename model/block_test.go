package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/sparse"
)

// denseModels are those that have batches.
func denseModels() (list []Model) {
	for _, m := range all() {
		if NewBatch(m) != nil {
			list = append(list, m)
		}
	}
	return list
}

// block draws examples for m.
func block(t *rapid.T, m Model, features, rows int) Examples {
	ex := Examples{Features: features, X: vector(t, "x", rows*features)}
	for range rows {
		ex.Y = append(ex.Y, rapid.SampledFrom(labels(m)).Draw(t, "y"))
	}
	return ex
}

// A batch gives what the obvious loop gives: outputs, the norm of each example's
// gradient, and weighted sums of gradients, also after a block of another size.
func TestBatchIsTheObviousLoop(t *testing.T) {
	for _, m := range denseModels() {
		batch := NewBatch(m)
		rapid.Check(t, func(t *rapid.T) {
			features, rows := rapid.IntRange(1, 20).Draw(t, "features"), rapid.IntRange(1, 20).Draw(t, "rows")
			theta := vector(t, "theta", m.Params(features))
			ex := block(t, m, features, rows)
			outputs := batch.Outputs(theta, ex)
			k := len(outputs) / rows
			z := make([]float64, k)
			for i := range rows {
				x, _ := ex.Row(i)
				m.(Predictor).Outputs(z, theta, x)
				for j := range z {
					if math.Abs(z[j]-outputs[i*k+j]) > 1e-12*(1+math.Abs(z[j])) {
						t.Fatalf("%s: output %d of example %d is %g, want %g", m.Name(), j, i, outputs[i*k+j], z[j])
					}
				}
			}
			norms := batch.At(theta, ex)
			weight, want, got := make([]float64, rows), make([]float64, len(theta)), make([]float64, len(theta))
			for i := range rows {
				x, y := ex.Row(i)
				g := gradient(m, theta, x, y)
				if want := norm(g); math.Abs(norms[i]-want) > 1e-11*(1+want) {
					t.Fatalf("%s: the norm of gradient %d is %g, want %g", m.Name(), i, norms[i], want)
				}
				weight[i] = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "weight")
				sparse.Axpy(want, weight[i], g)
			}
			batch.Add(got, weight)
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-10*(1+math.Abs(want[i])) {
					t.Fatalf("%s: entry %d of the sum is %g, want %g", m.Name(), i, got[i], want[i])
				}
			}
		})
	}
}

// What an example that is not finite does stays with it: the others' norms and
// their sum are what they are without it.
func TestBatchLeavesOutWhatIsNotFinite(t *testing.T) {
	for _, m := range denseModels() {
		rng := rand.New(rand.NewPCG(1, 2))
		ex := Examples{Features: 3, X: make([]float64, 12), Y: []float64{1, 1, 1, 1}}
		theta := make([]float64, m.Params(3))
		for i := range ex.X {
			ex.X[i] = rng.NormFloat64()
		}
		for i := range theta {
			theta[i] = rng.NormFloat64()
		}
		without := Examples{Features: 3, X: ex.X[3:], Y: ex.Y[1:]}
		batch, want, got := NewBatch(m), make([]float64, len(theta)), make([]float64, len(theta))
		batch.At(theta, without)
		batch.Add(want, []float64{1, 1, 1})
		for _, bad := range []float64{math.NaN(), math.Inf(1), 1e308} {
			spoilt := Examples{Features: 3, X: append([]float64{bad, -bad, bad}, ex.X[3:]...), Y: ex.Y}
			clear(got)
			batch.At(theta, spoilt)
			batch.Add(got, []float64{0, 1, 1, 1})
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-12 {
					t.Fatalf("%s with %g: entry %d is %g, want %g", m.Name(), bad, i, got[i], want[i])
				}
			}
			if spoilt.X[3] != ex.X[3] || math.IsNaN(bad) != math.IsNaN(spoilt.X[0]) {
				t.Fatalf("%s: the caller's rows were changed", m.Name())
			}
		}
	}
}

// A network does not begin at zero, whatever the seed, and begins the same
// everywhere; its first predictions are all alike.
func TestStart(t *testing.T) {
	n := NewNetwork(3, []int{4, 2}, true, nil)
	start := func(seed uint64) []float64 { return n.Start(5, 1, rand.New(rand.NewPCG(seed, 0))) }
	theta, z := start(1), make([]float64, 3)
	if sparse.Norm(theta) == 0 || sparse.Norm(theta) == sparse.Norm(start(2)) || sparse.Norm(theta) != sparse.Norm(start(1)) {
		t.Fatal("zero, or the same for all seeds, or not for one")
	}
	n.Outputs(z, theta, []float64{1, 2, 3, 4, 5})
	if sparse.Norm(z) != 0 {
		t.Fatalf("the first outputs are %v", z)
	}
	// A unit's input has variance at most 1 for rows of norm 1: over 4000 units and one
	// row the estimate's standard deviation is 0.02, five of which are beyond 1.2 with
	// probability below 1e-6.
	wide := NewNetwork(2, []int{4000}, false, nil)
	first := wide.Start(2, 1, rand.New(rand.NewPCG(1, 0)))
	square := 0.0
	for j := range 4000 {
		z := first[2*j]*0.6 + first[2*j+1]*0.8
		square += z * z / 4000
	}
	if square < 0.8 || square > 1.2 {
		t.Fatalf("the variance of a unit's input is %g", square)
	}
}

// benchmarked are 256 rows and a model of the size of MNIST.
func benchmarked() (Network, []float64, Examples) {
	n, rng := NewNetwork(10, []int{32}, true, nil), rand.New(rand.NewPCG(1, 2))
	ex := Examples{Features: 784, X: make([]float64, 784*BlockRows), Y: make([]float64, BlockRows)}
	for i := range ex.X {
		ex.X[i] = rng.NormFloat64() / 28
	}
	for i := range ex.Y {
		ex.Y[i] = float64(rng.IntN(10))
	}
	return n, n.Start(784, 1, rng), ex
}

// Clipped sums of gradients of 256 examples of MNIST's size, 32 hidden units.
func BenchmarkClippedSumBatch(b *testing.B) {
	n, theta, ex := benchmarked()
	batch, sum, weight := NewBatch(n), make([]float64, len(theta)), make([]float64, ex.Len())
	for b.Loop() {
		clear(sum)
		for i, length := range batch.At(theta, ex) {
			weight[i] = min(1, 0.5/length)
		}
		batch.Add(sum, weight)
	}
	b.ReportMetric(float64(b.N*ex.Len())/b.Elapsed().Seconds(), "examples/s")
}

// The same, one example at a time.
func BenchmarkClippedSumObvious(b *testing.B) {
	n, theta, ex := benchmarked()
	g, sum := make([]float64, len(theta)), make([]float64, len(theta))
	for b.Loop() {
		clear(sum)
		for i := range ex.Len() {
			x, y := ex.Row(i)
			n.Gradient(g, theta, x, y)
			sparse.Axpy(sum, min(1, 0.5/sparse.Norm(g)), g)
		}
	}
	b.ReportMetric(float64(b.N*ex.Len())/b.Elapsed().Seconds(), "examples/s")
}
