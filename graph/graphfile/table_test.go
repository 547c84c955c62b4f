package graphfile

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
)

// Columns are found by their names, wherever they stand; a matrix is a matrix; what a file says of itself is believed.
func TestListsAreReadAsTheyAreMeant(t *testing.T) {
	for text, want := range map[string]string{
		"id,from,to\n7,a,b\n8,b,c\n":                                           "a-b b-c",
		"Weight;Target;Source\n0,5;b;a\n1,25;c;b\n":                            "a-b b-c",
		"edge\tnode_1\tnode_2\nx\t10\t20\ny\t20\t30\n":                         "10-20 20-30",
		"Source Node,Target Node\nA 1,B 2\nB 2,C 3\n":                          "A 1-B 2 B 2-C 3",
		":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n2,3,KNOWS\n":                      "1-2 2-3",
		"fromNodeId\ttoNodeId\n1\t2\n2\t3\n":                                   "1-2 2-3",
		"source,target,source_name,target_name\n1,2,x,y\n2,3,y,z\n":            "1-2 2-3",
		"person,friend,since\nAnn,Bob,2001\nBob,Eve,2002\n":                    "Ann-Bob Bob-Eve",
		"\"source\" \"target\"\n1 2\n2 3\n":                                    "1-2 2-3",
		"a b 2\nb c 3\n":                                                       "a-b b-c",
		"a1,a2\na2,a3\n":                                                       "a1-a2 a2-a3",
		"0,1,1,0\n1,0,0,1\n1,0,0,1\n0,1,1,0\n":                                 "0-1 0-2 1-3 2-3",
		"0\t1\t1\n1\t0\t0\n1\t0\t0\n":                                          "0-1 0-2",
		",x,y,z\nx,0,1,0\ny,1,0,1\nz,0,1,0\n":                                  "x-y y-z",
		",0,1,2\n0,0,1,0\n1,1,0,1\n2,0,1,0\n":                                  "0-1 1-2",
		"x y z\n0 1 0\n1 0 1\n0 1 0\n":                                         "x-y y-z",
		"x 0 1 0\ny 1 0 1\nz 0 1 0\n":                                          "x-y y-z",
		"0 .5 0 .5 0\n.5 0 .5 0 0\n0 .5 0 0 .5\n.5 0 0 0 .5\n0 0 .5 .5 0\n":    "0-1 0-3 1-2 2-4 3-4",
		"a 1 2\na 2 3\n":                                                       "1-2 2-3 directed",
		"# Directed graph: x\n# Nodes: 3 Edges: 2\n1\t2\n2\t3\n":               "1-2 2-3 directed",
		"# Directed graph: each way\n1\t2\n2\t1\n":                             "1-2",
		"% sym unweighted\n1 2\n2 3\n":                                         "1-2 2-3",
		"% bip\n1 1\n1 2\n":                                                    "L1-R1 L1-R2",
		"% asym\n1 2\n2 1\n2 3\n":                                              "1-2 2-1 2-3 directed",
		"Source,Target,Type\n1,2,Undirected\n2,3,Undirected\n":                 "1-2 2-3",
		"source,target,directed\n1,2,true\n2,3,true\n":                         "1-2 2-3 directed",
		"4 3\n0 1\n1 2\n2 3\n":                                                 "0-1 1-2 2-3",
		"3 3\n1 2 0.5\n2 3 0.5\n3 1 1\n":                                       "1-2 1-3 2-3",
		"3 3 2\n1 2\n2 3\n":                                                    "1-2 2-3",
		"4 2\n0 1\n1 2\n":                                                      "0-1 1-2",
		"1 2\t0.5\n2 3\t1\n":                                                   "1-2 2-3",
		"a\tb\nb\tNew York\n":                                                  "New York-b a-b",
		"%matrixmarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n": "1-2 2-3",
		`<graphml><key id="l" attr.name="label"/><key id="n" attr.name="name"/><graph><node id="1"><data key="l">x</data><data key="n"><![CDATA[o]]><![CDATA[ne]]></data></node>` +
			`<node id="2"><data key="n">two</data></node><edge source="1" target="2"/></graph></graphml>`: "one-two",
		"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><graphml><graph><node id=\"\xe9\"/><node id=\"z\"/><edge source=\"\xe9\" target=\"z\"/></graph></graphml>": "z-é",
	} {
		g, err := Read(strings.NewReader(text), "text")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := edges(g)
		if g.Directed() {
			got += " directed"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// What may be read in two ways is asked about.
func TestListsThatMayBeTwoThings(t *testing.T) {
	for text, want := range map[string]string{
		"source,target\n":                                         "no edge",
		"Source;Target;Weight\n":                                  "no edge",
		"Id,Label\n1,one\n2,two\n":                                "none of the columns",
		"id,lat,lon\na,48.1,2.3\nb,45.7,4.8\n":                    "none of the columns",
		"node,club\n0,Mr. Hi\n1,Officer\n":                        "none of the columns",
		"Name\tSize\nlyon\t3\nbrest\t4\n":                         "none of the columns",
		"a pp b\nb pp c\n":                                        "the third is no weight",
		"a,friend,b\nb,friend,c\n":                                "may name the columns",
		"San Jose Los Angeles\nLos Angeles San Diego\n":           "the third is no weight",
		"San Jose\t3\nLos Angeles\t4\n":                           "a space in it",
		"1 2 3 4 5\n2 3 4 5 6\n":                                  "the third is no weight",
		"lyon,brest\nparis,nice\nnice,metz\n":                     "may name the columns",
		"0 1 1\n0 0 1\n0 0 0\n":                                   "may be a matrix",
		"0 1 1 0\n0 0 1 0\n0 0 0 1\n0 0 0 0\n":                    "may be a matrix",
		"0 1 1 0 0\n0 0 1 0 0\n0 0 0 1 0\n0 0 0 0 1\n0 0 0 0 0\n": "one side of the diagonal",
		"Source,Target,Type\n1,2,Directed\n2,3,Undirected\n":      "some edges are directed",
		"source,target,weight\n1,2,much\n2,3,1\n":                 "",
		"u\x00n\x001\x002\x00":                                    "UTF-16",
		"<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><graphml><graph><node id=\"a\"/></graph></graphml>":                                   "the encoding \"Shift_JIS\"",
		"<graphml><key id=\"n\" attr.name=\"name\"/><graph><node id=\"a\"><data key=\"n\">" + strings.Repeat("<![CDATA[x]]>", longestData+1): "longer than",
		"1000000000 0\n": "",
		"%%MatrixMarket matrix coordinate pattern symmetric\n1000000000 1000000000 0\n": "has 1000000000 nodes",
		"a " + strings.Repeat("b", longestID+1) + "\n":                                  "bytes",
	} {
		g, err := Read(strings.NewReader(text), "text")
		switch {
		case err == nil && want != "":
			t.Errorf("%.80q is read as %s", text, edges(g))
		case err != nil && (!strings.Contains(err.Error(), want) || fault.Hint(err) == "" || strings.Contains(err.Error(), "\n")):
			t.Errorf("%.80q: %v, want %q and a hint", text, err, want)
		}
	}
}

// What is said of a file is said aloud: sizes that do not agree, and kinds of nodes.
func TestWhatAFileSaysIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"# Nodes: 9 Edges: 5\n1 2\n2 3\n": "its comments speak of 9 nodes, and its edges name 3; its comments speak of 5 edges, and 2 lines follow",
		"# Nodes: 3 Edges: 2\n1 2\n2 3\n": "",
		"% bip\n1 1\n":                    "the file says that it is bipartite: ids on the left are called L.., those on the right R..",
		"e 1 2\ne 2 3\n":                  "the letter 'e' before every edge is left out",
	} {
		g, err := Read(strings.NewReader(text), "text")
		if err != nil || g.Dropped().Said != want {
			t.Errorf("%q: %v, %v", text, g, err)
		}
	}
}

// A small file takes little memory whatever it unpacks to.
func TestRepeatedLinesTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks a quarter of a gigabyte")
	}
	packed := gzipped(t, bytes.Repeat([]byte("1 2\n"), mostText/4+1))
	if len(packed) > 1<<20 {
		t.Fatalf("%d bytes", len(packed))
	}
	for _, text := range [][]byte{packed, gzipped(t, bytes.Repeat([]byte("1 2\n"), mostLines+2))} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Read(bytes.NewReader(text), "text"); err == nil || fault.Hint(err) == "" {
			t.Errorf("%v", err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 6*mostText {
			t.Errorf("%d bytes took %d", len(text), took)
		}
	}
	if _, err := Read(strings.NewReader(strings.Repeat("1 2\n", 100)), "text"); err != nil {
		t.Error(err)
	}
}
