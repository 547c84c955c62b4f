package graph

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// specimens are one or more expressions of every kind, small enough for
// quadratic checks, with the nodes and edges they must have (-1: random).
var specimens = []struct {
	expr         string
	nodes, edges int
}{
	{"complete:8", 8, 28}, {"complete:1", 1, 0}, {"star:9", 9, 8}, {"star:1", 1, 0}, {"line:31", 31, 30},
	{"ring:12", 12, 12}, {"ring:n=3", 3, 3}, {"ring:12,directed", 12, 12},
	{"grid:5x7", 35, 58}, {"grid:1x1", 1, 0}, {"grid:3x4x2", 24, 46}, {"torus:4x5", 20, 40}, {"torus:2x2", 4, 4},
	{"torus:1x3", 3, 3}, {"torus:3x3x3", 27, 81},
	{"hypercube:4", 16, 32}, {"hypercube:1", 2, 1}, {"exponential:32", 32, 80},
	{"tree:31", 31, 30}, {"tree:n=12,r=3", 12, 11}, {"balanced:r=3,h=3", 40, 39}, {"balanced:r=1,h=4", 5, 4}, {"balanced:2,0", 1, 0},
	{"cliques:count=4,size=5", 20, 44}, {"cliques:2,2", 4, 4}, {"cliques:3,3", 9, 12},
	{"er:n=60,p=0.1,seed=3", 60, -1}, {"er:60,0", 60, 0}, {"er:60,1", 60, 1770}, {"er:n=40,p=0.12,connected", 40, -1},
	{"geometric:n=80,r=0.2", 80, -1}, {"geometric:n=50,r=0.3,connected=true", 50, -1}, {"geometric:10,0", 10, 0}, {"geometric:10,1.5", 10, 45},
	{"ba:n=50,m=3", 50, 141}, {"ba:4,3", 4, 3},
	{"sbm:sizes=20+15+5,p=0.5+0.1+0/0.1+0.6+0.2/0+0.2+1", 40, -1}, {"sbm:sizes=4+3,inside=1,outside=0", 7, 9}, {"sbm:4+3,inside=0,outside=1", 7, 12},
	{"regular:n=20,d=3", 20, 30}, {"regular:n=9,d=4", 9, 18}, {"regular:10,9", 10, 45}, {"regular:10,7", 10, 35}, {"regular:5,0", 5, 0},
	{"florentine", 15, 20}, {"davis", 32, 89},
}

func mustParse(t testing.TB, expr string) *Graph {
	t.Helper()
	g, err := Parse(expr, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGeneratorsKeepTheContract(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range specimens {
		t.Run(s.expr, func(t *testing.T) {
			e, err := parseExpression(s.expr, 1)
			if err != nil {
				t.Fatal(err)
			}
			seen[e.generator.kind] = true
			g := mustParse(t, s.expr)
			checkContract(t, g)
			if g.Name() != s.expr || g.Len() != s.nodes || s.edges >= 0 && g.Edges() != s.edges {
				t.Errorf("name %q, %d nodes, %d edges; want %d and %d", g.Name(), g.Len(), g.Edges(), s.nodes, s.edges)
			}
			checkPositions(t, g)
			if again := mustParse(t, s.expr); !equal(g, again) {
				t.Error("the same expression and seed made another graph")
			}
		})
	}
	for _, kind := range kinds() {
		if !seen[kind] {
			t.Errorf("no specimen of generator %s", kind)
		}
	}
}

// checkContract asserts what every Graph promises.
func checkContract(t interface{ Errorf(string, ...any) }, g *Graph) {
	entries := 0
	for u := range g.Len() {
		row := g.Neighbours(u)
		entries += len(row)
		if len(row) != g.Degree(u) {
			t.Errorf("node %d has degree %d and %d neighbours", u, g.Degree(u), len(row))
		}
		for k, v := range row {
			if int(v) == u || v < 0 || int(v) >= g.Len() || k > 0 && row[k-1] >= v {
				t.Errorf("the neighbours of %d are not sorted, distinct, in range and loopless: %v", u, row)
			}
			if !g.HasEdge(u, int(v)) || !g.directed && !g.HasEdge(int(v), u) {
				t.Errorf("edge %d-%d is not seen from both ends", u, v)
			}
		}
	}
	if !g.directed {
		entries /= 2
	}
	if entries != g.Edges() {
		t.Errorf("%d edges counted, Edges says %d", entries, g.Edges())
	}
}

func checkPositions(t *testing.T, g *Graph) {
	seen := map[Point]int{}
	for u := range g.Len() {
		p, ok := g.Position(u)
		if !ok {
			return
		}
		if !(p.X >= -1e-12 && p.X <= 1+1e-12 && p.Y >= -1e-12 && p.Y <= 1+1e-12) {
			t.Errorf("node %d lies outside the unit square: %v", u, p)
		}
		rounded := Point{math.Round(p.X * 1e9), math.Round(p.Y * 1e9)}
		if other, taken := seen[rounded]; taken {
			t.Errorf("nodes %d and %d lie on each other", other, u)
		}
		seen[rounded] = u
	}
}

func equal(a, b *Graph) bool {
	if a.labels != nil || b.labels != nil {
		if a.labels == nil || b.labels == nil || !slices.Equal(a.labels.names, b.labels.names) {
			return false
		}
	}
	return a.directed == b.directed && slices.Equal(a.offsets, b.offsets) && slices.Equal(a.targets, b.targets)
}

// The plainest definition of each deterministic kind: when are u and v
// neighbours?
func TestGeneratorsFollowTheirDefinition(t *testing.T) {
	abs := func(x int) int { return max(x, -x) }
	wrap := func(x, n int) int { return min(x, n-x) }
	definitions := map[string]func(u, v int) bool{
		"complete:9":         func(u, v int) bool { return true },
		"star:9":             func(u, v int) bool { return u == 0 || v == 0 },
		"line:9":             func(u, v int) bool { return abs(u-v) == 1 },
		"ring:9":             func(u, v int) bool { return wrap(abs(u-v), 9) == 1 },
		"ring:9,directed":    func(u, v int) bool { return (u+1)%9 == v },
		"grid:4x6":           func(u, v int) bool { return abs(u/6-v/6)+abs(u%6-v%6) == 1 },
		"torus:4x6":          func(u, v int) bool { return wrap(abs(u/6-v/6), 4)+wrap(abs(u%6-v%6), 6) == 1 },
		"grid:3x2x4":         func(u, v int) bool { return abs(u/8-v/8)+abs(u/4%2-v/4%2)+abs(u%4-v%4) == 1 },
		"hypercube:5":        func(u, v int) bool { x := u ^ v; return x&(x-1) == 0 },
		"exponential:16":     func(u, v int) bool { x := u ^ v; return x&(x-1) == 0 },
		"tree:20":            func(u, v int) bool { return (max(u, v)-1)/2 == min(u, v) },
		"balanced:r=3,h=2":   func(u, v int) bool { return (max(u, v)-1)/3 == min(u, v) },
		"cliques:5,4":        func(u, v int) bool { return u/4 == v/4 || linked(u, v, 4, 20) || linked(v, u, 4, 20) },
		"sbm:3+4,1+0/0+1":    func(u, v int) bool { return (u < 3) == (v < 3) },
		"sbm:sizes=3,p=1":    func(u, v int) bool { return true },
		"regular:n=7,d=6":    func(u, v int) bool { return true },
		"geometric:12,r=1.5": func(u, v int) bool { return true },
	}
	for expr, adjacent := range definitions {
		g := mustParse(t, expr)
		for u := range g.Len() {
			for v := range g.Len() {
				if want := u != v && adjacent(u, v); g.HasEdge(u, v) != want {
					t.Errorf("%s: edge %d-%d is %v, want %v", expr, u, v, !want, want)
				}
			}
		}
	}
}

// linked reports whether v follows u on the ring that ties cliques together.
func linked(u, v, size, n int) bool { return u%size == 1 && v == (u-1+size)%n }

// drawGraph makes any small graph.
func drawGraph(t *rapid.T, connected bool) *Graph {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	node := rapid.IntRange(0, n-1)
	var edges [][2]int
	for range rapid.IntRange(0, 30).Draw(t, "m") {
		edges = append(edges, [2]int{node.Draw(t, "u"), node.Draw(t, "v")})
	}
	for u := 1; connected && u < n; u++ {
		edges = append(edges, [2]int{u, rapid.IntRange(0, u-1).Draw(t, "parent")})
	}
	g, err := FromEdges("drawn", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestFromEdgesAgreesWithAMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		node := rapid.IntRange(0, n-1)
		var matrix [9][9]bool
		var edges [][2]int
		loops, distinct := 0, 0
		for range rapid.IntRange(0, 40).Draw(t, "m") {
			u, v := node.Draw(t, "u"), node.Draw(t, "v")
			edges = append(edges, [2]int{u, v})
			switch {
			case u == v:
				loops++
			case !matrix[u][v]:
				matrix[u][v], matrix[v][u] = true, true
				distinct++
			}
		}
		g, err := FromEdges("drawn", n, edges)
		if err != nil {
			t.Fatal(err)
		}
		checkContract(t, g)
		for u := range n {
			for v := range n {
				if g.HasEdge(u, v) != matrix[u][v] {
					t.Fatalf("edge %d-%d is %v", u, v, g.HasEdge(u, v))
				}
			}
		}
		want := Dropped{Loops: loops, Repeats: len(edges) - loops - distinct}
		if g.Dropped() != want || g.Edges() != distinct {
			t.Fatalf("dropped %+v of %d edges, want %+v of %d", g.Dropped(), g.Edges(), want, distinct)
		}
	})
}

func TestFromEdgesRefusesStrangers(t *testing.T) {
	for _, edges := range [][][2]int{{{0, 3}}, {{-1, 0}}} {
		if _, err := FromEdges("x", 3, edges); err == nil {
			t.Errorf("edges %v of a graph of 3 nodes were taken", edges)
		}
	}
	if _, err := FromEdges("x", 0, nil); err == nil {
		t.Error("a graph without nodes was made")
	}
}
