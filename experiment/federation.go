package experiment

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	graphfile "github.com/hearsay-dp/hearsay/graph/file"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy"
	pathloss "github.com/hearsay-dp/hearsay/privacy/path"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
)

// OpenPublic makes the spec of a federation concrete from what is public alone:
// no data is read, and nobody holds any row. The noise is set and every pair
// accounted for as in Prepare. The protocol has a start that everybody knows.
func OpenPublic(ctx context.Context, given *spec.Spec) (*Setup, error) {
	if !given.Federated() {
		return nil, fault.New("spec of a simulation: it lists no participants", "add participants: with a name and a key each, or use hearsay run")
	}
	own := *given
	s := &Setup{Spec: &own, watch: watchOf(ctx)}
	return s, inStages(ctx, nil,
		stage{"graph", s.openGraph}, stage{"data", s.describeData}, stage{"algorithm", s.setUp}, stage{"start", s.publishStart},
		stage{"noise", s.publishNoise})
}

// publishNoise sets the noise. Every pair is accounted for only where the noise,
// or the number of turns, depends on that: a participant prices its own pairs.
func (s *Setup) publishNoise(ctx context.Context) error {
	given := s.Spec.Privacy.Sigma
	if s.Protocol == nil || given == nil {
		return s.account(ctx)
	}
	if err := s.checkAssumptions(); err != nil {
		return err
	}
	s.Accounting = Accounting{Sigma: *given, Accounts: []Account{s.unpriced()}}
	s.Local().Noise.Multiplier = *given
	return nil
}

// PublicShape is what a federation's spec says of everybody's data.
func PublicShape(d spec.Data, modelKind string) dataset.Shape {
	shape := dataset.Shape{
		Target: d.Target, Task: dataset.Classification, Classes: d.Classes, Ranges: make(map[string][2]float64, len(d.Ranges)),
		Unit: d.Normalise == "unit",
	}
	for name, r := range d.Ranges {
		shape.Ranges[name] = r
	}
	switch {
	case modelKind == "mean":
		shape.Task, shape.Target, shape.Classes = dataset.Mean, "", nil
	case d.Task == string(dataset.Regression):
		shape.Task = dataset.Regression
	}
	return shape
}

// describeData puts a federation of no rows where data would be.
func (s *Setup) describeData(context.Context) (err error) {
	shape := PublicShape(s.Spec.Data, s.Spec.Model.Kind)
	if err := shape.Check(); err != nil {
		return fault.Wrap(err, "data", fault.Hint(err))
	}
	if s.Federation, err = shape.Empty(s.Spec.Nodes); err != nil {
		return err
	}
	s.hold()
	return nil
}

// publishStart draws a start that was to be uniform from the public seed, so
// that all participants know it; it is then charged as known.
func (s *Setup) publishStart(context.Context) error {
	if s.Protocol != nil {
		s.Protocol.Start = s.start(s.Spec.Seed)
		s.Spec.Algorithm.Start = spec.Start{Node: int(s.Protocol.Start)}
	}
	return nil
}

// readGraph is the graph that the participants' edges are, or that the spec
// names.
func (s *Setup) readGraph() (*graph.Graph, error) {
	if !s.Spec.Federated() {
		return graphfile.Open(s.Spec.Graph, s.Spec.Seed)
	}
	if s.Spec.Graph != spec.EdgesGraph {
		if !gen.IsExpression(s.Spec.Graph) {
			return nil, fault.New(fmt.Sprintf("graph: %s is a file, which participants might have different copies of", s.Spec.Graph),
				"give each participant its edges, or name a generator such as ring:8")
		}
		return graphfile.Open(s.Spec.Graph, s.Spec.Seed)
	}
	return graph.FromEdges("the participants' edges", s.Spec.Nodes, s.Spec.EdgeList())
}

// TowardsEach are what the sound accountant of the spec's algorithm says of
// node u towards each node: given an effective noise multiplier they become
// losses. Where only the local loss is a bound, all laws are the local one. Entry
// u is nil.
func (s *Setup) TowardsEach(ctx context.Context, u int) ([]*pathloss.Law, error) {
	laws := make([]*pathloss.Law, s.Spec.Nodes)
	alike := s.alike(u)
	firsts := slices.Sorted(maps.Keys(alike))
	done := countUp(watchOf(ctx), len(firsts))
	err := sim.Each(ctx, len(firsts), runtime.GOMAXPROCS(0), func(_ context.Context, i int) error {
		law, err := s.towards(u, firsts[i])
		if err != nil {
			return err
		}
		for _, v := range alike[firsts[i]] {
			laws[v] = law
		}
		done()
		return nil
	})
	return laws, err
}

// Together are what the sound accountant says of node u towards any so many of
// the others who keep to the protocol and put together what they see, given what
// TowardsEach says: none where only the local loss is a bound.
func (s *Setup) Together(ctx context.Context, u, size int, alone []*pathloss.Law) ([]pathloss.Coalition, error) {
	if s.Protocol == nil || s.Spec.Privacy.Accountant == report.LocalAccountant || s.Spec.FollowsFailures() {
		return nil, nil
	}
	w := s.pathWalk()
	if w.Watch == nil {
		w.Watch = &pathloss.Watch{Context: ctx}
	}
	return w.Coalitions(u, size, alone, runtime.GOMAXPROCS(0))
}

// towards is the law of one pair.
func (s *Setup) towards(u, v int) (*pathloss.Law, error) {
	if s.Protocol == nil || s.Spec.Privacy.Accountant == report.LocalAccountant {
		m := s.cap()
		return &pathloss.Law{Claim: privacy.LocalClaim(m), Energies: []float64{float64(m)}, Weights: []float64{1}, Most: m}, nil
	}
	return s.pathWalk().Law(u, v)
}

// alike groups the other nodes by the class of their pair with u, where the
// graph has symmetries that the accountant knows. Each group is listed under its
// first. Its pairs have one law, wherever the walk starts: nothing of u is seen
// before the token first comes to u, when that is does not depend on the observer,
// and from there on a symmetry that keeps u takes one observer to the other.
func (s *Setup) alike(u int) map[int][]int {
	groups, first := map[int][]int{}, map[int]int{}
	class := func(_, v int) int { return v }
	if symmetry, ok := s.Graph.Symmetry(); ok {
		if known, ok := pathloss.SymmetricClass(symmetry.Family, symmetry.Sides); ok {
			class = known
		}
	}
	for v := range s.Spec.Nodes {
		if v == u {
			continue
		}
		k := class(u, v)
		if _, seen := first[k]; !seen {
			first[k] = v
		}
		groups[first[k]] = append(groups[first[k]], v)
	}
	return groups
}

// Contributions is the most of one participant.
func (s *Setup) Contributions() int { return s.cap() }

// Turns is the number of turns of the whole run.
func (s *Setup) Turns() int64 {
	if s.Gossip != nil {
		return int64(s.Gossip.Turns())
	}
	return int64(s.Protocol.Turns())
}

// Neighbours are those of node u, ascending.
func (s *Setup) Neighbours(u int) []int32 { return slices.Sorted(slices.Values(s.Graph.Neighbours(u))) }

// Distances are the hops from node u to each, -1 where there is no way.
func (s *Setup) Distances(u int) []int {
	hops := make([]int, s.Spec.Nodes)
	for v := range hops {
		hops[v] = -1
	}
	hops[u] = 0
	for queue := []int{u}; len(queue) > 0; queue = queue[1:] {
		for _, v := range s.Graph.Neighbours(queue[0]) {
			if hops[v] < 0 {
				hops[v] = hops[queue[0]] + 1
				queue = append(queue, int(v))
			}
		}
	}
	return hops
}

// SetNoise sets the multiplier of the noise that is really added, where that is
// to be more than the accounted one.
func (s *Setup) SetNoise(multiplier float64) {
	if !(multiplier >= s.Accounting.Sigma) || math.IsInf(multiplier, 1) {
		panic(fmt.Sprintf("experiment: noise multiplier %g under an accounting for %g", multiplier, s.Accounting.Sigma))
	}
	s.Local().Noise.Multiplier = multiplier
}
