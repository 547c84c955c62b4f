package papers

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// geometricSpread reproduces 002 Figure A.2: nodes that are reconstructed after an increasing number of rounds of
// averaging.
func geometricSpread() Study {
	run := func(graphs int) func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		return func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
			return spreadByRounds(ctx, graphs, say)
		}
	}
	return Study{ID: "002-figure-a.2", Title: "Nodes of a geometric graph reconstructed after 1, 4, 8 and 20 rounds of averaging",
		Source:  "002 Figure A.2",
		compute: run(40), quick: run(10)}
}

func spreadByRounds(ctx context.Context, graphs int, say func(string)) (*Findings, error) {
	rounds := []int{1, 4, 8, 20}
	table := Table{Name: "table", Header: []string{"graph", "reachable", "after 1", "4", "8", "20"}}
	var after []spreading
	drawn := Chart{Name: "figure"} // of the first graph
	for seed := range graphs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := gen.Parse("geometric:n=50,r=0.2", uint64(seed+1))
		if err != nil {
			return nil, err
		}
		reachable := -1
		hops := graph.NewSearch(g).From(0)
		for _, d := range hops {
			if d >= 0 {
				reachable++
			}
		}
		row, one := []string{fmt.Sprint(seed + 1), fmt.Sprint(reachable)}, spreading{elsewhere: g.Len() - 1 - reachable}
		for k, t := range rounds {
			found, err := reconstructed(g, 0, t)
			if err != nil {
				return nil, err
			}
			for _, u := range found {
				if hops[u] < 0 {
					one.apart++
				}
			}
			one.found[k] = len(found) - 1
			if seed == 0 {
				drawn.Panels = append(drawn.Panels, coloured(g, fmt.Sprintf("%d rounds", t), 0, found))
			}
			row = append(row, fmt.Sprint(one.found[k]))
		}
		after = append(after, one)
		table.Rows = append(table.Rows, row)
	}
	say(fmt.Sprintf("%d graphs: reconstructed %v", graphs, totals(after)))
	f := &Findings{Tables: []Table{table}, Charts: []Chart{drawn}}
	f.judge(&after, func() []Check { return spreadChecks(after) })
	return f, nil
}

// A spreading is the result on one graph: how many other nodes are reconstructed after 1, 4, 8 and 20 rounds, how many
// nodes are in other components than the attacker, and how often one of those was reconstructed.
type spreading struct {
	found            [4]int
	elsewhere, apart int
}

func totals(after []spreading) (total [4]int) {
	for _, one := range after {
		for k, found := range one.found {
			total[k] += found
		}
	}
	return total
}

func spreadChecks(after []spreading) []Check {
	total := totals(after)
	elsewhere, apart, grown := 0, 0, 0
	for _, one := range after {
		elsewhere, apart = elsewhere+one.elsewhere, apart+one.apart
		if one.found[3] != one.found[2] {
			grown++
		}
	}
	return []Check{
		{"more rounds reconstruct more", AsPublished, total[0] < total[1] && total[1] < total[2],
			fmt.Sprintf("%d, %d and %d nodes after 1, 4 and 8 rounds", total[0], total[1], total[2])},
		{"nodes of other components are not reconstructed", AsPublished, elsewhere > 0 && apart == 0, fmt.Sprintf("%d of %d are", apart, elsewhere)},
		{"more than 8 rounds reconstruct no more", WhatIsTrue, grown == 0 && len(after) > 0,
			fmt.Sprintf("on %d of %d graphs 20 rounds do, in exact arithmetic", grown, len(after))},
	}
}

func reconstructed(g *graph.Graph, attacker, rounds int) ([]int, error) {
	return reconstructedBy(g, []int{attacker}, rounds)
}

// reconstructedBy returns the nodes that some attackers in coalition reconstruct, including themselves.
func reconstructedBy(g *graph.Graph, attackers []int, rounds int) ([]int, error) {
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		return nil, err
	}
	averaging, err := gossipview.New(w.Sparse(), rounds)
	if err != nil {
		return nil, err
	}
	view, err := averaging.Reconstruction(attackers)
	if err != nil {
		return nil, err
	}
	return view.Reconstructed(), nil
}

// egoSpread reproduces 002 Figure A.3: ego graphs with different attackers.
func egoSpread() Study {
	run := func(egos []string, each int) func(ctx context.Context, data string, say func(string)) (*Findings, error) {
		return func(ctx context.Context, data string, say func(string)) (*Findings, error) {
			return spreadOnEgos(ctx, data, egos, each, say)
		}
	}
	return Study{ID: "002-figure-a.3", Title: "Reconstruction on Facebook ego graphs by different attackers",
		Source: "002 Figures 4.3 and A.3", Data: "facebook/414.edges",
		compute: run(egoNetworks[:6], 20), quick: run(egoNetworks[:3], 8)}
}

func spreadOnEgos(ctx context.Context, data string, egos []string, each int, say func(string)) (*Findings, error) {
	table := Table{Name: "table", Header: []string{"ego graph", "attacker", "share within 2 hops", "share further away"}}
	var all []around
	graphs := Chart{Name: "graphs"} // two attackers of each
	panel := Panel{Title: "one dot an attacker", X: "share of those within 2 hops", Y: "share of those further away", Linear: true}
	for _, name := range egos {
		t, err := egoGraph(filepath.Join(data, "facebook", name+".edges"))
		if err != nil {
			return nil, err
		}
		var within, beyond []float64
		for k := range each {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v := k * t.g.Len() / each
			found, err := reconstructed(t.g, v, manyRounds)
			if err != nil {
				return nil, err
			}
			if k == 0 || k == each/2 {
				graphs.Panels = append(graphs.Panels, coloured(t.g, fmt.Sprintf("ego %s, node %d attacks", name, v), v, found))
			}
			near, far := shares(t.hops(v), found)
			table.Rows = append(table.Rows, []string{name, fmt.Sprint(v), number(near), number(far)})
			within, beyond = append(within, near), append(beyond, far)
			all = append(all, around{float64(len(found)-1) / float64(t.g.Len()-1), near})
		}
		panel.Lines = append(panel.Lines, dots("ego "+name, within, beyond))
		say("ego graph " + name)
	}
	f := &Findings{Tables: []Table{table}, Charts: []Chart{{"figure", []Panel{panel}}, graphs}}
	f.judge(&all, func() []Check { return aroundChecks(all) })
	return f, nil
}

// An around holds the shares that one attacker reconstructs, of all others and of those within two hops.
type around struct{ share, near float64 }

func aroundChecks(all []around) []Check {
	most, least, largest := 0, 1.0, 0.0
	for _, a := range all {
		least, largest = min(least, a.share), max(largest, a.share)
		if a.near > 0.5 {
			most++
		}
	}
	return []Check{
		{"the share reconstructed depends on the attacker", AsPublished, largest > 2*least,
			fmt.Sprintf("from %.2g to %.2g of all others", least, largest)},
		{"in most cases most of those around the attacker have their data leaked", AsPublished, 2*most > len(all),
			fmt.Sprintf("in %d of %d cases more than half of those within 2 hops", most, len(all))},
	}
}

// shares returns the shares of the nodes within two hops that were found, and of those further away.
func shares(hops []int32, found []int) (near, far float64) {
	var count, known [2]float64
	for _, d := range hops {
		switch {
		case d == 0:
		case d <= 2:
			count[0]++
		default:
			count[1]++
		}
	}
	for _, u := range found {
		switch d := hops[u]; {
		case d == 0:
		case d <= 2:
			known[0]++
		default:
			known[1]++
		}
	}
	return known[0] / max(1, count[0]), known[1] / max(1, count[1])
}
