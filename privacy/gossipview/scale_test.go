package gossipview

import (
	"fmt"
	"testing"
)

// What one observer of a random regular graph learns exactly of everybody, over 20 rounds.
func BenchmarkScaleLeakage(b *testing.B) {
	for n := 100; n <= 10_000_000; n *= 10 {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			g := gossipNamed(b, fmt.Sprintf("regular:n=%d,d=6,seed=1", n), 20)
			for b.Loop() {
				view(b, g, 0)
			}
		})
	}
}
