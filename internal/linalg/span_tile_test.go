package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestTilesEqualThePlainLoopsBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 70).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		q, c := randomBlock(rng, rows*strip), randomBlock(rng, rows*strip)
		var got, want tile
		got[3], want[4] = 7, 9 // what was there does not matter
		cross(&got, q, c)
		crossPlain(&want, q, c)
		if got != want {
			t.Fatalf("cross differs at %d rows", rows)
		}
		plain := slices.Clone(c)
		minus(c, q, &got)
		minusPlain(plain, q, &got)
		if !slices.Equal(c, plain) {
			t.Fatalf("minus differs at %d rows", rows)
		}
	})
}

func TestTilesEqualTheMatrixProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const rows = 37
	q, c := randomBlock(rng, rows*strip), randomBlock(rng, rows*strip)
	before := slices.Clone(c)
	var h tile
	cross(&h, q, c)
	minus(c, q, &h)
	for a := range strip {
		for b := range strip {
			sum := 0.0
			for i := range rows {
				sum += q[i*strip+a] * before[i*strip+b]
			}
			if math.Abs(sum-h[a*strip+b]) > 1e-13 {
				t.Fatalf("entry (%d, %d) is %v, want %v", a, b, h[a*strip+b], sum)
			}
		}
	}
	for i := range rows {
		for b := range strip {
			want := before[i*strip+b]
			for a := range strip {
				want -= q[i*strip+a] * h[a*strip+b]
			}
			if math.Abs(want-c[i*strip+b]) > 1e-12 {
				t.Fatalf("row %d, column %d is %v, want %v", i, b, c[i*strip+b], want)
			}
		}
	}
}

// BenchmarkTile reports Gflop/s on one core, panels of 2048 rows.
func BenchmarkTile(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	q, c := randomBlock(rng, 2048*strip), randomBlock(rng, 2048*strip)
	for k := range q {
		q[k] *= 1e-3
	}
	var h tile
	measure := func(name string, kernel func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				kernel()
			}
			b.ReportMetric(float64(2*len(c)*strip*b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
		})
	}
	measure("cross/dispatched", func() { cross(&h, q, c) })
	measure("cross/plain", func() { crossPlain(&h, q, c) })
	h = tile{}
	measure("minus/dispatched", func() { minus(c, q, &h) })
	measure("minus/plain", func() { minusPlain(c, q, &h) })
}
