// Package webtest writes folders for the tests of the dashboard and of its page in a browser.
package webtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sweep"
	"github.com/hearsay-dp/hearsay/web"
)

// Run writes the folder of a run on the graph of an expression; names may be nil. Losses fall with the
// distance. A sound and a published accountant report them; the latter has no loss for the last node.
func Run(ctx context.Context, dir, expression string, names []string) error {
	g, err := gen.Parse(expression, 1)
	if err != nil {
		return err
	}
	b := bundle(g, names)
	return report.WriteDir(ctx, dir, b)
}

func bundle(g *graph.Graph, names []string) *report.Bundle {
	n := g.Len()
	r := Result("A run on "+g.Name(), n)
	r.Graph.Edges, r.Graph.Name = g.Edges(), g.Name()
	search := graph.NewSearch(g)
	hops := make([][]int32, n)
	for v := range hops {
		hops[v] = append([]int32{}, search.From(v)...)
	}
	p := &report.Picture{Names: names, Hops: func(v int, dst []int32) { copy(dst, hops[v]) }}
	for u := range n {
		for _, v := range g.Neighbours(u) {
			if int32(u) < v {
				p.Edges = append(p.Edges, [2]int32{int32(u), v})
			}
		}
	}
	at := func(scale, rate float64) func(u, v int) float64 {
		return func(u, v int) float64 {
			if u == v {
				return 0
			}
			return scale * math.Exp(-rate*float64(hops[v][u])) * (1 + 0.1*float64(u)/float64(n))
		}
	}
	formula := at(9, 0.9)
	published := func(u, v int) float64 {
		if u == n-1 {
			return math.NaN()
		}
		return formula(u, v)
	}
	sound := &report.Losses{Accountant: "path", Status: report.Sound, N: n, At: at(4, 0.4)}
	r.Privacy.Nodes = report.NewNodeLosses(sound, func(node int) string {
		if names != nil {
			return names[node]
		}
		return fmt.Sprintf("node %d", node)
	})
	return &report.Bundle{Result: r, Picture: p, ResolvedSpec: []byte("name: a run\ngraph: " + g.Name() + "\n"),
		Losses: []*report.Losses{sound, {Accountant: "published", Status: report.Published, N: n, At: published, Partial: true}}}
}

// Result returns the result of a run of three trials over n nodes.
func Result(name string, n int) *report.Result {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	accuracy := 0.87
	beyond := report.Number(1.2)
	r := &report.Result{
		Name: name, Algorithm: "walk", Model: "logistic", WallSeconds: 2.5, Steps: 1000, StepsPerSecond: 1200,
		Spec:  map[string]any{"name": name, "nodes": n, "privacy": map[string]any{"sigma": 2.0 + float64(n)/100}},
		Final: report.Final{TrainLoss: 0.35, TestLoss: 0.36, TestAccuracy: &accuracy},
		Privacy: report.Privacy{
			Accounted: report.Accounted{Accountant: "path", Status: report.Sound, Mean: 1, Max: 2.3891, MaxBeyondNeighbours: &beyond, Assumptions: []string{"unit of privacy: participant", "the step is small"}},
			Unit:      "participant", Sigma: 2 + float64(n)/100, NoiseStd: 1.2, Clip: 0.3, Metric: "epsilon at delta 1e-06", Delta: 1e-6, Sender: "known", Simulated: true,
			Others: []report.Accounted{{Accountant: "published", Status: report.Published, Mean: 0.8, Max: 4, Assumptions: []string{"unit of privacy: participant"}}},
		},
		Data:     report.Data{Source: "two-gaussians", Target: "side", Features: []string{"a", "b"}, Train: 10 * n, Test: 2 * n, Partition: "uniform"},
		Graph:    report.Graph{Nodes: n, Weights: "hamilton", MinDegree: 2, MaxDegree: 8, Diameter: 8, SpectralGap: 0.22},
		Notes:    []string{"Synthetic data."},
		Versions: map[string]string{"hearsay": "test"},
	}
	for range 3 {
		r.Trials = append(r.Trials, report.Trial{Seed: rng.Uint64(), Final: r.Final, Model: report.Vector{1, 2}})
	}
	for step := 0; step <= r.Steps; step += 50 {
		loss := 0.35 + 0.35*math.Exp(-float64(step)/200)
		spread := func(x float64) report.Spread {
			off := report.Number(0.05 * rng.Float64())
			return report.Spread{Mean: report.Number(x), Min: report.Number(x) - off, Max: report.Number(x) + off}
		}
		r.Curve = append(r.Curve, report.Point{Step: step, TrainLoss: spread(loss), TestLoss: spread(loss + 0.01), TestAccuracy: spread(1.2 - loss)})
	}
	return r
}

// Sweep writes the folder of a sweep over two fields. If ended it has a table.
func Sweep(ctx context.Context, dir string, ended bool) error {
	fields := []sweep.Field{{Key: "privacy.sigma", Values: []string{"1", "2", "4", "8"}}, {Key: "graph", Values: []string{"ring:8", "hypercube:3"}}}
	at := 0
	s := sweep.Sweep{Fields: fields, Folder: dir, Key: func(settings []string) string { return fmt.Sprint(settings) }, Workers: 1, Run: func(context.Context, []string) (*report.Result, error) {
		r := Result(fmt.Sprint("cell ", at), 8)
		at++
		accuracy := 0.6 + 0.03*float64(at)
		r.Final.TestAccuracy, r.Privacy.Mean, r.Privacy.Max = &accuracy, report.Number(at), report.Number(2*at)
		for i := range r.Trials {
			r.Trials[i].Final = r.Final
		}
		return r, nil
	}}
	rows, err := s.Rows(ctx, func(sweep.Row, bool) {})
	if err != nil || !ended {
		return err
	}
	file, err := os.Create(filepath.Join(dir, "sweep.csv"))
	if err != nil {
		return err
	}
	defer file.Close()
	return sweep.WriteCSV(file, fields, rows)
}

// Participant writes the parts of a participant's folder that the list needs.
func Participant(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "joined.json"), []byte(`{"participant": "Lyon", "spec": "00"}`), 0o644)
}

// NodeView returns the state of a running participant with some problems.
func NodeView() *web.NodeView {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	towards := func(name string, share float64, over bool) web.Towards {
		return web.Towards{Name: name, Whom: "neighbours", Hops: 1, Spent: "≤ 0.8", Allowed: "≤ 0.9", Deviating: "≤ 0.95", Limit: "1", Share: share, Over: over}
	}
	return &web.NodeView{
		Federation: "four hospitals", Participant: "Lyon", Spec: "4d9fe7509547fd8212aab4f58f061e7d", Joined: &at, Running: true, State: "running", Turn: 40, Turns: 100, Uptime: 61,
		Token: "The token was here last at turn 39 and went on to Nice at 03:04:05 UTC.", Waits: []string{"Paris: connection refused"}, Warnings: []string{"Paris has another spec, in privacy.sigma."},
		Peers:    []web.Peer{{Name: "Nice", Connected: true, State: "agrees", LastSeen: &at}, {Name: "Paris", State: "waiting: connection refused"}},
		Counters: []web.Counter{{Name: "releases committed", Value: 12}},
		Statement: &web.Statement{Accountant: "path", Status: "sound", Unit: "record", Protected: "Protected is one patient's row.", Metric: "Losses are epsilon at delta 1e-06", Sigma: 4,
			Contributed: 12, Contributions: 40, Releases: 12, Noise: "exact discrete Gaussian", Assumptions: []string{"the step is small"}, At: at,
			Limits: []web.Limit{{Name: "delta", Value: "1e-06"}}, Towards: []web.Towards{towards("Nice", 0.8, false), towards("Paris", 1, true)}},
		Ledger: &web.Verified{Whole: true, Entries: 12, Releases: 12, Hash: "8bc3a59a6ea764df2e8610d8c9b6b618", At: at, Seconds: 0.02},
	}
}

// List returns the list of the server at url, after everything in it is summarised.
func List(t testing.TB, client *http.Client, url string) []web.Entry {
	t.Helper()
	for {
		answer, err := client.Get(url + "/api/list")
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Entries []web.Entry }
		err = json.NewDecoder(answer.Body).Decode(&list)
		if closed := answer.Body.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		if !slices.ContainsFunc(list.Entries, func(e web.Entry) bool { return e.Reading }) {
			return list.Entries
		}
	}
}
