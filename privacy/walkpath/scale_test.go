package walkpath

import (
	"fmt"
	"testing"
)

// The law of one pair of a random regular graph, which has no symmetry to be reduced by, over 1000 turns.
func BenchmarkScalePath(b *testing.B) {
	for n := 100; n <= 10_000_000; n *= 10 {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			w, _ := walkOn(b, fmt.Sprintf("regular:n=%d,d=6,seed=1", n))
			w.Turns, w.Cap = 1000, 12
			for b.Loop() {
				if _, err := w.Law(0, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
