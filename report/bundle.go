package report

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Bundle is all that an output directory is made from.
type Bundle struct {
	Result       *Result
	Losses       []*Losses // calibrated accountant first, sound beside it; may be empty
	Picture      *Picture  // nil: no distances and no drawing
	ResolvedSpec []byte    // YAML, every default visible
	// Resolve returns the resolved spec, as text and as maps and numbers for JSON, with files
	// named relative to the folder dir. nil: ResolvedSpec and Result.Spec name none.
	Resolve func(dir string) (text []byte, plain any, err error)
	Own     *Own // nil unless it is one participant's of a real run, and made into a page alone
}

// Losses holds the privacy loss of every ordered pair under one accountant, in
// the metric of Result.Privacy.
type Losses struct {
	Accountant string
	Status     Status
	N          int
	// At is from u towards observer v, >= 0, +Inf without bound; 0 on the diagonal; NaN
	// where a pair was not priced, or attacked, if the accountant is Partial.
	At      func(u, v int) float64
	Partial bool
	Also    []AlsoLosses
}

// AlsoLosses are the same in one more metric.
type AlsoLosses struct {
	Restated
	At func(u, v int) float64 // as that of Losses
}

// silent reports whether a loss says that its pair was not priced or attacked.
func (l *Losses) silent(loss float64) bool { return l.Partial && math.IsNaN(loss) }

// Picture is what is known of the graph's shape. Slices are borrowed.
type Picture struct {
	X, Y     []float64                // node positions, any scale; nil: drawn as rings around the observer
	Edges    [][2]int32               // each edge once, from -> to when Directed
	Directed bool                     // information flows from Edges[i][0] to Edges[i][1] only
	Hops     func(v int, dst []int32) // hops from every node to v; -1 unreachable; nil: no distances
	Names    []string                 // what participants are called; nil: "node 0", "node 1", ...
}

// Within returns the bundle with the files of its spec named relative to the folder dir, "" for the working folder.
func (b *Bundle) Within(dir string) (*Bundle, error) {
	if b.Resolve == nil {
		return b, nil
	}
	text, plain, err := b.Resolve(dir)
	if err != nil {
		return nil, err
	}
	moved, result := *b, *b.Result
	result.Spec = plain
	moved.Result, moved.ResolvedSpec = &result, text
	return &moved, nil
}

// nodes is how many nodes the pairwise losses range over, 0 without losses.
func (b *Bundle) nodes() int {
	if len(b.Losses) == 0 {
		return 0
	}
	return b.Losses[0].N
}

// check refuses a bundle whose parts do not fit together.
func (b *Bundle) check() error {
	for _, l := range b.Losses {
		if l.N != b.Result.Graph.Nodes {
			return fault.New(fmt.Sprintf("accountant %s has losses of %d nodes, the graph has %d",
				l.Accountant, l.N, b.Result.Graph.Nodes), "account for the pairs of the graph that ran")
		}
	}
	if o := b.Own; o != nil && (o.Node < 0 || o.Node >= b.Result.Graph.Nodes) {
		return fault.New(fmt.Sprintf("a page of node %d in a graph of %d nodes", o.Node, b.Result.Graph.Nodes), "number nodes from 0")
	}
	if b.Picture == nil {
		return nil
	}
	return b.Picture.check(b.Result.Graph.Nodes)
}

// check refuses a picture that does not show n nodes.
func (p *Picture) check(n int) error {
	for what, got := range map[string]int{"x positions": len(p.X), "y positions": len(p.Y), "names": len(p.Names)} {
		if got != 0 && got != n {
			return fault.New(fmt.Sprintf("the picture has %d %s for %d nodes", got, what, n), "give one per node or none")
		}
	}
	for _, e := range p.Edges {
		if e[0] < 0 || e[1] < 0 || int(e[0]) >= n || int(e[1]) >= n {
			return fault.New(fmt.Sprintf("the picture has edge %d-%d in a graph of %d nodes", e[0], e[1], n), "number nodes from 0")
		}
	}
	return nil
}
