package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The comparison of methods in docs/RESULTS.md works as it is pasted, here with fewer values and steps, and leaves a figure and a table.
func TestComparisonOfResultsWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it runs sixteen cells")
	}
	text, err := os.ReadFile("../../docs/RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "    hearsay sweep spec.yaml --repeat 10")
	command, _, found := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatal("docs/RESULTS.md has no comparison")
	}
	short := strings.NewReplacer("[0.5, 1, 2, 5, 10]", "[1, 10]", "steps: 800", "steps: 80", "contributions: 60", "contributions: 10", "steps: 30", "steps: 5")
	dir := t.TempDir()
	spec := "graph: complete:16\ndata: {source: heart}\nmodel: {kind: logistic}\nalgorithm: {kind: walk, steps: 80, step_size: 0.1, clip: 0.5, contributions: 10}\nprivacy: {calibrate: {mean: 1}}\n"
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(spec), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "hearsay sweep spec.yaml --repeat 1"+short.Replace(command))
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	table, err := os.ReadFile(filepath.Join(dir, "table.tex"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(table), `\\`+"\n"); lines != 2+2*2*2 || strings.Contains(string(table), "--") {
		t.Errorf("%d lines in the table:\n%s", lines, table)
	}
	for _, file := range []string{"figure.pdf", "out/sweep.csv", "out/index.html"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
}
