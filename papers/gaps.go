package papers

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A lineage is a family of graphs by size, with the order n^-gap of the spectral gap that 002 Table 2.2 prints.
type lineage struct {
	name   string
	graphs []string
	gap    float64
}

// lineages are the families of 002 Tables 2.2 and 6.1.
var (
	ringsOf       = lineage{"ring", []string{"ring:64", "ring:256", "ring:1024"}, 2}
	completeOf    = lineage{"complete", []string{"complete:64", "complete:256", "complete:512"}, 0}
	toriOf        = lineage{"torus in 2 dimensions", []string{"torus:8x8", "torus:16x16", "torus:32x32"}, 1}
	exponentialOf = lineage{"exponential", []string{"hypercube:6", "hypercube:8", "hypercube:10"}, 0}

	classical = []lineage{completeOf, {"Erdos-Renyi", []string{"er:n=64,p=0.13,seed=1,connected", "er:n=256,p=0.0433,seed=1,connected", "er:n=1024,p=0.01354,seed=1,connected"}, 0},
		exponentialOf, toriOf, {"torus in 3 dimensions", []string{"torus:6x6x6", "torus:8x8x8", "torus:10x10x10"}, 2. / 3}, ringsOf,
		{"line", []string{"line:64", "line:256", "line:1024"}, 2}}
)

// spectralGaps reproduces 002 Table 2.2.
func spectralGaps() Study {
	return Study{ID: "002-table-2.2", Title: "Spectral gaps and degrees of classical graphs, by number of nodes", Source: "002 Table 2.2", compute: gapsBySize, quick: gapsBySize}
}

// topologies returns the graphs of a family, with one representative node each.
func (l lineage) topologies() ([]*topology, error) {
	var named [][2]string
	for _, expression := range l.graphs {
		named = append(named, [2]string{l.name, expression})
	}
	return parsed(named, 1)
}

// growth returns the exponent p for which y behaves like n^p from the first graph to the last.
func growth(graphs []*topology, y []float64) float64 {
	if len(y) < len(graphs) {
		return math.NaN()
	}
	end := len(graphs) - 1
	return math.Log(y[end]/y[0]) / math.Log(float64(graphs[end].g.Len())/float64(graphs[0].g.Len()))
}

func power(p float64) string { return fmt.Sprintf("n^%g", math.Round(100*p)/100+0) }

// A grown holds the numbers of a family by size.
type grown struct{ gaps, degrees, printed []float64 }

func gapsBySize(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	table := Table{Name: "table", Header: []string{"graph", "nodes", "spectral gap", "with the weights as printed", "largest degree"}}
	panel := Panel{Title: "spectral gap", X: "logarithm of the number of nodes, base 2", Y: "gap"}
	f := &Findings{}
	for _, l := range classical {
		graphs, err := l.topologies()
		if err != nil {
			return nil, err
		}
		line, one := Line{Name: l.name}, &grown{}
		for _, t := range graphs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			printed, err := graph.NewTransition(t.g, "metropolis")
			if err != nil {
				return nil, err
			}
			gap, err := printed.SpectralGap()
			if err != nil {
				return nil, err
			}
			_, _, degree := t.g.DegreeRange()
			one.gaps, one.degrees, one.printed = append(one.gaps, t.gap), append(one.degrees, float64(degree)), append(one.printed, gap.Value)
			line.X, line.Y = append(line.X, math.Log2(float64(t.g.Len()))), append(line.Y, t.gap)
			table.Rows = append(table.Rows, []string{l.name, fmt.Sprint(t.g.Len()), number(t.gap), number(math.Round(1e9*gap.Value) / 1e9), fmt.Sprint(degree)})
		}
		panel.Lines = append(panel.Lines, line)
		say(l.name + ": gap like " + power(growth(graphs, one.gaps)))
		f.judge(one, func() []Check { return l.checks(graphs, one) })
	}
	f.Tables, f.Charts = []Table{table}, []Chart{{"figure", []Panel{panel}}}
	return f, nil
}

func (l lineage) checks(graphs []*topology, of *grown) []Check {
	basis, gap, degree, degrees := AsPublished, growth(graphs, of.gaps), growth(graphs, of.degrees), 0.0
	if l.name == exponentialOf.name {
		basis = WhatIsTrue // 002 names it beside the table as an expander
	}
	if l.name == completeOf.name {
		degrees = 1
	}
	least := math.Inf(1)
	for _, x := range of.printed {
		least = min(least, x)
	}
	return []Check{
		{fmt.Sprintf("%s: the gap is of order n^%.3g", l.name, 0-l.gap), basis, within(gap, -l.gap, 0.15), power(gap)},
		{fmt.Sprintf("%s: the degree is of order n^%g", l.name, degrees), WhatIsTrue, within(degree, degrees, 0.02), power(degree)},
		{l.name + ": the weights as printed after Definition 2.9 have a gap too", WhatIsTrue, least > 1e-9 && len(of.printed) > 0, fmt.Sprintf("the least is %.3g", math.Round(1e9*least)/1e9)},
	}
}
