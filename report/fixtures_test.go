package report

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// hypercubeBundle is the canonical run's shape: 2^dim nodes, losses that depend
// on the distance only, a sound accountant beside the published one.
func hypercubeBundle(dim int) *Bundle {
	n := 1 << dim
	published := func(hops int) float64 { return 9.3 * math.Exp(-0.9*float64(hops)) }
	sound := func(hops int) float64 { return 8.1*math.Exp(-1.05*float64(hops)) + 2e-4 }
	r := fakeResult("houses on a hypercube", n, n*dim/2)
	r.Graph.Name = fmt.Sprintf("hypercube:%d", dim)
	r.Graph.MinDegree, r.Graph.MaxDegree, r.Graph.Diameter, r.Graph.SpectralGap = dim, dim, dim, 2/float64(dim+1)
	picture := &Picture{Hops: func(v int, dst []int32) {
		for u := range dst {
			dst[u] = int32(bits.OnesCount(uint(u ^ v)))
		}
	}}
	for u := range n {
		for bit := range dim {
			if v := u ^ 1<<bit; v > u {
				picture.Edges = append(picture.Edges, [2]int32{int32(u), int32(v)})
			}
		}
	}
	hops := func(u, v int) int { return bits.OnesCount(uint(u ^ v)) }
	losses := []*Losses{
		{Accountant: "published", Status: Published, N: n, At: byHops(hops, published)},
		{Accountant: "path", Status: Sound, N: n, At: byHops(hops, sound)},
	}
	return &Bundle{Result: r, Losses: losses, Picture: picture, ResolvedSpec: []byte("name: houses on a hypercube\nseed: 1\ngraph: hypercube:11\n")}
}

func byHops(hops func(u, v int) int, of func(hops int) float64) func(u, v int) float64 {
	return func(u, v int) float64 {
		if u == v {
			return 0
		}
		return of(hops(u, v))
	}
}

// geometricBundle has positions, losses that are all different, and a second
// accountant that is not symmetric.
func geometricBundle(n int) *Bundle {
	rng := rand.New(rand.NewPCG(5, 6))
	p := &Picture{X: make([]float64, n), Y: make([]float64, n)}
	for i := range n {
		p.X[i], p.Y[i] = rng.Float64(), rng.Float64()
	}
	radius := math.Sqrt(11 / (math.Pi * float64(n)))
	neighbours := make([][]int32, n)
	for u := range n {
		for v := range u {
			if math.Hypot(p.X[u]-p.X[v], p.Y[u]-p.Y[v]) < radius {
				p.Edges = append(p.Edges, [2]int32{int32(v), int32(u)})
				neighbours[u], neighbours[v] = append(neighbours[u], int32(v)), append(neighbours[v], int32(u))
			}
		}
	}
	p.Hops = func(v int, dst []int32) { breadthFirst(neighbours, v, dst) }
	far := func(u, v int) float64 { return math.Hypot(p.X[u]-p.X[v], p.Y[u]-p.Y[v]) }
	local := 1.62
	losses := []*Losses{
		{Accountant: "published", Status: Published, N: n, At: apart(func(u, v int) float64 { return local * math.Exp(-14*far(u, v)) })},
		{Accountant: "path", Status: Sound, N: n, At: apart(func(u, v int) float64 {
			return local*math.Exp(-9*far(u, v)-float64(u%7)/10) + 1e-3
		})},
	}
	r := fakeResult("houses on a geometric graph", n, len(p.Edges))
	r.Graph.Name = fmt.Sprintf("geometric:n=%d", n)
	r.Graph.MinDegree, r.Graph.MaxDegree = 2, 24
	return &Bundle{Result: r, Losses: losses, Picture: p, ResolvedSpec: []byte("graph: geometric\n")}
}

func apart(of func(u, v int) float64) func(u, v int) float64 {
	return func(u, v int) float64 {
		if u == v {
			return 0
		}
		return of(u, v)
	}
}

func breadthFirst(neighbours [][]int32, from int, dst []int32) {
	for i := range dst {
		dst[i] = -1
	}
	dst[from] = 0
	queue := []int32{int32(from)}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range neighbours[u] {
			if dst[v] < 0 {
				dst[v] = dst[u] + 1
				queue = append(queue, v)
			}
		}
	}
}

// hospitalsBundle is a federation of four, on a line, with names.
func hospitalsBundle() *Bundle {
	const n = 4
	r := fakeResult("four hospitals", n, 3)
	r.Data = Data{Source: "heart disease", Target: "presence", Positive: "narrowing above 50 %", Features: []string{"age", "sex", "cholesterol"},
		Train: 740, Test: 180, Partition: "natural"}
	r.Graph = Graph{Name: "line:4", Weights: "hamilton", Nodes: n, Edges: 3, MinDegree: 1, MaxDegree: 2, Diameter: 3, SpectralGap: 0.195}
	for i := range r.Trials {
		r.Trials[i].Model = []float64{0.5, -0.25, 1e-3, 0.125}
	}
	hops := func(u, v int) int { return max(u-v, v-u) }
	p := &Picture{X: []float64{0, 1, 2, 3}, Y: []float64{0, 0.4, 0, 0.4}, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}},
		Names: []string{"Cleveland", "Budapest", "Zürich", "Long Beach"},
		Hops: func(v int, dst []int32) {
			for u := range dst {
				dst[u] = int32(hops(u, v))
			}
		}}
	sound := &Losses{Accountant: "path", Status: Sound, N: n, At: byHops(hops, func(h int) float64 { return 1.9 / float64(h*h) })}
	r.Privacy.Accounted = Accounted{Accountant: "path", Status: Sound, Mean: 1.1, Max: 1.9, Assumptions: []string{"convex, smooth loss"}}
	r.Privacy.Others = nil
	return &Bundle{Result: r, Losses: []*Losses{sound}, Picture: p, ResolvedSpec: []byte("name: four hospitals\n")}
}

// fakeResult is what a driver would fill in after eight trials.
func fakeResult(name string, nodes, edges int) *Result {
	accuracy := 0.8843
	r := &Result{Name: name, Algorithm: "walk", Model: "logistic", WallSeconds: 1.92, Steps: 20000, StepsPerSecond: 2.1e6,
		Spec:  map[string]any{"name": name, "seed": 1},
		Final: Final{TrainLoss: 0.3312, TestLoss: 0.3327, TestAccuracy: &accuracy},
		Privacy: Privacy{
			Accounted: Accounted{Accountant: "published", Status: Published, Mean: 1, Max: 3.781234,
				Assumptions: []string{"the sender is hidden", "σ² ≥ α(α−1)/2"}},
			Calibrated: true, Sigma: 9.31, NoiseStd: 5.59, Clip: 0.3, Metric: "epsilon at delta 1e-06", Delta: 1e-6, Sender: "hidden", Simulated: true,
			Others: []Accounted{
				{Accountant: "path", Status: Sound, Mean: 0.41, Max: 2.834, Assumptions: []string{"convex, β-smooth loss", "step size at most 2/β"}},
				{Accountant: "local", Status: Sound, Mean: 4.2, Max: 4.2}}},
		Data: Data{Source: "houses", Target: "longitude", Positive: "longitude below its mean",
			Features:      []string{"median_house_value", "median_income", "age", "rooms", "bedrooms", "population", "households", "latitude"},
			Preprocessing: []string{"standardise on the training rows", "scale each row to unit norm"},
			Train:         8 * nodes, Test: 4128, Unused: 128, Partition: "uniform"},
		Graph:    Graph{Name: "graph", Weights: "hamilton", Nodes: nodes, Edges: edges, Diameter: -1, SpectralGap: -1},
		Notes:    []string{"Standardisation uses global statistics of the training rows, which are themselves a release that these numbers do not count."},
		Versions: map[string]string{"hearsay": "0.1.0", "go": "1.26.8"}}
	addTrials(r, 8)
	return r
}

func addTrials(r *Result, trials int) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range trials {
		model := make([]float64, len(r.Data.Features)+1)
		for j := range model {
			model[j] = rng.NormFloat64()
		}
		r.Trials = append(r.Trials, Trial{Seed: uint64(i + 1), Final: r.Final, Model: model})
	}
	for step := 0; step <= r.Steps; step += 100 {
		shape := math.Exp(-float64(step) / 4000)
		wobble := 0.004 * rng.NormFloat64()
		r.Curve = append(r.Curve, Point{Step: step,
			TrainLoss:    spreadAround(0.33+0.363*shape+wobble, 0.012),
			TestLoss:     spreadAround(0.335+0.36*shape-wobble, 0.014),
			TestAccuracy: spreadAround(0.885-0.385*shape+wobble, 0.011)})
	}
}

func spreadAround(mean, width float64) Spread {
	return Spread{Mean: Number(mean), Std: Number(width / 2), Min: Number(mean - width), Max: Number(mean + width)}
}
