package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// figureC2 reproduces 002 Figure C.2: hypercubes of increasing size.
func figureC2() Study {
	run := func(dimensions ...int) func(context.Context, string, func(string)) (*Findings, error) {
		return func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
			return growing(ctx, dimensions, say)
		}
	}
	return Study{
		ID: "002-figure-c.2", Title: "Losses of Muffliato on exponential graphs, by number of nodes", Source: "002 Figure C.2",
		compute: run(5, 6, 7, 8, 9, 10, 11), quick: run(5, 7, 9),
	}
}

func growing(ctx context.Context, dimensions []int, say func(string)) (*Findings, error) {
	var graphs [][2]string
	for _, d := range dimensions {
		graphs = append(graphs, [2]string{fmt.Sprint(1 << d), fmt.Sprintf("hypercube:%d", d)})
	}
	all, err := parsed(graphs, 1)
	if err != nil {
		return nil, err
	}
	var curves [2][]Curve
	for _, t := range all {
		published, err := t.publishedGossip(0, 0)
		if err != nil {
			return nil, err
		}
		exact, _, err := t.exactGossip(ctx)
		if err != nil {
			return nil, err
		}
		say(fmt.Sprintf("%s nodes: mean loss %.4g as published, %.4g exactly", t.name, published.mean(), exact.mean()))
		curves[0], curves[1] = append(curves[0], published), append(curves[1], exact)
	}
	f := &Findings{Tables: []Table{curveTable("table", slices.Concat(curves[0], curves[1]))}}
	for k, basis := range []Basis{AsPublished, WhatIsTrue} {
		panel := Panel{Title: string(basis), X: "distance in hops", Y: curves[k][0].Unit}
		for _, c := range curves[k] {
			line := c.line(furthest, false)
			line.Name = c.Graph + " nodes"
			panel.Lines = append(panel.Lines, line)
		}
		f.Charts = append(f.Charts, Chart{strings.ReplaceAll(string(basis), " ", "-"), []Panel{panel}})
		f.judge(&curves[k], func() []Check {
			return []Check{fallsWithSize(basis, curves[k], 2), fallsWithSize(basis, curves[k], 3)}
		})
	}
	return f, nil
}

func fallsWithSize(basis Basis, curves []Curve, distance int) Check {
	losses, falls := []float64(nil), len(curves) > 1
	for i, c := range curves {
		p, _ := c.at(distance)
		if losses = append(losses, p.Mean); i > 0 {
			falls = falls && p.Mean < losses[i-1]
		}
	}
	return Check{fmt.Sprintf("losses at %d hops fall as nodes grow in number", distance), basis, falls, fmt.Sprintf("mean losses %.3g", losses)}
}
