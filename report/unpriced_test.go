package report

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// partialBundle has a sound accountant that priced the pairs that node 0 is part of.
func partialBundle(n int) *Bundle {
	b := geometricBundle(n)
	at := b.Losses[0].At
	b.Losses[0].Accountant, b.Losses[0].Status, b.Losses[0].Partial = "path", Sound, true
	b.Losses[0].At = func(u, v int) float64 {
		if u != v && u != 0 && v != 0 {
			return math.NaN()
		}
		return at(u, v)
	}
	b.Losses = b.Losses[:1]
	p := &b.Result.Privacy
	p.Accountant, p.Status, p.Unpriced, p.Others = "path", Sound, (n-1)*(n-2), nil
	p.Nodes = NewNodeLosses(b.Losses[0], func(v int) string { return "x" })
	return b
}

// What was not priced is an empty cell in CSV, no number on the page, grey in its
// picture, and counted.
func TestWhatWasNotPricedIsMarked(t *testing.T) {
	const n = 12
	b := partialBundle(n)
	s, err := newSurvey(t.Context(), b, usual)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := writePairs(&table, s); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(table.String()), "\n")[1:] {
		cells := strings.Split(line, ",")
		if priced := cells[0] == "0" || cells[1] == "0"; (cells[3] != "") != priced {
			t.Errorf("the line %q", line)
		}
	}
	about := newPairsFile(b.Result, s)
	if about.Examined != 2*(n-1) || about.Listed != n*(n-1) || about.Columns[0].Priced != 2*(n-1) {
		t.Errorf("privacy.json says %+v", about)
	}
	page := rendered(t, b)
	for _, want := range []string{"grey pairs were not priced", `"unpriced":true`, "of those that accountant path (sound) priced", `id="nodes"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	_, uri, _ := strings.Cut(page, `src="data:image/png;base64,`)
	uri, _, _ = strings.Cut(uri, `"`)
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(uri, "&#43;", "+"))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for u := range n {
		for v := range n {
			_, _, _, alpha := picture.At(v, u).RGBA()
			grey := picture.At(v, u) == unpricedColour
			if grey != (u != v && u != 0 && v != 0) || (alpha == 0) != (u == v) {
				t.Fatalf("pixel (%d, %d) is %v", u, v, picture.At(v, u))
			}
		}
	}
	nodes := b.Result.Privacy.Nodes
	if nodes.Each[0].Towards < 1 || nodes.Each[1].Towards != 0 || nodes.Each[1].About != 0 {
		t.Errorf("nodes %+v", nodes.Each)
	}
	b.Losses[0].Partial = false
	if _, err := newSurvey(t.Context(), b, usual); err == nil {
		t.Error("a loss that is no number is taken of an accountant that prices all pairs")
	}
}

// A node's largest losses are those of a search through all pairs, and the worst nodes
// come in order.
func TestNodeLossesAreTheLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "n")
		drawn := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 1.5, 2, 3, math.Inf(1), math.NaN()}), n*n, n*n).Draw(t, "eps")
		l := &Losses{Accountant: "path", Status: Sound, N: n, Partial: true, At: func(u, v int) float64 { return drawn[u*n+v] }}
		nodes := NewNodeLosses(l, func(int) string { return "" })
		largest := func(of func(v int) float64, u int) (most float64, at int) {
			at = -1
			for v := range n {
				if v != u && !math.IsNaN(of(v)) && (at < 0 || of(v) > most) {
					most, at = of(v), v
				}
			}
			return most, at
		}
		for u, one := range nodes.Each {
			loses, towards := largest(func(v int) float64 { return l.At(u, v) }, u)
			learns, about := largest(func(v int) float64 { return l.At(v, u) }, u)
			if one.Towards != towards || one.About != about || towards >= 0 && float64(one.Loses) != loses || about >= 0 && float64(one.Learns) != learns {
				t.Fatalf("node %d: %+v, want %g towards %d and %g about %d", u, one, loses, towards, learns, about)
			}
		}
		most := rapid.IntRange(1, n).Draw(t, "most")
		worst, priced := nodes.Worst(most), 0
		for _, one := range nodes.Each {
			if one.Towards >= 0 {
				priced++
			}
		}
		if len(worst) != min(most, priced) {
			t.Fatalf("%d nodes of %d, asked for %d", len(worst), priced, most)
		}
		for i := 1; i < len(worst); i++ {
			a, b := worst[i-1], worst[i]
			if a.Loses < b.Loses || a.Loses == b.Loses && a.Node > b.Node {
				t.Fatalf("%+v before %+v", a, b)
			}
		}
	})
}

// The table of nodes can be sorted, and a script fills it in.
func TestBrowserListsNodes(t *testing.T) {
	dom := dumped(t, partialBundle(12))
	if !strings.Contains(dom, "Show all 12</button>") || strings.Count(dom, `title="Ask about this pair"`) != 20 {
		t.Errorf("the table of nodes is %q", wordsOf(dom, "node-table"))
	}
	if strings.Contains(dom, `<span id="scale-unpriced" hidden`) {
		t.Error("the legend does not say what is grey")
	}
}
