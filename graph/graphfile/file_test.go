package graphfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

func TestSaveAndOpen(t *testing.T) {
	for _, expr := range []string{"hypercube:4", "ring:5,directed", "davis", "er:n=20,p=0.05,seed=2"} {
		for _, name := range []string{"graph.edges", "graph.edges.gz"} {
			path := filepath.Join(t.TempDir(), name)
			g, err := Open(expr, 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := Save(path, g); err != nil {
				t.Fatal(err)
			}
			back, err := Open(path, 1)
			if err != nil {
				t.Fatal(err)
			}
			if back.Name() != path || text(t, back, expr) != text(t, g, expr) {
				t.Errorf("%s in %s came back as %s", expr, name, text(t, back, expr))
			}
		}
	}
}

// text is what Write makes of g, its first line with the name apart.
func text(t *testing.T, g *graph.Graph, expr string) string {
	t.Helper()
	var b strings.Builder
	if err := graph.Write(&b, g); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(b.String(), " "+g.Name()+"\n", " "+expr+"\n", 1)
}

func TestSaveLeavesNothingHalfDone(t *testing.T) {
	folder := t.TempDir()
	g, err := Open("ring:5", 1)
	if err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(folder, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{taken, filepath.Join(folder, "absent", "graph.edges")} {
		if err := Save(path, g); err == nil || fault.Hint(err) == "" {
			t.Errorf("saving to %s: %v, without hint", path, err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestOpenErrors(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"nowhere.edges": "neither a file nor a generator",
		folder:          folder,
		empty:           "no edge",
		"ring:2":        "from 3",
	}
	for name, what := range tests {
		_, err := Open(name, 1)
		if err == nil || !strings.Contains(err.Error(), what) || fault.Hint(err) == "" {
			t.Errorf("%s: error %v, want %q and a hint", name, err, what)
		}
		if errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: wrong kind of error: %v", name, err)
		}
	}
}
