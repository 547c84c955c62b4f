package messages

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/exposure"
	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
)

// A PlannedAnswer holds the result of `hearsay attack gossip SPEC`, with its JSON: an auditor's page of planned
// averaging. Nodes are numbered 0..n-1.
type PlannedAnswer struct {
	Name          string        `json:"name"`
	N             int           `json:"n"`
	Names         []string      `json:"names,omitempty"`
	Turns         int           `json:"turns"`
	Sigma         float64       `json:"sigma"`     // noise multiplier
	NoiseStd      report.Number `json:"noise_std"` // of a number of a node's value
	Delta         float64       `json:"delta"`
	Unit          string        `json:"unit"`
	Attackers     []int         `json:"attackers,omitempty"`
	Reconstructed []int         `json:"reconstructed,omitempty"` // by the attackers, without noise
	Looked        int           `json:"attackers_looked_at"`     // of all nodes, each alone, besides the named ones
	Nodes         []plannedNode `json:"nodes"`
	Multiplier    report.Number `json:"multiplier"` // noise multiplier that keeps everyone at (1, 1e-6)-differential privacy towards every single node, and towards the attackers if any are named
	// Beyond is the same towards single non-neighbours. It is missing if not all of them were examined.
	Beyond *report.Number  `json:"multiplier_beyond,omitempty"`
	Edges  []exposure.Edge `json:"edges,omitempty"` // whose removal saves nodes from the attackers
	Notes  []string        `json:"notes,omitempty"`
}

// plannedNode lists who could reconstruct a node, the remaining protection by noise, and the changes that help.
type plannedNode struct {
	exposure.Exposed
	Stranger   *int           `json:"stranger,omitempty"` // the non-neighbour that learns most about it
	Leakage    *report.Number `json:"leakage,omitempty"`  // leakage to the stranger, from 0 to 1
	Floor      *report.Number `json:"floor,omitempty"`    // lower bound on the standard deviation of the stranger's unbiased estimates: noise/sqrt(leakage)
	Epsilon    *report.Number `json:"epsilon,omitempty"`  // towards the stranger, sound, at the delta
	Multiplier *report.Number `json:"multiplier,omitempty"`
	Remove     [][2]int       `json:"remove,omitempty"`            // edges; removing any one of them leaves no stranger that could reconstruct it alone
	To         *report.Number `json:"to_attackers,omitempty"`      // leakage to the coalition of attackers
	FloorTo    *report.Number `json:"floor_attackers,omitempty"`   // of their estimates
	EpsilonTo  *report.Number `json:"epsilon_attackers,omitempty"` // towards their coalition, sound
}

// ofGraph lists the flags of averaging on a given graph.
var ofGraph = []string{"graph", "steps", "weights", "seed", "turns", "each", "relations", "messages", "gamma", "simulate", "sigma", "dim", "save"}

// checkPlanned refuses flags for settings that the spec holds.
func (f *Question) checkPlanned() error {
	for _, name := range ofGraph {
		if f.Given(name) {
			return fault.New("--"+name+" is for averaging on a graph, and the spec says what runs", "leave it out, or change the spec with --set")
		}
	}
	return nil
}

// Planned answers the question for a spec.
func (f *Question) Planned(s *spec.Spec) (*PlannedAnswer, error) {
	if err := f.checkPlanned(); err != nil {
		return nil, err
	}
	on := &f.OnSpec
	if !(f.Work >= 0 && f.Work <= exposure.MostWork) {
		return nil, fault.New(fmt.Sprintf("--work %g: is not from 0 to %d", f.Work, exposure.MostWork), "1 is two minutes of a processor, 10 ten times as long, 0 looks at nobody but the attackers")
	}
	if err := on.Out.Check(); err != nil {
		return nil, err
	}
	ctx, err := on.Watched()
	if err != nil {
		return nil, err
	}
	a, err := exposure.OpenGossip(ctx, s, on.Say)
	if err != nil {
		return nil, err
	}
	if !a.Scoring().OwnValues {
		return nil, fault.New(fmt.Sprintf("algorithm.kind: %s learns, and this attack is on averaging", a.Spec.Algorithm.Kind), "hearsay attack gradients is for it")
	}
	answer, err := form.Within(ctx, func() (*PlannedAnswer, error) { return f.auditPlanned(ctx, a, on.Say) })
	if err != nil {
		return nil, err
	}
	return answer, on.Out.Write(ctx, on.Say, answer, func(w io.Writer) error { return writePlannedPage(w, answer) })
}

// plannedWork is the largest number of multiplications for the views of coalitions and without edges in a planned
// federation. It takes about ten seconds of a core.
const plannedWork = 1e10

// audited is averaging under audit.
type audited struct {
	*gossipfamily.Algorithm
	accountant *gossipview.Accountant
	look       *exposure.Search
	work       float64 // largest number of multiplications for the views of single attackers
	say        func(string)
}

func (f *Question) auditPlanned(ctx context.Context, a *gossipfamily.Algorithm, say func(string)) (*PlannedAnswer, error) {
	accountant, err := gossipview.Of(*a.Schedule().(*schedule.Gossip))
	if err != nil {
		return nil, err
	}
	p := a.Protocol
	answer := &PlannedAnswer{
		Name: a.Spec.Title(), N: p.Nodes, Names: a.Names(), Turns: int(a.Turns()), Sigma: p.Noise.Multiplier, NoiseStd: report.Number(p.Noise.Std()),
		Delta: deltaOf(a), Unit: string(a.Unit()),
	}
	if answer.Attackers, err = exposure.Attackers(&a.Holdings, f.Attackers); err != nil {
		return nil, err
	}
	x := &audited{Algorithm: a, accountant: accountant, say: say, work: f.Work * aloneWork}
	x.look = &exposure.Search{Reach: exposure.NewReach(0, reconstructs(accountant)), Graph: a.Graph, Say: say}
	x.look.Cost = func(set []int) int {
		single := viewMessages(a.Graph, p.Nodes, 1, int(a.Turns()))
		more := viewMessages(a.Graph, p.Nodes, len(set), int(a.Turns())) / single
		return int(math.Ceil(more * more))
	}
	if p.Nodes > mostCombined {
		x.look.Near = nearest
		answer.Notes = append(answer.Notes, fmt.Sprintf("Coalitions were looked for among the %d nearest strangers of a node only; where none is named others may be able to.", nearest))
	}
	for _, step := range []func(context.Context, *PlannedAnswer) error{x.exposed, x.removals, x.attacked} {
		if err := step(ctx, answer); err != nil {
			return nil, err
		}
	}
	answer.add(a)
	return answer, nil
}

// deltaOf returns the delta of the spec, or the default.
func deltaOf(a *gossipfamily.Algorithm) float64 {
	if delta := a.Spec.Privacy.Metric.Delta; delta != 0 {
		return delta
	}
	return exposure.StopDelta
}

// mostCombined is the largest number of nodes for a full search of coalitions. Beyond it the search uses the nearest
// strangers only, as many as nearest.
const mostCombined, nearest = 128, 6

// viewMessages returns the approximate number of linearly independent messages that the attackers see.
func viewMessages(g *graph.Graph, n, attackers, turns int) float64 {
	return min(float64(n), float64(attackers)*(float64(turns)*2*float64(g.Edges())/float64(n)+1))
}

// reconstructs returns a function that lists the nodes that a set reconstructs.
func reconstructs(accountant *gossipview.Accountant) func(set []int) ([]int, error) {
	return func(set []int) ([]int, error) {
		view, err := accountant.Reconstruction(set)
		if err != nil {
			return nil, err
		}
		return view.Reconstructed(), nil
	}
}

// hidden returns the protection by noise at a leakage: the least standard deviation of an estimate, and epsilon. It
// returns nil without noise or leakage.
func (x *audited) hidden(u int, leakage, delta float64) (floor, epsilon *report.Number) {
	sigma := x.Protocol.Noise.Multiplier
	if sigma == 0 || leakage == 0 {
		return nil, nil
	}
	own := family.Multiplier(x.Algorithm, u, sigma)
	return numbered(x.Protocol.Noise.Std() / math.Sqrt(leakage)), numbered(privacy.EpsilonGaussian(math.Sqrt(leakage)/own, delta))
}

func numbered(x float64) *report.Number {
	n := report.Number(x)
	return &n
}

// without returns the reach on a graph with one edge removed. It returns nil if that graph has no such weights.
func (x *audited) without(g *graph.Graph) (*exposure.Reach, error) {
	w, err := graph.NewTransition(g, x.Spec.Weights)
	if err != nil {
		return nil, nil
	}
	accountant, err := gossipview.New(w.Sparse(), int(x.Turns()))
	if err != nil {
		return nil, err
	}
	return exposure.NewReach(x.look.Budget, reconstructs(accountant)), nil
}

// removals finds, for every node that strangers could reconstruct alone, the edges whose removal stops them all.
func (x *audited) removals(ctx context.Context, answer *PlannedAnswer) error {
	edges, busy := exposure.EdgesOf(x.Graph), map[int]bool{}
	for _, node := range answer.Nodes {
		for _, v := range node.Alone {
			busy[v] = true
		}
	}
	if len(busy) == 0 || x.Changes() {
		return nil
	}
	if len(edges)*len(busy) > x.look.Budget {
		answer.Notes = append(answer.Notes, "Which edges keep strangers from reconstructing was not looked at: that would take too long.")
		return nil
	}
	for k, e := range edges {
		if err := ctx.Err(); err != nil {
			return err
		}
		if k%16 == 0 {
			x.say(fmt.Sprintf("edges whose removal helps: %d of %d", k, len(edges)))
		}
		if err := x.removal(answer, edges, e); err != nil {
			return err
		}
	}
	return nil
}

func (x *audited) removal(answer *PlannedAnswer, edges [][2]int, e [2]int) error {
	g, err := graph.FromEdges("without an edge", x.Protocol.Nodes, slices.DeleteFunc(slices.Clone(edges), func(f [2]int) bool { return e == f }))
	if err != nil || g.Connected() != nil {
		return err
	}
	other, err := x.without(g)
	if err != nil || other == nil {
		return err
	}
	for u := range answer.Nodes {
		node, still := &answer.Nodes[u], false
		for _, v := range node.Alone {
			x.look.Budget--
			can, err := other.Reconstructs([]int{v}, u)
			if err != nil {
				return err
			}
			if still = can; still {
				break
			}
		}
		if len(node.Alone) > 0 && !still {
			node.Remove = append(node.Remove, e)
		}
	}
	return nil
}

// attacked adds the information of the named attackers in coalition, and the edges whose removal stops them.
func (x *audited) attacked(ctx context.Context, answer *PlannedAnswer) error {
	if len(answer.Attackers) == 0 {
		return nil
	}
	x.say("what the attackers learn together")
	g, err := attack.NewGossip(x.accountant, answer.Attackers)
	if err != nil {
		return err
	}
	answer.Reconstructed = slices.DeleteFunc(g.Reconstructed(), func(u int) bool { return slices.Contains(answer.Attackers, u) })
	for u := range answer.Nodes {
		if slices.Contains(answer.Attackers, u) {
			continue
		}
		leakage := g.View.Leakage(u)
		answer.Nodes[u].To = numbered(leakage)
		answer.Nodes[u].FloorTo, answer.Nodes[u].EpsilonTo = x.hidden(u, leakage, answer.Delta)
	}
	if x.Changes() || len(answer.Reconstructed) == 0 {
		return nil
	}
	x.look.Budget = max(x.look.Budget, int(plannedWork/viewWork(x.Graph, answer.Attackers, int(x.Turns()))))
	switch all, own := exposure.EdgesOf(x.Graph), exposure.EndsAmong(x.Graph, answer.Attackers); {
	case len(own) > x.look.Budget:
		answer.Notes = append(answer.Notes, "Which edges keep the attackers from reconstructing was not looked at: that would take too long.")
		return nil
	case len(all) > x.look.Budget:
		answer.Notes = append(answer.Notes, fmt.Sprintf("Of %d edges the %d of the attackers were taken away to see whether that helps; all would take too long.", len(all), len(own)))
	}
	x.say("looking for edges whose removal helps")
	answer.Edges, err = x.look.Edges(ctx, answer.Attackers, x.without)
	return err
}

// add computes the noise that suffices.
func (a *PlannedAnswer) add(of *gossipfamily.Algorithm) {
	worst, beyond := 0.0, 0.0
	for _, node := range a.Nodes {
		if node.Neighbours > 0 {
			worst = 1 // a neighbour receives the noisy value itself
		}
		if node.Leakage != nil {
			beyond = max(beyond, float64(*node.Leakage))
		}
		if node.To != nil {
			worst = max(worst, float64(*node.To))
		}
	}
	a.Multiplier = report.Number(exposure.EnoughNoise(max(worst, beyond)))
	if a.Looked == a.N {
		a.Beyond = numbered(exposure.EnoughNoise(beyond))
	}
	if of.Changes() {
		a.Notes = append(a.Notes, "The graph changes from turn to turn; a neighbour here is one of the spec's graph, and edges were not looked at.")
	}
	if a.Sigma == 0 {
		a.Notes = append(a.Notes, "No noise is added: whoever reconstructs a node has its value as it is.")
	}
	if of.Local().Noise.Relatives() != nil {
		a.Notes = append(a.Notes, "Nodes have different sensitivities, by their numbers of rows or clips of their own: noise multipliers are over the largest sensitivity of all, epsilons over each node's own.")
	}
}
