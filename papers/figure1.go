package papers

import (
	"context"
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// furthest is the largest distance in 000 Figures 1 and 4.
const furthest = 25

// figure1 reproduces 000 Figure 1 (002 Figure 7.2), or Figure 4 with a known
// sender: both families as published, then with true losses.
func figure1(known bool) Study {
	s := Study{
		ID: "000-figure-1", Title: "Privacy loss by distance: random walk and gossip on four graphs of 2048 nodes",
		Source: "000 Figure 1; 002 Figure 7.3(a)", compute: comparison{synthetic, 5, 2, known}.run,
		quick: comparison{synthetic[:1], 1, 1, known}.run, // the claims need the size
	}
	if known {
		s.ID, s.Title, s.Source = "000-figure-4", s.Title+", sender known", "000 Figure 4; 002 Figure D.2"
	}
	return s
}

// A comparison compares walk and gossip by distance.
type comparison struct {
	graphs [][2]string
	nodes  int  // number of source nodes, as 000's code uses one
	each   int  // pairs at a distance whose path law is computed
	known  bool // whether the sender of the published walk is known; the path accountant always assumes so
}

// A match holds one graph's curves in three bases.
type match struct {
	graph                        *topology
	published, energies, epsilon versus
}

// A versus holds both families in one unit.
type versus struct{ gossip, walk Curve }

func (c comparison) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	graphs, err := parsed(c.graphs, c.nodes)
	if err != nil {
		return nil, err
	}
	var matches []match
	for _, t := range graphs {
		m, err := c.match(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		say(fmt.Sprintf("%s: spectral gap %.4g, gossip of %d rounds, walk of %d turns", t.name, t.gap, t.rounds(), t.turns()))
		matches = append(matches, m)
	}
	return c.findings(matches), nil
}

func (c comparison) match(ctx context.Context, t *topology) (m match, err error) {
	m.graph = t
	if m.published.gossip, err = t.publishedGossip(1, 1); err != nil {
		return m, err
	}
	if m.published.walk, err = t.publishedWalk(c.known); err != nil {
		return m, err
	}
	if m.energies.gossip, m.epsilon.gossip, err = t.exactGossip(ctx); err != nil {
		return m, err
	}
	m.energies.walk, m.epsilon.walk, err = t.pathLosses(ctx, t.drawn(asked(m.energies.gossip), c.pairs(t)))
	return m, err
}

// pairs returns the number of pairs at a distance. It is larger for short
// walks, because their laws are cheap.
func (c comparison) pairs(t *topology) int {
	if t.turns() < 10_000 {
		return 8 * c.each
	}
	return c.each
}

// asked returns the distances at which walks are priced: all up to 6, and some
// beyond.
func asked(c Curve) (distances []int) {
	far := c.Points[len(c.Points)-1].Distance
	for _, p := range c.Points {
		d := p.Distance
		if d <= furthest && (d <= 6 || far <= 12 || slices.Contains([]int{8, 10, 12, 15, 20, 25}, d)) {
			distances = append(distances, d)
		}
	}
	return distances
}

func (c comparison) findings(matches []match) *Findings {
	charts := []Chart{{Name: "as-published"}, {Name: "true-divergence"}, {Name: "true-epsilon"}}
	var curves []Curve
	f := &Findings{}
	for _, m := range matches {
		for i, v := range []versus{m.published, m.energies, m.epsilon} {
			charts[i].Panels = append(charts[i].Panels, v.panel(m.graph.name))
			curves = append(curves, v.gossip, v.walk)
		}
	}
	f.Charts = charts
	f.Tables = []Table{summary(matches), curveTable("curves", curves)}
	f.judge(&matches, func() []Check {
		return slices.Concat(
			figure1Checks(AsPublished, 1, matches, func(m match) versus { return m.published }),
			figure1Checks(WhatIsTrue, 1, matches, func(m match) versus { return m.energies }),
			figure1Checks(TrueAtDelta, atDelta.GaussianView(1), matches, func(m match) versus { return m.epsilon }),
		)
	})
	return f
}

func (v versus) panel(graph string) Panel {
	gossip := v.gossip.line(furthest, true)
	gossip.Dashed = true
	return Panel{Title: graph, X: "distance in hops", Y: v.walk.Unit, Lines: []Line{gossip, v.walk.line(furthest, true)}}
}

// summary returns a row for each graph and distance, with both families as
// published and in truth.
func summary(matches []match) Table {
	t := Table{Name: "table", Header: []string{
		"graph", "distance", "published_gossip", "published_walk", "true_gossip", "true_walk", "epsilon_gossip", "epsilon_walk", "contributions_walk",
	}}
	for _, m := range matches {
		for _, p := range m.energies.walk.Points {
			row := []string{m.graph.name, fmt.Sprint(p.Distance)}
			for _, v := range []versus{m.published, m.energies, m.epsilon} {
				g, _ := v.gossip.at(p.Distance)
				w, _ := v.walk.at(p.Distance)
				row = append(row, decimal(g.Mean), decimal(w.Mean))
			}
			t.Rows = append(t.Rows, append(row, decimal(m.graph.contributions())))
		}
	}
	return t
}

// figure1Checks checks the sentences of 000, section 7 and the caption of
// Figure 1, one after the other on every graph. local is the local loss of one
// contribution.
func figure1Checks(basis Basis, local float64, matches []match, of func(match) versus) (checks []Check) {
	for _, m := range matches {
		v := of(m)
		near, _ := v.walk.at(1)
		beside, _ := v.gossip.at(1)
		lower, both := below(v.walk, v.gossip, furthest)
		add := func(claim string, holds bool, measured string, args ...any) {
			checks = append(checks, Check{m.graph.name + ": " + claim, basis, holds, fmt.Sprintf(measured, args...)})
		}
		add("gossip protects nothing from neighbours", beside.Mean >= local*(1-1e-9), "%.4g of the local loss at distance 1", beside.Mean/local)
		switch m.graph.name {
		case "exponential", "Erdos-Renyi":
			add("the walk amplifies privacy even towards neighbours", near.Mean < local, "%.4g of the local loss at distance 1", near.Mean/local)
			add("the walk is uniformly better than gossip", len(lower) == len(both), "lower at distances %s of %s", spans(lower), spans(both))
		case "geometric":
			add("the walk is better close by", len(lower) > 0 && lower[0] <= 3, "lower at distances %s of %s", spans(lower), spans(both))
		}
		if far := both[len(both)-1]; far > 12 {
			walk, _ := v.walk.at(far)
			gossip, _ := v.gossip.at(far)
			add("gossip is better far away", gossip.Mean < walk.Mean, "%.3g against %.3g at distance %d", gossip.Mean, walk.Mean, far)
		}
		walk, gossip := decay(v.walk), decay(v.gossip)
		add("the walk's loss decays slower than gossip's far away", walk < gossip, "by a factor %.3g a hop against %.3g", math.Exp(walk), math.Exp(gossip))
	}
	return checks
}

// decay returns the mean decrease of the logarithm of a curve per hop, over
// the farther half of its distances up to furthest.
func decay(c Curve) float64 {
	points := slices.Clone(c.Points)
	points = slices.DeleteFunc(points, func(p Point) bool { return p.Distance > furthest || p.Mean < leastDrawn*leastDrawn })
	last, from := points[len(points)-1], points[(len(points)-1)/2]
	if last.Distance == from.Distance {
		return 0
	}
	return math.Log(from.Mean/last.Mean) / float64(last.Distance-from.Distance)
}
