package report

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A Bundle holds everything that an output directory is made from.
type Bundle struct {
	Result       *Result
	Losses       []*Losses // calibrated accountant first, then the sound one; may be empty
	Picture      *Picture  // nil: no distances and no drawing
	ResolvedSpec []byte    // YAML, with all defaults
	// Resolve returns the resolved spec, as text and as maps and numbers for JSON, with files named relative to the
	// folder dir. If it is nil, ResolvedSpec and Result.Spec name no files.
	Resolve func(dir string) (text []byte, plain any, err error)
	Own     *Own // nil, except for one participant of a real run, which gets a page only
}

// Losses holds the privacy loss of every ordered pair under one accountant, in
// the metric of Result.Privacy.
type Losses struct {
	Accountant string
	Status     Status
	N          int
	// At returns the loss from u towards observer v, >= 0. It is +Inf without a bound and 0 on the diagonal. It is
	// NaN if a pair was not priced, or not attacked, which only a Partial accountant may return.
	At      func(u, v int) float64
	Partial bool
	Also    []AlsoLosses
}

// AlsoLosses holds the losses in a further metric.
type AlsoLosses struct {
	Restated
	At func(u, v int) float64 // as Losses.At
}

// silent reports whether a loss means that its pair was not priced or attacked.
func (l *Losses) silent(loss float64) bool { return l.Partial && math.IsNaN(loss) }

// A Picture is the known shape of the graph. Slices are borrowed.
type Picture struct {
	X, Y     []float64                // node positions, any scale; nil: rings around the observer
	Edges    [][2]int32               // each edge once, from -> to when Directed
	Directed bool                     // information flows from Edges[i][0] to Edges[i][1] only
	Hops     func(v int, dst []int32) // hops from every node to v; -1 unreachable; nil: no distances
	Names    []string                 // names of participants; nil: "node 0", "node 1", ...
}

// Within returns the bundle with the files of its spec named relative to the folder dir. "" is the working folder.
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

// nodes returns the number of nodes of the pairwise losses. It is 0 without losses.
func (b *Bundle) nodes() int {
	if len(b.Losses) == 0 {
		return 0
	}
	return b.Losses[0].N
}

// check refuses a bundle whose parts are inconsistent.
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
