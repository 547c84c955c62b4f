package gossip

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// Every row is in a sample by a coin of its own: over many turns the size of samples has
// the mean, the variance and the empty ones of a binomial law, and every two rows are together
// as often as two coins say. Seven standard errors for each of some 70 numbers: false alarms
// below 1 in 10^9 (the seed is fixed).
func TestSamplesArePoisson(t *testing.T) {
	const rows, turns, rate = 8, 40_000, 0.3
	ex := model.Examples{Features: 1, Y: make([]float64, rows)}
	for i := range rows {
		ex.X = append(ex.X, float64(i))
	}
	var b batch
	seeded := NewSeeded(5)
	in, together, sizes := [rows]float64{}, [rows][rows]float64{}, [rows + 1]float64{}
	after := [2]float64{} // row 0 is in: and in the turn before, it was not or was
	was := 0
	for turn := range step.Turn(turns) {
		sample := b.sample(ex, Rate(rate), seeded.At(3, turn))
		sizes[sample.Len()]++
		now := 0
		for _, x := range sample.X {
			in[int(x)]++
			for _, y := range sample.X {
				together[int(x)][int(y)]++
			}
			if x == 0 {
				after[was]++
				now = 1
			}
		}
		was = now
	}
	check := func(what string, count, p float64) {
		if error := math.Abs(count/turns-p) / math.Sqrt(p*(1-p)/turns); error > 7 {
			t.Errorf("%s: %g of %d, probability %g, off by %.3g standard errors", what, count, turns, p, error)
		}
	}
	for i := range rows {
		check("a row", in[i], rate)
		for j := range i {
			check("two rows", together[i][j], rate*rate)
		}
	}
	check("a row twice in a row", after[1], rate*rate)
	check("a row, not before", after[0], rate*(1-rate))
	binomial := math.Pow(1-rate, rows)
	for k, count := range sizes {
		check("a size", count, binomial)
		binomial *= float64(rows-k) / float64(k+1) * rate / (1 - rate)
	}
}

// The rate of a coin is at least what was asked for, by less than 2^-53, and exactly what a
// number of 53 bits is below with.
func TestRateIsThatOfACoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := math.Exp(rapid.Float64Range(-14, 0).Draw(t, "ln q"))
		if rate := Rate(q); rate < q || rate-q > 0x1p-53 || rate*0x1p53 != math.Trunc(rate*0x1p53) || rate > 1 {
			t.Fatalf("%g becomes %g", q, rate)
		}
	})
}

// What is charged of a Poisson sample: on the same coins, a row that is in moves a step by
// half the sensitivity at most, its replacement by any other by the sensitivity, and a row that is
// not in by nothing; the sum is divided by the rows to expect, whatever is in; a release does not
// say what was.
func TestOneRowMovesASampleByTheSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		rate := Rate(rapid.Float64Range(0.05, 1).Draw(t, "rate"))
		most := rapid.SampledFrom([]int{0, 20}).Draw(t, "weigh rows")
		p := &Protocol{
			Local: descent.Local{
				Params: 2, Objective: model.Objective{Model: model.Logistic{}}, StepSize: descent.StepSize{Base: 1}, Rows: most,
				Noise: noise.Gaussian{Clip: rapid.Float64Range(0.1, 2).Draw(t, "clip"), Shares: noise.NewPoissonShares([]float64{noise.Share(max(n, most)) / rate}, []float64{rate})},
			}, Nodes: 1, Rounds: 1, TurnsPerRound: 1, Gamma: 1,
		}
		row := func() (x []float64, y float64) {
			angle, length := rapid.Float64Range(0, 7).Draw(t, "angle"), rapid.Float64Range(0, 9).Draw(t, "length")
			return []float64{length * math.Cos(angle), length * math.Sin(angle)}, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y")
		}
		ex := model.Examples{Features: 2}
		for range n {
			x, y := row()
			ex.X, ex.Y = append(ex.X, x...), append(ex.Y, y)
		}
		seeded, turn := NewSeeded(rapid.Uint64().Draw(t, "seed")), step.Turn(rapid.IntRange(0, 9).Draw(t, "turn"))
		start := []float64{rapid.Float64Range(-3, 3).Draw(t, "a"), rapid.Float64Range(-3, 3).Draw(t, "b")}
		after := func(ex model.Examples) []float64 {
			x, node := slices.Clone(start), &Node{Scale: p.ScaleOf(0, ex)}
			k := NewKernel(p, noise.NewSimulated(1), seeded)
			k.bound = math.Inf(1)
			k.Begin(x, ex, node, 0, turn)
			release := p.Releases(nil, []int32{0, 1}, node, 0, turn)[0]
			if !release.Contributed || release.Sensitivity != p.Noise.SensitivityOf(0) {
				t.Fatalf("%+v", release)
			}
			return x
		}
		var b batch
		index := model.Examples{Features: 1, X: make([]float64, n), Y: make([]float64, n)}
		for i := range n {
			index.X[i] = float64(i)
		}
		in := slices.Clone(b.sample(index, rate, seeded.At(0, turn)).X)
		which := rapid.IntRange(0, n-1).Draw(t, "which")
		gone, other := ex, ex
		gone.X, other.X, other.Y = slices.Clone(ex.X), slices.Clone(ex.X), slices.Clone(ex.Y)
		gone.X[2*which], gone.X[2*which+1] = 0, 0 // its gradient is zero: as if it were not in
		x, y := row()
		copy(other.X[2*which:], x)
		other.Y[which] = y
		one, without, replaced := after(ex), after(gone), after(other)
		charged := p.Noise.SensitivityOf(0) * (1 + 1e-12)
		drawn := slices.Contains(in, float64(which))
		distance := func(a, b []float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }
		if d := distance(one, replaced); d > charged+1e-15 || !drawn && d != 0 {
			t.Fatalf("a row (in: %v) moves the step by %g, charged %g", drawn, d, charged)
		}
		if d := distance(one, without); d > charged/2+1e-15 || !drawn && d != 0 {
			t.Fatalf("a row (in: %v) that is not in moves the step by %g, charged %g", drawn, d, charged/2)
		}
		want := slices.Clone(start)
		for _, i := range in {
			x, y := ex.Row(int(i))
			g := make([]float64, 2)
			p.Objective.Gradient(g, start, x, y)
			sparse.Axpy(want, -min(1, p.Noise.Clip/max(1e-300, sparse.Norm(g)))/(rate*float64(max(n, most))), g)
		}
		if distance(one, want) > 1e-12*(1+sparse.Norm(want)) {
			t.Fatalf("%v, want %v", one, want)
		}
	})
}
