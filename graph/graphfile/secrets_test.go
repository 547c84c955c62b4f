package graphfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
)

func TestSecretsGraphs(t *testing.T) {
	on, err := graph.FromNames("friends", [][2]string{{"ann", "bob"}, {"bob", "cat"}, {"cat", "dan"}, {"dan", "eve"}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "secrets.edges")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("cat ann\nann cat\nann eve\n")
	for how, degrees := range map[string][5]int{
		"": {1, 2, 2, 2, 1}, EdgeSecrets: {1, 2, 2, 2, 1}, CompleteSecrets: {4, 4, 4, 4, 4}, "regular:2": {2, 2, 2, 2, 2}, file: {2, 0, 1, 0, 1},
	} {
		g, _, err := OpenSecrets(how, on, 7)
		if err != nil {
			t.Fatal(err)
		}
		for u, d := range degrees {
			if g.Len() != 5 || g.Degree(u) != d {
				t.Errorf("%s: node %d has %d partners, want %d", how, u, g.Degree(u), d)
			}
		}
		if g.Connected() != nil && how != file {
			t.Errorf("%s: not connected", how)
		}
	}
	if g, note, err := OpenSecrets(file, on, 7); err != nil || !g.HasEdge(0, 2) || !g.HasEdge(0, 4) || !strings.Contains(note, "1 edges that are there already") {
		t.Errorf("the file's pairs are not there (%v), or nothing is said of the repeat: %q", err, note)
	}
	for how, say := range map[string]string{
		"regular:5": "no number of partners", "regular:0": "regular:1 to regular:4", "regular:x": "no number", "regular:3": "both are odd",
		"ring:5": "not drawn by", "nowhere.edges": "regular:4",
	} {
		if _, _, err := OpenSecrets(how, on, 7); err == nil || !strings.Contains(err.Error()+fault.Hint(err), say) {
			t.Errorf("%s: %v, want %q", how, err, say)
		}
	}
	write("ann zoe\n")
	if _, _, err := OpenSecrets(file, on, 7); err == nil || !strings.Contains(err.Error(), `"zoe", which is no node of friends`) {
		t.Errorf("a stranger's secret: %v", err)
	}
	write("# Directed graph\nann bob\n")
	if _, _, err := OpenSecrets(file, on, 7); err == nil || !strings.Contains(err.Error(), "has arrows") {
		t.Errorf("arrows: %v", err)
	}
}
