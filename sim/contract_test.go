package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// The contract that every algorithm keeps, here for the walk and the
// baselines that share its kernel, on random graphs and random protocols.

// lazyWalk is the simplest transition matrix there is: from u to a uniform
// choice among u and its neighbours.
type lazyWalk [][]step.NodeID

func (w lazyWalk) Next(u int, r *rand.Rand) int {
	if k := r.IntN(len(w[u]) + 1); k < len(w[u]) {
		return int(w[u][k])
	}
	return u
}

func (w lazyWalk) neighbours(v step.NodeID) []step.NodeID { return w[v] }

// ringWithChords is a connected graph of n nodes.
func ringWithChords(t *rapid.T, n int) lazyWalk {
	adjacent := make([]map[step.NodeID]bool, n)
	for u := range adjacent {
		adjacent[u] = map[step.NodeID]bool{}
	}
	link := func(u, v int) {
		if u != v {
			adjacent[u][step.NodeID(v)], adjacent[v][step.NodeID(u)] = true, true
		}
	}
	for u := range n {
		link(u, (u+1)%n)
		link(u, rapid.IntRange(0, n-1).Draw(t, "chord"))
	}
	w := make(lazyWalk, n)
	for u, to := range adjacent {
		for v := range to {
			w[u] = append(w[u], v)
		}
		slices.Sort(w[u])
	}
	return w
}

// randomLocal draws a step on data of two features.
func randomLocal(t *rapid.T) descent.Local {
	m := rapid.SampledFrom([]model.Model{
		model.Logistic{Intercept: true}, model.Logistic{Intercept: true, Positive: 2}, model.NewMultinomial(2, true, nil), model.NewNetwork(2, []int{2}, true, nil),
	}).Draw(t, "model")
	proximal := rapid.IntRange(0, 3).Draw(t, "proximal") == 3
	if proximal {
		m = rapid.SampledFrom([]model.Model{model.Logistic{Intercept: true}, model.Hinge{Intercept: true}, model.Absolute{Intercept: true}}).Draw(t, "margined")
	}
	initial := rapid.SliceOfN(rapid.Float64Range(-0.2, 0.2), m.Params(2), m.Params(2)).Draw(t, "initial")
	if rapid.Bool().Draw(t, "from zero") {
		initial = nil
	}
	return descent.Local{
		Params: m.Params(2), Initial: initial, Objective: model.Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2")},
		Noise:    noise.Gaussian{Clip: 0.5, Multiplier: rapid.SampledFrom([]float64{0, 1.5}).Draw(t, "sigma")},
		StepSize: descent.StepSize{Base: 0.3, Power: rapid.SampledFrom([]float64{0, 0.75, 1}).Draw(t, "power")},
		Radius:   rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "radius"),
		Fill:     rapid.Bool().Draw(t, "fill"), MaxScale: 1.5,
		Proximal: proximal, Precision: 1e-13,
	}
}

// randomWalk draws a protocol, examples and a graph.
func randomWalk(t *rapid.T) (*Walk, lazyWalk) {
	n := rapid.IntRange(2, 7).Draw(t, "nodes")
	graph := ringWithChords(t, n)
	slab := &Slab{Features: 2, Offsets: []int{0}}
	for range n {
		rows := rapid.IntRange(0, 3).Draw(t, "rows")
		for range rows {
			slab.X = append(slab.X, rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 2).Draw(t, "x")...)
			slab.Y = append(slab.Y, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y"))
		}
		slab.Offsets = append(slab.Offsets, len(slab.Y))
	}
	if rapid.Bool().Draw(t, "norms known") {
		slab.Norms = model.Norms(model.Logistic{Intercept: true}, slab.All())
	}
	seed := rapid.Uint64().Draw(t, "seed")
	p := &walk.Protocol{
		Local: randomLocal(t), Nodes: n,
		Steps: rapid.IntRange(1, 40).Draw(t, "steps"), BurnIn: rapid.IntRange(0, 5).Draw(t, "burn-in"),
		Cap: rapid.IntRange(0, 3).Draw(t, "cap"), After: rapid.SampledFrom([]walk.After{walk.NoiseOnly, walk.Forward}).Draw(t, "after"),
		Start: walk.StartAt(n, seed, 0), EdgeCap: rapid.IntRange(0, 2).Draw(t, "edge cap"),
	}
	if p.Proximal && rapid.Bool().Draw(t, "admm") {
		byADMM(t, p)
	}
	if rapid.IntRange(0, 3).Draw(t, "weighted") == 3 && !p.Proximal {
		p.Importance, p.Fill = rapid.SliceOfN(rapid.Float64Range(0.1, 4), n, n).Draw(t, "importance"), false
	}
	if rapid.Bool().Draw(t, "records") {
		p.Noise.Shares, p.Fill = sharesOf(slab, allRows), false
	}
	if rapid.Bool().Draw(t, "own clips") && !p.Proximal {
		p.Noise.Clips = rapid.SliceOfN(rapid.Float64Range(0.01, p.Noise.Clip), n, n).Draw(t, "clips")
	}
	return &Walk{Protocol: p, Holdings: slab, Choose: graph, Seed: seed}, graph
}

// allRows uses all rows of a node at a time.
func allRows(rows int) int { return rows }

// sharesOf are those of one record at every node, of which so many rows of its own are used at a time, at least one.
func sharesOf(s *Slab, used func(rows int) int) *noise.Shares {
	var shares []float64
	for v := range len(s.Offsets) - 1 {
		shares = append(shares, noise.Share(max(1, used(s.Offsets[v+1]-s.Offsets[v]))))
	}
	return noise.NewShares(shares)
}

// bulk runs w and collects its releases.
func bulk(t testing.TB, w *Walk) (token []float64, releases []step.Release) {
	token, err := w.Bulk(context.Background(), func(r step.Release, _ []float64) { releases = append(releases, r) })
	if err != nil {
		t.Fatal(err)
	}
	return token, releases
}

// rough is a network that does everything wrong that it can.
func rough(seed uint64) Network {
	return Network{
		Seed: seed, Delay: 100, Loss: 0.3, Duplicate: 0.3,
		Down: func(v step.NodeID, tick int64) bool { return (tick/97+int64(v))%5 == 0 },
	}
}

func bits(x []float64) string { return fmt.Sprintf("%x", x) }

func rapidT(t *rapid.T) testing.TB { return tb{T: t} }

// tb lets helpers written for testing.TB run inside rapid.
type tb struct {
	testing.TB
	T *rapid.T
}

func (t tb) Fatal(args ...any) { t.T.Fatal(args...) }
func (t tb) Helper()           {}

// Both drivers give the same token and the same releases, bit for bit, on a
// perfect network and on one that loses, delays, duplicates and goes down.
func TestContractDriversAgreeBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, graph := randomWalk(t)
		want, made := bulk(rapidT(t), w)
		for _, net := range []Network{{}, rough(w.Seed)} {
			var got []float64
			var released []step.Release
			machines := w.Machines(graph.neighbours, func(_ step.Release, token []float64) { got = slices.Clone(token) })
			traffic, err := net.Run(context.Background(), machines, func(r step.Release) { released = append(released, r) })
			if err != nil || traffic.Done != 1 {
				t.Fatalf("virtual run: %v, %d machines done", err, traffic.Done)
			}
			if bits(got) != bits(want) {
				t.Fatalf("virtual network ends with %v, bulk with %v", got, want)
			}
			if !slices.Equal(released, made) {
				t.Fatalf("virtual network released\n%v\nbulk\n%v", released, made)
			}
		}
	})
}

// holds reports whether a node holds any example.
func (w *Walk) holds(v step.NodeID) bool { return w.Holdings.Examples(v).Len() > 0 }

// What is emitted equals the schedule, which is computed without any data. It is
// the very value that accountants take: privacy/walkpath prices it.
func TestContractReleasesEqualTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		_, emitted := bulk(rapidT(t), w)
		s := w.Protocol.Schedule(nil, w.Protocol.Objective.Guarantees(1))
		planned := slices.Collect(s.Releases(schedule.Path{
			Start: w.Protocol.Start, Next: walk.NewSeeded(w.Choose, w.Seed).Next, Holds: w.holds,
		}))
		if !slices.Equal(emitted, planned) {
			t.Fatalf("emitted\n%v\nscheduled\n%v", emitted, planned)
		}
	})
}

// dumbSGD is a second implementation of the run without noise, written as the
// paper prints it, clipping each example.
func dumbSGD(w *Walk, path []step.Release) []float64 {
	p := w.Protocol
	x := p.Begin()
	for k, r := range path {
		if k < p.BurnIn || !r.Contributed && p.After == walk.Forward {
			continue
		}
		var ex model.Examples
		if r.Contributed {
			ex = w.Holdings.Examples(r.From)
		}
		gamma := p.StepSize.Base * math.Pow(float64(k-p.BurnIn+1), -p.StepSize.Power)
		scale := p.ScaleOf(r.From, ex)
		if p.Proximal {
			x = dumbProximal(p, ex, scale, gamma, x)
		} else {
			for j, g := range dumbGradient(p, r.From, ex, scale, x) {
				x[j] -= gamma * g
			}
		}
		size := 0.0
		for j := range x {
			size += x[j] * x[j]
		}
		for j := range x {
			if p.Radius > 0 && size > p.Radius*p.Radius {
				x[j] *= p.Radius / math.Sqrt(size)
			}
		}
	}
	return x
}

// dumbGradient is that of the clipped losses of ex and of the penalty.
func dumbGradient(p *walk.Protocol, v step.NodeID, ex model.Examples, scale float64, x []float64) []float64 {
	g, one, clip := make([]float64, p.Params), make([]float64, p.Params), p.LossClip()
	if !p.Proximal {
		clip = p.Noise.ClipOf(v)
	}
	if p.Importance != nil {
		clip /= scale
	}
	for i := range ex.Len() {
		row, y := ex.Row(i)
		p.Objective.Gradient(one, x, row, y)
		size := 0.0
		for _, v := range one {
			size = math.Hypot(size, v)
		}
		for j := range g {
			if size > 0 {
				g[j] += one[j] * math.Min(1, clip/size) / float64(ex.Len()) * scale
			}
		}
	}
	for j := range g {
		g[j] += p.Objective.L2 * x[j]
	}
	return g
}

// dumbProximal is gradient descent to the proximal point of x.
func dumbProximal(p *walk.Protocol, ex model.Examples, scale, gamma float64, x []float64) []float64 {
	y := slices.Clone(x)
	rate := 1 / (1 + gamma*(1.5*p.Objective.Model.Guarantees(1.5).Bend()+p.Objective.L2))
	for range 300 {
		moved := 0.0
		for j, g := range dumbGradient(p, 0, ex, scale, y) {
			move := rate * (y[j] - x[j] + gamma*g)
			y[j] -= move
			moved += math.Abs(move)
		}
		if moved < 1e-17 {
			break
		}
	}
	return y
}

// With noise multiplier 0 the run is the non-private one.
func TestContractSigmaZeroIsTheNonPrivateRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		if w.Protocol.Keeps {
			t.Skip("TestContractADMMWithoutNoise is of these")
		}
		w.Protocol.Noise.Multiplier = 0
		for v := range step.NodeID(w.Protocol.Nodes) {
			if w.Holdings.Examples(v).Len() == 0 {
				t.Skip("a node without examples only forwards noise, of which there is none")
			}
		}
		if w.Protocol.Proximal { // descent to the corner of a hinge takes long
			w.Protocol.Objective.Model = model.Logistic{Intercept: true}
		}
		got, path := bulk(rapidT(t), w)
		want, off := dumbSGD(w, path), 1e-12
		if w.Protocol.Proximal {
			off = 1e-7 // descent stands still where rounding of a residual is as large as what is left
		}
		for j := range want {
			if math.Abs(got[j]-want[j]) > off {
				t.Fatalf("got %v, plain SGD gives %v", got, want)
			}
		}
	})
}

// renumbered returns the numbers of nodes whose old numbers are these. It returns nil if there are none.
func renumbered(of []float64, old []step.NodeID) (moved []float64) {
	for now := range of {
		moved = append(moved, of[old[now]])
	}
	return moved
}

// relabelled gives every node a new number, and draws its routes, noise and
// examples under the old one.
type relabelled struct {
	router   walk.Router
	source   noise.Source
	holdings Holdings
	old, new []step.NodeID
}

func (r relabelled) Next(at step.NodeID, t step.Turn, lane step.Lane) step.NodeID {
	return r.new[r.router.Next(r.old[at], t, lane)]
}

func (r relabelled) Away(at step.NodeID, t step.Turn, lane step.Lane, probability float64) bool {
	return r.router.Away(r.old[at], t, lane, probability)
}

func (r relabelled) Again(at step.NodeID, t step.Turn, lane step.Lane, attempt int, silent step.NodeID) step.NodeID {
	return r.new[r.router.Again(r.old[at], t, lane, attempt, r.old[silent])]
}

func (r relabelled) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	r.source.Add(dst, std, r.old[node], t, lane)
}

func (r relabelled) Simulated() bool { return true }

func (r relabelled) Examples(v step.NodeID) model.Examples { return r.holdings.Examples(r.old[v]) }

// Numbering the nodes differently changes nothing but the numbers.
func TestContractRelabellingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		want, path := bulk(rapidT(t), w)
		r := relabelled{
			router: walk.NewSeeded(w.Choose, w.Seed), source: noise.NewSimulated(w.Seed), holdings: w.Holdings,
			old: make([]step.NodeID, w.Protocol.Nodes), new: make([]step.NodeID, w.Protocol.Nodes),
		}
		ids := make([]int, w.Protocol.Nodes)
		for i := range ids {
			ids[i] = i
		}
		for now, before := range rapid.Permutation(ids).Draw(t, "new order") {
			r.old[now], r.new[before] = step.NodeID(before), step.NodeID(now)
		}
		protocol := *w.Protocol
		protocol.Noise.Clips = renumbered(protocol.Noise.Clips, r.old)
		hopper := walk.NewHopper(&protocol, r, r)
		token := w.Protocol.Begin()
		nodes := w.Protocol.NewNodes(func(v step.NodeID) float64 { return w.Protocol.ScaleOf(r.old[v], r.Examples(v)) })
		at := r.new[w.Protocol.Start]
		nodes[at].From = at
		for turn := range w.Protocol.Turns() {
			release, ex := step.Release{From: at, To: hopper.Next(at, turn), Turn: turn}, r.Examples(at)
			hopper.Hop(token, &ex, &nodes[at], &release)
			if r.old[release.To] != path[turn].To {
				t.Fatalf("turn %d goes to %d, was %d", turn, r.old[release.To], path[turn].To)
			}
			nodes[release.To].From = at
			at = release.To
		}
		if bits(token) != bits(want) {
			t.Fatalf("relabelled %v, before %v", token, want)
		}
	})
}

// Any number of workers, in any order, gives the same trials.
func TestContractWorkersChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := randomWalk(t)
		run := func(workers int) string {
			tokens := make([][]float64, 5)
			err := Each(context.Background(), len(tokens), workers, func(ctx context.Context, i int) (err error) {
				trial := *w
				trial.Seed += uint64(i)
				tokens[i], err = trial.Bulk(ctx, nil)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%x", tokens)
		}
		if one, three := run(1), run(3); one != three {
			t.Fatalf("one worker:\n%s\nthree:\n%s", one, three)
		}
	})
}
