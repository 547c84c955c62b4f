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
