package papers

import (
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// synthetic are the four graphs of 000 Figures 1 and 4 and 002 Figure 6.1a.
var synthetic = [][2]string{
	{"exponential", hypercubeGraph},
	{"Erdos-Renyi", randomGraph},
	{"geometric", geometricGraph},
	{"grid", gridGraph},
}

// A topology is a graph with hamilton weights and the nodes that represent all
// nodes.
type topology struct {
	name  string
	g     *graph.Graph
	w     *sparse.Matrix
	gap   float64
	nodes []int
}

// newTopology returns a topology with a number of representative nodes: 0 and
// random others.
func newTopology(name string, g *graph.Graph, nodes int) (*topology, error) {
	if err := g.Connected(); err != nil {
		return nil, err
	}
	transition, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		return nil, err
	}
	gap, err := transition.SpectralGap()
	if err != nil {
		return nil, err
	}
	t := &topology{name: name, g: g, w: transition.Sparse(), gap: gap.Value}
	var stream step.Stream
	order := stream.At(1, 0, 0, 0, step.Audit).Perm(g.Len() - 1)
	t.nodes = []int{0}
	for _, v := range order[:min(nodes, g.Len())-1] {
		t.nodes = append(t.nodes, v+1)
	}
	return t, nil
}

// parsed returns the topologies of some named expressions.
func parsed(graphs [][2]string, nodes int) ([]*topology, error) {
	var all []*topology
	for _, named := range graphs {
		g, err := gen.Parse(named[1], 1)
		if err != nil {
			return nil, err
		}
		t, err := newTopology(named[0], g, nodes)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// rounds returns the stopping time of 002 Theorem 6.2 for values and noise of
// equal size.
func (t *topology) rounds() int {
	return gossip.StoppingTime(t.g.Len(), math.Sqrt(t.gap), 1, 1)
}

// turns returns the length of the walk in 000's code for the same precision at
// sigma = 1: 20 ceil(ln n/lambda) (1/4 + sigma^2)/sigma^2.
func (t *topology) turns() int {
	return int(25 * math.Ceil(math.Log(float64(t.g.Len()))/t.gap))
}

// contributions returns the mean number of updates of the walk's token by a
// node.
func (t *topology) contributions() float64 { return float64(t.turns()) / float64(t.g.Len()) }
