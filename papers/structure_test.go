package papers

import (
	"math"
	"testing"
)

// 000 Figure 5 and 002 Figures C.2, C.3 and 4.2, on little: the claims that are published come out, or differ as said.
func TestStructureQuick(t *testing.T) {
	for _, s := range []Study{figure5(), figureC2(), figureC3(), figure42()} {
		f := quickFindings(t, s, "")
		if _, count := s.Judge(f); count[Pass] == 0 {
			t.Errorf("%s has nothing that could pass", s.ID)
		}
	}
}

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

// 000 Figure 8 and 002 Figure C.1, on little.
func TestHeterogeneityAndPlacesQuick(t *testing.T) {
	for _, s := range []Study{figure8(), figureC1()} {
		quickFindings(t, s, "")
	}
}
