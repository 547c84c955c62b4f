package papers

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// figureC3 reproduces 002 Figure C.3: losses by Euclidean distance on a random
// geometric graph.
func figureC3() Study {
	run := func(expression string) func(context.Context, string, func(string)) (*Findings, error) {
		return func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
			return byEuclid(ctx, expression, say)
		}
	}
	return Study{
		ID: "002-figure-c.3", Title: "Losses of Muffliato by Euclidean distance on a random geometric graph", Source: "002 Figure C.3",
		compute: run(geometricGraph), quick: run("geometric:n=256,r=0.15,seed=1,connected"),
	}
}

// byEuclid computes the losses of all nodes towards node 0.
func byEuclid(ctx context.Context, expression string, say func(string)) (*Findings, error) {
	g, err := gen.Parse(expression, 1)
	if err != nil {
		return nil, err
	}
	t, err := newTopology("geometric", g, 1)
	if err != nil {
		return nil, err
	}
	published := make([]float64, g.Len())
	sumTowards(published, t.w, 0, t.rounds())
	exact, err := t.leakageTo(0)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	say(fmt.Sprintf("%d nodes, %d rounds", g.Len(), t.rounds()))
	at, _ := g.Position(0)
	f := &Findings{Tables: []Table{{Name: "table", Header: []string{"node", "distance", "published", "exact"}}}}
	var apart []float64 // from node 0
	for u := 1; u < g.Len(); u++ {
		p, _ := g.Position(u)
		d := math.Hypot(p.X-at.X, p.Y-at.Y)
		apart = append(apart, d)
		f.Tables[0].Rows = append(f.Tables[0].Rows, []string{fmt.Sprint(u), number(d), number(published[u]), number(exact[u])})
	}
	f.Charts = []Chart{{"figure", []Panel{{Title: t.name, X: "Euclidean distance", Y: localUnit, Lines: []Line{dots("published", apart, published[1:]), dots("exact", apart, exact[1:])}}}}}
	for _, side := range []struct {
		basis  Basis
		losses []float64
	}{{AsPublished, published[1:]}, {WhatIsTrue, exact[1:]}} {
		by := [2][]float64{apart, side.losses}
		f.judge(&by, func() []Check {
			rank := attack.Spearman(by[0], by[1])
			return []Check{{"losses go with Euclidean distance", side.basis, rank < -0.8, fmt.Sprintf("Spearman's correlation %.3g", rank)}}
		})
	}
	return f, nil
}

// leakageTo returns the exact leakage of each node to v.
func (t *topology) leakageTo(v int) ([]float64, error) {
	accountant, err := gossipview.New(t.w, t.rounds())
	if err != nil {
		return nil, err
	}
	view, err := accountant.View([]int{v})
	if err != nil {
		return nil, err
	}
	all := make([]float64, t.g.Len())
	for u := range all {
		all[u] = view.Leakage(u)
	}
	return all, nil
}
