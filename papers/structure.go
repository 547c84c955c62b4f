package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/privacy/gossip"
	"github.com/hearsay-dp/hearsay/privacy/walk"
)

// figure3 is 000 Figure 3: the walk's losses beside communicability on a Facebook ego graph and on that of the
// southern women, and the mean loss of a node beside its Katz centrality.
func figure3() Study {
	return Study{
		ID: "000-figure-3", Title: "Losses of a walk, communicability and Katz centrality on real graphs", Source: "000 Figure 3", Data: "facebook/414.edges",
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

// figure5 is 000 Figure 5: three blocks.
func figure5() Study {
	compute := func(ctx context.Context, _ string, say func(string)) (*Findings, error) {
		t, err := parsed([][2]string{{"blocks", "sbm:sizes=75+75+50,p=0.25+0.05+0.02/0.05+0.35+0.07/0.02+0.07+0.40,seed=1"}}, 1)
		if err != nil {
			return nil, err
		}
		return alikeStructure(ctx, t, func(u int) int { return min(u/75, 2) }, say)
	}
	return Study{ID: "000-figure-5", Title: "Losses of a walk on a stochastic block model of 200 nodes", Source: "000 Figure 5",
		compute: compute, quick: compute,
		differs: map[string]string{mostWithin: "a pair within loses more, but two thirds of all pairs are across"}}
}

// mostMoments is the most nodes of which all pairs are charged by the path accountant, in a minute or so.
const mostMoments = 400

// alikeStructure compares losses of pairs with communicability, mean losses of nodes with Katz centrality, and
// where nodes are in blocks losses within and across; by 000's closed form, and by the path accountant for every pair.
func alikeStructure(ctx context.Context, graphs []*topology, block func(u int) int, say func(string)) (*Findings, error) {
	f := &Findings{Tables: []Table{{Name: "table", Header: []string{"graph", "nodes", "losses", "with communicability",
		"of nodes with Katz", "within blocks", "across"}}}}
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
			say(fmt.Sprintf("%s, %s: rank correlation with communicability %.3g", t.name, basis, l.pairs))
			f.Tables[0].Rows = append(f.Tables[0].Rows, l.row())
			f.judge(&l, func() []Check { return l.checks() })
		}
	}
	return f, nil
}

// reach is how much two nodes communicate over the walk's matrix, n by n.
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

// walkLosses are those of all pairs, rows the nodes that lose.
func (t *topology) walkLosses(ctx context.Context, basis Basis) ([][]float64, error) {
	all := make([][]float64, t.g.Len())
	if basis == AsPublished {
		accountant, err := walk.New(t.w, t.turns(), walk.ClosedForm)
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

// A likeness is how losses go with the structure of a graph.
type likeness struct {
	graph          string
	basis          Basis
	nodes          int
	block          func(u int) int // nil: there are none
	pairs, katz    float64         // Spearman's correlations
	within, across float64         // mean losses
	share          float64         // of all losses, within blocks
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
		largest = max(largest, t.g.Degree(u)) // no eigenvalue of the adjacency is above it
	}
	katz, err := graph.Katz(t.g.Adjacency(), 0.9/float64(largest))
	if err != nil {
		return err
	}
	l.katz = attack.Spearman(means, katz)
	return nil
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

// figureC2 is 002 Figure C.2: hypercubes of more and more nodes.
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

// figureC3 is 002 Figure C.3: losses by Euclidean distance on a random geometric graph.
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

// byEuclid looks at what all nodes lose to node 0.
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

// leakageTo is what each node leaks to v, exactly.
func (t *topology) leakageTo(v int) ([]float64, error) {
	accountant, err := gossip.New(t.w, t.rounds())
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

// figure42 is 002 Figure 4.2: the share of nodes that one, two or three attackers reconstruct on Erdos-Renyi graphs.
func figure42() Study {
	return Study{
		ID: "002-figure-4.2", Title: "Share of nodes reconstructed on Erdos-Renyi graphs by one, two or three attackers", Source: "002 Figure 4.2",
		compute: shareOfRandom{sizes: []int{50, 100, 200}, degrees: []float64{3, 4, 5, 6}, graphs: 20}.run,
		quick:   shareOfRandom{sizes: []int{40, 60}, degrees: []float64{3, 5}, graphs: 6}.run,
	}
}

// A shareOfRandom draws graphs with an expected degree: 002 names neither its sizes nor its probabilities as numbers.
type shareOfRandom struct {
	sizes   []int
	degrees []float64
	graphs  int
}

func (s shareOfRandom) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	table := Table{Name: "table", Header: []string{"nodes", "n x p", "attackers", "mean share", "std"}}
	var all []attacked
	for _, n := range s.sizes {
		for k, degree := range s.degrees {
			for attackers := 1; attackers <= 3; attackers++ {
				shares, near, err := s.shares(ctx, n, degree, attackers)
				if err != nil {
					return nil, err
				}
				share, std := overSome(shares)
				table.Rows = append(table.Rows, []string{fmt.Sprint(n), number(degree), fmt.Sprint(attackers), number(share), number(std)})
				all = append(all, attacked{k, attackers, share, near})
			}
		}
		say(fmt.Sprintf("%d nodes: done", n))
	}
	f := &Findings{Tables: []Table{table}}
	f.judge(&all, func() []Check { return s.checks(all) })
	return f, nil
}

// An attacked is the mean share that some attackers reconstruct on graphs of one expected degree, and that of their neighbours.
type attacked struct {
	degree, attackers int // an index into the degrees; how many
	share, near       float64
}

func (s shareOfRandom) checks(all []attacked) []Check {
	byDegree, byAttackers, beyond, rows := make([]float64, len(s.degrees)), make([]float64, 3), 0, 0
	for _, a := range all {
		byAttackers[a.attackers-1] += a.share
		if a.attackers == 1 {
			byDegree[a.degree] += a.share
			if rows++; a.share > a.near {
				beyond++
			}
		}
	}
	return []Check{
		{"one attacker reconstructs more than its neighbours", AsPublished, beyond == rows && rows > 0,
			fmt.Sprintf("on average in %d of %d settings", beyond, rows)},
		{"more attackers reconstruct more", AsPublished, rising(byAttackers), fmt.Sprintf("sums of mean shares %.3g", byAttackers)},
		{"the share is larger on the graphs with most edges than on those with fewest", AsPublished, byDegree[len(byDegree)-1] > byDegree[0],
			fmt.Sprintf("sums of mean shares %.3g at n x p of %v", byDegree, s.degrees)},
	}
}

// shares are those of other nodes reconstructed on each graph, and the mean share of neighbours of the first attacker.
func (s shareOfRandom) shares(ctx context.Context, n int, degree float64, attackers int) (shares []float64, near float64, err error) {
	for seed := range s.graphs {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		g, err := gen.Parse(fmt.Sprintf("er:n=%d,p=%g,seed=%d", n, degree/float64(n), seed+1), 1)
		if err != nil {
			return nil, 0, err
		}
		found, err := reconstructedBy(g, everyone(attackers), fewRounds)
		if err != nil {
			return nil, 0, err
		}
		shares = append(shares, float64(len(found)-attackers)/float64(n-attackers))
		near += float64(len(g.Neighbours(0))) / float64(n-1) / float64(s.graphs)
	}
	return shares, near, nil
}
