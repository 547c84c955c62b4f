package experiment

import (
	"cmp"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

const averagingSpec = `
name: averaging
data: {source: mean, features: 3}
graph: hypercube:5
model: {kind: mean}
algorithm: {kind: gossip, clip: 1}
privacy: {calibrate: {mean: 1}}
`

func prepared(t testing.TB, text string) *Priced {
	t.Helper()
	s, err := Parse([]byte(text), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	setup, err := Prepare(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// gossipOf is the gossip of a spec.
func gossipOf(s *Priced) *gossipfamily.Algorithm { return s.Algorithm.(*gossipfamily.Algorithm) }

// Without steps, averaging takes the stopping time of Theorem 6.2 for the
// sigma that it was calibrated to.
func TestGossipTakesItsStoppingTime(t *testing.T) {
	s := prepared(t, averagingSpec)
	turns, err := gossipOf(s).StoppingTime(s.Accounting.Sigma)
	if err != nil || gossipOf(s).Protocol.TurnsPerRound < turns || s.Spec.Algorithm.Steps != gossipOf(s).Protocol.TurnsPerRound {
		t.Errorf("runs %d turns, the theorem says %d (%v)", gossipOf(s).Protocol.TurnsPerRound, turns, err)
	}
	names := []string{}
	for _, a := range s.Accounting.Accounts {
		names = append(names, a.Accountant)
	}
	if got := strings.Join(names, " "); got != "exact published local" {
		t.Errorf("accounts are %s", got)
	}
	if mean := float64(s.Accounting.Accounts[0].Mean); math.Abs(mean-1) > 1e-4 {
		t.Errorf("calibrated to a mean of %g", mean)
	}
}

// gapOf is a graph with the usual weights and their spectral gap.
func gapOf(t *testing.T, expression string, seed uint64) (*graph.Graph, *graph.Transition, graph.Gap) {
	t.Helper()
	g, err := gen.Parse(expression, seed)
	if err != nil {
		t.Fatal(err)
	}
	transition, err := graph.NewTransition(g, "")
	if err != nil {
		t.Fatal(err)
	}
	gap, err := transition.SpectralGap()
	if err != nil {
		t.Fatal(err)
	}
	return g, transition, gap
}

// 002 Theorem 6.2: after its stopping time, accelerated Muffliato is as precise
// as 3 D sigma^2 / n. The mean is over 64 coordinates, each with a noise of its
// own; its relative deviation is at most sqrt(2/64) = 0.18, while the bound is
// three times what the mean of all noise alone costs, so a false alarm needs
// more than ten deviations.
func TestTheorem62IsReached(t *testing.T) {
	for _, expr := range []string{"ring:24", "grid:7x7", "hypercube:6", "complete:20", "geometric:n=60,r=0.3,connected", "tree:n=31", "line:15"} {
		g, transition, gap := gapOf(t, expr, 3)
		const dims, sigma = 64, 0.3
		holdings := &sim.Slab{Features: dims, Offsets: []int{0}}
		for v := range g.Len() {
			for j := range dims {
				holdings.X = append(holdings.X, math.Sin(float64(v*j))/math.Sqrt(dims))
			}
			holdings.Y, holdings.Offsets = append(holdings.Y, 0), append(holdings.Offsets, v+1)
		}
		p := &gossip.Protocol{
			Local: descent.Local{Params: dims, Objective: model.Objective{Model: model.Own{}}, Noise: noise.Gaussian{Clip: 1, Multiplier: sigma},
				StepSize: descent.StepSize{Base: 1}},
			Nodes: g.Len(), Rounds: 1, Gamma: gossip.Acceleration(gap.Value), Cap: 1,
		}
		energy := dims * p.Noise.Std() * p.Noise.Std()
		p.TurnsPerRound = gossip.StoppingTime(g.Len(), math.Sqrt(gap.Value), energy, 1)
		run := &sim.Gossip{Protocol: p, Holdings: holdings, Weights: graph.Fixed(transition.Sparse()), Seed: 7}
		x, err := run.Bulk(context.Background(), sim.GossipWatcher{})
		if err != nil {
			t.Fatal(err)
		}
		mean := make([]float64, dims)
		for i, v := range holdings.X {
			mean[i%dims] += v / float64(g.Len())
		}
		off := 0.0
		for i, v := range x {
			off += (v - mean[i%dims]) * (v - mean[i%dims])
		}
		if got, bound := off/2/float64(g.Len()), 3*energy/float64(g.Len()); got > bound {
			t.Errorf("%s: off by %g after %d turns, the theorem says %g", expr, got, p.TurnsPerRound, bound)
		}
	}
}

// 002 Theorem 6.4 says that the squared distance decays as (1-lambda(p))^t with
// lambda(p) = 2 lambda_W/n. The mean matrix of a turn is I - L(p)/2, so the rate
// is half of that, which the slowest direction on a ring attains.
func TestTheorem64PrintsTwiceTheRate(t *testing.T) {
	_, transition, gap := gapOf(t, "ring:8", 1)
	w := transition.Sparse()
	edges, err := graph.NewActivations(w, 1)
	if err != nil {
		t.Fatal(err)
	}
	slow := make([]float64, 8) // the eigenvector of the second eigenvalue
	for v := range slow {
		slow[v] = math.Cos(2 * math.Pi * float64(v) / 8)
	}
	// E norm(W_t y)^2 over the edges, which all wake alike
	kept, before := 0.0, 0.0
	for v := range slow {
		u := (v + 1) % 8
		kept -= (slow[u] - slow[v]) * (slow[u] - slow[v]) / 2 / 8
		before += slow[v] * slow[v]
	}
	rate := -kept / before
	if ours := edges.Gap(1 - gap.Second); math.Abs(rate-ours) > 1e-12 {
		t.Errorf("one turn takes away %g of the squared distance, Gap says %g", rate, ours)
	}
	// Intensities p = W/(sum over edges of W), whose Laplacian has this gap:
	if printed := (1 - gap.Second) / (8 * w.At(0, 1)); rate > 0.5*printed*(1+1e-12) {
		t.Errorf("the rate is %g, not half of lambda(p) = %g", rate, printed)
	}
}

// Exact and local bound each other as they must, and a run conserves what it
// averages.
func TestGossipExactIsAtMostLocal(t *testing.T) {
	testdata.Sequential(t)
	s := prepared(t, averagingSpec)
	exact, local := s.Accounting.Accounts[0], s.Accounting.Accounts[2]
	for u := range s.Spec.Nodes {
		for v := range s.Spec.Nodes {
			if u != v && exact.At(u, v) > local.At(u, v)*(1+1e-12) {
				t.Fatalf("%d towards %d: exact %g, local %g", u, v, exact.At(u, v), local.At(u, v))
			}
		}
	}
}

// What the spec says of scores is kept; left open, it follows the turns.
func TestGossipIsScoredAsAsked(t *testing.T) {
	testdata.Sequential(t)
	for extra, want := range map[string]int{"": 3, "report: {every: 1}\n": 1} {
		s := prepared(t, strings.Replace(averagingSpec, "clip: 1}", "clip: 1, steps: 600}", 1)+extra)
		if s.Spec.Report.Every != want {
			t.Errorf("%q is scored every %d turns, want %d", extra, s.Spec.Report.Every, want)
		}
	}
	if s := prepared(t, averagingSpec); s.Spec.Report.Every != 1 {
		t.Errorf("%d turns are scored every %d", gossipOf(s).Protocol.TurnsPerRound, s.Spec.Report.Every)
	}
}

// Where all nodes end with the same model, it is theirs.
func TestWhatAllNodesHaveIsTheirs(t *testing.T) {
	for graph, want := range map[string]report.Scored{"complete:4": report.ScoredOwn, "ring:6": report.ScoredMean} {
		r := runSetup(t, prepared(t, "data: {source: two-gaussians, features: 3, rows: 4}\ngraph: "+graph+
			"\nalgorithm: {kind: gossip-gd, steps: 6, step_size: 0.5, clip: 1}\nprivacy: {sigma: 4}\n")).Result
		if r.Final.Scored != want {
			t.Errorf("%s: scored is %q, consensus %g", graph, r.Final.Scored, *r.Final.Consensus)
		}
	}
}

// The mean of all models is everybody's to take where these are shown, and nobody's elsewhere.
func TestWhoHasTheMeanModel(t *testing.T) {
	testdata.Sequential(t)
	for _, average := range []string{"none", "half"} {
		for release, shown := range map[string]bool{"none": false, "final": true} {
			b := runSetup(t, prepared(t, "data: {source: two-gaussians, features: 3, rows: 4}\ngraph: ring:6\nalgorithm: {kind: gossip-gd, steps: 6, step_size: 0.5, clip: 1, average: "+average+
				"}\nprivacy: {sigma: 4, release: "+release+"}\n"))
			r := b.Result
			var said strings.Builder
			if err := cmp.Or(report.Table(&said, r, false), report.Page(t.Context(), &said, b)); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(strings.NewReplacer("|", "", "which nobody has checked", "").Replace(said.String())), " ")
			if strings.Contains(text, "which nobody has") == shown || strings.Contains(text, "which everybody can take") != shown {
				t.Errorf("average %s, release %s: %s", average, release, text)
			}
			if m := r.Final.MeanModel; (m != nil) != (average == "half") || m != nil && m.Seen != shown {
				t.Errorf("average %s, release %s: %+v", average, release, m)
			}
		}
	}
}

// Learning by gossip is charged the local loss of all its rounds.
func TestGossipRoundsAreChargedLocally(t *testing.T) {
	s := prepared(t, `
name: learning
data: {source: two-gaussians, features: 3, rows: 4}
graph: ring:10
algorithm: {kind: gossip-gd, steps: 6, gossip_steps: 3, step_size: 0.5, clip: 1}
privacy: {sigma: 4, metric: {renyi: 2}}
`)
	if got, want := float64(s.Accounting.Accounts[0].Mean), 2*6/(2*4.0*4); s.Accounting.Accounts[0].Accountant != "local" || math.Abs(got-want) > 1e-12 {
		t.Errorf("%s charges %g, want %g", s.Accounting.Accounts[0].Accountant, got, want)
	}
	if s.Algorithm.Contributions() != 6 || gossipOf(s).Protocol.Turns() != step.Turn(18) {
		t.Errorf("%d contributions in %d turns", gossipOf(s).Protocol.Contributions(), gossipOf(s).Protocol.Turns())
	}
}

// What cannot be run is refused in a line that names the key.
func TestGossipRefusals(t *testing.T) {
	for change, want := range map[string]string{
		"graph: ring:8,directed\n":                                                    "directed",
		"weights: hamilton-printed\n":                                                 "never mixes",
		"weights: uniform\ngraph: ba:n=12,m=2\n":                                      "columns do not",
		"algorithm: {kind: gossip, clip: 1, dropout: 0.5}\n":                          "algorithm.steps",
		"algorithm: {kind: gossip, clip: 1, redraw: 1, steps: 3}\n":                   "algorithm.redraw",
		"algorithm: {kind: gossip, clip: 1, wake: edges, dropout: 0.1}\n":             "algorithm.wake",
		"algorithm: {kind: gossip, clip: 1, acceleration: chebyshev, dropout: 0.1}\n": "algorithm.acceleration",
		"algorithm: {kind: gossip, clip: 1, burn_in: 3}\n":                            "burn_in",
		"privacy: {sigma: 0}\n":                                                       "algorithm.steps",
		"privacy: {sigma: 1, release: final}\n":                                       "privacy.release",
	} {
		_, err := open(averagingSpec, change)
		if err == nil || !strings.Contains(err.Error(), want) || fault.Hint(err) == "" {
			t.Errorf("%sgives %v, want something about %s with a hint", change, err, want)
		}
	}
}

// open prepares text with its keys replaced by those of change.
func open(text, change string) (*Priced, error) {
	for _, line := range strings.Split(strings.TrimSpace(change), "\n") {
		key, _, _ := strings.Cut(line, ":")
		lines := strings.Split(text, "\n")
		replaced := false
		for i := range lines {
			if strings.HasPrefix(lines[i], key+":") {
				lines[i], replaced = line, true
			}
		}
		if !replaced {
			lines = append(lines, line)
		}
		text = strings.Join(lines, "\n")
	}
	s, err := Parse([]byte(text), "test.yaml")
	if err != nil {
		return nil, err
	}
	return Prepare(context.Background(), s, nil)
}

const learningSpec = "nodes: 16\ngraph: hypercube:4\ndata: {source: two-gaussians, rows: 6, features: 3, normalise: unit}\nmodel: {kind: logistic, l2: 0.5}\n" +
	"algorithm: {kind: gossip-gd, steps: 30, step_size: 0.5, clip: 0.5, fill: false, gossip_steps: 2}\nprivacy: {sigma: 0.2, accountant: local}\n"

// Where gossip has no promise, the reason names the conditions of the theorem of 002 about this kind of gossip.
func TestNoPromiseNamesTheTheoremOfItsKind(t *testing.T) {
	testdata.Sequential(t)
	averaging := "nodes: 16\ngraph: hypercube:4\ndata: {source: mean}\nmodel: {kind: mean}\nprivacy: {sigma: 2}\n"
	for _, c := range [][2]string{
		{averaging + "algorithm: {kind: gossip, clip: 1.5, steps: 40, dropout: 0.2}\n", "Assumption 2.13"},
		{averaging + "algorithm: {kind: gossip, clip: 1.5, steps: 40, wake: matchings}\n", "Theorem 6.4 about edges"},
		{flowSpec, "fill: false"},
		{strings.Replace(learningSpec, "l2: 0.5", "l2: 0", 1), "strongly convex"},
		{strings.Replace(learningSpec, "step_size: 0.5", "step_size: 1.9", 1), "steps of at most"},
		{strings.Replace(learningSpec, "steps: 30", "steps: 30, contributions: 20", 1), "in every round"},
		{strings.Replace(learningSpec, "steps: 30", "steps: 30, momentum: 0.5", 1), "no momentum"},
		{strings.Replace(learningSpec, "steps: 30", "steps: 30, radius: 1", 1), "no ball confines"},
		{strings.Replace(learningSpec, "gossip_steps: 2", "dropout: 0.1", 1), "graph that stays"},
	} {
		u := prepared(t, c[0]).Algorithm.Utility()
		if u.Distance2 != nil || !strings.Contains(u.Why, c[1]) {
			t.Errorf("%s: %q, not %q", c[0], u.Why, c[1])
		}
	}
}

// 002 Theorems C.4 and 6.8, with the rate that is true and with constants: runs end as near the mean of all values, and the optimum,
// as the plan promises, on average over seeds. Noise alone is not far below the promise.
func TestTheorems64And68WithConstantsAreReached(t *testing.T) {
	testdata.Sequential(t)
	averaging := "nodes: 12\ngraph: ring:12\ndata: {source: mean, features: 4}\nmodel: {kind: mean}\nprivacy: {sigma: 0.5}\n"
	for text, most := range map[string]float64{
		averaging + "algorithm: {kind: gossip, clip: 1.5, steps: 400, wake: edges}\n":       3,
		averaging + "algorithm: {kind: gossip, clip: 1.5, steps: 20, acceleration: none}\n": 20,
		learningSpec: 400,
		strings.Replace(learningSpec, "gossip-gd", "gossip-sgd, batch: 2", 1):                      400,
		strings.Replace(learningSpec, "hypercube:4", "ring:16", 1):                                 400,
		strings.Replace(learningSpec, "gossip_steps: 2", "gossip_steps: 2, acceleration: none", 1): 400,
	} {
		s := prepared(t, text)
		u := s.Algorithm.Utility()
		if u.Distance2 == nil {
			t.Errorf("%s: %s", text, u.Why)
			continue
		}
		g := gossipOf(s)
		target := optimumOf(t, s)
		const seeds = 6
		off := 0.0
		for seed := range uint64(seeds) {
			run, err := g.Simulation(seed + 1)
			if err != nil {
				t.Fatal(err)
			}
			x, err := run.Bulk(t.Context(), sim.GossipWatcher{})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range x {
				off += (v - target[i%len(target)]) * (v - target[i%len(target)]) / float64(s.Spec.Nodes*seeds)
			}
		}
		if off > *u.Distance2 || off*most < *u.Distance2 {
			t.Errorf("%s: off by %g, the plan says %g", text, off, *u.Distance2)
		}
	}
}

// optimumOf returns the mean of all values, or the optimum of the mean of clipped objectives, by plain descent.
func optimumOf(t *testing.T, s *Priced) []float64 {
	local, x := s.Algorithm.Local(), make([]float64, s.Algorithm.Local().Params)
	averages := s.Spec.Algorithm.Kind == "gossip"
	for range 2000 {
		sum := make([]float64, len(x))
		for v := range s.Spec.Nodes {
			ex := s.Examples.Examples(step.NodeID(v))
			for i := range ex.Len() {
				one := make([]float64, len(x))
				row, y := ex.Row(i)
				if averages {
					copy(one, row)
				} else {
					s.Objective.Gradient(one, x, row, y)
				}
				size := 0.0
				for _, g := range one {
					size += g * g
				}
				for j := range one {
					sum[j] += one[j] * math.Min(1, local.Noise.Clip/math.Sqrt(size)) / float64(ex.Len()*s.Spec.Nodes)
				}
			}
		}
		if averages {
			return sum
		}
		for j := range x {
			x[j] -= 0.3 * (sum[j] + s.Spec.Model.L2*x[j])
		}
	}
	return x
}

// What two learn together of averaging is at least what one does and at most the local loss, and the run says who they are.
func TestCoalitionsOfAveraging(t *testing.T) {
	testdata.Sequential(t)
	for _, unit := range []string{"participant", "record"} {
		s, err := Parse([]byte("{data: {source: mean, features: 2, rows: 3}, graph: ring:9, model: {kind: mean}, algorithm: {kind: gossip, steps: 2, clip: 1}, "+
			"privacy: {unit: "+unit+", sigma: 2, accountant: exact, coalition: 2, metric: {epsilon_at_delta: 1.0e-6}}}"), "spec")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prepare(t.Context(), s, nil)
		if err != nil {
			t.Fatal(unit, err)
		}
		c, single := p.Accounting.Coalition, p.Accounting.Accounts[0]
		local := p.Accounting.Accounts[len(p.Accounting.Accounts)-1]
		if c == nil || c.Size != 2 || len(c.Worst) != 2 || c.Status != report.Sound || c.Max < single.Max || c.Mean <= single.Mean || local.Accountant != "local" || c.Max > local.Max*(1+1e-9) {
			t.Errorf("%s: %+v, one observer %+v, local %+v", unit, c, single.Accounted, local.Accounted)
		}
	}
}
