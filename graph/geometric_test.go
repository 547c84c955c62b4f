package graph_test

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

func TestGeometricJoinsWhoIsWithinReach(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, radius := range []float64{0, 0.01, 0.1, 0.34, 0.9, 1.5} {
		points := make([]graph.Point, 200)
		for u := range points {
			points[u] = graph.Point{X: r.Float64(), Y: r.Float64()}
		}
		points[0], points[1], points[2] = graph.Point{X: 0, Y: 0}, graph.Point{X: 1, Y: 1}, graph.Point{X: 0, Y: 1}
		g := graph.WithinReach(points, radius)
		graphtest.Contract(t, g)
		for u, a := range points {
			for v, b := range points {
				if want := u != v && math.Hypot(a.X-b.X, a.Y-b.Y) <= radius; g.HasEdge(u, v) != want {
					t.Fatalf("radius %g: edge %d-%d is %v", radius, u, v, !want)
				}
			}
		}
	}
}

// The positions published with Figure 1 of 000 give its edges at some radius.
func TestGeometricReproducesFigure1(t *testing.T) {
	want := readShared(t, "golden/figure1/geometric.edges.gz")
	file, err := os.Open(testdata.Shared(t, "golden/figure1/geometric_pos.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var at map[string][2]float64
	if err := json.NewDecoder(text).Decode(&at); err != nil {
		t.Fatal(err)
	}
	points := make([]graph.Point, want.Len())
	for u := range points {
		p := at[strconv.Itoa(u)]
		points[u] = graph.Point{X: p[0], Y: p[1]}
	}
	longest := 0.0
	for u := range points {
		for _, v := range want.Neighbours(u) {
			longest = max(longest, math.Hypot(points[u].X-points[v].X, points[u].Y-points[v].Y))
		}
	}
	if g := graph.WithinReach(points, longest); !graphtest.Equal(g, want) {
		t.Errorf("radius %g gives %d edges, published are %d", longest, g.Edges(), want.Edges())
	}
}
