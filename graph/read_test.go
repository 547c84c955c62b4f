package graph_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
	"github.com/hearsay-dp/hearsay/internal/graphtest"
	"github.com/hearsay-dp/hearsay/internal/testdata"
)

func readShared(t testing.TB, name string) *graph.Graph {
	t.Helper()
	return readFile(t, testdata.Shared(t, name), name)
}

func readFile(t testing.TB, path, name string) *graph.Graph {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graphfile.Read(bytes.NewReader(text), name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func readText(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graphfile.Read(strings.NewReader(text), "text")
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	graphtest.Contract(t, g)
	return g
}

// edgesOf prints a graph as its labels and edges.
func edgesOf(g *graph.Graph) string {
	var b strings.Builder
	for u := range g.Len() {
		fmt.Fprintf(&b, "%s:", g.Label(u))
		for _, v := range g.Neighbours(u) {
			if int(v) > u {
				fmt.Fprintf(&b, " %s", g.Label(int(v)))
			}
		}
		b.WriteString("; ")
	}
	return strings.TrimSpace(b.String())
}

func TestReadForms(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "0 1\n1 2\n", "0: 1; 1: 2; 2:;"},
		{"no final newline", "0 1\n1 2", "0: 1; 1: 2; 2:;"},
		{"windows", "0 1\r\n1 2\r\n", "0: 1; 1: 2; 2:;"},
		{"byte order mark", "\xef\xbb\xbf0 1\n1 2\n", "0: 1; 1: 2; 2:;"},
		{"tabs and comments", "# a graph\n% of three\n\n0\t1\n  1 \t 2\n", "0: 1; 1: 2; 2:;"},
		{"more columns", "0 1 0.5 7\n1 2 7 9\n", "0: 1; 1: 2; 2:;"},
		{"commas", "0,1,4\n1, 2 ,5\n", "0: 1; 1: 2; 2:;"},
		{"numeric with header", "node_a,node_b,weight\n0,1,4\n1,2,5\n", "0: 1; 1: 2; 2:;"},
		{"numeric with header and spaces", "source target\n0 1\n1 2\n", "0: 1; 1: 2; 2:;"},
		{"names with header", "family_a,family_b\nMedici,Pazzi\nPazzi,Strozzi\n", "Medici: Pazzi; Pazzi: Strozzi; Strozzi:;"},
		{"names, first line an edge", "Medici,Pazzi\nPazzi,Strozzi\n", "Medici: Pazzi; Pazzi: Strozzi; Strozzi:;"},
		{"names, no commas, no header", "b a\nc d\n", "a: b; b:; c: d; d:;"},
		{"one line", "b,a\n", "a: b; b:;"},
		{"quotes and inner spaces", "\"Evelyn J\",\"E1\"\nEvelyn J,E2\n", "E1: Evelyn J; E2: Evelyn J; Evelyn J:;"},
		{"integers by value", "10 9\n100 -3\n9 100\n", "-3: 100; 9: 10 100; 10:; 100:;"},
		{"from one", "1 2\n2 3\n", "1: 2; 2: 3; 3:;"},
		{"leading zeros are names", "007 7\n7 8\n", "007: 7; 7: 8; 8:;"},
		{"repeats, reverses and loops", "0 1\n1 0\n0 1\n1 1\n1 2\n2 2\n", "0: 1; 1: 2; 2:;"},
		{"a loop keeps its node", "0 1\n2 2\n", "0: 1; 1:; 2:;"},
		{"isolated", "# hearsay undirected nodes=3 edges=1\n# hearsay isolated 2\n0 1\n", "0: 1; 1:; 2:;"},
	}
	for _, test := range tests {
		if got := edgesOf(readText(t, test.text)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestReadCountsWhatItDrops(t *testing.T) {
	g := readText(t, "a,b\n0,1\n1,0\n0,1\n1,1\n1,2\n")
	if want := (graph.Dropped{Loops: 1, Repeats: 2, Header: "a,b"}); g.Dropped() != want {
		t.Errorf("dropped %+v, want %+v", g.Dropped(), want)
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct{ name, text, what string }{
		{"nothing", "", "no edge"},
		{"comments only", "# x\n\n", "no edge"},
		{"one column", "0 1\n2\n", "line 2 has 1 words"},
		{"empty id", "0,1\n,2\n", "line 2: the node id \"\" has 0 bytes"},
		{"comment as id", "0 #1\n", "starts like a comment"},
		{"control characters", "0,a\x01b\n", "control character"},
		{"not UTF-8", "0 \xff\n", "not UTF-8"},
		{"unbalanced quote", "0,\"a\n", "quote"},
		{"endless line", "0 " + strings.Repeat("x", graph.MaxLine+1), "has 1048577 bytes"},
		{"unknown note", "# hearsay weighted\n0 1\n", "does not know the note"},
		{"bad counts", "# hearsay undirected nodes=two\n0 1\n", "wants nodes"},
		{"cut short", "# hearsay undirected nodes=3 edges=2\n0 1\n", "says it holds 3 nodes and 2 edges, but holds 2 and 1"},
		{"broken gzip header", "\x1f\x8bxx", "gzip"},
	}
	for _, test := range tests {
		_, err := graphfile.Read(strings.NewReader(test.text), "text")
		if err == nil {
			t.Errorf("%s was taken", test.name)
		} else if !strings.Contains(err.Error(), test.what) || fault.Hint(err) == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %q, hint %q; want %q", test.name, err, fault.Hint(err), test.what)
		}
	}
}

func TestReadTruncatedGzip(t *testing.T) {
	packed := compressed(t, strings.Repeat("0 1\n1 2\n2 3\n3 4\n", 1000))
	if g, err := graphfile.Read(bytes.NewReader(packed), "packed"); err != nil || g.Edges() != 4 {
		t.Fatalf("%v, %v", g, err)
	}
	for _, length := range []int{len(packed) - 1, len(packed) / 2, 11} {
		if _, err := graphfile.Read(bytes.NewReader(packed[:length]), "packed"); err == nil {
			t.Errorf("%d of %d bytes were taken for the whole", length, len(packed))
		}
	}
}

func compressed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A graphSize is how much a file must hold.
type graphSize struct {
	name                string
	nodes, edges, parts int
}

func (want graphSize) check(t *testing.T, g *graph.Graph) {
	t.Helper()
	graphtest.Contract(t, g)
	_, parts := g.Components()
	if g.Len() != want.nodes || g.Edges() != want.edges || len(parts) != want.parts {
		t.Errorf("%s: %d nodes, %d edges, %d components; want %v", want.name, g.Len(), g.Edges(), len(parts), want)
	}
}

// The files of testdata are of our own making: names with a header, lines out of order
// with repeats and weights, and one that is compressed.
func TestReadOwnFiles(t *testing.T) {
	for _, want := range []graphSize{{"markets.csv", 9, 12, 1}, {"islands.edges", 11, 10, 3}, {"cube.edges.gz", 16, 32, 1}} {
		want.check(t, readFile(t, filepath.Join("testdata", want.name), want.name))
	}
	for expr, name := range map[string]string{"hypercube:4": "cube.edges.gz", "grid:3x3": "markets.csv"} {
		g := readFile(t, filepath.Join("testdata", name), name)
		if expr != "grid:3x3" && !graphtest.Equal(mustParse(t, expr), g) || !slices.Equal(degrees(mustParse(t, expr)), degrees(g)) {
			t.Errorf("%s differs from %s", expr, name)
		}
	}
}

// degrees are the numbers of neighbours, ascending.
func degrees(g *graph.Graph) []int {
	d := make([]int, g.Len())
	for u := range d {
		d[u] = len(g.Neighbours(u))
	}
	slices.Sort(d)
	return d
}

func TestReadSharedFiles(t *testing.T) {
	for _, test := range []graphSize{
		{"data/graphs/davis_southern_women.csv", 32, 89, 1},
		{"data/graphs/florentine_families.csv", 15, 20, 1},
		{"data/graphs/karate.csv", 34, 78, 1},
		{"data/graphs/email-Enron.txt.gz", 36692, 183831, 1065},
		{"data/graphs/luxembourg-osm.txt.gz", 114599, 119666, 1},
		{"data/graphs/soc-douban.txt.gz", 154908, 327162, 1},
		{"data/facebook/0.edges", 333, 2519, 5},
		{"data/facebook/414.edges", 150, 1693, 2},
		{"golden/figure1/grid45.edges.gz", 2025, 3960, 1},
	} {
		test.check(t, readShared(t, test.name))
	}
}

func TestGeneratorsMatchPublishedFiles(t *testing.T) {
	for expr, file := range map[string]string{
		"florentine":   "data/graphs/florentine_families.csv",
		"davis":        "data/graphs/davis_southern_women.csv",
		"grid:45x45":   "golden/figure1/grid45.edges.gz",
		"hypercube:11": "golden/figure1/hypercube.edges.gz",
	} {
		if !graphtest.Equal(mustParse(t, expr), readShared(t, file)) {
			t.Errorf("%s differs from %s", expr, file)
		}
	}
}

func TestFind(t *testing.T) {
	for _, g := range []*graph.Graph{mustParse(t, "davis"), mustParse(t, "ring:12"), readText(t, "10 9\n100 -3\n9 100\n")} {
		for u := range g.Len() {
			if v, found := g.Find(g.Label(u)); !found || v != u {
				t.Errorf("%s: node %d is called %s, which finds %d, %v", g.Name(), u, g.Label(u), v, found)
			}
		}
		for _, stranger := range []string{"", "-1", "12", "Nobody", "01", "zz"} {
			if u, found := g.Find(stranger); found {
				t.Errorf("%s: %q finds %d", g.Name(), stranger, u)
			}
		}
	}
}

func checkRoundTrip(t interface{ Fatalf(string, ...any) }, g *graph.Graph) {
	var b bytes.Buffer
	if err := graph.Write(&b, g); err != nil {
		t.Fatalf("%v", err)
	}
	text := b.String()
	back, err := graph.Read(&b, g.Name())
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if !graphtest.Equal(g, back) || back.Dropped() != (graph.Dropped{}) {
		t.Fatalf("wrote %q, read back %s, dropped %+v", text, edgesOf(back), back.Dropped())
	}
}

func TestWriteReadsBack(t *testing.T) {
	for _, s := range specimens {
		checkRoundTrip(t, mustParse(t, s))
	}
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, graphtest.Draw(t, false)) })
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("0 1\n1 2\n"))
	f.Add([]byte("# hearsay undirected nodes=3 edges=2 x\n0 1\n1 2\n"))
	f.Add([]byte("# hearsay directed nodes=3 edges=2 x\n# hearsay isolated 2\n0 1\n1 0\n"))
	f.Add([]byte("# hearsay undirected nodes=4 edges=2 x\n\"a b\",\"c\"\r\n# x\n7,8 9\n"))
	f.Add(compressed(f, "0 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := graph.Read(bytes.NewReader(data), "fuzz")
		if err != nil {
			if fault.Hint(err) == "" {
				t.Errorf("no hint with %q", err)
			}
			return
		}
		graphtest.Contract(t, g)
		checkRoundTrip(t, g)
	})
}

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"soc-douban", "luxembourg-osm"} {
		b.Run(name, func(b *testing.B) {
			data, err := os.ReadFile(testdata.Shared(b, "data/graphs/"+name+".txt.gz"))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := graphfile.Read(bytes.NewReader(data), name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, expr := range []string{"hypercube:11", "hypercube:20", "er:n=1000000,p=0.00001", "geometric:n=1000000,r=0.0018", "regular:n=100000,d=10",
		"ba:n=100000,m=5"} {
		b.Run(expr, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				mustParse(b, expr)
			}
		})
	}
}
