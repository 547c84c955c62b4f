package papers

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/walkpublished"
)

// figure3 reproduces 000 Figure 3: the walk's losses beside communicability on a Facebook ego graph and on that of the
// southern women, and the mean loss of a node beside its Katz centrality.
func figure3() Study {
	return Study{
		ID: "000-figure-3", Title: "Losses of a walk, communicability and Katz centrality on real graphs", Source: "000 Figure 3; 002 Figure 7.4", Data: "facebook/414.edges",
		compute: egoAndWomen, quick: egoAndWomen,
	}
}

func egoAndWomen(ctx context.Context, data string, say func(string)) (*Findings, error) {
	ego, err := egoGraph(filepath.Join(data, "facebook", "414.edges"))
	if err != nil {
		return nil, err
	}
	women, err := parsed([][2]string{{"southern women", "davis"}}, 1)
	if err != nil {
		return nil, err
	}
	return alikeStructure(ctx, []*topology{ego, women[0]}, nil, say)
}

const mostWithin = "the major part of a node's loss is within its block"

// figure5 reproduces 000 Figure 5: three blocks.
func figure5() Study {
	compute := func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
		t, err := parsed([][2]string{{"blocks", "sbm:sizes=75+75+50,p=0.25+0.05+0.02/0.05+0.35+0.07/0.02+0.07+0.40,seed=1"}}, 1)
		if err != nil {
			return nil, err
		}
		return alikeStructure(ctx, t, func(u int) int { return min(u/75, 2) }, say)
	}
	return Study{ID: "000-figure-5", Title: "Losses of a walk on a stochastic block model of 200 nodes", Source: "000 Figure 5; 002 Figure D.3",
		compute: compute, quick: compute,
		differs: map[string]string{mostWithin: "a pair within loses more, but two thirds of all pairs are across"}}
}

// mostMoments is the largest number of nodes for which the path accountant charges all pairs, in about a minute.
const mostMoments = 400

// alikeStructure compares losses of pairs with communicability, mean losses of nodes with Katz centrality, and losses
// within and across blocks if there are blocks. It uses 000's closed form, and the path accountant for every pair.
func alikeStructure(ctx context.Context, graphs []*topology, block func(u int) int, say func(string)) (*Findings, error) {
	f := &Findings{Tables: []Table{{Name: "table", Header: []string{"graph", "nodes", "losses", "with communicability",
		"of nodes with Katz", "within blocks", "across"}}}, Charts: []Chart{{Name: "figure"}}}
	for _, t := range graphs {
		reach, err := t.reach()
		if err != nil {
			return nil, err
		}
		for _, basis := range []Basis{AsPublished, WhatIsTrue} {
			if basis == WhatIsTrue && t.g.Len() > mostMoments {
				continue
			}
			loss, err := t.walkLosses(ctx, basis)
			if err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			l := likeness{graph: t.name, basis: basis, nodes: t.g.Len(), block: block}
			if err := l.compare(t, loss, reach); err != nil {
				return nil, err
			}
			f.Charts[0].Panels = append(f.Charts[0].Panels, l.panel(loss, reach))
			say(fmt.Sprintf("%s, %s: rank correlation with communicability %.3g", t.name, basis, l.pairs))
			f.Tables[0].Rows = append(f.Tables[0].Rows, l.row())
			f.judge(&l, func() []Check { return l.checks() })
		}
	}
	return f, nil
}

// reach returns the communicability of all pairs over the walk's matrix, n by n.
func (t *topology) reach() ([][]float64, error) {
	walks, err := graph.NewTransition(t.g, "hamilton")
	if err != nil {
		return nil, err
	}
	all := make([][]float64, t.g.Len())
	for u := range all {
		all[u] = make([]float64, t.g.Len())
		graph.Communicability(all[u], walks, u)
	}
	return all, nil
}

// walkLosses returns the losses of all pairs. Rows are the nodes whose loss it is.
func (t *topology) walkLosses(ctx context.Context, basis Basis) ([][]float64, error) {
	all := make([][]float64, t.g.Len())
	if basis == AsPublished {
		accountant, err := walkpublished.New(t.w, t.turns(), walkpublished.ClosedForm)
		if err != nil {
			return nil, err
		}
		for u := range all {
			all[u] = make([]float64, t.g.Len())
			if err := accountant.Row(all[u], u, 1); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	w := t.pathWalk()
	w.Cap, w.Watch = int(math.Ceil(t.contributions())), family.WatchOf(ctx)
	moments, err := w.Moments(workers())
	if err != nil {
		return nil, err
	}
	for u := range all {
		all[u] = make([]float64, t.g.Len())
		for v := range all[u] {
			if v != u {
				all[u][v] = moments.Pair(u, v)[0]
			}
		}
	}
	return all, nil
}

// A likeness compares losses with the structure of a graph.
type likeness struct {
	graph          string
	basis          Basis
	nodes          int
	block          func(u int) int // nil: there are none
	pairs, katz    float64         // Spearman's correlations
	within, across float64         // mean losses
	share          float64         // share of all losses within blocks
}

func (l *likeness) compare(t *topology, loss, reach [][]float64) error {
	var losses, exchange, means []float64
	sum, count := [2]float64{}, [2]float64{}
	for u, row := range loss {
		total := 0.0
		for v, x := range row {
			if u == v {
				continue
			}
			losses, exchange = append(losses, x), append(exchange, reach[u][v])
			if total += x; l.block != nil {
				k := 0
				if l.block(u) != l.block(v) {
					k = 1
				}
				sum[k], count[k] = sum[k]+x, count[k]+1
			}
		}
		means = append(means, total)
	}
	l.pairs, l.within, l.across, l.share = attack.Spearman(losses, exchange), sum[0]/count[0], sum[1]/count[1], sum[0]/(sum[0]+sum[1])
	largest := 0
	for u := range t.g.Len() {
		largest = max(largest, t.g.Degree(u)) // an upper bound on the eigenvalues of the adjacency matrix
	}
	katz, err := graph.Katz(t.g.Adjacency(), 0.9/float64(largest))
	if err != nil {
		return err
	}
	l.katz = attack.Spearman(means, katz)
	return nil
}

// panel draws losses of pairs over their communicability, pairs within blocks and across apart.
func (l *likeness) panel(loss, reach [][]float64) Panel {
	var x, y [2][]float64
	for u, row := range loss {
		for v, z := range row {
			k := 0
			if l.block != nil && l.block(u) != l.block(v) {
				k = 1
			}
			if u != v {
				x[k], y[k] = append(x[k], reach[u][v]), append(y[k], z)
			}
		}
	}
	p := Panel{Title: fmt.Sprintf("%s, %s", l.graph, l.basis), X: "communicability", Y: "loss of a pair"}
	if l.block == nil {
		p.Lines = []Line{dots("pairs", x[0], y[0])}
		return p
	}
	p.Lines = []Line{dots("within a block", x[0], y[0]), dots("across", x[1], y[1])}
	return p
}

func (l *likeness) row() []string {
	blocks := []string{"", ""}
	if l.block != nil {
		blocks = []string{number(l.within), number(l.across)}
	}
	return append([]string{l.graph, fmt.Sprint(l.nodes), string(l.basis), number(l.pairs), number(l.katz)}, blocks...)
}

func (l *likeness) checks() []Check {
	list := []Check{
		{l.graph + ": losses of pairs go with communicability", l.basis, l.pairs > 0.7, fmt.Sprintf("Spearman's correlation %.3g", l.pairs)},
	}
	if l.block != nil {
		return append(list,
			Check{l.graph + ": losses recover the blocks", l.basis, l.within > 1.25*l.across,
				fmt.Sprintf("mean loss %.3g within, %.3g across", l.within, l.across)},
			Check{mostWithin, l.basis, l.share > 0.5, fmt.Sprintf("%.3g of all losses are within", l.share)})
	}
	return append(list, Check{l.graph + ": a node's mean loss goes with its Katz centrality", l.basis, l.katz > 0.7,
		fmt.Sprintf("Spearman's correlation %.3g", l.katz)})
}
