package tile

import (
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/sparsetest"
)

// Both vector kernels, whichever the processor prefers, agree with plain Go.
func TestEveryTileKernelEqualsThePlainLoops(t *testing.T) {
	wide := haveTile512
	defer func() { haveTile512 = wide }()
	rng := rand.New(rand.NewPCG(5, 6))
	for _, wide := range []bool{wide, false} {
		haveTile512 = wide
		for rows := range 40 {
			q, c := sparsetest.Block(rng, rows*Width), sparsetest.Block(rng, rows*Width)
			var got, want Tile
			Cross(&got, q, c)
			crossPlain(&want, q, c)
			plain := append([]float64(nil), c...)
			Minus(c, q, &got)
			minusPlain(plain, q, &want)
			for k := range c {
				if c[k] != plain[k] {
					t.Fatalf("%d rows: the kernels differ (512 bits: %v)", rows, wide)
				}
			}
			if got != want {
				t.Fatalf("%d rows: cross differs (512 bits: %v)", rows, wide)
			}
		}
	}
}

// Those of power series too.
func TestEverySeriesKernelEqualsThePlainLoops(t *testing.T) {
	wide := haveTile512
	defer func() { haveTile512 = wide }()
	rng := rand.New(rand.NewPCG(9, 6))
	for _, wide := range []bool{wide, false} {
		haveTile512 = wide
		for count := range 6 {
			q, factors, with := drawSeries(rng, count)
			by, other := Lanes(sparsetest.Block(rng, Width)), Lanes(sparsetest.Block(rng, Width))
			start, second := Tile(sparsetest.Block(rng, Width*Width)), Tile(sparsetest.Block(rng, Width*Width))
			for name, kernels := range map[string][2]func(dst *Tile){
				"fold":     {func(dst *Tile) { Fold(dst, q, &by, factors) }, func(dst *Tile) { foldPlain(dst, q, &by, factors) }},
				"multiply": {func(dst *Tile) { Multiply(dst, q, with) }, func(dst *Tile) { multiplyPlain(dst, q, with) }},
				"mix":      {func(dst *Tile) { Mix(dst, dst, &by, &second, &other) }, func(dst *Tile) { mixPlain(dst, dst, &by, &second, &other) }},
			} {
				got, want := start, start
				kernels[0](&got)
				kernels[1](&want)
				if got != want {
					t.Fatalf("%s of %d differs (512 bits: %v)", name, count, wide)
				}
			}
		}
	}
}

// Those of shifted copies too: 512 bits, 256 and none.
func TestEveryTermsKernelEqualsThePlainLoops(t *testing.T) {
	wide, narrow := haveTile512, haveTile256
	defer func() { haveTile512, haveTile256 = wide, narrow }()
	rng := rand.New(rand.NewPCG(5, 7))
	for length := range 200 {
		x, weights, offsets := sparsetest.Block(rng, length+40), sparsetest.Block(rng, 5), []int{0, 40, 7, 7, 13}
		var want []float64
		for _, have := range [][2]bool{{false, false}, {false, narrow}, {wide, narrow}} {
			haveTile512, haveTile256 = have[0], have[1]
			got := sparsetest.Block(rand.New(rand.NewPCG(1, uint64(length))), length)
			Terms(got, x, weights, offsets)
			if want == nil {
				want = got
			}
			for k := range want {
				if got[k] != want[k] {
					t.Fatalf("%d numbers: entry %d differs (512 bits, 256 bits: %v)", length, k, have)
				}
			}
		}
	}
}

// Those of roots too.
func TestEveryNormKernelEqualsThePlainLoops(t *testing.T) {
	wide := haveTile512
	defer func() { haveTile512 = wide }()
	for _, wide := range []bool{wide, false} {
		haveTile512 = wide
		TestNormsEqualThePlainLoops(t)
	}
}
