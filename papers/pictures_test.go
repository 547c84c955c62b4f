package papers

import (
	"slices"
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
		{shaded(g, "scale", 0, make([]float64, g.Len()), []float64{0.5}), 12, g.Edges()},
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

// Images hang in the rows of their attacks: the true ones once, those that were found below them in the colour of their result, and
// what was not found nowhere.
func TestImagesHangInRows(t *testing.T) {
	g, p := gallery{digits: true}, rowsPanel("rows", "distance in hops", "true", "first", "second")
	truth := make([]float64, 28*28)
	first, second := p.inRow(g, 1, byDistanceOf), p.inRow(g, 2, byDistanceOf)
	first(hanging{distance: 1, psnr: 20}, truth, truth)
	first(hanging{distance: 2, psnr: 3}, truth, truth)
	second(hanging{distance: 1, psnr: 20}, truth, truth)
	second(hanging{distance: 2}, truth, nil)
	var at [][3]int
	for _, i := range p.Images {
		at = append(at, [3]int{int(i.X), int(i.Y), i.Frame})
	}
	if want := [][3]int{{1, 0, frameTrue}, {1, -1, frameFound}, {2, 0, frameTrue}, {2, -1, frameLost}, {1, -2, frameFound}}; !slices.Equal(at, want) {
		t.Errorf("images at %v, want %v", at, want)
	}
	var b strings.Builder
	if err := (Chart{"chart", []Panel{*p}}).WriteSVG(&b); err != nil || strings.Count(b.String(), "<image") != 5 || !strings.Contains(b.String(), ">second<") {
		t.Errorf("%v, %s", err, b.String())
	}
}

// Figure 4.5 has both halves where all families attack, with every family in the left one, and images at their nodes in the right one.
func TestDetailOfTheFlorentineGraph(t *testing.T) {
	d, err := newDetail(everyone(families))
	if err != nil {
		t.Fatal(err)
	}
	see, truth := d.viewing(gallery{digits: true}, 1), make([]float64, 28*28)
	for attacker := range families {
		see(hanging{attacker: attacker, node: middle, distance: 1, psnr: 20}, truth, truth)
	}
	charts := d.charts(make([]float64, families))
	if len(charts) != 2 || len(charts[0].Panels) != 2 || len(charts[0].Panels[1].Images) != 1 || len(charts[1].Panels[0].Images) != 2 {
		t.Fatalf("charts %+v", charts)
	}
	if at := charts[0].Panels[1].Images[0]; at.X != d.at[middle].X || at.Y != d.at[middle].Y {
		t.Errorf("the image is at %g, %g", at.X, at.Y)
	}
	nodes := 0
	for _, l := range charts[0].Panels[0].Lines {
		if l.Dots {
			nodes += len(l.X)
		}
	}
	if nodes != families {
		t.Errorf("%d families are coloured", nodes)
	}
	if d, err := newDetail([]int{middle}); err != nil || len(d.charts([]float64{1})[0].Panels) != 1 {
		t.Error("a share of one attacker colours the graph")
	}
}
