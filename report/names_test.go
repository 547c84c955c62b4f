package report

import (
	"encoding/csv"
	"strings"
	"testing"
)

// Every file about pairs says who the nodes are, whatever they are called.
func TestFilesNameTheNodes(t *testing.T) {
	b := hospitalsBundle()
	b.Picture.Names = []string{"Genève", `"Haus", Bern`, "a\nb", " Lugano"}
	s, err := newSurvey(t.Context(), b, usual)
	if err != nil {
		t.Fatal(err)
	}
	var nodes, pairs strings.Builder
	if err := writeNodes(&nodes, b); err != nil {
		t.Fatal(err)
	}
	if err := writePairs(&pairs, s); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(nodes.String())).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%v: %q", err, nodes.String())
	}
	for v, name := range b.Picture.Names {
		if rows[v+1][1] != name || rows[v+1][2] != []string{"1", "2", "2", "1"}[v] {
			t.Errorf("node %d: %q", v, rows[v+1])
		}
	}
	listed, err := csv.NewReader(strings.NewReader(pairs.String())).ReadAll()
	if err != nil || len(listed) != 13 {
		t.Fatalf("%v: %q", err, pairs.String())
	}
	last := len(listed[0]) - 1
	if listed[0][last-1] != "u_name" || listed[0][last] != "v_name" || listed[1][last-1] != "Genève" || listed[1][last] != `"Haus", Bern` {
		t.Errorf("%q", listed[:2])
	}
	if file := newPairsFile(b.Result, s); len(file.Names) != 4 {
		t.Errorf("privacy.json has names %q", file.Names)
	}
}
