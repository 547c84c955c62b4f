package sim

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// The contract that every algorithm keeps, for gossip.

// randomGossip draws a protocol, examples, and weights of any kind.
func randomGossip(t *rapid.T) *Gossip {
	w, adjacent := randomWalk(t)
	seed := w.Seed
	p := &gossip.Protocol{
		Local: w.Protocol.Local, Nodes: w.Protocol.Nodes, Gamma: 1,
		Rounds: rapid.IntRange(1, 6).Draw(t, "rounds"), TurnsPerRound: rapid.IntRange(1, 6).Draw(t, "gossip steps"),
		Cap:          rapid.IntRange(0, 3).Draw(t, "cap"),
		Asynchronous: rapid.Bool().Draw(t, "asynchronous"), KeepMean: rapid.Bool().Draw(t, "keep mean"),
		NoiseEachTurn: rapid.Bool().Draw(t, "noise each turn"),
	}
	p.Proximal, p.Importance = false, nil
	p.Batch = rapid.IntRange(0, 2).Draw(t, "batch")
	if p.Noise.Shares != nil {
		p.Noise.Shares = sharesOf(w.Holdings.(*Slab), func(rows int) int { return min(rows, cmp.Or(p.Batch, rows)) })
		if rapid.Bool().Draw(t, "poisson") {
			p.Noise.Shares = sampledSharesOf(t, w.Holdings.(*Slab))
		}
	}
	fixed := hamilton(t, adjacent)
	var weights graph.Sequence
	switch rapid.SampledFrom([]string{"fixed", "accelerated", "edges", "dropout", "redrawn", "regular", "matchings", "tournament",
		"matchings of a graph", "matchings with dropout", "cycle"}).Draw(t, "weights") {
	case "fixed":
		weights = graph.Fixed(fixed)
		if rapid.Bool().Draw(t, "noise that cancels") {
			p.Pairwise, p.Pairs = rapid.Float64Range(0.1, 30).Draw(t, "pairwise"), partners(t, fixed)
			if p.Absent = rapid.IntRange(0, p.Nodes-1).Draw(t, "absent"); p.Absent > 0 {
				weights, p.Asynchronous, p.NoiseEachTurn = graph.Missing(weights, 0.4, p.Absent, p.TurnsPerRound, seed), true, false
			}
		}
	case "accelerated":
		weights, p.Gamma = graph.Fixed(fixed), gossip.Acceleration(0.3)
		if rapid.Bool().Draw(t, "noise that cancels") {
			p.Pairwise, p.Pairs = 10, partners(t, fixed)
		}
	case "edges":
		edges, err := graph.NewActivations(fixed, seed)
		if err != nil {
			t.Fatal(err)
		}
		weights = edges
	case "dropout":
		weights = graph.Dropout(graph.Fixed(fixed), 0.4, seed)
	case "redrawn":
		redrawn, err := gen.Redrawn(fmt.Sprintf("er:n=%d,p=0.5", p.Nodes), "hamilton", p.TurnsPerRound, seed)
		if err != nil {
			t.Fatal(err)
		}
		weights = redrawn
	case "regular": // anew in every turn
		redrawn, err := gen.Redrawn(fmt.Sprintf("regular:n=%d,d=2", max(6, p.Nodes)), "hamilton", 1, seed)
		if err != nil {
			t.Fatal(err)
		}
		if weights = redrawn; redrawn.Len() != p.Nodes { // too few nodes for more than one such graph
			weights = graph.NewMatchings(p.Nodes, seed)
		}
	case "cycle":
		cycle, err := gen.Sequence(fmt.Sprintf("sequence:star:%d;line:%d;complete:%d", p.Nodes, p.Nodes, p.Nodes), "hamilton", seed)
		if err != nil {
			t.Fatal(err)
		}
		weights = cycle
	case "matchings":
		weights = graph.NewMatchings(p.Nodes, seed)
	case "tournament":
		weights = graph.NewRoundRobin(p.Nodes, seed)
	case "matchings of a graph":
		weights = graph.NewMatchingsOf(graph.Fixed(fixed), seed)
	case "matchings with dropout":
		weights = graph.Dropout(graph.NewMatchingsOf(graph.Fixed(fixed), seed), 0.3, seed)
	}
	if gossip.Constant(weights) != nil && rapid.Bool().Draw(t, "carry") {
		p.Momentum, p.Radius = rapid.Float64Range(0.1, 0.95).Draw(t, "momentum"), 0
	}
	if p.Epoch = rapid.IntRange(0, 3).Draw(t, "epoch"); p.Noise.Sampled() {
		p.Epoch = 0
	} else if p.Epoch > 1 && p.Noise.Shares != nil { // the smallest of the batches that take turns
		p.Noise.Shares = sharesOf(w.Holdings.(*Slab), func(rows int) int { return rows / p.Epoch })
	}
	if gossip.Constant(weights) != nil && rapid.Bool().Draw(t, "remember") {
		p.NoiseEachTurn, p.StepSize.Power = false, 0
		remember(t, p)
	}
	if p.Noise.Shares == nil && rapid.Bool().Draw(t, "clip means") {
		p.Noise.Together, p.Fill = true, false
		if rapid.Bool().Draw(t, "local") {
			p.LocalSteps, p.Radius = rapid.IntRange(2, 4).Draw(t, "local steps"), 0
		}
	}
	g := &Gossip{Protocol: p, Holdings: w.Holdings, Weights: weights, Seed: seed}
	if constant := gossip.Constant(weights); constant != nil && rapid.Bool().Draw(t, "placed") {
		g.layout = sparse.NewLayout(constant)
	}
	return g
}

// remember gives noise a memory.
func remember(t *rapid.T, p *gossip.Protocol) {
	past := rapid.SliceOfN(rapid.Float64Range(-0.5, 0.9), 0, 4).Draw(t, "past")
	memory, err := schedule.NewMemory(past, p.Rounds, p.Contributions(), max(1, p.Epoch))
	if err != nil {
		t.Fatal(err)
	}
	p.Memory = memory
}

// sampledSharesOf are those of Poisson samples, each node with a rate of its own.
func sampledSharesOf(t *rapid.T, s *Slab) *noise.Shares {
	var shares, rates []float64
	for v := range len(s.Offsets) - 1 {
		rate := gossip.Rate(rapid.SampledFrom([]float64{1, 0.5, 0.1}).Draw(t, "rate"))
		rates = append(rates, rate)
		shares = append(shares, noise.Share(max(1, s.Offsets[v+1]-s.Offsets[v]))/rate)
	}
	return noise.NewPoissonShares(shares, rates)
}

// onAllRows has nodes use all of their rows in every step, without noise.
func (g *Gossip) onAllRows() {
	g.Protocol.Noise.Multiplier, g.Protocol.Batch, g.Protocol.Epoch = 0, 0, 0
	if g.Protocol.Noise.Sampled() {
		g.Protocol.Noise.Shares = sharesOf(g.Holdings.(*Slab), allRows)
	}
}

// hamilton is the gossip matrix of a graph.
func hamilton(t interface{ Fatal(args ...any) }, adjacent lazyWalk) *sparse.Matrix {
	var edges [][2]int
	for u, to := range adjacent {
		for _, v := range to {
			edges = append(edges, [2]int{u, int(v)})
		}
	}
	g, err := graph.FromEdges("drawn", len(adjacent), edges)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	return w.Sparse()
}

// partners draws who shares secrets: neighbours, or a graph of its own in which nodes may have none.
func partners(t *rapid.T, neighbours *sparse.Matrix) *sparse.Matrix {
	if rapid.Bool().Draw(t, "secrets along edges") {
		return neighbours
	}
	n := neighbours.N
	dense := make([]float64, n*n)
	for u := range n {
		for v := range u {
			if rapid.Bool().Draw(t, "secret") {
				dense[u*n+v], dense[v*n+u] = 1, 1
			}
		}
	}
	return sparse.FromDense(n, dense)
}

// everybody else may talk to v: in these graphs anybody may be drawn.
func (g *Gossip) everybody(v step.NodeID) (others []step.NodeID) {
	for u := range step.NodeID(g.Protocol.Nodes) {
		if u != v {
			others = append(others, u)
		}
	}
	return others
}

// bulkGossipRun runs g and collects its releases.
func bulkGossipRun(t testing.TB, g *Gossip) (values []float64, releases []step.Release) {
	values, err := g.Bulk(context.Background(), GossipWatcher{Released: func(r step.Release) { releases = append(releases, r) }})
	if err != nil {
		t.Fatal(err)
	}
	return values, releases
}

// byTurn orders releases as a schedule does; machines make theirs when they
// get there.
func byTurn(a, b step.Release) int {
	for _, d := range []int64{int64(a.Turn - b.Turn), int64(a.From - b.From), int64(a.To - b.To)} {
		if d != 0 {
			return int(d)
		}
	}
	return 0
}

// Both drivers give all nodes the same values and make the same releases, bit
// for bit, on a perfect network and on a rough one.
func TestContractGossipDriversAgreeBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		want, made := bulkGossipRun(rapidT(t), g)
		for _, net := range []Network{{}, rough(g.Seed)} {
			got := make([]float64, len(want))
			var released []step.Release
			machines := g.Machines(g.everybody, func(v step.NodeID, turn step.Turn, x []float64) {
				if turn == g.Protocol.Turns() {
					copy(got[int(v)*len(x):], x)
				}
			})
			traffic, err := net.Run(context.Background(), machines, func(r step.Release) { released = append(released, r) })
			if err != nil || traffic.Done != g.Protocol.Nodes {
				t.Fatalf("virtual run: %v, %d machines done", err, traffic.Done)
			}
			if bits(got) != bits(want) {
				t.Fatalf("virtual network ends with %v, bulk with %v", got, want)
			}
			slices.SortFunc(released, byTurn)
			if !slices.Equal(released, made) {
				t.Fatalf("virtual network released\n%v\nbulk\n%v", released, made)
			}
		}
	})
}

// What is emitted equals the schedule, which is computed without any data.
func TestContractGossipReleasesEqualTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		_, emitted := bulkGossipRun(rapidT(t), g)
		s := g.Protocol.Schedule(g.Weights, g.Protocol.Objective.Guarantees(1))
		planned := slices.Collect(s.Releases(func(v step.NodeID) bool { return g.Holdings.Examples(v).Len() > 0 }))
		if !slices.Equal(emitted, planned) {
			t.Fatalf("emitted\n%v\nscheduled\n%v", emitted, planned)
		}
	})
}

// dumbGossip is a second implementation of a run without noise and batches,
// with dense matrices, as 002 Algorithm 6.3 is printed.
func dumbGossip(g *Gossip) [][]float64 {
	p := g.Protocol
	x, before := make([][]float64, p.Nodes), make([][]float64, p.Nodes)
	for v := range x {
		x[v], before[v] = p.Begin(), make([]float64, p.Params)
	}
	used, velocity := make([]int, p.Nodes), slices.Repeat([]float64{0}, p.Nodes*p.Params)
	for round := range p.Rounds {
		first := step.Turn(round * p.TurnsPerRound)
		for v := range x {
			ex := g.Holdings.Examples(step.NodeID(v))
			if !p.Begins(g.Weights, step.NodeID(v), first) {
				continue
			}
			if ex.Len() > 0 && (p.Cap == 0 || used[v] < p.Cap) {
				used[v]++
			} else {
				ex = model.Examples{}
			}
			dumbStep(p, step.NodeID(v), x[v], ex, round, velocity[v*p.Params:])
		}
		for k := range p.TurnsPerRound {
			w := g.Weights.Matrix(first + step.Turn(k))
			next := make([][]float64, p.Nodes)
			for v := range next {
				next[v] = make([]float64, p.Params)
				for j := range next[v] {
					mean := 0.0
					for u := range x {
						mean += w.At(v, u) * x[u][j]
					}
					next[v][j] = mean
					if k > 0 {
						next[v][j] = p.Gamma*mean + (1-p.Gamma)*before[v][j]
					}
				}
			}
			x, before = next, x
		}
	}
	return x
}

// dumbStep is one step of gradient descent without noise, on ex or on nothing but
// the penalty, with Polyak's momentum.
func dumbStep(p *gossip.Protocol, v step.NodeID, x []float64, ex model.Examples, round int, velocity []float64) {
	mean, clip := make([]float64, len(x)), p.Noise.ClipOf(v)
	gamma, own := p.StepSize.Base*math.Pow(float64(round+1), -p.StepSize.Power), slices.Clone(x)
	steps := 1
	if ex.Len() > 0 {
		steps = max(1, p.LocalSteps)
	}
	for k := range steps {
		step := make([]float64, len(x))
		for i := range ex.Len() {
			row, y := ex.Row(i)
			one := make([]float64, len(x))
			p.Objective.Gradient(one, own, row, y)
			size := math.Sqrt(sparse.Dot(one, one))
			for j := range step {
				if p.Noise.Together {
					size = 0
				}
				step[j] += one[j] * math.Min(1, clip/size) / float64(ex.Len()) * p.ScaleOf(v, ex)
			}
		}
		for j := range own {
			if mean[j] += step[j]; k > 0 { // the penalty at x is added below
				mean[j] += p.Objective.L2 * own[j]
			}
			own[j] -= gamma * (step[j] + p.Objective.L2*own[j])
		}
	}
	if size := math.Sqrt(sparse.Dot(mean, mean)); p.Noise.Together && size > clip {
		for j := range mean {
			mean[j] *= clip / size
		}
	}
	for j := range x {
		velocity[j] = p.Momentum*velocity[j] + mean[j] + p.Objective.L2*x[j]
		x[j] -= gamma * velocity[j]
	}
	if size := math.Sqrt(sparse.Dot(x, x)); p.Radius > 0 && size > p.Radius {
		for j := range x {
			x[j] *= p.Radius / size
		}
	}
}

// With noise multiplier 0 the run is the non-private one.
func TestContractGossipSigmaZeroIsTheNonPrivateRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		g.onAllRows()
		got, _ := bulkGossipRun(rapidT(t), g)
		want := slices.Concat(dumbGossip(g)...)
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-11 {
				t.Fatalf("got %v, the plain algorithm gives %v", got, want)
			}
		}
	})
}

// renamed gives every node of some weights a new number.
type renamed struct {
	gossip.Weights
	old, new []step.NodeID
}

func (r renamed) Row(v step.NodeID, t step.Turn) ([]int32, []float64) {
	nodes, weights := r.Weights.Row(r.old[v], t)
	pairs := make([][2]float64, len(nodes))
	for k, u := range nodes {
		pairs[k] = [2]float64{float64(r.new[u]), weights[k]}
	}
	slices.SortFunc(pairs, func(a, b [2]float64) int { return int(a[0] - b[0]) })
	var to []int32
	var by []float64
	for _, pair := range pairs {
		to, by = append(to, int32(pair[0])), append(by, pair[1])
	}
	return to, by
}

func (r renamed) Matrix(t step.Turn) *sparse.Matrix {
	m := &sparse.Matrix{N: len(r.old), Offsets: []int{0}}
	for v := range r.old {
		nodes, weights := r.Row(step.NodeID(v), t)
		m.Columns, m.Values = append(m.Columns, nodes...), append(m.Values, weights...)
		m.Offsets = append(m.Offsets, len(m.Columns))
	}
	return m
}

func (r renamed) Active(t step.Turn) []step.NodeID {
	active := r.Weights.Active(t)
	if active == nil {
		return nil
	}
	moved := []step.NodeID{}
	for _, v := range active {
		moved = append(moved, r.new[v])
	}
	slices.Sort(moved)
	return moved
}

// Numbering the nodes differently changes nothing but the numbers. Sums are
// then taken in another order, so values agree up to rounding.
func TestContractGossipRelabellingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		g.onAllRows()
		want, _ := bulkGossipRun(rapidT(t), g)
		r := renamed{Weights: g.Weights, old: make([]step.NodeID, g.Protocol.Nodes), new: make([]step.NodeID, g.Protocol.Nodes)}
		ids := make([]int, g.Protocol.Nodes)
		for i := range ids {
			ids[i] = i
		}
		for now, before := range rapid.Permutation(ids).Draw(t, "new order") {
			r.old[now], r.new[before] = step.NodeID(before), step.NodeID(now)
		}
		moved, protocol := *g, *g.Protocol
		moved.Protocol, protocol.Noise.Clips = &protocol, renumbered(protocol.Noise.Clips, r.old)
		moved.Weights, moved.Holdings, moved.layout = r, relabelled{holdings: g.Holdings, old: r.old}, nil
		got, _ := bulkGossipRun(rapidT(t), &moved)
		d := g.Protocol.Params
		for v := range r.old {
			for j := range d {
				if a, b := got[v*d+j], want[int(r.old[v])*d+j]; math.Abs(a-b) > 1e-11 {
					t.Fatalf("relabelled %v, before %v", got, want)
				}
			}
		}
	})
}

// Any number of workers gives the same values.
func TestContractGossipWorkersChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGossip(t)
		one, _ := bulkGossipRun(rapidT(t), g)
		g.Workers = rapid.IntRange(2, 4).Draw(t, "workers")
		many, _ := bulkGossipRun(rapidT(t), g)
		if bits(one) != bits(many) {
			t.Fatalf("one worker %v, %d workers %v", one, g.Workers, many)
		}
	})
}

// Averaging conserves the mean of the nodes' values, to 1e-12 over 10^4 turns,
// plain and accelerated.
func TestContractGossipConservesTheMean(t *testing.T) {
	g, err := gen.Parse("grid:7x9", 1)
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "")
	if err != nil {
		t.Fatal(err)
	}
	edges, err := graph.NewActivations(transition.Sparse(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]Gossip{
		"plain":       {Protocol: &gossip.Protocol{Gamma: 1}, Weights: graph.Fixed(transition.Sparse())},
		"accelerated": {Protocol: &gossip.Protocol{Gamma: gossip.Acceleration(0.01)}, Weights: graph.Fixed(transition.Sparse())},
		"edges":       {Protocol: &gossip.Protocol{Gamma: 1}, Weights: edges},
		"dropout":     {Protocol: &gossip.Protocol{Gamma: 1}, Weights: graph.Dropout(graph.Fixed(transition.Sparse()), 0.5, 1)},
	} {
		run.Protocol.Local = averaging(3)
		run.Protocol.Nodes, run.Protocol.Rounds, run.Protocol.TurnsPerRound = g.Len(), 1, 10_000
		run.Holdings, run.Seed = values(g.Len(), 3), 5
		var before []float64
		after, err := run.Bulk(context.Background(), GossipWatcher{Values: func(t step.Turn, x []float64) {
			if t == 0 {
				before = columnMeans(x, 3)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		for j, mean := range columnMeans(after, 3) {
			if math.Abs(mean-before[j]) > 1e-12 {
				t.Errorf("%s: mean %d was %.17g and is %.17g after 10^4 turns", name, j, before[j], mean)
			}
			if math.Abs(after[j]-mean) > 1e-9 && name != "edges" {
				t.Errorf("%s: node 0 has %g, the mean is %g", name, after[j], mean)
			}
		}
	}
}

func columnMeans(x []float64, cols int) []float64 {
	means := make([]float64, cols)
	for i, v := range x {
		means[i%cols] += v
	}
	for j := range means {
		means[j] /= float64(len(x) / cols)
	}
	return means
}

// averaging is the local step of averaging alone: it lands on the node's own
// value.
func averaging(params int) descent.Local {
	return descent.Local{
		Params: params, Objective: model.Objective{Model: model.Mean{}},
		Noise: noise.Gaussian{Clip: 1, Multiplier: 0.5}, StepSize: descent.StepSize{Base: 0.5},
	}
}

// values gives every node one example of so many features.
func values(n, features int) *Slab {
	slab := &Slab{Features: features, Offsets: []int{0}}
	for v := range n {
		for j := range features {
			slab.X = append(slab.X, math.Sin(float64(v*features+j)))
		}
		slab.Y = append(slab.Y, 0)
		slab.Offsets = append(slab.Offsets, v+1)
	}
	return slab
}
