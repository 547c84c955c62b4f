package papers

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// inferred is an algorithm under membership inference.
type inferred struct {
	name      string
	graph     string // "": a hypercube
	spec      string // data, model, algorithm and privacy in YAML
	published string // claim about the published number; "": there is none
}

// inferences are the attacked algorithms. The target's labels are outside the range of all others. Its clipped
// gradients in the two worlds therefore differ by its full sensitivity, wherever the model is, and attacks are as
// strong as the protocol allows.
var inferences = []inferred{
	{"walk", "", `
data: {source: sparse-regression, features: 4, rows: 8, support: 2, normalise: unit}
model: {kind: ridge}
algorithm: {kind: walk, steps: 320, step_size: 0.05, clip: 0.3, contributions: 24}
privacy: {sigma: 1.2, accountant: path}`, ""},
	{"averaging", "line:7", `
data: {source: mean, features: 4, centre: 0.5, variance: 0.1}
model: {kind: mean}
algorithm: {kind: gossip, clip: 1.5, steps: 8}
privacy: {sigma: 0.5, accountant: exact}`, "averaging: the published loss of every pair is a bound (002 Theorem 6.3; 001 Theorem 1)"},
	{"gossip", "", `
data: {source: sparse-regression, features: 4, rows: 8, support: 2, normalise: unit}
model: {kind: ridge}
algorithm: {kind: gossip-gd, steps: 30, step_size: 0.05, clip: 0.3}
privacy: {sigma: 2, accountant: flow}`, "gossip: the published loss of every pair is a bound (002 Theorem 6.9)"},
	{"pairwise noise", "", `
data: {source: sparse-regression, features: 4, rows: 8, support: 2, normalise: unit}
model: {kind: ridge}
algorithm: {kind: gossip-gd, steps: 30, step_size: 0.05, clip: 0.3, pairwise: 10}
privacy: {sigma: 2, accountant: pairwise}`, ""},
}

func membershipStudy() Study {
	return Study{ID: "attack-membership", Title: "Epsilon that membership inference proves by distance, beside the sound and the published one: walk, gossip and noise that cancels", Source: "ours",
		compute: inferring{4, 4000}.run, quick: inferring{3, 250}.run}
}

// farthest is the largest distance of attackers in hops.
const farthest = 6

// inferring configures attacks on a hypercube, with as many shadow runs as runs.
type inferring struct{ dimensions, runs int }

func (q inferring) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	f := &Findings{}
	table := Table{Name: "table", Header: []string{"algorithm", "attacker", "hops", "proved", "proved if Gaussian", "sound", "sound by", "published", "auc"}}
	figure := Chart{Name: "attack-membership"}
	for _, a := range inferences {
		found, err := q.attack(ctx, a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		say(fmt.Sprintf("%s: %d attackers", a.name, len(found.Attackers)))
		for _, p := range found.Attackers {
			table.Rows = append(table.Rows, inferredRow(a.name, p))
		}
		figure.Panels = append(figure.Panels, inferredPanel(a.name, found))
		f.judge(found, func() []Check { return inferredChecks(a, found) })
	}
	f.Tables, f.Charts = []Table{table}, []Chart{figure}
	return f, nil
}

func (q inferring) attack(ctx context.Context, a inferred) (*experiment.Membership, error) {
	graph := cmp.Or(a.graph, fmt.Sprintf("hypercube:%d", q.dimensions))
	s, err := experiment.Parse([]byte(fmt.Sprintf("seed: 1\ngraph: %q%s\n", graph, a.spec)), "papers/membership")
	if err != nil {
		return nil, err
	}
	p, err := experiment.OpenForAttack(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	return p.Membership(ctx, experiment.MembershipQuestion{
		Attackers: p.Nearby(0, farthest), Canary: experiment.CanaryWorst, Runs: q.runs, Shadows: q.runs, Confidence: 0.999, Seed: 1, Workers: workers(),
	}, nil, nil)
}

func inferredRow(name string, p experiment.MembershipProved) []string {
	who, published := "final model", ""
	if len(p.Names) > 0 {
		who = p.Names[0]
	}
	if p.Published != nil {
		published = number(float64(*p.Published))
	}
	return []string{name, who, fmt.Sprint(p.Hops), number(float64(p.Proved)), number(float64(p.Gaussian)), number(float64(p.Sound)), p.By, published, number(p.AUC)}
}

// inferredPanel returns the proved losses by distance.
func inferredPanel(name string, found *experiment.Membership) Panel {
	lines := []Line{{Name: "sound"}, {Name: "published", Dashed: true}, {Name: "proved if Gaussian", Dashed: true}, {Name: "proved"}}
	for _, p := range found.Attackers {
		if p.Hops == 0 {
			continue
		}
		published := math.NaN()
		if p.Published != nil {
			published = float64(*p.Published)
		}
		for k, y := range []float64{float64(p.Sound), published, float64(p.Gaussian), float64(p.Proved)} {
			if visible(y) {
				lines[k].X, lines[k].Y = append(lines[k].X, float64(p.Hops)), append(lines[k].Y, y)
			}
		}
	}
	return Panel{Title: name, X: "hops to the attacker", Y: found.Metric, Lines: lines}
}

// inferredChecks checks our statements about attacks, and whether the papers' numbers are bounds.
func inferredChecks(a inferred, found *experiment.Membership) []Check {
	refuted, broken, near, far := 0, 0, found.Attackers[0], found.Attackers[0]
	for _, p := range found.Attackers {
		if p.Refuted || math.IsNaN(float64(p.Proved)) {
			refuted++
		}
		if p.Broken {
			broken++
		}
		if p.Hops == 2 {
			far = p
		}
	}
	shares := fmt.Sprintf("AUC %.3f next to the target, %.3f two hops away", near.AUC, far.AUC)
	checks := []Check{
		{a.name + ": nobody proves more than the sound number", AsRecorded, refuted == 0, fmt.Sprintf("%d of %d attackers do", refuted, len(found.Attackers))},
		{a.name + ": a neighbour tells the worlds apart", AsRecorded, near.AUC > 0.5, shares},
	}
	if a.name == "walk" || a.name == "gossip" {
		checks = append(checks, Check{a.name + ": a neighbour tells more than somebody two hops away", AsRecorded, near.AUC > far.AUC, shares})
	}
	if a.published != "" {
		checks = append(checks, Check{a.published, WhatIsTrue, broken == 0, fmt.Sprintf("%d of %d attackers prove more", broken, len(found.Attackers))})
	}
	return checks
}
