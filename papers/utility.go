package papers

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// A yield is a column of 002 Table 6.1: a family of graphs, and the orders n^-p of the utility of Algorithms 6.1 and 6.2.
type yield struct {
	lineage
	synchronous, randomized float64
}

var yields = []yield{{exponentialOf, 2, 2}, {toriOf, 1.5, 1}, {completeOf, 1, 2}, {ringsOf, 1, 1}}

const ringRandomized = "ring: randomized, utility falls like n^-1"

// utilities reproduces 002 Table 6.1.
func utilities() Study {
	return Study{ID: "002-table-6.1", Title: "Utility of Muffliato at a mean loss, by topology and number of nodes", Source: "002 Table 6.1; 001 Table 1",
		compute: utilityBySize(3), quick: utilityBySize(2),
		differs: map[string]string{ringRandomized: "the table's own first column, alpha Delta^2/(n^2 epsilon lambda), does not fall with lambda of order n^-2, nor does its torus with C = 1"}}
}

// A useful holds utilities at a mean loss of epsilon by size, in units of alpha Delta^2/epsilon.
type useful struct{ synchronous, randomized, exact []float64 }

func utilityBySize(sizes int) func(context.Context, string, func(string)) (*Findings, error) {
	return func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
		return utilityOf(ctx, sizes, say)
	}
}

func utilityOf(ctx context.Context, sizes int, say func(string)) (*Findings, error) {
	table := Table{Name: "table", Header: []string{"graph", "nodes", "rounds", "synchronous", "randomized", "synchronous, exact", "local", "central"}}
	f := &Findings{Charts: []Chart{{Name: "figure"}}}
	for _, y := range yields {
		graphs, err := y.topologies()
		if err != nil {
			return nil, err
		}
		graphs = graphs[:sizes]
		u := &useful{}
		lines := []Line{{Name: "synchronous"}, {Name: "randomized"}, {Name: "synchronous, exact"}, {Name: "local", Dashed: true}, {Name: "central", Dashed: true}}
		for _, t := range graphs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			exact, err := t.leakageTo(0)
			if err != nil {
				return nil, err
			}
			u.add(t, exact)
			k, n := len(u.exact)-1, float64(t.g.Len())
			all := []float64{u.synchronous[k], u.randomized[k], u.exact[k], 1 / (2 * n), 1 / (2 * n * n)}
			row := []string{t.name, fmt.Sprint(t.g.Len()), fmt.Sprint(t.rounds())}
			for i, x := range all {
				row, lines[i].X, lines[i].Y = append(row, number(x)), append(lines[i].X, math.Log2(n)), append(lines[i].Y, x)
			}
			table.Rows = append(table.Rows, row)
		}
		f.Charts[0].Panels = append(f.Charts[0].Panels, Panel{Title: y.name, X: "logarithm of the number of nodes, base 2", Y: "utility", Lines: lines})
		say(fmt.Sprintf("%s: %s, randomized %s, without a logarithm", y.name, power(growth(graphs, perLogarithm(graphs, u.synchronous))), power(growth(graphs, perLogarithm(graphs, u.randomized)))))
		f.judge(u, func() []Check { return y.checks(graphs, u) })
	}
	f.Tables = []Table{table}
	return f, nil
}

// perLogarithm divides by the logarithm of the number of nodes, which the table leaves out.
func perLogarithm(graphs []*topology, y []float64) (rest []float64) {
	for k, x := range y {
		rest = append(rest, x/math.Log(float64(graphs[k].g.Len())))
	}
	return rest
}

// add adds the utilities on a graph whose nodes are alike. With a total of s messages' worth of the local loss from all
// others towards a node, a mean loss of epsilon takes sigma^2 = alpha Delta^2 s/(2 n epsilon). Utility is 3 sigma^2/n in
// Theorem 6.2 and 2 sigma^2/n in Theorem 6.4.
func (u *useful) add(t *topology, leakage []float64) {
	n, total := float64(t.g.Len()), 0.0
	for _, x := range leakage[1:] {
		total += x
	}
	_, _, degree := t.g.DegreeRange()
	messages := float64(degree * t.rounds())
	turns := math.Ceil(n * math.Log(n) / (2 * t.gap)) // Theorem 6.4 for activations in proportion to the matrix
	u.synchronous = append(u.synchronous, 3*messages/(2*n*n))
	u.exact = append(u.exact, 3*total/(2*n*n))
	u.randomized = append(u.randomized, 2*turns*2/n/(2*n*n))
}

func (y yield) checks(graphs []*topology, u *useful) []Check {
	falls := func(how string, basis Basis, p float64, of []float64) Check {
		const logarithms = 0.3 // those of degrees and gaps; that of the rounds is divided by
		by := growth(graphs, perLogarithm(graphs, of))
		return Check{fmt.Sprintf("%s: %sutility falls like n^-%g", y.name, how, p), basis, within(by, -p, logarithms), power(by) + ", without a logarithm"}
	}
	local, central := math.NaN(), math.NaN()
	if k := len(u.exact) - 1; k >= 0 {
		n := float64(graphs[k].g.Len())
		local, central = 1/(2*n)/u.exact[k], u.exact[k]*2*n*n
	}
	list := []Check{falls("", AsPublished, y.synchronous, u.synchronous), falls("randomized, ", AsPublished, y.randomized, u.randomized),
		falls("", WhatIsTrue, y.synchronous, u.exact)}
	if y.name != exponentialOf.name {
		return list
	}
	return append(list, Check{y.name + ": utility comes nearer to a trusted server's than to that of local noise", WhatIsTrue, central < local,
		fmt.Sprintf("%.3g times the server's, local noise %.3g times ours", central, local)})
}
