package price

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/terminal"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
)

// checkSide refuses settings that do not apply to the pairs of one node.
func (f *WalkQuestion) checkSide() error {
	switch {
	case f.Accountant == "published":
		return fault.New("the published accountant prices one pair, or all", "give both --u and --v, or use --accountant path")
	case f.Paths > 0:
		return fault.New("--paths simulates one pair, or all", "give both --u and --v, or leave out --paths")
	}
	return nil
}

// entryTime and nodeTime are the approximate nanoseconds of a product with the
// matrix, for each entry and for each node.
const entryTime, nodeTime = 8, 20

// side bounds the losses of all nodes to one observer, or of one node to all.
func (f *WalkQuestion) side(t *graph.Transition, walk walkpath.Walk) (*PathWalk, error) {
	matrix := t.Sparse()
	products := float64(walk.SideTurns())
	took := time.Duration(products * (float64(entryTime*float64(len(matrix.Columns))) + float64(nodeTime*float64(matrix.N))))
	if took > terminal.Silence {
		fmt.Fprintf(f.Stderr, "first passages of one node: %.0f products with a matrix of %d entries, about %s\n", products, len(matrix.Columns),
			took.Round(time.Second))
	}
	price, node := walk.SideFrom, f.u
	if f.v >= 0 {
		price, node = walk.SideTowards, f.v
	}
	side, err := price(node, form.Workers())
	if err != nil {
		return nil, err
	}
	losses, err := side.Losses(f.Sigma, f.metric(), form.Workers())
	if err != nil {
		return nil, err
	}
	losses[node] = math.NaN()
	return &PathWalk{Claim: form.NewClaim(side.Claim), Eps: report.Vector(losses), Confidence: 1, side: side, sideLosses: losses}, nil
}

// sideLines is the number of pairs of a side that are printed.
const sideLines = 10

// printSide writes the pairs of one node with the largest losses, and their mean.
func (a *WalkAnswer) printSide(w io.Writer, p *PathWalk) error {
	name := func(v int) string {
		if a.graph.Labelled() {
			return a.graph.Label(v)
		}
		return fmt.Sprintf("node %d", v)
	}
	order, total := make([]int, 0, a.N), 0.0
	for v, loss := range p.sideLosses {
		if v != p.side.Node {
			order, total = append(order, v), total+loss
		}
	}
	slices.SortStableFunc(order, func(u, v int) int { return cmp.Compare(p.sideLosses[v], p.sideLosses[u]) })
	heading := "What " + name(p.side.Node) + " loses towards everybody"
	if p.side.Towards {
		heading = "What everybody loses towards " + name(p.side.Node)
	}
	fmt.Fprintf(w, "\n%s: mean %s, and most of %d pairs\n", heading, report.Loss(total/float64(len(order)), report.Status(p.Status)), len(order))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	hops := graph.NewSearch(a.graph).From(p.side.Node)
	fmt.Fprintln(t, "node\thops\tloss")
	for _, v := range order[:min(len(order), sideLines)] {
		fmt.Fprintf(t, "%s\t%d\t%s\n", name(v), hops[v], report.Loss(p.sideLosses[v], report.Status(p.Status)))
	}
	return t.Flush()
}
