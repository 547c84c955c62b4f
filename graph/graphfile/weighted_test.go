package graphfile

import (
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
)

// Every form that can give edges weights is mixed by them: 1, 2, 3 on the path a - b - c and back to a.
func TestFormsKeepWeights(t *testing.T) {
	for name, text := range map[string]string{
		"table":         "a b 1\nb c 2\nc a 3\n",
		"both ways":     "a b 1\nb a 1\nb c 2\nc b 2\nc a 3\na c 3\n",
		"header":        "source,target,weight\na,b,1\nb,c,2\nc,a,3\n",
		"networkx":      "a b {'weight': 1}\nb c {'weight': 2}\nc a {'weight': 3}\n",
		"dense":         ",a,b,c\na,0,1,3\nb,1,0,2\nc,3,2,0\n",
		"Matrix Market": "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 1\n3 2 2\n3 1 3\n",
		"general":       "%%MatrixMarket matrix coordinate real general\n3 3 6\n2 1 1\n3 2 2\n3 1 3\n1 2 1\n2 3 2\n1 3 3\n",
		"METIS":         "3 3 1\n2 1 3 3\n1 1 3 2\n1 3 2 2\n",
		"GML":           "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 weight 1 ] edge [ source 1 target 2 weight 2 ] edge [ source 2 target 0 value 3 ] ]",
		"GraphML": `<graphml><key id="d0" attr.name="weight"/><graph edgedefault="undirected"><node id="0"/><node id="1"/><node id="2"/>` +
			`<edge source="0" target="1"><data key="d0">1</data></edge><edge source="1" target="2"><data key="d0">2</data></edge><edge source="2" target="0"><data key="d0">3</data></edge></graph></graphml>`,
	} {
		g, err := Read(strings.NewReader(text), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w, err := graph.NewTransition(g, "edges:proportional")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w.At(0, 1) != 0.25 || w.At(1, 2) != 2./3 || w.At(2, 0) != 0.6 {
			t.Errorf("%s: %v, %v, %v", name, w.At(0, 1), w.At(1, 2), w.At(2, 0))
		}
		if said, used := g.Dropped().Note(), w.Graph().Dropped().Note(); !strings.Contains(said, "weights: edges uses them") || strings.Contains(used, "weights") {
			t.Errorf("%s: %q, and %q where they are used", name, said, used)
		}
	}
}

// What gives an edge no weight, or two, is refused by the edge where weights are asked for.
func TestFormsWithoutWeights(t *testing.T) {
	for text, words := range map[string]string{
		"a b\nb c\nc a\n": "have none",
		"source,target,weight\na,b,1\nb,c,\nc,a,3\n":                                                                         "from node b to node c no weight",
		"a b 1\nb a 5\nb c 2\nc a 3\n":                                                                                       "nodes b and a two weights",
		"# directed\na b 1\nb a 5\nb c 2\nc b 2\n":                                                                           "nodes a and b two weights",
		"%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 1\n1 2 4\n":                                               "two weights",
		"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n":                                                   "have none",
		"graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 weight 2 ] edge [ source 1 target 2 ] ]": "from node 1 to node 2 no weight",
	} {
		g, err := Read(strings.NewReader(text), "w")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if _, err := graph.NewTransition(g, "edges"); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, not %q", text, err, words)
		}
	}
}

// What says which way its edges go is not told otherwise, and arrows that are edges both ways are each there once.
func TestDirected(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		text     string
		directed *bool
		edges    int // 0: refused
		is       bool
	}{
		{"a b\nb c\nc a\n", nil, 3, false}, {"a b\nb c\nc a\n", &yes, 3, true}, {"a b\nb c\nc a\n", &no, 3, false},
		{"a b\nb a\n", &yes, 2, true}, {"# directed\na b\nb c\nb a\n", &no, 2, false}, {"# directed\na b\nb c\nb a\n", &yes, 3, true},
		{"# undirected\na b\nb c\n", &yes, 0, false}, {"source,target,type\na,b,Undirected\nb,c,Undirected\n", &yes, 0, false},
		{"3 3\n2 3\n1 3\n1 2\n", &yes, 0, false}, {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", &yes, 0, false},
	} {
		g, err := ReadAs(strings.NewReader(c.text), "g", c.directed)
		if c.edges == 0 {
			if err == nil || !strings.Contains(err.Error(), "says itself") {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if err != nil || g.Edges() != c.edges || g.Directed() != c.is || g.Label(0) != "a" {
			t.Errorf("%q: %v %v", c.text, g, err)
		}
	}
}
