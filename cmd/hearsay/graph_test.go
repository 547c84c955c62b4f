package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/tables"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/graph/graphfile"
)

// hearsayGraph runs "hearsay graph" in this process.
func hearsayGraph(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), append([]string{"graph"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestGraphMakeReadsBack(t *testing.T) {
	code, stdout, stderr := hearsayGraph("make", "er:n=40,p=0.1", "--seed", "7")
	if code != 0 || stderr != "" {
		t.Fatalf("code %d, stderr %q", code, stderr)
	}
	g, err := graph.Read(strings.NewReader(stdout), "stdout")
	if err != nil {
		t.Fatal(err)
	}
	want, err := gen.Parse("er:n=40,p=0.1,seed=7", 1)
	if err != nil {
		t.Fatal(err)
	}
	if g.Len() != want.Len() || g.Edges() != want.Edges() {
		t.Errorf("%d nodes and %d edges, want %d and %d", g.Len(), g.Edges(), want.Len(), want.Edges())
	}
}

func TestGraphMakeToAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cube.edges.gz")
	code, stdout, stderr := hearsayGraph("make", "hypercube:5", "--out", path, "--json")
	var made tables.GraphMade
	if err := json.Unmarshal([]byte(stdout), &made); err != nil || code != 0 {
		t.Fatalf("code %d, %v, stderr %q", code, err, stderr)
	}
	g, err := graphfile.Open(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	if made != (tables.GraphMade{Name: "hypercube:5", Nodes: 32, Edges: 80, Out: path}) || g.Len() != 32 || g.Edges() != 80 {
		t.Errorf("said %+v, wrote %d nodes and %d edges", made, g.Len(), g.Edges())
	}
}

func TestGraphInfoJSON(t *testing.T) {
	code, stdout, stderr := hearsayGraph("info", "hypercube:4", "--json")
	if code != 0 || stderr != "" {
		t.Fatalf("code %d, stderr %q", code, stderr)
	}
	var info tables.GraphInfo
	if err := json.Unmarshal([]byte(stdout), &info); err != nil {
		t.Fatal(err)
	}
	if info.Nodes != 16 || info.Edges != 32 || !info.Connected || *info.Diameter != (tables.DiameterInfo{Lower: 4, Upper: 4, Exact: true}) ||
		!info.Symmetric || info.SpectralGap.Value < 0.4-1e-12 || info.SpectralGap.Value > 0.4+1e-12 ||
		*info.MixingTime != (tables.MixingInfo{Iota: 0.25, Lower: 3, Upper: 3, Status: "exact"}) {
		t.Errorf("%s", stdout)
	}
}

func TestGraphInfoText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pieces.csv")
	if err := os.WriteFile(path, []byte("a,b\n0,1\n1,0\n2,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := hearsayGraph("info", path, "--weights", "metropolis")
	for _, want := range []string{
		`1 (left out: 1 self loops, 1 repeats, the header "a,b")`, "no: 2 components, the largest of 2 nodes",
		"metropolis", "note", "mixing time: the graph",
	} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("code %d, no %q in\n%s", code, want, stdout)
		}
	}
}

func TestGraphErrors(t *testing.T) {
	tests := []struct {
		args []string
		code int
		want string
	}{
		{[]string{"make", "er:n=10,q=1"}, form.ExitFault, `has no key "q"`},
		{[]string{"make", "ring:5", "--json"}, form.ExitFault, "--out"},
		{[]string{"make", "ring:5", "--out", filepath.Join(t.TempDir(), "no", "x")}, form.ExitFault, "cannot write"},
		{[]string{"info", "nowhere.edges"}, form.ExitFault, "neither a file nor a generator"},
		{[]string{"info", "ring:5", "--weights", "lazy"}, form.ExitFault, `no weights "lazy"`},
		{[]string{"info"}, form.ExitUsage, "arg"},
	}
	for _, test := range tests {
		code, stdout, stderr := hearsayGraph(test.args...)
		if code != test.code || stdout != "" || !strings.HasPrefix(stderr, "error: ") ||
			!strings.Contains(stderr, test.want) || strings.Count(stderr, "\n") != 2 || !strings.Contains(stderr, "\nhint: ") {
			t.Errorf("%v: code %d, stdout %q, stderr %q", test.args, code, stdout, stderr)
		}
	}
}
