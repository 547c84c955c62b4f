package papers

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

// Dots, edges and axes that are not logarithmic are drawn, numbers below 0 included; numbers that a logarithmic axis cannot show are left out.
func TestPanelsOfDotsAndEdges(t *testing.T) {
	g, err := gen.Parse("geometric:n=12,r=0.6", 3)
	if err != nil {
		t.Fatal(err)
	}
	many := make([]float64, 5*mostDots)
	for _, c := range []struct {
		panel        Panel
		discs, lines int
	}{
		{coloured(g, "graph", 0, []int{0, 3, 5}), 12, g.Edges()},
		{Panel{Linear: true, Lines: []Line{dots("below", []float64{1, 2, 3}, []float64{-1, 0, 2})}}, 3, 0},
		{Panel{Lines: []Line{dots("above", []float64{1, 2, 3}, []float64{-1, 0, 2})}}, 1, 0},
		{Panel{Linear: true, Lines: []Line{dots("many", many, many)}}, mostDots, 0},
	} {
		var b strings.Builder
		if err := (Chart{"chart", []Panel{c.panel}}).WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		if discs, lines := strings.Count(b.String(), "<circle"), strings.Count(b.String(), "stroke:#bbb;stroke-width:0.5"); discs != c.discs || lines != c.lines {
			t.Errorf("%s: %d dots and %d edges, not %d and %d", c.panel.Title, discs, lines, c.discs, c.lines)
		}
	}
}
