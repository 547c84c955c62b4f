package flow

import (
	"fmt"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

// The best plan of one pair of a random regular graph, over 20 rounds, in which everybody hears of everybody.
func BenchmarkScaleFlow(b *testing.B) {
	for n := 100; n <= 10_000_000; n *= 10 {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			g, err := gen.Parse(fmt.Sprintf("regular:n=%d,d=6,seed=1", n), 1)
			if err != nil {
				b.Fatal(err)
			}
			a := accountant(b, Problem{Rounds: 20, Weights: weightsList(b, g)})
			for b.Loop() {
				if _, err := a.Optimal(0, n/2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
