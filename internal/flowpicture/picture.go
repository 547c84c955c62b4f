// Package flowpicture draws a plan of the flow accountant: the contribution of a node's data in every turn, its path, the nodes
// whose noise absorbs it, and the cost.
package flowpicture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/chart"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/flow"
)

// These colours mark absorption by nodes that the observers do not hear (hidden), and by those that they do (seen; Okabe and
// Ito 2008).
const (
	hidden = "#0072b2"
	seen   = "#d55e00"
)

// Draw returns a plan as an SVG picture. name returns the name of a node. Nodes have a row each if there are at most rowLimit.
// Else all nodes of one distance from the observers share a row.
func Draw(p flow.Problem, plan flow.Plan, name func(node int) string) (string, error) {
	d := &drawing{p: p, plan: plan, name: name}
	d.arrange()
	if err := flow.Follow(p, plan, d.turn); err != nil {
		return "", err
	}
	d.lattice.RowBars, d.lattice.ColumnBars = d.byRow, d.byColumn
	d.words()
	return d.lattice.SVG(), nil
}

type drawing struct {
	p               flow.Problem
	plan            flow.Plan
	name            func(int) string
	row             []int // of each node
	counts          []int // nodes of each row
	columns         []int // of each turn, -1: not drawn
	lattice         chart.Lattice
	byRow, byColumn []float64
	energy, skipped float64
}

// turn draws a round: its discs, and the ribbons to the next round.
func (d *drawing) turn(t int, r flow.Round) bool {
	column, rows := d.columns[t], len(d.lattice.Rows)
	size, filled, fill := make([]float64, rows), make([]float64, rows), make([]string, rows)
	spent := 0.0
	for j, x := range r.Arrived {
		k := d.row[j]
		size[k] += x
		filled[k] += r.Absorbed[j]
		if fill[k] == "" || r.Seen[j] {
			fill[k] = map[bool]string{true: seen, false: hidden}[r.Seen[j]]
		}
		d.byRow[k] += r.Cost[j]
		spent += r.Cost[j]
	}
	d.energy += spent
	if column < 0 {
		d.skipped += spent
		return true
	}
	d.byColumn[column] = spent
	for k := range size {
		entered := k == d.row[d.plan.U] && d.contributes(t)
		d.lattice.Discs = append(d.lattice.Discs, chart.Disc{Row: k, Column: column, Size: size[k], Filled: filled[k], Fill: fill[k], Entered: entered})
	}
	if t+1 < d.p.Rounds && d.columns[t+1] == column+1 {
		d.messages(t, column, r)
	}
	return true
}

func (d *drawing) contributes(t int) bool {
	return d.p.Contributions.At(t, d.plan.U) > 0
}

// messages joins rows by ribbons for the carried part of a round's messages. A message that carries nothing is a hairline,
// dashed if the observers hear it.
func (d *drawing) messages(t, column int, r flow.Round) {
	rows := len(d.lattice.Rows)
	carried, sent, heard := make([]float64, rows*rows), make([]bool, rows*rows), make([]bool, rows*rows)
	w := d.p.Weights[min(t, len(d.p.Weights)-1)]
	for i := range w.N {
		from, weights := w.Row(i)
		for k, j := range from {
			link := d.row[j]*rows + d.row[i]
			carried[link] += float64(weights[k] * r.Left[j])
			sent[link] = true
			heard[link] = heard[link] || int(j) != i && slices.Contains(d.plan.Observers, i)
		}
	}
	for link, x := range carried {
		if sent[link] {
			d.lattice.Ribbons = append(d.lattice.Ribbons, chart.Ribbon{
				Column: column, From: link / rows, To: link % rows, Width: x, Dashed: x == 0 && heard[link],
			})
		}
	}
}

// words sets the title, the key and the foot.
func (d *drawing) words() {
	l := &d.lattice
	names := make([]string, len(d.plan.Observers))
	for k, v := range d.plan.Observers {
		names[k] = d.name(v)
	}
	of, hear := strings.Join(names, ", "), "hears"
	if len(names) > 1 {
		hear = "hear"
	}
	l.Title = []string{
		fmt.Sprintf("What %s adds, and where it is absorbed before %s %s it", d.name(d.plan.U), of, hear),
		fmt.Sprintf("%d turns. Energy V = %.4g in all; it would be %.4g if every message of %s were public. The loss is that of a Gaussian with mu = sqrt(V)/sigma.",
			d.p.Rounds, d.energy, d.p.LocalOf(d.plan.U), d.name(d.plan.U)),
	}
	l.RowTitle, l.ColumnsBar = "energy by node", "energy by turn"
	l.Key = []chart.Key{
		{Fill: "arrow", Text: fmt.Sprintf("a contribution of %s: 1, in units of step size times sensitivity", d.name(d.plan.U))},
		{Fill: hidden, Text: "circle: how far the two worlds may differ at a node (area); filled: absorbed by the node's own noise, at the square of the amount"},
		{Fill: seen, Text: fmt.Sprintf("heard by %s: all that has arrived must be absorbed", of)},
		{Fill: "", Text: "what a message carries on (width); hairlines: next to nothing"},
		{Fill: "dashed", Text: fmt.Sprintf("messages to %s: alike in both worlds", of)},
	}
	if d.skipped > 0 {
		l.Foot = append(l.Foot, fmt.Sprintf("Turns that are not drawn take %.3g of the energy.", d.skipped))
	}
	if slices.Max(d.counts) > 1 {
		l.Foot = append(l.Foot, "A row of several nodes shows their sums.")
	}
	l.Ink, l.Grid = "#000", "#ddd"
}

// columnLimit is the largest number of turns that are drawn. Of more turns the first firstColumns and the last ones are drawn.
const columnLimit, firstColumns = 12, 8

// rowLimit is the largest number of nodes that have a row each.
const rowLimit = 14

// arrange chooses rows and columns.
func (d *drawing) arrange() {
	d.columns = make([]int, d.p.Rounds)
	for t := range d.columns {
		switch {
		case d.p.Rounds <= columnLimit || t < firstColumns:
			d.columns[t] = t
		case t >= d.p.Rounds-(columnLimit-firstColumns):
			d.columns[t] = columnLimit + 1 - (d.p.Rounds - t)
		default:
			d.columns[t] = -1
			continue
		}
		for len(d.lattice.Columns) < d.columns[t] {
			d.lattice.Columns, d.byColumn = append(d.lattice.Columns, "..."), append(d.byColumn, -1)
		}
		d.lattice.Columns, d.byColumn = append(d.lattice.Columns, fmt.Sprintf("turn %d", t+1)), append(d.byColumn, 0)
	}
	d.rows(hops(d.p, d.plan.Observers))
	d.byRow = make([]float64, len(d.lattice.Rows))
}

// rows gives every node a row: observers first, then by hops.
func (d *drawing) rows(hops []int) {
	n := len(hops)
	d.row = make([]int, n)
	order, classes := make([]int, n), []int(nil)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if hops[a] != hops[b] {
			return hops[a] - hops[b]
		}
		return btoi(b == d.plan.U) - btoi(a == d.plan.U)
	})
	for _, j := range order {
		class, last := min(hops[j], farHops), len(d.lattice.Rows)-1
		if hops[j] == far {
			class = far
		}
		if n > rowLimit && j != d.plan.U && last >= 0 && classes[last] == class {
			d.row[j] = last
			d.counts[last]++
			d.lattice.Rows[last] = fmt.Sprintf("%d nodes %s", d.counts[last], several(class))
			continue
		}
		if j == d.plan.U {
			class = -1
		}
		d.row[j] = last + 1
		d.lattice.Rows, d.counts, classes = append(d.lattice.Rows, d.one(j, hops[j])), append(d.counts, 1), append(classes, class)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// one returns the name of the row of one node.
func (d *drawing) one(j, hops int) string {
	switch {
	case j == d.plan.U:
		return d.name(j) + ", u"
	case hops == 0:
		return d.name(j) + ", v"
	case hops == 1:
		return d.name(j) + ", heard by v"
	}
	return d.name(j)
}

// far marks a node without a path to the observers. Nodes of farHops hops and more share a row.
const far, farHops = math.MaxInt, 12

// several returns the name of the row of a class of nodes.
func several(class int) string {
	switch class {
	case 0:
		return "that observe, v"
	case 1:
		return "heard by v"
	case far:
		return "never heard"
	}
	if class == farHops {
		return fmt.Sprintf("%d or more hops away", class)
	}
	return fmt.Sprintf("%d hops away", class)
}

// hops returns the number of messages from each node to an observer, over the edges of all turns.
func hops(p flow.Problem, observers []int) []int {
	n := p.Weights[0].N
	hops := make([]int, n)
	for j := range hops {
		hops[j] = far
	}
	front := slices.Clone(observers)
	for _, v := range front {
		hops[v] = 0
	}
	for away := 1; len(front) > 0; away++ {
		var next []int
		for k, w := range slices.Concat(p.Weights, p.Hears) {
			if k > 0 && k < len(p.Weights) && w == p.Weights[k-1] {
				continue
			}
			for _, i := range front {
				columns, _ := w.Row(i)
				for _, j := range columns {
					if hops[j] == far {
						hops[j] = away
						next = append(next, int(j))
					}
				}
			}
		}
		front = next
	}
	return hops
}
