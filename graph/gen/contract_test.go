package gen

import (
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
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
	{"pairs:0-1+2-1+0-3", 4, 3}, {"florentine", 15, 20}, {"davis", 32, 89},
}

func mustParse(t testing.TB, expr string) *graph.Graph {
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
			graphtest.Contract(t, g)
			if g.Name() != s.expr || g.Len() != s.nodes || s.edges >= 0 && g.Edges() != s.edges {
				t.Errorf("name %q, %d nodes, %d edges; want %d and %d", g.Name(), g.Len(), g.Edges(), s.nodes, s.edges)
			}
			graphtest.Positions(t, g)
			if again := mustParse(t, s.expr); !graphtest.Equal(g, again) {
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
		"pairs:0-2+2-1+3-0":  func(u, v int) bool { return u+v == 2 && u*v == 0 || u+v == 3 },
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
