package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever names, headers, titles and errors of files hold, nothing of it tells a terminal what to do.
func TestNoTextOfOthersReachesTheTerminal(t *testing.T) {
	const evil = "\u202e\u009b2J\x1b[2J\x1b]0;owned\a\rsound"
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	graph := file("g.txt", "a\u202eb c\nc d\nd a\u202eb\n")
	table := file("t.csv", "age,"+evil+",ill\n1,2,yes\n2,3,no\n3,1,yes\n")
	titled := file("titled.yaml", "name: \"\\e[2J\\u202e\\x9b title\"\ndata: {source: two-gaussians, rows: 4, features: 2, normalise: unit}\ngraph: ring:3\n"+
		"algorithm: {kind: gossip-gd, steps: 2, step_size: 0.1, clip: 0.3}\nprivacy: {sigma: 2}\n")
	for _, args := range [][]string{
		{"graph", "info", graph},
		{"graph", "info", graph, "--json"},
		{"data", "info", table, "--target", "ill"},
		{"data", "info", table, "--target", evil},
		{"plan", titled},
		{"plan", titled, "--json"},
		{"run", titled, "--out", filepath.Join(folder, "out")},
		{"plan", file("broken.yaml", "name: x\n\""+evil+"\": 3\n")},
		{"plan", folder + "/" + evil},
		{"graph", "info", evil},
		{evil},
	} {
		var stdout, stderr bytes.Buffer
		run(context.Background(), args, &stdout, &stderr)
		for _, text := range []string{stdout.String(), stderr.String()} {
			if at := strings.IndexFunc(text, func(r rune) bool {
				return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r <= 0x9f || r == 0x202e || r == 0xfffd
			}); at >= 0 {
				t.Errorf("%q: prints %q", args, text[max(0, at-20):min(len(text), at+20)])
			}
		}
	}
}
