package graphfile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
)

// The files plain, names, directed and multi in testdata were written by
// networkx 3.6.1: 12 nodes and 20 weighted edges; five names with spaces,
// quotes and accents and one of them alone; a directed graph; one with a loop
// and a repeat.
func TestFilesOfNetworkx(t *testing.T) {
	for name, want := range map[string]struct {
		nodes, edges int
		directed     bool
		dropped      graph.Dropped
	}{
		"plain.gml":        {12, 20, false, graph.Dropped{Weights: 20}},
		"plain.graphml":    {12, 20, false, graph.Dropped{Weights: 20}},
		"plain.edgelist":   {12, 20, false, graph.Dropped{Weights: 20}},
		"plain.weighted":   {12, 20, false, graph.Dropped{Weights: 20}},
		"plain.nodata":     {12, 20, false, graph.Dropped{}},
		"plain.adjlist":    {12, 20, false, graph.Dropped{}},
		"names.gml":        {5, 4, false, graph.Dropped{}},
		"names.graphml":    {5, 4, false, graph.Dropped{}},
		"directed.gml":     {6, 12, true, graph.Dropped{}},
		"directed.graphml": {6, 12, true, graph.Dropped{}},
		"directed.adjlist": {6, 9, false, graph.Dropped{Repeats: 3}},
		"multi.gml":        {5, 4, false, graph.Dropped{Loops: 1, Repeats: 1}},
		"multi.graphml":    {5, 4, false, graph.Dropped{Loops: 1, Repeats: 1}},
	} {
		g, err := Open(filepath.Join("testdata", name), 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if g.Len() != want.nodes || g.Edges() != want.edges || g.Directed() != want.directed || g.Dropped() != want.dropped {
			t.Errorf("%s: %d nodes, %d edges, directed %v, %+v; want %+v", name, g.Len(), g.Edges(), g.Directed(), g.Dropped(), want)
		}
		if strings.HasPrefix(name, "names") {
			checkNames(t, name, g)
		}
	}
	for _, name := range []string{"names.edgelist", "names.adjlist", "plain.madjlist"} {
		if _, err := Open(filepath.Join("testdata", name), 1); err == nil || fault.Hint(err) == "" {
			t.Errorf("%s, whose ids cannot be told apart: %v", name, err)
		}
	}
}

func checkNames(t *testing.T, file string, g *graph.Graph) {
	t.Helper()
	city, found := g.Find("Bern city")
	quoted, foundQuoted := g.Find(`a "q" & b`)
	alone, foundAlone := g.Find("alone, far")
	if !found || !foundQuoted || !foundAlone || !g.HasEdge(city, quoted) || g.Degree(alone) != 0 {
		t.Errorf("%s: names are not those of the file", file)
	}
	var b bytes.Buffer
	if err := graph.Write(&b, g); err != nil {
		t.Fatal(err)
	}
	back, err := Read(&b, file)
	if err != nil {
		t.Fatalf("%s written and read: %v", file, err)
	}
	for u := range g.Len() {
		if back.Label(u) != g.Label(u) || !slices.Equal(back.Neighbours(u), g.Neighbours(u)) {
			t.Errorf("%s: node %d comes back as %s with %v", file, u, back.Label(u), back.Neighbours(u))
		}
	}
}

// These are written by hand as scipy.io.mmwrite, igraph's write_graphml, the
// METIS manual and spreadsheets write them.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string // edges by label
		directed   bool
		dropped    graph.Dropped
	}{
		"matrix, pattern symmetric": {"%%MatrixMarket matrix coordinate pattern symmetric\n%\n4 4 3\n2 1\n3 1\n4 3\n", "1-2 1-3 3-4", false, graph.Dropped{}},
		"matrix, real general": {"%%MatrixMarket matrix coordinate real general\n%written by hand\n3 3 4\n1 2 5.0e-01\n2 1 5.0e-01\n2 3 1\n3 2 1\n",
			"1-2 2-3", false, graph.Dropped{Weights: 2}},
		"matrix, integer, one way": {"%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 1\n2 3 1\n3 3 0\n", "1-2 2-3", true, graph.Dropped{Zeros: 1}},
		"matrix, diagonal": {"%%matrixmarket MATRIX Coordinate Real Symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n", "1-2", false,
			graph.Dropped{Loops: 2, Weights: 2}},
		"metis":                   {"% a comment\n4 3\n2\n1 3\n2 4\n3\n", "1-2 2-3 3-4", false, graph.Dropped{}},
		"metis, an isolated node": {"4 2\n2\n1 3\n2\n\n", "1-2 2-3", false, graph.Dropped{}},
		"metis, edge weights":     {"3 2 001\n2 5\n1 5 3 1\n2 1\n", "1-2 2-3", false, graph.Dropped{Weights: 1}},
		"metis, all weights":      {"3 2 111 2\n1 7 8 2 5\n1 7 8 1 5 3 2\n1 7 8 2 2\n", "1-2 2-3", false, graph.Dropped{Weights: 2}},
		"metis, of equal lines":   {"3 3\n2 3\n1 3\n1 2\n", "1-2 1-3 2-3", false, graph.Dropped{}},
		"adjacency, both ends":    {"a b c\nb a c\nc a b\n", "a-b a-c b-c", false, graph.Dropped{}},
		"tabs with a header": {"source\ttarget\nNew York\tSan José\nSan José\tLa Paz, Bolivia\n", "La Paz, Bolivia-San José New York-San José",
			false, graph.Dropped{Header: "source\ttarget"}},
		"spaces with a header": {"Source Target Weight\na b 1\nb c 2.5\n", "a-b b-c", false, graph.Dropped{Header: "Source Target Weight", Weights: 1}},
		"commas, quotes":       {"\"Smith, J\",\"O\"\"Hara\"\n\"O\"\"Hara\",x\n", "O\"Hara-Smith, J O\"Hara-x", false, graph.Dropped{}},
		"spaces, quotes":       {"\"a b\" c\nc \"d e\"\n", "a b-c c-d e", false, graph.Dropped{}},
		"weights with commas":  {"a,b,0.5\nb,c,1\n", "a-b b-c", false, graph.Dropped{Weights: 1}},
		"many columns":         {"0 1 1 1082040961\n1 2 1 1082155839\n", "0-1 1-2", false, graph.Dropped{Columns: 2}},
		"gml of igraph": {"Creator \"igraph version 0.10\"\nVersion 1\ngraph\n[\n  directed 0\n  node\n  [\n    id 0\n" +
			"    name \"x\"\n  ]\n  node\n  [\n    id 1\n  ]\n  edge\n  [\n    source 1\n    target 0\n    weight 2\n  ]\n]\n",
			"0-1", false, graph.Dropped{Weights: 1}},
		"graphml of igraph": {`<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="v_name" for="node" attr.name="name" attr.type="string"/>` +
			`<key id="e_kind" for="edge" attr.name="kind" attr.type="string"/><graph id="G" edgedefault="directed"><node id="n0"><data key="v_name">Ann &amp; co</data></node>` +
			`<node id="n1"><data key="v_name">Bob</data></node><edge source="n0" target="n1"><data key="e_kind">k</data></edge></graph></graphml>`,
			"Ann & co-Bob", true, graph.Dropped{Columns: 1}},
	} {
		for _, packed := range []bool{false, true} {
			text := []byte(c.text)
			if packed {
				text = gzipped(t, text)
			}
			g, err := Read(bytes.NewReader(text), "text")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if edges(g) != c.want || g.Directed() != c.directed || g.Dropped() != c.dropped {
				t.Errorf("%s: %s, directed %v, %+v; want %s, %+v", name, edges(g), g.Directed(), g.Dropped(), c.want, c.dropped)
			}
		}
	}
}

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func edges(g *graph.Graph) string {
	var all []string
	for u := range g.Len() {
		for _, v := range g.Neighbours(u) {
			if g.Directed() || int(v) > u {
				all = append(all, g.Label(u)+"-"+g.Label(int(v)))
			}
		}
	}
	return strings.Join(all, " ")
}

func TestWhatIsNotUnderstoodIsRefused(t *testing.T) {
	header := "%%MatrixMarket matrix coordinate pattern symmetric\n"
	for name, c := range map[string]struct{ text, what string }{
		"cut matrix":         {header + "3 3 3\n2 1\n", "promises 3 entries"},
		"no square":          {header + "3 4 1\n2 1\n", "no square matrix"},
		"from zero":          {header + "3 3 1\n0 1\n", "line 3"},
		"array":              {"%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n", "array form"},
		"complex":            {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 0\n", "complex"},
		"skew":               {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "skew"},
		"metis, one end":     {"4 3\n2 3\n1\n4\n3\n", "both ends"},
		"metis, too many":    {"4 5\n2\n1 3\n2 4\n3\n", "promises 5 edges"},
		"gml, unknown node":  {"graph [ node [ id 0 ] edge [ source 0 target 7 ] ]", `"7"`},
		"gml, cut":           {"graph [ node [ id 0 ]", "line 1"},
		"gml, two of one id": {"graph [ node [ id 0 ] node [ id 0 ] ]", "two nodes"},
		"gml, deep":          {"graph [ " + strings.Repeat("a [ ", 100_000), "deep"},
		"graphml, deep":      {"<graphml>" + strings.Repeat("<a>", 1000), "deep"},
		"graphml, cut":       {"<graphml><graph><node id=\"a\">", "line 1"},
		"graphml, mixed":     {`<graphml><graph><node id="a"/><node id="b"/><edge source="a" target="b"/><edge source="b" target="a" directed="true"/></graph></graphml>`, "some edges are directed"},
		"graphml, hyper":     {`<graphml><graph><hyperedge/></graph></graphml>`, "hyperedge"},
		"other XML":          {"<gexf></gexf>", "not GraphML"},
		"json":               {`{"nodes": []}`, "JSON"},
		"pajek":              {"*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n", "Pajek"},
		"dot":                {"graph {\n a -- b\n}\n", "Graphviz"},
		"dimacs":             {"c x\np edge 2 1\ne 1 2\n", "DIMACS"},
		"graph6":             {">>graph6<<Bw\n", "graph6"},
		"zip":                {"PK\x03\x04xx", "zip"},
		"a path, or sizes":   {"3 2\n2 1\n1 0\n", "may be an edge"},
		"ragged words":       {"a b\nc d e\nf g\n", "no edge list"},
		"nothing":            {"", "no edge"},
	} {
		_, err := Read(strings.NewReader(c.text), "text")
		if err == nil || !strings.Contains(err.Error(), c.what) || fault.Hint(err) == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q and a hint", name, err, c.what)
		}
	}
}

// Any graph written as METIS, as a Matrix Market pattern or as adjacency lists
// is read as that graph.
func TestEveryGraphIsReadFromEveryForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "nodes")
		has := make([][]bool, n)
		var want []string
		for u := range has {
			has[u] = make([]bool, n)
		}
		for u := range n {
			for v := u + 1; v < n; v++ {
				if rapid.Bool().Draw(t, "edge") {
					has[u][v], has[v][u] = true, true
					want = append(want, fmt.Sprintf("%d-%d", u+1, v+1))
				}
			}
		}
		metis := fmt.Sprintf("%d %d\n", n, len(want))
		matrix := fmt.Sprintf("%%%%MatrixMarket matrix coordinate pattern symmetric\n%d %d %d\n", n, n, len(want))
		for u := range n {
			for v := range n {
				if has[u][v] {
					metis += fmt.Sprintf("%d ", v+1)
					if v < u {
						matrix += fmt.Sprintf("%d %d\n", u+1, v+1)
					}
				}
			}
			metis += "\n"
		}
		for _, text := range []string{metis, matrix} {
			g, err := Read(strings.NewReader(text), "text")
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if g.Len() != n || edges(g) != strings.Join(want, " ") {
				t.Fatalf("%d nodes, %s; want %d, %s in\n%s", g.Len(), edges(g), n, strings.Join(want, " "), text)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(text)
		}
	}
	f.Add([]byte("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n"))
	f.Add([]byte("3 2 001\n2 5\n1 5 3 1\n2 1\n"))
	f.Add([]byte("# hearsay directed nodes=2 edges=1\n\"a, b\",c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := Read(bytes.NewReader(text), "fuzz")
		if err != nil {
			if fault.Hint(err) == "" {
				t.Fatalf("no hint for %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := graph.Write(&b, g); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&b, "again")
		if err != nil || back.Len() != g.Len() || back.Edges() != g.Edges() {
			t.Fatalf("%v: what was read is not read back", err)
		}
		mixesOrSays(t, g)
		for _, directed := range []bool{true, false} {
			if g, err := ReadAs(bytes.NewReader(text), "fuzz", &directed); err == nil {
				if mixesOrSays(t, g); g.Directed() != directed {
					t.Fatalf("directed: %t is not what was read", directed)
				}
			} else if fault.Hint(err) == "" {
				t.Fatalf("no hint for %v", err)
			}
		}
	})
}

// mixesOrSays fails unless weights of edges make rows that sum to 1, or are refused with a hint.
func mixesOrSays(t *testing.T, g *graph.Graph) {
	t.Helper()
	for _, rule := range []string{"edges", "edges:laplacian", "edges:proportional"} {
		w, err := graph.NewTransition(g, rule)
		if err != nil {
			if fault.Hint(err) == "" {
				t.Fatalf("no hint for %v", err)
			}
			continue
		}
		for u := range w.Len() {
			sum := w.Self(u)
			for _, v := range w.Graph().Neighbours(u) {
				sum += w.At(u, int(v))
			}
			if !(math.Abs(sum-1) <= 1e-12*float64(1+g.Degree(u))) {
				t.Fatalf("%s: row %d sums to %v", rule, u, sum)
			}
		}
	}
}
