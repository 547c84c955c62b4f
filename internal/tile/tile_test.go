package tile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
	"pgregory.net/rapid"
)

func TestTilesEqualThePlainLoopsBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 70).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		q, c := sparsetest.Block(rng, rows*Width), sparsetest.Block(rng, rows*Width)
		var got, want Tile
		got[3], want[4] = 7, 9 // what was there does not matter
		Cross(&got, q, c)
		crossPlain(&want, q, c)
		if got != want {
			t.Fatalf("cross differs at %d rows", rows)
		}
		plain := slices.Clone(c)
		Minus(c, q, &got)
		minusPlain(plain, q, &got)
		if !slices.Equal(c, plain) {
			t.Fatalf("minus differs at %d rows", rows)
		}
	})
}

// Columns that are not there need no time and change nothing: every kernel gives the bits of the plain loops on all 16.
func TestFirstColumnsEqualThePlainLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, panels := rapid.IntRange(0, 70).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "panels")
		count, depth := rapid.IntRange(0, Width).Draw(t, "count"), rapid.IntRange(0, Width).Draw(t, "depth")
		rng := rand.New(rand.NewPCG(2, rapid.Uint64().Draw(t, "seed")))
		c, q := firstColumns(rng, rows, count), firstColumns(rng, rows, depth)
		basis := make([][]float64, panels)
		for k := range basis {
			basis[k] = sparsetest.Block(rng, rows*Width)
		}
		var cross, h Tile
		crossPlain(&cross, q, c)
		copy(h[:], firstColumns(rng, Width, count))
		clear(h[depth*Width:])
		minus, removed := slices.Clone(c), slices.Clone(c)
		minusPlain(minus, q, &h)
		for _, panel := range basis {
			var along Tile
			crossPlain(&along, panel, removed)
			minusPlain(removed, panel, &along)
		}
		eachKernel(func() {
			got, less, rest := Tile{5: 7, 99: 9}, slices.Clone(c), slices.Clone(c)
			CrossFirst(&got, q, c, count)
			MinusFirst(less, q, &h, depth, count)
			Remove(rest, count, basis)
			if got != cross || !slices.Equal(less, minus) || !slices.Equal(rest, removed) {
				t.Fatalf("%d columns of %d rows differ", count, rows)
			}
		})
	})
}

// firstColumns is a panel with zeros after so many columns.
func firstColumns(rng *rand.Rand, rows, count int) []float64 {
	x := sparsetest.Block(rng, rows*Width)
	for i := range rows {
		clear(x[i*Width+count : (i+1)*Width])
	}
	return x
}

func TestTilesEqualTheMatrixProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const rows = 37
	q, c := sparsetest.Block(rng, rows*Width), sparsetest.Block(rng, rows*Width)
	before := slices.Clone(c)
	var h Tile
	Cross(&h, q, c)
	Minus(c, q, &h)
	for a := range Width {
		for b := range Width {
			sum := 0.0
			for i := range rows {
				sum += q[i*Width+a] * before[i*Width+b]
			}
			if math.Abs(sum-h[a*Width+b]) > 1e-13 {
				t.Fatalf("entry (%d, %d) is %v, want %v", a, b, h[a*Width+b], sum)
			}
		}
	}
	for i := range rows {
		for b := range Width {
			want := before[i*Width+b]
			for a := range Width {
				want -= q[i*Width+a] * h[a*Width+b]
			}
			if math.Abs(want-c[i*Width+b]) > 1e-12 {
				t.Fatalf("row %d, column %d is %v, want %v", i, b, c[i*Width+b], want)
			}
		}
	}
}

// BenchmarkTile reports Gflop/s on one core, panels of 2048 rows.
func BenchmarkTile(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	q, c := sparsetest.Block(rng, 2048*Width), sparsetest.Block(rng, 2048*Width)
	for k := range q {
		q[k] *= 1e-3
	}
	var h Tile
	measure := func(name string, kernel func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				kernel()
			}
			b.ReportMetric(float64(2*len(c)*Width*b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
		})
	}
	measure("cross/dispatched", func() { Cross(&h, q, c) })
	measure("cross/plain", func() { crossPlain(&h, q, c) })
	h = Tile{}
	measure("minus/dispatched", func() { Minus(c, q, &h) })
	measure("minus/plain", func() { minusPlain(c, q, &h) })
}
