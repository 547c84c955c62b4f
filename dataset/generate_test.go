package dataset

import (
	"math"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/sparse"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

func generate(t testing.TB, source string, nodes int, change func(*Options)) *Federation {
	t.Helper()
	o := options(t, source, "")
	o.Nodes = nodes
	change(&o)
	f, err := Build(o, 1)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestNodesDoNotDependOnTheirNumber(t *testing.T) {
	for _, source := range []string{"two-gaussians", "sparse-regression", "mean"} {
		few := generate(t, source, 10, func(o *Options) { o.Rows = 3 })
		many := generate(t, source, 1000, func(o *Options) { o.Rows = 3 })
		if !slices.Equal(few.Shards.X, many.Shards.X[:len(few.Shards.X)]) || !slices.Equal(few.Shards.Y, many.Shards.Y[:30]) {
			t.Errorf("%s: the first nodes differ", source)
		}
		if x, _ := many.Shards.Shard(1); slices.Equal(x, many.Shards.X[:len(x)]) {
			t.Errorf("%s: nodes 0 and 1 hold the same rows", source)
		}
	}
}

// TestTwoGaussians checks the moments of y x, which is N(mu, v I). The mean of
// 80000 values has standard error sqrt(v/80000), their variance a relative
// one of sqrt(2/80000); at 5 of them a false alarm happens less than once in
// a million.
func TestTwoGaussians(t *testing.T) {
	for _, variance := range []float64{1, 10} {
		f := generate(t, "two-gaussians", 10_000, func(o *Options) { o.Variance = variance })
		x := slices.Clone(f.Shards.X)
		for i, y := range f.Shards.Y {
			floats.Scale(y, x[i*8:(i+1)*8])
		}
		mean, got := stat.MeanVariance(x, nil)
		if math.Abs(mean-1) > 5*math.Sqrt(variance/80_000) || math.Abs(got/variance-1) > 5*math.Sqrt(2/80_000.) {
			t.Errorf("variance %v: y x has mean %v and variance %v", variance, mean, got)
		}
		// Labels are fair coins: standard error 50 of 10000, 5 of them.
		if plus := count(f.Shards.Y, 1); plus < 4750 || plus > 5250 || f.Test.Rows() != 2500 || f.Task != Classification {
			t.Errorf("%d of 10000 labels are +1; %d test rows", plus, f.Test.Rows())
		}
		if !math.IsInf(f.Bound, 1) {
			t.Errorf("a Gaussian is said to be bounded by %v", f.Bound)
		}
	}
}

func TestSparseRegression(t *testing.T) {
	f := generate(t, "sparse-regression", 1000, func(o *Options) { o.Variance = 0 })
	support := floats.Count(func(w float64) bool { return w != 0 }, f.Truth)
	if support != 8 || len(f.Truth) != 64 || f.Bound != 1 || f.Shards.Nodes() != 1000 {
		t.Fatalf("support %d of %d, bound %v, %d nodes", support, len(f.Truth), f.Bound, f.Shards.Nodes())
	}
	for v := range f.Shards.Nodes() {
		x, y := f.Shards.Shard(v)
		if norm := floats.Norm(x, 2); norm > 1 || norm < 1-1e-12 || y[0] != sparse.Dot(f.Truth, x) {
			t.Fatalf("node %d: row of norm %v, label %v", v, norm, y[0])
		}
	}
}

func TestScaledRegressionKeepsNoFalseBound(t *testing.T) {
	f := generate(t, "sparse-regression", 100, func(o *Options) { o.Scale = "standardise" })
	if !math.IsInf(f.Bound, 1) {
		t.Errorf("standardised rows are said to be bounded by %v", f.Bound)
	}
}

func TestMeanVectors(t *testing.T) {
	f := generate(t, "mean", 100, func(o *Options) { o.Centre, o.Variance, o.Normalise = 2, 0, "unit" })
	if f.Test.Rows() != 0 || f.Task != Mean || count(f.Shards.Y, 0) != 100 {
		t.Errorf("%d test rows, task %s, labels %v", f.Test.Rows(), f.Task, f.Shards.Y)
	}
	for _, v := range f.Shards.X {
		if math.Abs(v-1/math.Sqrt(8)) > 1e-12 {
			t.Fatalf("coordinate %v of a unit vector along the diagonal", v)
		}
	}
}

func TestGenerateErrors(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"0 rows per node":         func(o *Options) { o.Rows = 0 },
		"0 features":              func(o *Options) { o.Features = 0 },
		"variance -1":             func(o *Options) { o.Variance = -1 },
		"centre NaN":              func(o *Options) { o.Centre = math.NaN() },
		"cannot be partitioned":   func(o *Options) { o.Partition = "position" },
		"no test part of its own": func(o *Options) { o.Test = OwnTest },
		"too many to hold":        func(o *Options) { o.Nodes = 1 << 40 },
		"is read, not generated":  func(o *Options) { o.Source = "houses" },
		"support 9 of 8 features": func(o *Options) { o.Source, o.Support = "sparse-regression", 9 },
	} {
		o := options(t, "two-gaussians", "")
		o.Nodes = 4
		change(&o)
		_, err := Generate(o, 1)
		expectFault(t, err, want)
	}
}

// BenchmarkGenerateMillion fills 10^6 nodes x 8 rows x (8 features + label);
// its B/op is what the slab takes.
func BenchmarkGenerateMillion(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		generate(b, "two-gaussians", 1_000_000, func(o *Options) { o.Rows = 8 })
	}
}

func BenchmarkFederateHouses(b *testing.B) {
	o := options(b, "houses", "data/houses/houses.csv")
	o.Nodes = 2048
	table := load1(b, o)
	b.ReportAllocs()
	for b.Loop() {
		federate(b, table, o, 1)
	}
}
