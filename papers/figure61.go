package papers

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
)

// figure61a reproduces 002 Figure 6.1a = 001 Figure 1a: pairwise losses of
// Muffliato by distance, as published and exactly.
func figure61a() Study {
	return Study{
		ID: "002-figure-6.1a", Title: "Pairwise losses of Muffliato by distance on four graphs of 2048 nodes",
		Source: "002 Figure 6.1a; 001 Figure 1a", compute: byDistance{synthetic, 8}.run,
		quick: byDistance{shrunken(synthetic), 4}.run,
	}
}

// figure61b reproduces 002 Figure 6.1b: losses on a Facebook ego graph.
func figure61b() Study {
	compute := func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		t, err := egoGraph(filepath.Join(data, "facebook", "414.edges"))
		if err != nil {
			return nil, err
		}
		return egoFindings(ctx, t, say)
	}
	return Study{
		ID: "002-figure-6.1b", Title: "Pairwise losses of Muffliato from one user of a Facebook ego graph",
		Source: "002 Figure 6.1b; 001 Figure 1b", Data: "facebook/414.edges", compute: compute, quick: compute,
	}
}

// byDistance prices Muffliato on graphs, exactly from nodes source nodes.
type byDistance struct {
	graphs [][2]string
	nodes  int
}

func (b byDistance) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	graphs, err := parsed(b.graphs, b.nodes)
	if err != nil {
		return nil, err
	}
	f, chart, exactly := &Findings{}, Chart{Name: "as-published"}, Chart{Name: "exact"}
	var published, exact []Curve
	for _, t := range graphs {
		p, err := t.publishedGossip(0, 0)
		if err != nil {
			return nil, err
		}
		e, _, err := t.exactGossip(ctx)
		if err != nil {
			return nil, err
		}
		say(fmt.Sprintf("%s: %d rounds, mean loss %.4g as published, %.4g exactly", t.name, t.rounds(), p.mean(), e.mean()))
		published, exact = append(published, p), append(exact, e)
		chart.Panels = append(chart.Panels, p.panel())
		exactly.Panels = append(exactly.Panels, e.panel())
	}
	f.Charts = []Chart{chart, exactly}
	f.Tables = []Table{curveTable("table", append(published, exact...))}
	f.judge(&published, func() []Check { return figure61aChecks(AsPublished, published) })
	f.judge(&exact, func() []Check { return figure61aChecks(WhatIsTrue, exact) })
	return f, nil
}

func (c Curve) panel() Panel {
	return Panel{Title: c.Graph, X: "distance in hops", Y: c.Unit, Lines: []Line{c.line(furthest, true)}}
}

// figure61aChecks checks the sentences of 002, section 6.4, on synthetic
// graphs.
func figure61aChecks(basis Basis, curves []Curve) (checks []Check) {
	means := map[string]float64{}
	for _, c := range curves {
		means[c.Graph] = c.mean()
		far := c.Points[min(len(c.Points), furthest)-1]
		near := c.Points[0]
		checks = append(checks, Check{c.Graph + ": privacy is amplified as the distance increases", basis, far.Mean < near.Mean/5,
			fmt.Sprintf("mean loss %.3g at distance %d, %.3g at %d", near.Mean, near.Distance, far.Mean, far.Distance)})
		if c.Graph != "exponential" {
			continue
		}
		spread := 0.0
		for _, p := range c.Points {
			spread = max(spread, p.Max-p.Min)
		}
		checks = append(checks, Check{"exponential: the distance alone defines the loss", basis, spread < 1e-6,
			fmt.Sprintf("largest spread at a distance %.2g", spread)})
	}
	good := max(means["exponential"], means["Erdos-Renyi"])
	return append(checks, Check{"grid and geometric graphs are worse than the two expanders", basis, good < min(means["grid"], means["geometric"]),
		fmt.Sprintf("mean losses: exponential %.3g, Erdos-Renyi %.3g, geometric %.3g, grid %.3g", means["exponential"], means["Erdos-Renyi"],
			means["geometric"], means["grid"])})
}

// egoGraph returns the largest component of an edge list, with one central
// node as the source.
func egoGraph(file string) (*topology, error) {
	g, err := graphfile.Open(file, 1)
	if err != nil {
		return nil, err
	}
	of, sizes := g.Components()
	giant := 0
	for k, size := range sizes {
		if size > sizes[giant] {
			giant = k
		}
	}
	number, n := make([]int, g.Len()), 0
	for v := range number {
		if int(of[v]) == giant {
			number[v] = n
			n++
		}
	}
	var edges [][2]int
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			if int(of[u]) == giant && u < int(v) {
				edges = append(edges, [2]int{number[u], number[v]})
			}
		}
	}
	part, err := graph.FromEdges(filepath.Base(file), n, edges)
	if err != nil {
		return nil, err
	}
	return newTopology("Facebook ego "+filepath.Base(file), part, n)
}

func egoFindings(ctx context.Context, t *topology, say func(string)) (*Findings, error) {
	published, err := t.publishedGossip(0, 0)
	if err != nil {
		return nil, err
	}
	exact, _, err := t.exactGossip(ctx)
	if err != nil {
		return nil, err
	}
	say(fmt.Sprintf("%d users, %d friendships, %d rounds", t.g.Len(), t.g.Edges(), t.rounds()))
	f := &Findings{Tables: []Table{curveTable("table", []Curve{published, exact})}}
	f.Charts = []Chart{{"figure", []Panel{{Title: t.name, X: "distance in hops", Y: localUnit, Lines: []Line{published.line(furthest, true), exact.line(furthest, true)}}}}}
	f.judge(&published, func() []Check { return limited(AsPublished, published) })
	f.judge(&exact, func() []Check { return limited(WhatIsTrue, exact) })
	return f, nil
}

func limited(basis Basis, c Curve) []Check {
	near, far := c.Points[0], c.Points[len(c.Points)-1]
	return []Check{{"losses are limited outside the user's own community", basis, far.Mean < 0.1*near.Mean,
		fmt.Sprintf("mean loss %.3g between friends, %.3g at distance %d", near.Mean, far.Mean, far.Distance)}}
}

// figureC4 reproduces 002 Figure C.4: the nine other ego networks.
func figureC4() Study {
	run := func(egos ...string) func(context.Context, string, func(string)) (*Findings, error) {
		return func(ctx context.Context, data string, say func(string)) (*Findings, error) {
			all := &Findings{}
			for _, name := range egos {
				t, err := egoGraph(filepath.Join(data, "facebook", name+".edges"))
				if err != nil {
					return nil, err
				}
				t.nodes = t.nodes[:min(len(t.nodes), 10)]
				f, err := egoFindings(ctx, t, func(text string) { say(name + ": " + text) })
				if err != nil {
					return nil, err
				}
				all.add(name, f)
			}
			return all, nil
		}
	}
	return Study{
		ID: "002-figure-c.4", Title: "Pairwise losses of Muffliato on the nine other Facebook ego graphs", Source: "002 Figure C.4", Data: "facebook/414.edges",
		compute: run("698", "3980", "686", "348", "0", "3437", "1912", "1684", "107"), quick: run("698", "3980"),
	}
}

// add adds findings, with a name before those of their tables and charts.
func (f *Findings) add(name string, of *Findings) {
	for _, t := range of.Tables {
		t.Name = name + "-" + t.Name
		f.Tables = append(f.Tables, t)
	}
	for _, c := range of.Charts {
		c.Name = name + "-" + c.Name
		f.Charts = append(f.Charts, c)
	}
	of.reworded(func(checks []Check) (named []Check) {
		for _, c := range checks {
			c.Claim = name + ": " + c.Claim
			named = append(named, c)
		}
		return named
	})
	f.Checks, f.evidence = append(f.Checks, of.Checks...), append(f.evidence, of.evidence...)
}
