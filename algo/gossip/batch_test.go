package gossip

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/step"
)

// A batch is as many rows as agreed, each once, and the same ones whatever the
// rows say: its mean has the smoothness of the whole, and both of two neighbouring
// data sets draw alike.
func TestBatchDoesNotDependOnData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 30).Draw(t, "rows")
		size := rapid.IntRange(1, rows).Draw(t, "batch")
		node, turn := step.NodeID(rapid.IntRange(0, 5).Draw(t, "node")), step.Turn(rapid.IntRange(0, 5).Draw(t, "turn"))
		seeded := NewSeeded(rapid.Uint64().Draw(t, "seed"))
		drawn := func(offset float64) []float64 {
			ex := model.Examples{Features: 1, Y: make([]float64, rows)}
			for i := range rows {
				ex.X = append(ex.X, float64(i)+offset)
			}
			var b batch
			got := slices.Clone(b.draw(ex, size, seeded.At(node, turn)).X)
			for i := range got {
				got[i] -= offset
			}
			return got
		}
		one, other := drawn(0), drawn(1000)
		if !slices.Equal(one, other) || len(one) != size {
			t.Fatalf("%v of one data set, %v of the other, %d wanted", one, other, size)
		}
		slices.Sort(one)
		if len(slices.Compact(one)) != size {
			t.Fatalf("a row comes twice: %v", other)
		}
	})
}
