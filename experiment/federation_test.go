package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// public is the setup of a federation of n on a graph, without data.
func public(t *testing.T, n int, graph string, start int) *Priced {
	t.Helper()
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "  - {name: n%d, key: k%d}\n", i, i)
	}
	s, err := Parse(fmt.Appendf(nil, `participants:
%sgraph: %s
data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
algorithm: {steps: 14, step_size: 0.1, clip: 0.3, contributions: 5, start: %d, burn_in: 3}
privacy: {sigma: 3}
`, list.String(), graph, start), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	setup, err := OpenPublic(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// Wherever the walk starts, what a participant is charged towards each other is
// what the law of that very pair says: symmetries of the graph need not keep the
// start, but those that matter keep the participant.
func TestChargedTowardsEachIsThePairs(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	for _, graph := range []string{"ring:6", "complete:6", "star:6"} {
		for _, start := range []int{0, 2, 5} {
			s := public(t, 6, graph, start)
			for _, u := range []int{0, 3} {
				laws, err := s.Algorithm.Towards(context.Background(), u)
				if err != nil {
					t.Fatal(err)
				}
				for v, law := range laws {
					if (law == nil) != (u == v) {
						t.Fatalf("%s: the law of %d towards %d is %v", graph, u, v, law)
					}
					if u == v {
						continue
					}
					own, err := walkOf(s).PathWalk().Law(u, v)
					if err != nil {
						t.Fatal(err)
					}
					if charged, exact := law.Epsilon(1e-3, 2), own.Epsilon(1e-3, 2); math.Abs(charged-exact) > 1e-9*exact {
						t.Fatalf("%s from %d: %d is charged %g towards %d, its own law says %g", graph, start, u, charged, v, exact)
					}
				}
			}
		}
	}
}

// A federation is opened without any data: nobody holds a row, and the model's
// length, bounds and columns follow from the ranges.
func TestOpenPublicKnowsNoData(t *testing.T) {
	s := public(t, 6, "ring:6", 0)
	if s.Train.Len()+s.Test.Len() != 0 || s.Algorithm.Local().Params != 3 || s.Federation.Bound != 1 || len(preprocessing(s.Federation)) != 3 {
		t.Errorf("%d rows, %d parameters, bound %g, %v", s.Train.Len()+s.Test.Len(), s.Algorithm.Local().Params, s.Federation.Bound, preprocessing(s.Federation))
	}
	if hops := s.Distances(1); fmt.Sprint(hops) != "[1 0 1 2 3 2]" || fmt.Sprint(s.Neighbours(1)) != "[0 2]" {
		t.Errorf("hops %v, neighbours %v", hops, s.Neighbours(1))
	}
	defer func() {
		if recover() == nil {
			t.Error("less noise than was accounted for was set")
		}
	}()
	_, _ = s.WithNoise(2)
}
