package design

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

var study = flag.String("study", "", "compare designs with a default spec on a graph: a generator, or a file whose largest part counts; takes minutes")

// connected returns the largest part of a graph.
func connected(t *testing.T, how string) *graph.Graph {
	g, err := graphfile.Open(how, 1)
	if err != nil {
		t.Fatal(err)
	}
	of, sizes := g.Components()
	largest := slices.Index(sizes, slices.Max(sizes))
	var pairs [][2]string
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			if int(of[u]) == largest && u < int(v) {
				pairs = append(pairs, [2]string{"n" + g.Label(u), "n" + g.Label(int(v))})
			}
		}
	}
	part, err := graph.FromNames(how, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// trusts are the largest losses that u accepts towards v, from 1 to 4: by their distance, by the degree of u, and by communities.
func trusts(g *graph.Graph) map[string]func(u, v int) float64 {
	community, most := communities(g), 0
	for u := range g.Len() {
		most = max(most, g.Degree(u))
	}
	return map[string]func(u, v int) float64{
		"distance": func(u, v int) float64 { return max(1, 5-float64(graph.NewSearch(g).From(u)[v])) },
		"degree":   func(u, _ int) float64 { return 1 + 3*float64(g.Degree(u))/float64(most) },
		"community": func(u, v int) float64 {
			if community[u] == community[v] {
				return 4
			}
			return 1
		},
	}
}

// communities spreads labels: each node in turn takes the label that most of its neighbours have, of several the smallest.
func communities(g *graph.Graph) []int {
	of := make([]int, g.Len())
	for u := range of {
		of[u] = u
	}
	for range 20 {
		for u := range of {
			count := map[int]int{}
			for _, v := range g.Neighbours(u) {
				count[of[v]]++
			}
			for _, label := range slices.Sorted(maps.Keys(count)) {
				if count[label] > count[of[u]] {
					of[u] = label
				}
			}
		}
	}
	return of
}

// trusting returns the wishes of a graph's nodes with a limit towards each other one. Neighbours could share secrets.
func trusting(g *graph.Graph, limit func(u, v int) float64) string {
	var b strings.Builder
	b.WriteString("secrets: edges\nparticipants:\n")
	for u := range g.Len() {
		fmt.Fprintf(&b, "- name: %s\n  policy:\n    unit: record\n    each: .inf\n    named:\n", g.Label(u))
		for v := range g.Len() {
			if v != u {
				fmt.Fprintf(&b, "      %s: %g\n", g.Label(v), limit(u, v))
			}
		}
	}
	b.WriteString("edges:\n")
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			if u < int(v) {
				fmt.Fprintf(&b, "- between: [%s, %s]\n", g.Label(u), g.Label(int(v)))
			}
		}
	}
	return b.String() + "data: {source: two-gaussians, features: 5, rows: 10, variance: 4, normalise: unit}\n"
}

// Each design is compared with the spec that `hearsay federation new` writes, with the least noise that keeps all limits: their
// scores, and the part of all limits with which the design scores as well.
func TestStudyOfDesigns(t *testing.T) {
	if *study == "" {
		t.Skip("SKIPPED: go test ./design -run Study -study cliques:count=3,size=4 -v -timeout 2h compares designs with a default spec")
	}
	testdata.Sequential(t)
	g := connected(t, *study)
	for _, by := range []string{"distance", "degree", "community"} {
		w, err := Parse([]byte(trusting(g, trusts(g)[by])), "wishes")
		if err != nil {
			t.Fatal(err)
		}
		d, err := Run(t.Context(), w, Options{})
		if err != nil || len(d.Plans) == 0 {
			t.Fatal(err, d)
		}
		plain := *d.venue // the default clips all alike
		plain.way = way{}
		gossip := shape{family: fixedGossip, detail: turnsOf(4), rounds: 20}
		usual := d.studied(t, &plain, &candidate{offer: &offer{shape: gossip, exact: true}, clip: 1, step: 0.7 / d.venue.longest(gossip)}, "local")
		won := d.studied(t, d.venue, d.left[0], d.left[0].accountant)
		target, part := usual.at(t, &plain, 1), math.Inf(1)
		for next := 1.0; next > 0.02 && won.at(t, d.venue, next) >= target; next *= 0.95 {
			part = next
		}
		p := d.Plans[0]
		t.Logf("%s, %d nodes, by %s: default %.3f, %s, %s, %d rounds %.3f; as good with %.0f %% of the limits", *study, g.Len(), by, target,
			p.Family, p.Detail, p.Rounds, won.at(t, d.venue, 1), 100*part)
	}
}

// studied returns a candidate with the bounds of all limits.
func (d *Design) studied(t *testing.T, v *venue, c *candidate, accountant string) *found {
	own, o := *c, *c.offer
	o.accountant, own.offer, own.prepared = accountant, &o, nil
	f, err := v.remade(t.Context(), &own, d.wishes.limits())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// at returns the score of a plan at a part of its limits, in 200 trials.
func (f *found) at(t *testing.T, v *venue, part float64) float64 {
	c, o := *f.candidate, *f.candidate.offer
	var err error
	if o.paid, err = v.pay(c.shape, f.bounds, part); err != nil {
		t.Fatal(err)
	}
	c.offer, c.scores, c.prepared = &o, nil, nil
	if err := v.rehearse(t.Context(), &c, 200); err != nil {
		t.Fatal(err)
	}
	return c.mean()
}
