package papers

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// figure6 reproduces 000 Figure 6: the walk's losses on the nine other ego networks.
func figure6() Study {
	run := func(egos ...string) func(context.Context, string, func(string)) (*Findings, error) {
		return func(ctx context.Context, data string, say func(string)) (*Findings, error) {
			var graphs []*topology
			for _, name := range egos {
				t, err := egoGraph(filepath.Join(data, "facebook", name+".edges"))
				if err != nil {
					return nil, err
				}
				t.name = "ego " + name
				graphs = append(graphs, t)
			}
			f, err := alikeStructure(ctx, graphs, nil, say)
			if err != nil {
				return nil, err
			}
			f.reworded(func(checks []Check) []Check {
				return slices.DeleteFunc(checks, func(c Check) bool { return !strings.Contains(c.Claim, "communicability") })
			})
			return f, nil
		}
	}
	return Study{ID: "000-figure-6", Title: "Losses of a walk on the nine other Facebook ego graphs", Source: "000 Figure 6; 002 Figure D.4", Data: "facebook/414.edges",
		compute: run("698", "3980", "686", "348", "0", "3437", "1912", "1684", "107"), quick: run("698", "3980")}
}

// figureC1 reproduces 002 Figure C.1: losses of all nodes towards one, on the graphs of Figure
// 6.1(a).
func figureC1() Study {
	return Study{ID: "002-figure-c.1", Title: "Losses of Muffliato of every node towards one, on four graphs of 2048 nodes", Source: "002 Figure C.1",
		compute: towardsOne(synthetic), quick: towardsOne(shrunken(synthetic))}
}

// towardsOne compares losses of nodes at equal distance.
func towardsOne(graphs [][2]string) func(context.Context, string, func(string)) (*Findings, error) {
	return func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
		all, err := parsed(graphs, 1)
		if err != nil {
			return nil, err
		}
		f := &Findings{Tables: []Table{{Name: "table", Header: []string{"graph", "node", "hops", "published", "exact"}}}, Charts: []Chart{{Name: "figure"}, {Name: "graphs"}}}
		for _, t := range all {
			published := make([]float64, t.g.Len())
			sumTowards(published, t.w, 0, t.rounds())
			exact, err := t.leakageTo(0)
			if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			hops := t.hops(0)
			for u := 1; u < t.g.Len(); u++ {
				f.Tables[0].Rows = append(f.Tables[0].Rows, []string{t.name, fmt.Sprint(u), fmt.Sprint(hops[u]), number(published[u]), number(exact[u])})
			}
			apart := make([]float64, t.g.Len()-1)
			for u := range apart {
				apart[u] = float64(hops[u+1])
			}
			f.Charts[0].Panels = append(f.Charts[0].Panels, Panel{Title: t.name, X: "distance in hops", Y: localUnit, Lines: []Line{dots("published", apart, published[1:]), dots("exact", apart, exact[1:])}})
			f.Charts[1].Panels = append(f.Charts[1].Panels, shaded(t.g, t.name+", published", 0, published, []float64{1e-4, 1e-3, 1e-2, 0.1, 1}),
				shaded(t.g, t.name+", exact", 0, exact, []float64{0.2, 0.4, 0.6, 0.8, 0.999}))
			for _, side := range []struct {
				basis  Basis
				losses []float64
			}{{AsPublished, published}, {WhatIsTrue, exact}} {
				say(fmt.Sprintf("%s, %s: losses at two hops differ by a factor of %.3g", t.name, side.basis, spreadAt(hops, side.losses, 2)))
				f.judge(&side.losses, func() []Check { return []Check{apartAsGraphs(t.name, side.basis, spreadAt(hops, side.losses, 2))} })
			}
		}
		return f, nil
	}
}

// spreadAt returns the largest over the least loss of nodes at a distance.
func spreadAt(hops []int32, losses []float64, distance int32) float64 {
	low, high := math.Inf(1), 0.0
	for u, h := range hops {
		if h == distance {
			low, high = min(low, losses[u]), max(high, losses[u])
		}
	}
	return high / low
}

// apartAsGraphs checks that distance alone determines losses on the exponential graph, whose
// nodes at equal distance are alike, and not on other graphs.
func apartAsGraphs(graph string, basis Basis, spread float64) Check {
	measured := fmt.Sprintf("losses at two hops differ by a factor of up to %.3g", spread)
	if graph == "exponential" {
		return Check{graph + ": distance alone decides", basis, spread < 1.001, measured}
	}
	return Check{graph + ": other characteristics than distance play a role", basis, spread > 1.05, measured}
}
