package papers

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/step"
)

// egoNetworks are all networks of the Facebook set, the smallest first.
var egoNetworks = []string{"698", "3980", "414", "686", "348", "0", "3437", "1912", "1684", "107"}

// Rounds of averaging. 002 does not give their number. Its numbers match about 6 rounds; with more rounds the position
// matters less.
const fewRounds, manyRounds = 6, 20

// positions measures how the position of an attacker, and of its target, correlates with reconstruction.
type positions struct {
	drawn  int      // Erdos-Renyi graphs of 50 nodes with p = 0.08, where node 0 attacks
	egos   []string // ego networks, where all nodes attack in turn, or a random sample (attackersOf)
	target bool     // of 002 Table A.1; otherwise of Table 4.1
}

func table41() Study {
	return Study{ID: "002-table-4.1", Title: "Centrality of an attacker and the share of nodes that it reconstructs",
		Source: "002 Table 4.1", Data: "facebook/414.edges",
		compute: positions{400, egoNetworks, false}.run, quick: positions{60, egoNetworks[:3], false}.run}
}

func tableA1() Study {
	return Study{ID: "002-table-a.1", Title: "Distance and communicability of attacker and target, and whether it is reconstructed",
		Source: "002 Table A.1", Data: "facebook/414.edges",
		compute: positions{400, egoNetworks, true}.run, quick: positions{60, egoNetworks[:3], true}.run}
}

func (p positions) run(ctx context.Context, data string, say func(string)) (*Findings, error) {
	table := Table{Name: "table", Header: []string{"graph", "nodes", "rounds", "attackers", "share reconstructed", "degree",
		"eigenvector", "betweenness"}}
	if p.target {
		table.Header = append(table.Header[:5:5], "shortest path", "std", "communicability", "std")
	}
	var all []seat
	for _, rounds := range []int{fewRounds, manyRounds} {
		random, err := p.random(ctx, rounds)
		if err != nil {
			return nil, err
		}
		all = append(all, random)
		for _, name := range p.egos {
			t, err := egoGraph(filepath.Join(data, "facebook", name+".edges"))
			if err != nil {
				return nil, err
			}
			one := seat{graph: "ego " + name, nodes: t.g.Len(), rounds: rounds}
			if err := p.attack(ctx, &one, t.g, attackersOf(t.g.Len())); err != nil {
				return nil, err
			}
			say(fmt.Sprintf("%s, %d rounds: %s attackers, mean share %.3g", one.graph, rounds, one.attackers(), mean(one.share)))
			all = append(all, one)
		}
	}
	f := &Findings{}
	for _, s := range all {
		table.Rows = append(table.Rows, s.row(p.target))
		if p.target {
			f.judge(&s, func() []Check { return s.targetChecks() })
		} else {
			f.judge(&s, func() []Check { return s.attackerChecks() })
		}
	}
	f.Tables = []Table{table}
	return f, nil
}

// A seat is a graph with its attackers: one entry for each.
type seat struct {
	graph                                   string
	nodes, rounds                           int
	share, degree, eigenvector, betweenness []float64
	path, communicability                   []float64 // Kendall's correlation over each attacker's targets
}

// random draws connected graphs.
func (p positions) random(ctx context.Context, rounds int) (s seat, err error) {
	s = seat{graph: "Erdos-Renyi", nodes: 50, rounds: rounds}
	for seed := uint64(1); len(s.share) < p.drawn; seed++ {
		g, err := gen.Parse("er:n=50,p=0.08", seed)
		if err != nil {
			return s, err
		}
		if g.Connected() != nil {
			continue
		}
		if err := p.attack(ctx, &s, g, []int{0}); err != nil {
			return s, err
		}
	}
	return s, nil
}

func everyone(n int) (nodes []int) {
	for v := range n {
		nodes = append(nodes, v)
	}
	return nodes
}

// On graphs with more nodes than everyoneUpTo, where a view takes a second, a fixed random sample of fewAttackers
// attacks. A correlation over them has an error of some hundredths.
const (
	everyoneUpTo = 600
	fewAttackers = 100
)

func attackersOf(nodes int) []int {
	if nodes <= everyoneUpTo {
		return everyone(nodes)
	}
	var stream step.Stream
	drawn := stream.At(3, 0, 0, 0, step.Audit).Perm(nodes)[:fewAttackers]
	slices.Sort(drawn)
	return drawn
}

// attackers describes the attackers.
func (s seat) attackers() string {
	if len(s.share) == fewAttackers && s.nodes > everyoneUpTo {
		return fmt.Sprintf("%d drawn", len(s.share))
	}
	return fmt.Sprint(len(s.share))
}

// attack makes each of the given nodes the attacker.
func (p positions) attack(ctx context.Context, s *seat, g *graph.Graph, attackers []int) error {
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		return err
	}
	averaging, err := gossipview.New(w.Sparse(), s.rounds)
	if err != nil {
		return err
	}
	eigenvector, err := g.Eigenvector()
	if err != nil {
		return err
	}
	degree, betweenness, adjacency := g.Degrees(), g.Betweenness(), g.Adjacency()
	hops, reach := graph.NewSearch(g), make([]float64, g.Len())
	for some := range slices.Chunk(attackers, attackersTogether) {
		known, err := again(ctx, func() ([][]int, error) { return reconstructedByEach(ctx, averaging, some) },
			"reconstructed", digest(w.Sparse()), s.rounds, some)
		if err != nil {
			return err
		}
		for k, v := range some {
			found := make([]float64, g.Len())
			for _, u := range known[k] {
				found[u] = 1
			}
			s.share = append(s.share, float64(len(known[k])-1)/float64(g.Len()-1))
			s.degree, s.eigenvector, s.betweenness = append(s.degree, degree[v]), append(s.eigenvector,
				eigenvector[v]), append(s.betweenness, betweenness[v])
			if p.target {
				graph.Communicability(reach, adjacency, v)
				path, exchange := correlate(v, found, hops.From(v), reach)
				s.path, s.communicability = append(s.path, path), append(s.communicability, exchange)
			}
		}
	}
	return nil
}

// attackersTogether is the number of attackers whose results are kept as one item.
const attackersTogether = 25

// reconstructedByEach returns the nodes that each attacker reconstructs, in exact arithmetic if feasible.
func reconstructedByEach(ctx context.Context, averaging *gossipview.Accountant, attackers []int) (known [][]int, err error) {
	for _, v := range attackers {
		view, err := averaging.Reconstruction([]int{v})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		known = append(known, view.Reconstructed())
	}
	return known, nil
}

// correlate returns Kendall's correlation between the reconstruction of v's targets and their distance, and with their
// communicability. It is NaN if all or no targets are reconstructed.
func correlate(v int, found []float64, hops []int32, reach []float64) (path, exchange float64) {
	var is, far, near []float64
	for u := range found {
		if u != v {
			is, far, near = append(is, found[u]), append(far, float64(hops[u])), append(near, reach[u])
		}
	}
	return attack.Kendall(far, is), attack.Kendall(near, is)
}

func mean(x []float64) float64 {
	m, _ := overSome(x)
	return m
}

// overSome returns the mean and the standard deviation of the entries that are not NaN.
func overSome(x []float64) (mean, std float64) {
	n, square := 0.0, 0.0
	for _, v := range x {
		if !math.IsNaN(v) {
			n, mean, square = n+1, mean+v, square+float64(v*v)
		}
	}
	mean /= n
	return mean, math.Sqrt(max(0, square/n-float64(mean*mean)))
}

func (s seat) row(target bool) []string {
	row := []string{s.graph, fmt.Sprint(s.nodes), fmt.Sprint(s.rounds), s.attackers(), number(mean(s.share))}
	if target {
		path, pathStd := overSome(s.path)
		exchange, exchangeStd := overSome(s.communicability)
		return append(row, number(path), number(pathStd), number(exchange), number(exchangeStd))
	}
	return append(row, number(attack.Spearman(s.degree, s.share)), number(attack.Spearman(s.eigenvector, s.share)),
		number(attack.Spearman(s.betweenness, s.share)))
}

func number(x float64) string { return fmt.Sprintf("%.3g", x) }

// printed holds the numbers of 002 Tables 4.1 and A.1.
var printed = map[string]struct{ degree, eigenvector, betweenness, path, communicability float64 }{
	"Erdos-Renyi": {0.94, 0.81, 0.84, -0.44, 0.35}, "ego 414": {0.94, 0.64, 0.66, -0.51, 0.08},
}

// basis returns the basis of statements about a graph, and the words that name it.
func (s seat) basis() (basis Basis, words string) {
	if _, in := printed[s.graph]; in && s.rounds == fewRounds {
		return AsPublished, fmt.Sprintf("%s, %d rounds: ", s.graph, s.rounds)
	}
	return WhatIsTrue, fmt.Sprintf("%s, %d rounds: ", s.graph, s.rounds)
}

// attackerChecks checks the sentences of 002, section 4.5.1, and its numbers.
func (s seat) attackerChecks() []Check {
	d, e, b := attack.Spearman(s.degree, s.share), attack.Spearman(s.eigenvector, s.share), attack.Spearman(s.betweenness, s.share)
	measured := fmt.Sprintf("Spearman: degree %.2f, eigenvector %.2f, betweenness %.2f", d, e, b)
	basis, words := s.basis()
	checks := []Check{
		{words + "degree centrality is the most correlated with the share of reconstructed nodes", basis, d >= max(e, b), measured},
		{words + "eigenvector and betweenness centrality are strongly correlated too", basis, min(e, b) >= 0.5, measured},
	}
	if basis == AsPublished {
		p := printed[s.graph]
		checks = append(checks, Check{words + fmt.Sprintf("%.2f, %.2f and %.2f", p.degree, p.eigenvector, p.betweenness), basis,
			within(d, p.degree, 0.1) && within(e, p.eigenvector, 0.1) && within(b, p.betweenness, 0.1), measured})
	}
	return checks
}

// targetChecks checks the sentences of appendix A.3.
func (s seat) targetChecks() []Check {
	path, _ := overSome(s.path)
	exchange, _ := overSome(s.communicability)
	measured := fmt.Sprintf("Kendall: shortest path %.2f, communicability %.2f", path, exchange)
	basis, words := s.basis()
	checks := []Check{
		{words + "the shortest path gives a good insight on reconstruction", basis, path <= -0.3, measured},
		{words + "communicability shows a smaller correlation", basis, math.Abs(exchange) < math.Abs(path), measured},
	}
	if basis == AsPublished {
		p := printed[s.graph]
		checks = append(checks, Check{words + fmt.Sprintf("%.2f and %.2f", p.path, p.communicability), basis,
			within(path, p.path, 0.1) && within(exchange, p.communicability, 0.1), measured})
	}
	return checks
}

func within(x, of, by float64) bool { return math.Abs(x-of) <= by }
