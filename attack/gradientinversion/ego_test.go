package gradientinversion

import (
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
)

// onEgoNetworks runs a test on the largest component of each of Facebook's ego networks.
func onEgoNetworks(t *testing.T, test func(t *testing.T, g *graph.Graph)) {
	if testing.Short() {
		t.Skip("skipped under -short")
	}
	for _, ego := range []string{"0", "107", "348", "414", "686", "698", "1684", "1912", "3437", "3980"} {
		t.Run(ego, func(t *testing.T) {
			test(t, largest(t, open(t, testdata.Shared(t, "data/facebook/"+ego+".edges"))))
		})
	}
}

// byDegree are all nodes, those with most neighbours first.
func byDegree(g *graph.Graph) (nodes []int) {
	for v := range g.Len() {
		nodes = append(nodes, v)
	}
	slices.SortStableFunc(nodes, func(u, v int) int { return g.Degree(v) - g.Degree(u) })
	return nodes
}

// Without noise the examples of all whom the turns of the first round give away come out to 1e-6, on all
// ego networks: every neighbour of the attacker, and others.
func TestExamplesOnEgoNetworks(t *testing.T) {
	onEgoNetworks(t, func(t *testing.T, g *graph.Graph) {
		turns, attacker := 3, byDegree(g)[0]
		if g.Len() > 400 {
			turns = 1
		}
		l := learn(t, g, model.Logistic{Intercept: true}, []float64{-1, 1}, 2, turns, 0.1, 0)
		f := l.attacked(t, attacker)
		exact, sure := l.exact(f), 0
		for u, resolved := range f.Resolved {
			if !resolved || !f.First[u] {
				continue
			}
			sure++
			if _, ok := slices.BinarySearch(exact, u); !ok {
				t.Errorf("node %d is resolved, rounding %g, and not exact", u, f.Rounding[u])
			}
		}
		if sure < g.Degree(attacker) {
			t.Errorf("%d resolved, and %d neighbours", sure, g.Degree(attacker))
		}
		t.Logf("%d nodes, %d neighbours, %d exact", g.Len(), g.Degree(attacker), len(exact))
	})
}

// With constant gradients (Assumption 4.7: steps of 1e-12 keep them so), the closed form gives the example of every node that the
// knowledge matrix singles out. It is right to 1e-6 without noise, after ten rounds on all ego networks, for attackers with many
// neighbours and with few (on large networks two of them), wherever rounding of the messages allows such precision.
func TestClosedFormOnEgoNetworks(t *testing.T) {
	onEgoNetworks(t, func(t *testing.T, g *graph.Graph) {
		l := learn(t, g, model.Logistic{Intercept: true}, []float64{-1, 1}, 10, 1, 1e-12, 0)
		nodes := byDegree(g)
		attackers := []int{nodes[0], nodes[len(nodes)/4], nodes[len(nodes)/2], nodes[len(nodes)-1]}
		if g.Len() > 400 { // four would take most of a minute
			attackers = []int{attackers[1], attackers[3]}
		}
		for _, attacker := range attackers {
			f := l.attacked(t, attacker)
			exact, single, blurred := l.exact(f), 0, 0
			for u, resolved := range f.Resolved {
				if !resolved {
					continue
				}
				single++
				if _, ok := slices.BinarySearch(exact, u); ok {
					continue
				}
				blurred++
				if f.Rounding[u] <= Precise/4 {
					t.Errorf("attacker %d: node %d is resolved, rounding %g, and not exact", attacker, u, f.Rounding[u])
				}
			}
			if single < g.Degree(attacker) {
				t.Errorf("attacker %d: %d resolved, and %d neighbours", attacker, single, g.Degree(attacker))
			}
			t.Logf("%d nodes, attacker %d with %d neighbours: %d singled out, %d blurred by rounding", g.Len(), attacker, g.Degree(attacker), single, blurred)
		}
	})
}
