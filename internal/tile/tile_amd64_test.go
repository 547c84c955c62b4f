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
