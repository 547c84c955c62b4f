package noise

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// table serves fixed gradients.
type table [][]float64

func (g table) Len() int { return len(g) }

func (g table) Gradient(i int) (slope, norm float64, direction []float64) {
	return 1, length(g[i]), g[i]
}

// withIntercept is a table whose directions go on with a 1.
type withIntercept struct{ table }

func (g withIntercept) Gradient(i int) (slope, norm float64, direction []float64) {
	return 1, math.Hypot(length(g.table[i]), 1), g.table[i]
}

// boast claims norms that are far too small.
type boast struct{ table }

func (g boast) Gradient(i int) (slope, norm float64, direction []float64) { return 1, 0.1, g.table[i] }

// released is the noisy mean of gradients: a step of size 1 from zero, turned
// round.
func released(g Gaussian, dst []float64, of Gradients, scale float64, src Source, node step.NodeID, t step.Turn) step.Release {
	clear(dst)
	r := step.Release{From: node, Turn: t}
	g.Descend(dst, make([]float64, len(dst)), of, &Update{Rate: 1, Scale: scale}, src, &r)
	for i := range dst {
		dst[i] = -dst[i]
	}
	return r
}

// Whatever the gradients say of themselves, the mean never exceeds the clip.
func TestAWrongNormCannotRaiseTheSensitivity(t *testing.T) {
	dst := make([]float64, 1)
	released(Gaussian{Clip: 1}, dst, boast{table{{50}}}, 1, NewSimulated(1), 0, 0)
	if dst[0] > 1+1e-15 {
		t.Errorf("released %g with a clip of 1", dst[0])
	}
}

// steep are gradients that may be anything: slopes and directions that are
// huge, tiny or no numbers.
type steep struct {
	slopes []float64
	table
}

func (g steep) Gradient(i int) (slope, norm float64, direction []float64) {
	return g.slopes[i], sparse.Norm(g.table[i]), g.table[i]
}

// The clip holds for every input: what is not finite counts as zero, and neither
// overflow nor underflow of a norm lets more through than the clip.
func TestClipHoldsForEveryInput(t *testing.T) {
	anything := rapid.OneOf(rapid.SampledFrom([]float64{
		math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e200, 1e155, 1e-170, 5e-324, 0, 1,
	}), rapid.Float64())
	rapid.Check(t, func(t *rapid.T) {
		dim, rows := rapid.IntRange(1, 5).Draw(t, "dim"), rapid.IntRange(1, 4).Draw(t, "rows")
		g := Gaussian{Clip: rapid.Float64Range(1e-3, 1e3).Draw(t, "clip"), Together: rapid.Bool().Draw(t, "together")}
		of := steep{slopes: rapid.SliceOfN(anything, rows, rows).Draw(t, "slopes")}
		for range rows {
			of.table = append(of.table, rapid.SliceOfN(anything, dim, dim).Draw(t, "direction"))
		}
		mean := make([]float64, dim)
		g.mean(mean, of, &Update{Scale: rapid.Float64Range(1e-3, 1e6).Draw(t, "scale"), Inner: rapid.Bool().Draw(t, "inner")}, g.Clip)
		if got := sparse.Norm(mean); !(got <= g.Clip*(1+1e-15)) {
			t.Fatalf("clip %g lets %g through: %v", g.Clip, got, mean)
		}
	})
}

// block hands out rows of directions once, with their norms.
type block struct {
	steep
	given bool
}

func (b *block) NextRows() *RowBlock {
	if b.given = !b.given; !b.given {
		return nil
	}
	r := &RowBlock{Width: len(b.table[0])}
	for i, row := range b.table {
		r.Slopes, r.Norms, r.Directions = append(r.Slopes, b.slopes[i]), append(r.Norms, sparse.Norm(row)), append(r.Directions, row...)
	}
	return r
}

// One row moves a sum by the clip at most, however long it is: quotients below the least number that has all its
// digits would round by more than rounding is allowed.
func TestALongRowMovesNoMoreThanTheClip(t *testing.T) {
	sizes := rapid.OneOf(rapid.SampledFrom([]float64{math.MaxFloat64, 1e308, 3e307, 1e300, 0x1p901, 1e-300, 5e-324}), rapid.Float64Range(0, math.MaxFloat64))
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(sizes, 1, 6).Draw(t, "row")
		clip := rapid.SampledFrom([]float64{1e-300, 1e-16, 1e-6, 1e-3, 1, 7}).Draw(t, "clip")
		of := steep{slopes: []float64{rapid.SampledFrom([]float64{1, -3, 1e-300, 1e300}).Draw(t, "slope")}, table: table{row}}
		for name, add := range map[string]func(dst []float64){
			"one":   func(dst []float64) { addClipped(dst, of.slopes[0], sparse.Norm(row), row, clip) },
			"rows":  func(dst []float64) { addRows(dst, &block{steep: of}, clip) },
			"share": func(dst []float64) { sparse.Axpy(dst, share(sparse.Norm(row), clip), row) },
		} {
			moved := make([]float64, len(row))
			add(moved)
			if got := sparse.Norm(moved); !(got <= clip*(1+1e-15)+5e-324*float64(len(row))) {
				t.Fatalf("%s: a row of %v moves a sum by %v with a clip of %v", name, row, got, clip)
			}
		}
	})
}

func length(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

func gradients(t *rapid.T, name string, rows, dim int) table {
	g := make(table, rows)
	for i := range g {
		g[i] = rapid.SliceOfN(rapid.Float64Range(-5, 5), dim, dim).Draw(t, name)
	}
	return g
}

// Replacing all of a node's examples moves the clipped mean by no more than
// the sensitivity its Release states, whatever the gradients are.
func TestSensitivityBoundsEveryReplacement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		g := Gaussian{Clip: rapid.Float64Range(0.1, 4).Draw(t, "clip"), Together: rapid.Bool().Draw(t, "together")}
		a, b := make([]float64, dim), make([]float64, dim)
		src := NewSimulated(1)
		ra := released(g, a, gradients(t, "a", rapid.IntRange(1, 4).Draw(t, "rows a"), dim), rapid.Float64Range(1, 3).Draw(t, "scale"), src, 0, 0)
		released(g, b, gradients(t, "b", rapid.IntRange(1, 4).Draw(t, "rows b"), dim), rapid.Float64Range(1, 3).Draw(t, "scale"), src, 0, 0)
		for i := range a {
			a[i] -= b[i]
		}
		if length(a) > ra.Sensitivity*(1+1e-12) {
			t.Fatalf("moved by %g, sensitivity is %g", length(a), ra.Sensitivity)
		}
	})
}

// Clipping leaves short gradients alone and scales long ones to the norm.
func TestClippingIsPerExample(t *testing.T) {
	dst := make([]float64, 2)
	released(Gaussian{Clip: 1}, dst, table{{3, 4}, {0.3, 0}}, 1, NewSimulated(1), 0, 0)
	if want := []float64{(0.6 + 0.3) / 2, 0.4}; math.Abs(dst[0]-want[0]) > 1e-15 || math.Abs(dst[1]-want[1]) > 1e-15 {
		t.Errorf("mean of clipped gradients is %v, want %v", dst, want)
	}
}

// Together a mean keeps what its gradients cancel, and only its own length is cut; one of a million gradients can turn it round.
func TestAClippedMeanIsOfGradientsAsTheyAre(t *testing.T) {
	mean := func(of ...[]float64) []float64 {
		dst := make([]float64, 2)
		released(Gaussian{Clip: 1, Together: true}, dst, table(of), 1, NewSimulated(1), 0, 0)
		return dst
	}
	for _, c := range []struct {
		of   [][]float64
		want []float64
	}{
		{[][]float64{{3, 4}, {-3, -3}}, []float64{0, 0.5}}, // row by row (0.6-0.707)/2 and so on
		{[][]float64{{6, 8}, {0, 0}}, []float64{0.6, 0.8}},
		{append(slices.Repeat([][]float64{{1, 0}}, 999), []float64{-1e9, 0}), []float64{-1, 0}},
		{append(slices.Repeat([][]float64{{1, 0}}, 999), []float64{1e9, 0}), []float64{1, 0}}, // 2 clips away, and not 2 clips over 1000
	} {
		if got := mean(c.of...); math.Abs(got[0]-c.want[0]) > 1e-11 || math.Abs(got[1]-c.want[1]) > 1e-11 {
			t.Errorf("the clipped mean is %v, want %v", got, c.want)
		}
	}
}

// A direction one shorter than the parameters goes on with the intercept's 1,
// which counts for the norm.
func TestInterceptIsClippedToo(t *testing.T) {
	dst := make([]float64, 2)
	released(Gaussian{Clip: 1}, dst, withIntercept{table{{math.Sqrt(3)}}}, 1, NewSimulated(1), 0, 0)
	if math.Abs(dst[0]-math.Sqrt(3)/2) > 1e-15 || math.Abs(dst[1]-0.5) > 1e-15 {
		t.Errorf("clipped to %v, want [0.866 0.5]", dst)
	}
}

// The noise added has mean 0 and the standard deviation the Release states.
// Over 200,000 draws the sample mean and standard deviation are checked at
// five standard errors: false alarm 1.2e-6 for the two together.
func TestNoiseHasTheStatedStd(t *testing.T) {
	const n = 200_000
	g := Gaussian{Clip: 0.5, Multiplier: 3}
	dst, scratch := make([]float64, 4), make([]float64, 4)
	var sum, squares float64
	var release step.Release
	src := NewSimulated(7)
	for turn := range n / len(dst) {
		clear(dst)
		release = step.Release{From: 5, Turn: step.Turn(turn)}
		g.Drift(dst, scratch, &Update{Rate: 1}, src, &release)
		for _, x := range dst {
			sum += x
			squares += x * x
		}
	}
	std := release.NoiseStd
	if std != 3 || release.Multiplier() != 3 {
		t.Fatalf("release states std %g and multiplier %g, want 3 and 3", std, release.Multiplier())
	}
	if mean := sum / n; math.Abs(mean) > 5*std/math.Sqrt(n) {
		t.Errorf("mean of the noise is %g", mean)
	}
	if got := math.Sqrt(squares / n); math.Abs(got-std) > 5*std/math.Sqrt(2*n) {
		t.Errorf("noise has std %g, release states %g", got, std)
	}
}

// Without noise the mechanism is exact, also when nothing is clipped.
func TestMultiplierZeroAddsNothing(t *testing.T) {
	dst := make([]float64, 1)
	r := released(Gaussian{Clip: math.Inf(1)}, dst, table{{10}, {20}}, 1, NewSimulated(1), 2, 3)
	if dst[0] != 15 || r.NoiseStd != 0 || !r.Contributed || r.From != 2 || r.Turn != 3 {
		t.Errorf("got %v and %+v", dst, r)
	}
}

// A step is what it says: down the scaled mean and the penalty, with noise in
// proportion to the step size.
func TestDescendIsTheUpdate(t *testing.T) {
	g := Gaussian{Clip: 1, Multiplier: 2}
	x, noise, scratch := []float64{3, -1}, make([]float64, 2), make([]float64, 2)
	g.Descend(x, scratch, table{{0.5, 0}}, &Update{Rate: 0.1, Scale: 1.5, Shrink: 0.2}, NewSimulated(3), &step.Release{From: 1, Turn: 2})
	NewSimulated(3).Add(noise, 0.1*g.Std(), 1, 2, 0)
	for i, want := range []float64{3 - 0.1*(0.75+0.6) + noise[0], -1 + 0.1*0.2 + noise[1]} {
		if math.Abs(x[i]-want) > 1e-15 {
			t.Errorf("x[%d] is %g, want %g", i, x[i], want)
		}
	}
}
