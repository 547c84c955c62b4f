package papers

import (
	"math"
	"testing"
)

// Losses that are communicability itself go with it fully, whatever the graph.
func TestLikenessOfCommunicabilityItself(t *testing.T) {
	graphs, err := parsed([][2]string{{"grid", "grid:4x5"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	reach, err := graphs[0].reach()
	if err != nil {
		t.Fatal(err)
	}
	l := likeness{graph: "grid", block: func(u int) int { return u / 10 }}
	if err := l.compare(graphs[0], reach, reach); err != nil {
		t.Fatal(err)
	}
	if math.Abs(l.pairs-1) > 1e-12 || l.within <= l.across || l.share <= 0 || l.share >= 1 {
		t.Errorf("%+v", l)
	}
}
