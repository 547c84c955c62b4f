package experiment

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/spec"
)

func contextAndCancel(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// load writes a spec and its files to a folder and loads it from there.
func load(t *testing.T, files map[string]string) *spec.Spec {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(filepath.Join(dir, "spec.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const tail = `
algorithm: {steps: 20, step_size: 0.1, clip: 0.3, contributions: 20}
privacy: {sigma: 8, accountant: local}
`

// Nodes are called as the edge list calls them, or by the hospital whose rows
// they hold.
func TestNodesHaveTheirNames(t *testing.T) {
	testdata.Sequential(t)
	const rows = "a,town,y\n1,Lyon,0\n2,Lyon,1\n3,Lille,0\n4,Lille,1\n5,Lyon,0\n6,Lyon,1\n7,Lille,1\n8,Lyon,0\n9,Lyon,1\n"
	towns := func(graph string) string {
		return "data: {source: csv, path: rows.csv, target: y, test: 0, partition: column:town}\ngraph: " + graph + tail
	}
	generated := func(graph string) string {
		return "data: {source: two-gaussians}\ngraph: " + graph + tail
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"numbered", map[string]string{"spec.yaml": generated("ring:3")}, nil},
		{"numbers of their own", map[string]string{"spec.yaml": generated("g.edges"), "g.edges": "7 9\n9 11\n"}, []string{"node 7", "node 9", "node 11"}},
		{"names", map[string]string{"spec.yaml": generated("g.edges"), "g.edges": "bob alice\nbob carol\n"}, []string{"alice", "bob", "carol"}},
		{"groups", map[string]string{"spec.yaml": towns("complete:2"), "rows.csv": rows}, []string{"Lille", "Lyon"}},
		{"more nodes than groups", map[string]string{"spec.yaml": towns("complete:3"), "rows.csv": rows}, []string{"Lille", "Lyon 1", "Lyon 2"}},
	} {
		picture := prepare(t, load(t, c.files)).picture()
		if !slices.Equal(picture.Names, c.want) {
			t.Errorf("%s: called %q, want %q", c.name, picture.Names, c.want)
		}
	}
}

// The heart study on its four hospitals.
func TestHospitalsHaveTheirNames(t *testing.T) {
	testdata.Sequential(t)
	testdata.Both(t, testdata.Heart(t), "data/heart", func(t *testing.T, path string) {
		s, err := Parse([]byte("data: {source: heart, path: "+path+"}\ngraph: complete:4"+tail), "heart.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if names := prepare(t, s).picture().Names; !slices.Equal(names, []string{"cleveland", "hungarian", "switzerland", "va"}) {
			t.Errorf("nodes are called %q", names)
		}
	})
}

// Hops are those of the information, from the node to its observer.
func TestHopsFollowTheArrows(t *testing.T) {
	picture := prepare(t, variant(t, "hypercube:4", "ring:5,directed")).picture()
	hops := make([]int32, 5)
	picture.Hops(1, hops)
	if !slices.Equal(hops, []int32{1, 0, 4, 3, 2}) {
		t.Errorf("hops to node 1 are %v", hops)
	}
}
