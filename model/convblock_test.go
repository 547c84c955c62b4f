package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/sparse"
)

// pictures draws so many for a network.
func pictures(rng *rand.Rand, net ConvNet, rows int) Examples {
	ex := Examples{Features: net.Picture().Pixels(), X: normal(rng, rows*net.Picture().Pixels())}
	for range rows {
		ex.Y = append(ex.Y, LabelOf(rng.IntN(net.Classes()), net.Classes()))
	}
	return ex
}

// drawBlockNet draws a network that fills vectors, or does not, and its parameters.
func drawBlockNet(t *rapid.T) (ConvNet, []float64) {
	if rapid.Bool().Draw(t, "small") {
		net, theta, _ := drawConvNet(t)
		return net, theta
	}
	size := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	net := NewConvNet(Convolution{
		Picture: Picture{size("planes", 1, 9), size("rows", 4, 19), size("columns", 4, 19)}, Kernel: 2*size("half a kernel", 0, 4) + 1,
		Maps: [2]int{size("first", 1, 18), size("second", 1, 18)}, Hidden: size("hidden", 1, 20),
	}, size("classes", 2, 11), nil)
	return net, net.Start(0, 0, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
}

// A batch of pictures gives what the plain loops give one after the other: outputs, norms of gradients and their weighted sum. Zeros
// in pictures make numbers that are pooled alike.
func TestConvNetBatchIsThePlainLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, theta := drawBlockNet(t)
		batch := NewBatch(net)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of pictures"), 2))
		for _, rows := range rapid.SliceOfN(rapid.IntRange(1, 9), 1, 3).Draw(t, "rows") {
			ex := pictures(rng, net, rows)
			if rapid.Bool().Draw(t, "zeros") {
				for i := range ex.X {
					if rng.IntN(3) > 0 {
						ex.X[i] = 0
					}
				}
			}
			weight, want, got := normal(rng, rows), make([]float64, len(theta)), make([]float64, len(theta))
			norms := slices.Clone(batch.At(theta, ex))
			batch.Add(got, weight)
			outputs := batch.Outputs(theta, ex)
			z, scale := make([]float64, net.Classes()), 0.0
			for i := range rows {
				x, y := ex.Row(i)
				net.Outputs(z, theta, x)
				for j, v := range z {
					if math.Abs(v-outputs[i*len(z)+j]) > 1e-13*(1+math.Abs(v)) {
						t.Fatalf("output %d of picture %d is %g, want %g", j, i, outputs[i*len(z)+j], v)
					}
				}
				g := gradient(net, theta, x, y)
				if want := norm(g); math.Abs(norms[i]-want) > 1e-12*want {
					t.Fatalf("the norm of gradient %d is %g, want %g", i, norms[i], want)
				}
				sparse.Axpy(want, weight[i], g)
				scale += math.Abs(weight[i]) * norm(g)
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-12*scale {
					t.Fatalf("entry %d of the sum is %g, want %g", i, got[i], want[i])
				}
			}
		}
	})
}

// A picture's norm has the same bits alone and among others, with and without tile.Pool. So has a sum in which the others weigh nothing.
func TestConvNetBatchOfManyIsEachAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, theta := drawBlockNet(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of pictures"), 3))
		ex := pictures(rng, net, rapid.IntRange(2, 20).Draw(t, "rows"))
		i := rapid.IntRange(0, ex.Len()-1).Draw(t, "one")
		together, alone := NewBatch(net), NewBatch(net)
		if rapid.Bool().Draw(t, "plain") {
			for _, l := range alone.convolutions.layers {
				l.pools = false
			}
		}
		norm, weight := together.At(theta, ex)[i], make([]float64, ex.Len())
		weight[i] = 0.7
		sum, want := make([]float64, len(theta)), make([]float64, len(theta))
		together.Add(sum, weight)
		if one := alone.At(theta, ex.Slice(i, i+1))[0]; one != norm {
			t.Fatalf("the norm is %g among others, %g alone", norm, one)
		}
		if alone.Add(want, weight[i:i+1]); !slices.Equal(sum, want) {
			t.Fatalf("the sum is %v among others, %v alone", sum, want)
		}
	})
}

// What a picture that is not finite does stays with it: its norm is no number, and the others' sum is what it is without it.
func TestConvNetBatchLeavesOutWhatIsNotFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, theta := drawBlockNet(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of pictures"), 4))
		ex := pictures(rng, net, 4)
		batch, want, got := NewBatch(net), make([]float64, len(theta)), make([]float64, len(theta))
		batch.At(theta, ex.Slice(1, 4))
		batch.Add(want, []float64{1, 0.5, 1})
		ex.X[rapid.IntRange(0, ex.Features-1).Draw(t, "pixel")] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "bad")
		if norms := batch.At(theta, ex); norms[0] <= math.MaxFloat64 {
			t.Fatalf("a picture that is not finite has a gradient of norm %g", norms[0])
		}
		batch.Add(got, []float64{0, 1, 0.5, 1})
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
				t.Fatalf("entry %d is %g, want %g", i, got[i], want[i])
			}
		}
	})
}

// The objective of a model with a block form is that of its examples one after the other; none where a gradient is longer than the clip.
func TestMinimisedInBlocksIsOfEachExample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, theta, _ := drawConvNet(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of pictures"), 5))
		o, ex := Objective{Model: net, L2: 0.5}, pictures(rng, net, rapid.IntRange(1, 6).Draw(t, "rows"))
		if rapid.Bool().Draw(t, "dense") {
			o.Model = NewNetwork(net.Classes(), []int{3}, true, nil)
			theta = normal(rng, o.Params(ex.Features))
		}
		weight, clip, want := normal(rng, ex.Len()), rapid.SampledFrom([]float64{0.1, 1, 5, 1e3, math.Inf(1)}).Draw(t, "clip"), o.Penalty(theta)
		for i, w := range weight {
			x, y := ex.Row(i)
			want += w * o.Clipped(theta, x, y, clip)
		}
		got := o.Minimised(theta, ex, weight, clip)
		if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Fatalf("the objective is %g, want %g", got, want)
		}
	})
}

// All outputs of a convolutional network are shown, not the first alone.
func TestOutputsOfAConvNetAreAllShown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	net := NewConvNet(Convolution{Picture{1, 8, 8}, 3, [2]int{2, 2}, 4}, 4, nil)
	theta, ex, right := net.Start(0, 0, rng), pictures(rng, net, 300), 0
	EachOutputs(net, theta, ex, func(i int, z []float64) {
		x, y := ex.Row(i)
		if len(z) != 4 || (Predicts(z) == ClassOf(y, 4)) != net.Correct(theta, x, y) {
			t.Fatalf("picture %d has outputs %v", i, z)
		}
	})
	classified := Classify(net, theta, ex)
	for c := range 4 {
		right += classified.Confusion[c][c]
	}
	if _, accuracy := (Objective{Model: net}).Score(theta, ex); accuracy != float64(right)/300 {
		t.Fatalf("an accuracy of %g, and %d of 300 are right", accuracy, right)
	}
}

// digits are 256 pictures and a network of the size of MNIST, of 25,694 parameters.
func digits() (ConvNet, []float64, Examples) {
	net, rng := NewConvNet(Convolution{Picture{1, 28, 28}, 5, [2]int{8, 16}, 28}, 10, nil), rand.New(rand.NewPCG(1, 2))
	return net, net.Start(0, 0, rng), pictures(rng, net, BlockRows)
}

// Clipped sums of gradients of 256 pictures, all at once.
func BenchmarkConvNetClippedSumBatch(b *testing.B) {
	net, theta, ex := digits()
	batch, sum, weight := NewBatch(net), make([]float64, len(theta)), make([]float64, ex.Len())
	for b.Loop() {
		clear(sum)
		for lo := 0; lo < ex.Len(); lo += batch.Rows() {
			hi := min(lo+batch.Rows(), ex.Len())
			for i, length := range batch.At(theta, ex.Slice(lo, hi)) {
				weight[i] = min(1, 0.5/length)
			}
			batch.Add(sum, weight[:hi-lo])
		}
	}
	b.ReportMetric(float64(b.N*ex.Len())/b.Elapsed().Seconds(), "examples/s")
}

// The same, one picture at a time.
func BenchmarkConvNetClippedSumObvious(b *testing.B) {
	net, theta, ex := digits()
	g, sum := make([]float64, len(theta)), make([]float64, len(theta))
	for b.Loop() {
		clear(sum)
		for i := range ex.Len() {
			x, y := ex.Row(i)
			net.Gradient(g, theta, x, y)
			sparse.Axpy(sum, min(1, 0.5/sparse.Norm(g)), g)
		}
	}
	b.ReportMetric(float64(b.N*ex.Len())/b.Elapsed().Seconds(), "examples/s")
}
