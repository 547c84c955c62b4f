package papers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// figure8 reproduces 000 Figure 8. On a geometric graph nodes average numbers, each the sum of the node's coordinates,
// or the same numbers shuffled. It computes losses and the differences between the nodes' estimates by distance.
func figure8() Study {
	run := func(runs int) func(context.Context, string, func(string)) (*Findings, error) {
		return func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
			return heterogeneity{"geometric:n=200,r=0.13,seed=1,connected", runs, []int{20, 100, 500}}.run(ctx, say)
		}
	}
	return Study{ID: "000-figure-8", Title: "Privacy losses and heterogeneous data by distance on a geometric graph of 200 nodes",
		Source: "000 Figures 7 and 8; 002 Figures D.5 and D.6", compute: run(200), quick: run(12)}
}

// heterogeneity is such an experiment. 000 gives neither the radius nor the steps.
type heterogeneity struct {
	graph string
	runs  int
	times []int // in turns a node
}

// parts is the number of quantiles of distances.
const parts = 10

func (h heterogeneity) run(ctx context.Context, say func(string)) (*Findings, error) {
	g, err := gen.Parse(h.graph, 1)
	if err != nil {
		return nil, err
	}
	t, err := newTopology("geometric", g, 1)
	if err != nil {
		return nil, err
	}
	quantile := quantiles(g)
	f := &Findings{Tables: []Table{{Name: "table", Header: []string{"what", "data", "turns a node", "quantile", "mean"}}}}
	loss := Panel{Title: "losses", X: "quantile of distance", Y: "mean energy"}
	for _, basis := range []Basis{AsPublished, WhatIsTrue} {
		losses, err := t.walkLosses(ctx, basis)
		if err != nil {
			return nil, err
		}
		means := quantile.means(func(u, v int) float64 { return (losses[u][v] + losses[v][u]) / 2 })
		f.judge(&means, func() []Check {
			rank := attack.Spearman(index(parts), means)
			return []Check{{"losses fall with distance", basis, rank < -0.9 && means[parts-1] < means[0]/2,
				fmt.Sprintf("mean energies %.3g of the nearest tenth of pairs, %.3g of the furthest; rank correlation %.3g", means[0], means[parts-1], rank)}}
		})
		f.Tables[0].add("loss, "+string(basis), "any", "", means)
		loss.Lines = append(loss.Lines, Line{Name: string(basis), X: index(parts), Y: means})
	}
	apart := map[bool][][]float64{}
	for _, shuffled := range []bool{false, true} {
		if apart[shuffled], err = h.differences(ctx, t, quantile, shuffled); err != nil {
			return nil, err
		}
	}
	estimates := Panel{Title: "what nodes know", X: "quantile of distance", Y: "mean difference"}
	for k, turns := range h.times {
		for _, shuffled := range []bool{false, true} {
			name := map[bool]string{false: "by place", true: "shuffled"}[shuffled]
			f.Tables[0].add("difference", name, fmt.Sprint(turns), apart[shuffled][k])
			estimates.Lines = append(estimates.Lines, Line{Name: fmt.Sprintf("%s, %d turns", name, turns), X: index(parts), Y: apart[shuffled][k], Dashed: shuffled})
		}
	}
	f.Charts = []Chart{{"figure", []Panel{loss, estimates}}}
	end := len(h.times) - 1
	say(fmt.Sprintf("data by place: nodes differ by %.3g more at first, by %.3g at the end", h.excess(apart, 0), h.excess(apart, end)))
	f.judge(&apart, func() []Check {
		first, last := h.excess(apart, 0), h.excess(apart, end)
		return []Check{
			{"at the beginning nodes know more alike numbers where data are shuffled", AsPublished, first > 0,
				fmt.Sprintf("data by place: nodes differ by %.3g more after %d turns a node", first, h.times[0])},
			{"the difference is smaller the longer they learn", AsPublished, last < first/2,
				fmt.Sprintf("by %.3g more after %d turns a node", last, h.times[end])},
		}
	})
	return f, nil
}

// excess returns the additional difference between nodes, at time k, if data depend on place.
func (h heterogeneity) excess(apart map[bool][][]float64, k int) float64 {
	return mean(apart[false][k]) - mean(apart[true][k])
}

// differences returns the differences between the tokens that two nodes saw last, by quantile, at each of the times.
// They are means over runs.
func (h heterogeneity) differences(ctx context.Context, t *topology, q partition, shuffled bool) ([][]float64, error) {
	n := t.g.Len()
	walks, err := graph.NewTransition(t.g, "hamilton")
	if err != nil {
		return nil, err
	}
	sums := make([][]float64, len(h.times))
	for k := range sums {
		sums[k] = make([]float64, parts)
	}
	for run := range h.runs {
		p := &walk.Protocol{Nodes: n, Steps: n * slices.Max(h.times), Start: step.NodeID(run % n), Local: descent.Local{
			Params: 1, Objective: model.Objective{Model: model.Mean{}}, Noise: noise.Gaussian{Clip: 4, Multiplier: 0.03},
			StepSize: descent.StepSize{Base: 0.5, Power: 0.6},
		}}
		holdings := h.data(t.g, uint64(run), shuffled)
		known := slices.Clone(holdings.X) // at first each node knows only its own number
		seen := func(r step.Release, token []float64) {
			known[r.From] = token[0]
			for k, turns := range h.times {
				if int(r.Turn) == turns*n-1 {
					for i, x := range q.means(func(u, v int) float64 { return math.Abs(known[u] - known[v]) }) {
						sums[k][i] += x / float64(h.runs)
					}
				}
			}
		}
		w := &sim.Walk{Protocol: p, Holdings: holdings, Choose: walks, Seed: uint64(run + 1)}
		if _, err := w.Bulk(ctx, seen); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// data returns one number for each node, the sum of its coordinates.
func (h heterogeneity) data(g *graph.Graph, seed uint64, shuffled bool) *sim.Slab {
	s := &sim.Slab{Features: 1, Offsets: []int{0}}
	for v := range g.Len() {
		p, _ := g.Position(v)
		s.X, s.Y, s.Offsets = append(s.X, p.X+p.Y), append(s.Y, 0), append(s.Offsets, v+1)
	}
	if shuffled {
		rng := rand.New(rand.NewPCG(seed, 8))
		rng.Shuffle(len(s.X), func(i, j int) { s.X[i], s.X[j] = s.X[j], s.X[i] })
	}
	return s
}

// A partition holds all pairs u < v in parts of equal size, the nearest first.
type partition [][2]int

func quantiles(g *graph.Graph) (all partition) {
	for u := range g.Len() {
		for v := range u {
			all = append(all, [2]int{v, u})
		}
	}
	square := func(pair [2]int) float64 {
		a, _ := g.Position(pair[0])
		b, _ := g.Position(pair[1])
		return float64((a.X-b.X)*(a.X-b.X)) + float64((a.Y-b.Y)*(a.Y-b.Y))
	}
	slices.SortStableFunc(all, func(a, b [2]int) int {
		switch x, y := square(a), square(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return all
}

func (p partition) means(of func(u, v int) float64) []float64 {
	means := make([]float64, parts)
	for k := range means {
		some := p[k*len(p)/parts : (k+1)*len(p)/parts]
		for _, pair := range some {
			means[k] += of(pair[0], pair[1]) / float64(len(some))
		}
	}
	return means
}

// index returns 1 to n.
func index(n int) (list []float64) {
	for k := range n {
		list = append(list, float64(k+1))
	}
	return list
}

func (t *Table) add(what, data, turns string, means []float64) {
	for k, x := range means {
		t.Rows = append(t.Rows, []string{what, data, turns, fmt.Sprint(k + 1), number(x)})
	}
}
