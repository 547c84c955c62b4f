package rehearsal

import (
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/attack"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/sparse"
)

// path3 is averaging on a path of three nodes.
var path3 = &sparse.Matrix{N: 3, Offsets: []int{0, 2, 5, 7}, Columns: []int32{0, 1, 0, 1, 2, 1, 2},
	Values: []float64{2. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 2. / 3}}

// Without noise attackers compute the true values from their messages, and these
// lie in the ball.
func TestAttackersFindTheTruth(t *testing.T) {
	a := Averaging{Matrices: []*sparse.Matrix{path3}, Steps: 4, Gamma: 1, Attackers: []int{0}, Dim: 2, Seed: 5, Workers: 2}
	heard, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	averaging, err := gossipview.New(path3, a.Steps)
	if err != nil {
		t.Fatal(err)
	}
	g, err := attack.NewGossip(averaging, a.Attackers)
	if err != nil {
		t.Fatal(err)
	}
	found, err := g.Values(heard.Messages, a.Gamma)
	if err != nil {
		t.Fatal(err)
	}
	for u, truth := range heard.Values {
		for j, x := range truth {
			if math.Abs(x) > 1 || math.Abs(found.Projection[u][j]-x) > 1e-9 {
				t.Errorf("node %d: found %v, true %v", u, found.Projection[u], truth)
			}
		}
	}
	if len(heard.Messages) != 1+a.Steps {
		t.Errorf("%d messages", len(heard.Messages))
	}
}
