package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/answer/price"
	"github.com/hearsay-dp/hearsay/answer/runs"
	"github.com/hearsay-dp/hearsay/report"
)

// What a spec is planned at is what the command without a model says of the same
// run: both ask the family for the schedule. Means and maxima over all pairs are
// equal but for the order in which they are added up.
func TestPlanAndPrivacyAgree(t *testing.T) {
	const walk = "algorithm: {steps: 8, step_size: 0.1, clip: 0.3, contributions: 2"
	for name, c := range map[string]struct{ spec, accountant, command, path string }{
		"a ring": {
			"graph: ring:8\n" + walk + "}\nprivacy: {sigma: 3, metric: {renyi: 2}}", "path",
			"walk --graph ring:8 --steps 8 --sigma 3 --contributions 2", "path",
		},
		"a start, a burn-in and a last token": {
			"graph: hypercube:3\n" + walk + ", burn_in: 3, start: 2}\nprivacy: {sigma: 3, metric: {renyi: 3}, release: final}", "path",
			"walk --graph hypercube:3 --steps 8 --sigma 3 --contributions 2 --alpha 3 --burn-in 3 --start 2 --final", "path",
		},
		"pairs that are charged by moments": {
			"graph: er:n=14,p=0.3,seed=3,connected=true\n" + walk + "}\nprivacy: {sigma: 3, metric: {renyi: 2}}", "path",
			"walk --graph er:n=14,p=0.3,seed=3,connected=true --steps 8 --sigma 3 --contributions 2", "path",
		},
		"no symmetry": {
			"graph: er:n=5,p=0.7,seed=3\nweights: uniform\n" + walk + "}\nprivacy: {sigma: 3, metric: {renyi: 2}}", "path",
			"walk --graph er:n=5,p=0.7,seed=3 --weights uniform --steps 8 --sigma 3 --contributions 2", "path",
		},
		"the formula in print": {
			"graph: er:n=5,p=0.7,seed=3\n" + walk + "}\nprivacy: {sigma: 30, metric: {renyi: 2}, accountant: published}", "published",
			"walk --graph er:n=5,p=0.7,seed=3 --steps 8 --sigma 30 --contributions 2 --sender known --accountant published", "published",
		},
		"all public": {
			"graph: ring:8\n" + walk + "}\nprivacy: {sigma: 3, metric: {renyi: 2}}", "local",
			"walk --graph ring:8 --steps 8 --sigma 3 --contributions 2 --accountant published", "local",
		},
		"averaging": {
			"graph: er:n=12,p=0.4,seed=3\ndata: {source: mean}\nmodel: {kind: mean}\nalgorithm: {kind: gossip, steps: 4, clip: 1}\n" +
				"privacy: {sigma: 3, metric: {renyi: 2}}", "exact",
			"gossip --graph er:n=12,p=0.4,seed=3 --steps 4 --sigma 3", "sound",
		},
		"rounds that learn": {
			"graph: er:n=9,p=0.4,seed=3\nalgorithm: {kind: gossip-gd, steps: 3, step_size: 0.1, clip: 0.3}\n" +
				"privacy: {sigma: 3, accountant: flow}", "flow",
			"flow --graph er:n=9,p=0.4,seed=3 --rounds 3 --sigma 3", "sound",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && strings.Contains(c.command, "er:n=5") {
				t.Skip("short tests price symmetric graphs, one law a distance")
			}
			file := filepath.Join(t.TempDir(), "spec.yaml")
			text := c.spec
			if !strings.Contains(text, "data:") {
				text += "\ndata: {source: two-gaussians, rows: 4, features: 3, normalise: unit}"
			}
			if err := os.WriteFile(file, []byte(text+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			mean, worst := planned(answerOf(t, "plan", file), c.accountant)
			m, w := askedFor(answerOf(t, append([]string{"privacy"}, strings.Fields(c.command)...)...), c.path)
			if !(math.Abs(mean-m) <= 1e-12*mean && math.Abs(worst-w) <= 1e-12*worst && worst > 0) {
				t.Errorf("plan says mean %v, worst %v; privacy mean %v, worst %v", mean, worst, m, w)
			}
		})
	}
}

// answerOf runs a command and reads its JSON.
func answerOf(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), append(args, "--json"), &stdout, &stderr); code != form.ExitOK {
		t.Fatalf("%v: %s", args, &stderr)
	}
	var answer map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// planned are the mean and the maximum that a plan has of an accountant.
func planned(plan map[string]any, accountant string) (mean, worst float64) {
	p := plan["privacy"].(map[string]any)
	for _, a := range append([]any{p}, p["others"].([]any)...) {
		if account, ok := a.(map[string]any); ok && account["accountant"] == accountant {
			return account["mean"].(float64), account["max"].(float64)
		}
	}
	return math.NaN(), math.NaN()
}

// askedFor are those of the losses that a command prints, which for some are one
// number for all pairs.
func askedFor(answer map[string]any, accountant string) (mean, worst float64) {
	eps := answer["accountants"].(map[string]any)[accountant].(map[string]any)["eps"]
	if one, ok := eps.(float64); ok {
		return one, one
	}
	var rows [][]float64
	for _, row := range eps.([]any) {
		var losses []float64
		for _, x := range row.([]any) {
			losses = append(losses, x.(float64))
		}
		rows = append(rows, losses)
	}
	return price.Summarise(rows)
}

// The nodes that lose most are listed, and nothing where all lose alike.
func TestNodesOfAPlan(t *testing.T) {
	nodes := &report.NodeLosses{Accountant: "path", Status: report.Sound}
	for v := range 7 {
		nodes.Each = append(nodes.Each, report.NodeLoss{Node: v, Name: fmt.Sprintf("house %d", v), Loses: report.Number(v), Towards: (v + 1) % 7, Learns: 2, About: 0})
	}
	var shown bytes.Buffer
	runs.PrintNodes(&shown, nodes)
	if text := shown.String(); !strings.Contains(text, "house 6  6      house 0  2       house 0\nhouse 5") || !strings.Contains(text, "and 2 more, down to house 0, which loses 0") {
		t.Errorf("%s", text)
	}
	for v := range nodes.Each {
		nodes.Each[v].Loses = 3
	}
	shown.Reset()
	if runs.PrintNodes(&shown, nodes); shown.Len() > 0 {
		t.Errorf("of nodes that lose alike: %s", shown.String())
	}
}
