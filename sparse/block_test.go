package sparse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"github.com/hearsay-dp/hearsay/sparse"
	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// threeTermSimply is ThreeTerm with At and three nested loops.
func threeTermSimply(m *sparse.Matrix, dst, x []float64, cols int, a, b, c float64) {
	for i := range m.N {
		for k := range cols {
			sum := 0.0
			for j := range m.N {
				if v := m.At(i, j); v != 0 {
					sum += float64(v * x[j*cols+k])
				}
			}
			at := i*cols + k
			dst[at] = float64(a*sum) + float64(b*x[at]) + float64(c*dst[at])
		}
	}
}

func TestThreeTermEqualsTheSimpleLoopsBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.Draw(t)
		cols := rapid.IntRange(1, 50).Draw(t, "cols")
		rng := rand.New(rand.NewPCG(7, rapid.Uint64().Draw(t, "block")))
		x, got := sparsetest.Block(rng, m.N*cols), sparsetest.Block(rng, m.N*cols)
		want, before := slices.Clone(got), slices.Clone(got)
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()

		threeTermSimply(m, want, x, cols, a, b, c)
		m.ThreeTerm(got, x, cols, a, b, c)
		if !slices.Equal(got, want) {
			t.Fatalf("ThreeTerm differs at n=%d, %d columns", m.N, cols)
		}
		for _, width := range sparse.Widths() {
			copy(got, before)
			m.ThreeTermOfWidth(width, got, x, cols, a, b, c)
			if !slices.Equal(got, want) {
				t.Fatalf("kernels of width %d differ at n=%d, %d columns", width, m.N, cols)
			}
		}
	})
}

func TestThreeTermByPartsAndByRowsIsTheSameBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.Draw(t)
		cols := rapid.IntRange(1, 50).Draw(t, "cols")
		rng := rand.New(rand.NewPCG(7, rapid.Uint64().Draw(t, "block")))
		x, want := sparsetest.Block(rng, m.N*cols), sparsetest.Block(rng, m.N*cols)
		parts, rows := slices.Clone(want), slices.Clone(want)
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()

		m.ThreeTerm(want, x, cols, a, b, c)
		cut := rapid.IntRange(0, m.N).Draw(t, "cut")
		m.ThreeTermRows(parts, x, cols, cut, m.N, a, b, c)
		m.ThreeTermRows(parts, x, cols, 0, cut, a, b, c)
		row := func(x []float64, i int) []float64 { return x[i*cols : (i+1)*cols] }
		sum := make([]float64, cols)
		for i := range m.N {
			columns, weights := m.Row(i)
			var entries [][]float64
			for _, j := range columns {
				entries = append(entries, row(x, int(j)))
			}
			sparse.ThreeTermRow(row(rows, i), sum, weights, entries, row(x, i), a, b, c)
		}
		if !slices.Equal(parts, want) || !slices.Equal(rows, want) {
			t.Fatalf("parts or rows differ from the whole at n=%d, %d columns", m.N, cols)
		}
	})
}

func TestMulFirstEqualsMulBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.Draw(t)
		few := rapid.IntRange(0, sparse.Strip).Draw(t, "few")
		rng := rand.New(rand.NewPCG(1, 3))
		x, got, want := sparsetest.Block(rng, m.N*sparse.Strip), sparsetest.Block(rng, m.N*sparse.Strip), make([]float64, m.N*sparse.Strip)
		for i := range m.N {
			clear(x[i*sparse.Strip+few : (i+1)*sparse.Strip])
			clear(got[i*sparse.Strip+few : (i+1)*sparse.Strip])
		}
		m.MulFirst(got, x, few)
		m.MulBlock(want, x, sparse.Strip)
		if !slices.Equal(got, want) {
			t.Fatalf("the first %d columns differ at n=%d", few, m.N)
		}
	})
}

func TestMulBlockIgnoresWhatTheDestinationHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.Draw(t)
		cols := rapid.IntRange(1, 20).Draw(t, "cols")
		x := sparsetest.Block(rand.New(rand.NewPCG(1, 2)), m.N*cols)
		got, want := make([]float64, m.N*cols), make([]float64, m.N*cols)
		for k := range got {
			got[k] = math.Inf(1)
		}
		m.MulBlock(got, x, cols)
		threeTermSimply(m, want, x, cols, 1, 0, 0)
		if !slices.Equal(got, want) {
			t.Fatalf("MulBlock differs at n=%d, %d columns", m.N, cols)
		}
	})
}

func TestTransposeMirrorsEveryEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sparsetest.Draw(t)
		mirror := m.Transpose()
		symmetric := true
		for i := range m.N {
			for j := range m.N {
				if m.At(i, j) != mirror.At(j, i) {
					t.Fatalf("entry (%d, %d) is not where it belongs", i, j)
				}
				symmetric = symmetric && m.At(i, j) == m.At(j, i)
			}
		}
		if m.Symmetric(0) != symmetric {
			t.Fatalf("Symmetric says %v", !symmetric)
		}
	})
}

func TestABlockOfTheWrongSizePanics(t *testing.T) {
	m := sparse.FromDense(2, []float64{1, 2, 3, 4})
	for _, cols := range []int{0, 1, 3} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a block for 2 columns was taken for %d", cols)
				}
			}()
			m.ThreeTerm(make([]float64, 4), make([]float64, 4), cols, 1, 0, 0)
		}()
	}
}

// benchmarkMatrix has the shape of hypercube:11 (12 entries a row) or of a
// random geometric graph (31 entries a row, scattered).
func benchmarkMatrix(perRow int) *sparse.Matrix {
	const n = 2048
	rng := rand.New(rand.NewPCG(1, uint64(perRow)))
	m := &sparse.Matrix{N: n, Offsets: make([]int, n+1)}
	for i := range n {
		columns := rng.Perm(n)[:perRow]
		slices.Sort(columns)
		for _, j := range columns {
			m.Columns, m.Values = append(m.Columns, int32(j)), append(m.Values, 1/float64(perRow))
		}
		m.Offsets[i+1] = len(m.Columns)
	}
	return m
}

// BenchmarkThreeTerm reports GMA/s, 10^9 multiply-adds a second on one core.
func BenchmarkThreeTerm(b *testing.B) {
	for _, perRow := range []int{12, 31} {
		m := benchmarkMatrix(perRow)
		x := sparsetest.Block(rand.New(rand.NewPCG(3, 4)), m.N*sparse.Strip)
		dst := make([]float64, len(x))
		measure := func(name string, kernel func()) {
			b.Run(fmt.Sprintf("row=%d/%s", perRow, name), func(b *testing.B) {
				for b.Loop() {
					kernel()
				}
				adds := float64(len(m.Values)) * sparse.Strip * float64(b.N)
				b.ReportMetric(adds/b.Elapsed().Seconds()/1e9, "GMA/s")
			})
		}
		measure("dispatched", func() { m.ThreeTerm(dst, x, sparse.Strip, 0.5, 0.1, -0.4) })
		measure("plain", func() { m.ThreeTermPlain(dst, x, sparse.Strip, 0, m.N, 0.5, 0.1, -0.4) })
	}
}

// BenchmarkPeak multiplies and adds in the first-level cache: the limit that
// BenchmarkThreeTerm is measured against.
func BenchmarkPeak(b *testing.B) {
	const n, perRow = 16, 16
	dense := make([]float64, n*n)
	for k := range dense {
		dense[k] = 1.0 / n
	}
	m := sparse.FromDense(n, dense)
	x := sparsetest.Block(rand.New(rand.NewPCG(3, 4)), n*sparse.Strip)
	dst := make([]float64, len(x))
	for b.Loop() {
		m.ThreeTerm(dst, x, sparse.Strip, 0.5, 0.1, -0.4)
	}
	adds := float64(n*perRow*sparse.Strip) * float64(b.N)
	b.ReportMetric(adds/b.Elapsed().Seconds()/1e9, "GMA/s")
}
