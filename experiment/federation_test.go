package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// federated is the spec of n participants who learn by an algorithm with these keys.
func federated(n int, graph, algorithm string) (*spec.Spec, error) {
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "  - {name: n%d, key: k%d}\n", i, i)
	}
	return Parse(fmt.Appendf(nil, `participants:
%sgraph: %s
data: {source: csv, target: ill, classes: [no, yes], ranges: {age: [0, 100], weight: [40, 140]}}
algorithm: {%s}
privacy: {sigma: 3}
`, list.String(), graph, algorithm), "test.yaml")
}

// public is the setup of a federation of n on a graph, without data.
func public(t *testing.T, n int, graph string, start int) *Priced {
	t.Helper()
	s, err := federated(n, graph, fmt.Sprintf("steps: 14, step_size: 0.1, clip: 0.3, contributions: 5, start: %d, burn_in: 3", start))
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
	for graph, starts := range map[string][]int{"ring:6": {0, 2, 5}, "complete:6": {0}, "star:6": {0, 5}} { // others are alike
		for _, start := range starts {
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

// gossiping is the setup of a federation of n that learns by gossip.
func gossiping(t *testing.T, n int, graph, more string) (*Priced, error) {
	t.Helper()
	s, err := federated(n, graph, "kind: gossip-gd, steps: 3, step_size: 0.1, clip: 0.3, "+more)
	if err != nil {
		return nil, err
	}
	return OpenPublic(t.Context(), s)
}

// Participants of a real run are linked with those whom they meet in some turn: with
// all that draws of the run bring together where the graph is drawn anew, and with the
// graph's neighbours where matchings are of its edges.
func TestParticipantsAreLinkedWithThoseTheyMeet(t *testing.T) {
	s, err := gossiping(t, 12, "regular:n=12,d=3", "redraw: 1")
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for u := range 12 {
		met := map[int32]bool{}
		for turn := range 3 {
			row, _ := gossipOf(s).Weights.Row(step.NodeID(u), step.Turn(turn))
			for _, v := range row {
				met[v] = v != int32(u)
			}
		}
		delete(met, int32(u))
		got := s.Neighbours(u)
		most = max(most, len(got))
		if len(got) != len(met) || !slices.IsSorted(got) {
			t.Errorf("%d is linked with %v and meets %v", u, got, met)
		}
		for _, v := range got {
			if !met[v] || s.Distances(u)[v] != 1 {
				t.Errorf("%d is linked with %d, %d hops away", u, v, s.Distances(u)[v])
			}
		}
	}
	if most <= 3 {
		t.Error("nobody meets more than three: the test tells nothing")
	}
	if s, err = gossiping(t, 5, "ring:5", "wake: matchings"); err != nil || fmt.Sprint(s.Neighbours(0)) != "[1 4]" {
		t.Errorf("%v, %v", s, err)
	}
	if _, err = gossiping(t, 5, "ring:5", "dropout: 0.2"); err == nil || !strings.Contains(err.Error(), "algorithm.dropout") {
		t.Errorf("dropout among real participants: %v", err)
	}
}
