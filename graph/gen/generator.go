package gen

import (
	"slices"
	"strings"

	"github.com/hearsay-dp/hearsay/graph"
)

// A generator builds graphs of one kind. Values may be given without their
// key, in the order of keys. Flags are on if they are named.
type generator struct {
	kind  string
	keys  []string
	flags []string
	usage string
	build func(*expression) *graph.Graph
}

func (g *generator) has(key string) bool {
	return slices.Contains(g.keys, key) || slices.Contains(g.flags, key)
}

// help lists the valid keys and shows an example.
func (g *generator) help() string {
	keys := strings.Join(slices.Concat(g.keys, g.flags), ", ")
	if keys == "" {
		return "write just " + g.usage
	}
	return "its keys are " + keys + "; for example " + g.usage
}

// generators returns the table of all kinds.
func generators() []generator {
	size, family := []string{"n"}, []string{"n", "p", "seed"}
	connected := []string{"connected"}
	return []generator{
		{"complete", size, nil, "complete:2048", buildComplete},
		{"star", size, nil, "star:9", buildStar},
		{"line", size, nil, "line:31", buildLine},
		{"ring", size, []string{"directed"}, "ring:12 or ring:12,directed", buildRing},
		{"grid", []string{"sides"}, nil, "grid:45x45 (or more sides)", buildGrid},
		{"torus", []string{"sides"}, nil, "torus:45x45 (or more sides)", buildTorus},
		{"hypercube", []string{"d"}, nil, "hypercube:11 for 2^11 nodes", buildHypercube},
		{"exponential", size, nil, "exponential:2048, n a power of two", buildExponential},
		{"tree", []string{"n", "r"}, nil, "tree:n=31 (binary) or tree:n=40,r=3", buildTree},
		{"balanced", []string{"r", "h"}, nil, "balanced:r=2,h=4", buildBalanced},
		{"cliques", []string{"count", "size"}, nil, "cliques:count=8,size=5", buildCliques},
		{"er", family, connected, "er:n=2048,p=0.0045,seed=1 (also: connected=true)", buildErdosRenyi},
		{"geometric", []string{"n", "r", "seed"}, connected, "geometric:n=2048,r=0.07,seed=1 (also: connected=true)", buildGeometric},
		{"ba", []string{"n", "m", "seed"}, nil, "ba:n=1000,m=3,seed=1", buildBarabasiAlbert},
		{"sbm", []string{"sizes", "p", "seed", "inside", "outside"}, connected,
			"sbm:sizes=75+75+50,p=0.25+0.05+0.02/0.05+0.35+0.07/0.02+0.07+0.4,seed=1 or sbm:sizes=50+50,inside=0.3,outside=0.02 (also: connected=true)", buildBlockModel},
		{"regular", []string{"n", "d", "seed"}, connected, "regular:n=1000,d=4,seed=1 (also: connected=true)", buildRegular},
		{"pairs", []string{"list"}, nil, "pairs:0-1+1-2+2-3", buildPairs},
		{"florentine", nil, nil, "florentine", buildFlorentine},
		{"davis", nil, nil, "davis", buildDavis},
	}
}

// Generators returns one example expression of each kind of graph.
func Generators() []string {
	var usage []string
	for _, g := range generators() {
		usage = append(usage, g.usage)
	}
	return usage
}

func kinds() []string {
	var names []string
	for _, g := range generators() {
		names = append(names, g.kind)
	}
	return names
}

func findGenerator(kind string) *generator {
	for _, g := range generators() {
		if g.kind == kind {
			return &g
		}
	}
	return nil
}
