package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/testdata"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

const flowSpec = `
name: learning by gossip
data: {source: two-gaussians, rows: 60, features: 4, normalise: unit}
nodes: 32
graph: hypercube:5
model: {kind: logistic}
algorithm: {kind: gossip-gd, steps: 20, step_size: 0.5, clip: 0.3}
privacy: {calibrate: {max_beyond_neighbours: 1}, accountant: flow}
`

// altered is the spec with strings replaced, in pairs.
func altered(t *testing.T, changes ...string) string {
	t.Helper()
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(flowSpec, changes[i]) {
			t.Fatalf("the spec has no %q", changes[i])
		}
	}
	return strings.NewReplacer(changes...).Replace(flowSpec)
}

// The flow accountant prices the run pair by pair as it does the same problem
// written down by hand, and is calibrated on pairs that are no neighbours.
func TestFlowPricesLearningByGossip(t *testing.T) {
	testdata.Sequential(t)
	s := prepared(t, flowSpec)
	own := s.Accounting.Accounts[0]
	if own.Accountant != "flow" || own.Status != report.Sound || own.MeanStatus != report.Sound {
		t.Fatalf("%s is %s, its mean %s", own.Accountant, own.Status, own.MeanStatus)
	}
	if beyond := float64(*own.MaxBeyondNeighbours); beyond > 1 || beyond < 0.999 {
		t.Errorf("calibrated to %g beyond neighbours", beyond)
	}
	byHand, err := flow.New(flow.Problem{Weights: []*sparse.Matrix{gossipOf(s).Transition.Sparse()}, Rounds: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []int{1, 3, 7, 31} {
		best, err := byHand.Optimal(0, v)
		if err != nil {
			t.Fatal(err)
		}
		want := byHand.Loss(best.Energy, s.Accounting.Sigma, privacy.Metric{Delta: 1e-6})
		if got := own.At(0, v); got < want*(1-1e-9) || got > want*1.001 {
			t.Errorf("0 towards %d loses %g, by hand %g", v, got, want)
		}
		e, err := s.Explain(0, v)
		if err != nil || e.Accountant != "flow" || e.Epsilon > own.At(0, v)*1.001 || e.Epsilon < own.At(0, v)/1.001 {
			t.Errorf("0 towards %d is explained as %+v, %v", v, e, err)
		}
	}
	local := accountOf(t, s, "local")
	if local.Accountant != "local" || float64(local.Max) < float64(own.Max)*(1-1e-9) {
		t.Errorf("%s says %v, flow at most %v", local.Accountant, local.Max, own.Max)
	}
}

// Where its ground holds it stands beside the local loss, and nowhere else.
func TestFlowStandsBesideTheLocalLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("prices many pairs")
	}
	for _, c := range []struct {
		steps, graph string
		stands       bool
	}{
		{"steps: 20", "hypercube:5", true}, {"steps: 20, redraw: 3", "regular:n=32,d=4", true}, {"steps: 20, gossip_steps: 2", "hypercube:5", true},
		{"steps: 20, gossip_steps: 2, dropout: 0.2", "hypercube:5", false},
		{"steps: 20, gossip_steps: 2, noise: turn", "hypercube:5", true}, {"steps: 20, dropout: 0.5, contributions: 4", "hypercube:5", true},
		{"steps: 100000, dropout: 0.5", "hypercube:5", false}, {"steps: 1000000000, dropout: 0.5", "hypercube:5", false},
	} {
		s := prepared(t, altered(t, "accountant: flow", "accountant: local", "steps: 20", c.steps, "hypercube:5", c.graph))
		names := ""
		for _, a := range s.Accounting.Accounts {
			names += " " + a.Accountant
		}
		if strings.Contains(names, "flow") != c.stands {
			t.Errorf("%s on %s: %s", c.steps, c.graph, names)
		}
	}
}

// A coalition of learning gossip is charged the optimum of its own problem, the worst of all sets is said, and so is the worst
// of those without a neighbour: the nodes of a ring of 7 that are 2 and 3 hops away.
func TestCoalitionsOfFlow(t *testing.T) {
	testdata.Sequential(t)
	text := altered(t, "rows: 60", "rows: 6", "nodes: 32", "nodes: 7", "hypercube:5", "ring:7", "steps: 20", "steps: 3",
		"calibrate: {max_beyond_neighbours: 1}", "sigma: 4, coalition: 2")
	p := prepared(t, text)
	c := p.Accounting.Coalition
	accountant, err := flow.Of(*p.Algorithm.Schedule().(*schedule.Gossip))
	if err != nil {
		t.Fatal(err)
	}
	worst, far := 0.0, 0.0
	for v := 1; v < 7; v++ {
		for w := v + 1; w < 7; w++ {
			best, err := accountant.Optimal(0, v, w)
			if err != nil {
				t.Fatal(err)
			}
			loss := privacy.GaussianLoss(best.Energy, 4, privacy.Metric{Delta: 1e-6})
			if worst = max(worst, loss); v > 1 && w < 6 {
				far = max(far, loss)
			}
		}
	}
	if c == nil || c.MaxBeyondNeighbours == nil {
		t.Fatalf("%+v", c)
	}
	for _, pair := range [][2]float64{{float64(c.Max), worst}, {float64(*c.MaxBeyondNeighbours), far}} {
		if math.Abs(pair[0]-pair[1]) > 1e-3*pair[1] {
			t.Errorf("%v, but by hand %v", pair[0], pair[1])
		}
	}
	if c.Status != report.Sound || !(float64(*c.MaxBeyondNeighbours) < float64(c.Max)) || float64(*c.MaxBeyondNeighbours) <= float64(*p.Accounting.Accounts[0].MaxBeyondNeighbours) {
		t.Errorf("%+v", c)
	}
	if c := prepared(t, strings.Replace(text, "ring:7", "complete:7", 1)).Accounting.Coalition; c.MaxBeyondNeighbours != nil {
		t.Errorf("neighbours of everybody: %v", *c.MaxBeyondNeighbours)
	}
}

// isRefused wants a spec to be refused, in a line that says so, with a hint.
func isRefused(t *testing.T, text, says string) {
	t.Helper()
	s, err := Parse([]byte(text), "test.yaml")
	if err == nil {
		_, err = Prepare(t.Context(), s, nil)
	}
	if err == nil || !strings.Contains(err.Error(), says) || fault.Hint(err) == "" {
		t.Errorf("%v (%s), want %q, of\n%s", err, fault.Hint(err), says, text)
	}
}

// Without fresh noise on every message there is no bound: refused, with a way out.
// Nodes may be away, contribute in some rounds only, and draw batches.
func TestFlowRefusesWhatIsNotProved(t *testing.T) {
	for _, c := range []struct {
		says    string
		changes []string
	}{
		{"2 turns on one draw of noise in which nodes are away", []string{"steps: 20", "steps: 20, gossip_steps: 2, dropout: 0.2"}},
		{"2 turns on one draw of noise in which nodes are away", []string{"steps: 20", "steps: 20, gossip_steps: 2, wake: edges"}},
		{"projected", []string{"steps: 20", "steps: 20, gossip_steps: 2, radius: 3"}},
		{"up to 1048576 turns", []string{"steps: 20", "steps: 20000000"}},
		{"acceleration", []string{"steps: 20", "steps: 20, acceleration: chebyshev"}},
		{"noise: turn", []string{"steps: 20", "steps: 20, noise: turn, gossip_steps: 2, acceleration: chebyshev"}},
		{"algorithm.noise", []string{"steps: 20", "steps: 20, noise: round"}},
		{"all nodes of complete:32 are neighbours", []string{"hypercube:5", "complete:32"}},
		{"accountant", []string{"kind: gossip-gd", "kind: walk"}},
		{"accountant", []string{"kind: gossip-gd, steps: 20, step_size: 0.5", "kind: gossip, steps: 20", "kind: logistic", "kind: mean",
			"two-gaussians, rows: 60, features: 4, normalise: unit", "mean"}},
	} {
		isRefused(t, altered(t, c.changes...), c.says)
	}
	if testing.Short() {
		return // pricing takes long under the race detector
	}
	for _, changes := range [][]string{
		{"gossip-gd", "gossip-sgd, fill: false"}, {"gossip-gd", "gossip-sgd, fill: true, batch: 2"}, {"steps: 20", "steps: 20, contributions: 19"},
		{"steps: 20", "steps: 20, contributions: 50"}, {"steps: 20", "steps: 20, dropout: 0.1"}, {"steps: 20", "steps: 200, wake: edges"},
		{"steps: 20", "steps: 20, wake: matchings"}, {"steps: 20", "steps: 20, wake: matchings", "hypercube:5", "complete:16", "max_beyond_neighbours", "max"},
		{"steps: 20", "steps: 20, redraw: 1", "hypercube:5", "regular:n=16,d=3"},
		{"steps: 20", "steps: 20, redraw: 2, wake: matchings, dropout: 0.2, contributions: 7", "hypercube:5", "regular:n=16,d=3"},
		{"steps: 20", "steps: 20, gossip_steps: 3, noise: turn, dropout: 0.3, contributions: 5"},
		{"steps: 20", "steps: 6, gossip_steps: 2, contributions: 5"}, {"steps: 20", "steps: 6, gossip_steps: 3, acceleration: none", "gossip-gd", "gossip-sgd"},
		{"steps: 20", "steps: 6, gossip_steps: 2, redraw: 1, acceleration: chebyshev", "hypercube:5", "regular:n=16,d=4"},
		{"steps: 20", "steps: 6, gossip_steps: 3, wake: matchings"},
		{"step_size: 0.5", "step_size: {base: 0.5, power: 0.5}"}, {"kind: logistic", "kind: logistic, l2: 0.5"},
	} {
		if s := prepared(t, altered(t, append(changes, "nodes: 32", "nodes: 16", "hypercube:5", "hypercube:4")...)); s.Accounting.Accounts[0].Status != report.Sound {
			t.Errorf("%q: %+v", changes, s.Accounting.Accounts[0].Accounted)
		}
	}
}

// The weights that are priced are those that run, to the last digit.
func TestFlowPricesTheWeightsThatRun(t *testing.T) {
	testdata.Sequential(t)
	s := prepared(t, altered(t, "hypercube:5", "er:n=32,p=0.3,connected", "calibrate: {max_beyond_neighbours: 1}", "sigma: 1", "accountant: flow", "accountant: local"))
	a := gossipOf(s)
	if priced, runs := a.Schedule().(*schedule.Gossip).W, a.Weights.Matrix(0); !slices.Equal(priced.Values, runs.Values) {
		t.Errorf("weights that run are not those that are priced")
	}
}

// lacking is holdings of which node 3 has lost its own.
type lacking struct{ sim.Holdings }

func (l lacking) Examples(v step.NodeID) model.Examples {
	if v == 3 {
		return model.Examples{}
	}
	return l.Holdings.Examples(v)
}

// Who holds no rows adds noise as everybody does: its messages are priced, and none
// goes out bare.
func TestFlowPricesNodesWithoutRows(t *testing.T) {
	testdata.Sequential(t)
	s := prepared(t, altered(t, "steps: 20", "steps: 20, contributions: 7"))
	bare := *gossipOf(s)
	bare.Examples = lacking{bare.Examples}
	for _, a := range bare.Accountants(privacy.Metric{Delta: 1e-6}) {
		if a.Name != "flow" {
			continue
		}
		if err := a.Check(); err != nil || !a.Beside() {
			t.Errorf("a node without rows: %v, beside the local loss: %v", err, a.Beside())
		}
	}
	released := 0
	run := sim.Gossip{Protocol: bare.Protocol, Holdings: bare.Examples, Weights: bare.Weights, Seed: 1}
	_, err := run.Bulk(t.Context(), sim.GossipWatcher{Released: func(r step.Release) {
		released++
		if r.NoiseStd != bare.Protocol.Noise.Std() || !(r.NoiseStd > 0) || r.Contributed != (r.From != 3 && r.Turn < 7) {
			t.Fatalf("%+v", r)
		}
	}})
	if err != nil || released != 20*32*5 {
		t.Errorf("%d releases, %v", released, err)
	}
}

// Every accountant of gossip and the local one meet a target beyond neighbours.
func TestOthersAreCalibratedBeyondNeighbours(t *testing.T) {
	testdata.Sequential(t)
	for _, changes := range [][]string{
		{"accountant: flow", "accountant: local"},
		{"kind: gossip-gd, steps: 20, step_size: 0.5", "kind: gossip, steps: 3", "kind: logistic", "kind: mean",
			"two-gaussians, rows: 60, features: 4, normalise: unit", "mean", "accountant: flow", "accountant: exact"},
	} {
		s := prepared(t, altered(t, changes...))
		if got := fmt.Sprintf("%.3f", float64(*s.Accounting.Accounts[0].MaxBeyondNeighbours)); got != "1.000" {
			t.Errorf("%q: %s beyond neighbours", changes, got)
		}
	}
}

// With average: half the result is the mean over nodes of how good each one's own
// model is, while the parameters written down are the mean of these models.
func TestFinalScoresAreThoseOfTheNodesOwnModels(t *testing.T) {
	testdata.Sequential(t)
	s := prepared(t, altered(t, "steps: 20", "steps: 21, average: half")+"trials: 2\n")
	result := runSetup(t, s).Result
	if m := result.Final.MeanModel; result.Final.Scored != report.ScoredOwn || m == nil || m.Seen || *m.TestAccuracy == *result.Final.TestAccuracy {
		t.Errorf("scored is %q, the mean model %+v", result.Final.Scored, m)
	}
	keeper, scorer := gossipOf(s), newScorer(s.Algorithm)
	for _, trial := range result.Trials {
		accuracy, loss, mean, shown := 0.0, 0.0, make([]float64, s.Algorithm.Local().Params), false
		_, err := keeper.TrialKept(t.Context(), trial.Seed, func(int, []float64, float64) {}, func(models []float64) {
			shown = true
			for v := range 32 {
				theta := models[v*len(mean) : (v+1)*len(mean)]
				of := scorer.evaluate(theta, 1)
				accuracy, loss = accuracy+of.accuracy/32, loss+of.testLoss/32
				for j, x := range theta {
					mean[j] += x / 32
				}
			}
		})
		if err != nil || !shown {
			t.Fatal(err, shown)
		}
		if got := *trial.Final.TestAccuracy; math.Abs(got-accuracy) > 1e-9 || math.Abs(float64(trial.Final.TestLoss)-loss) > 1e-9 {
			t.Errorf("accuracy %g and loss %g, the nodes' own have %g and %g", got, float64(trial.Final.TestLoss), accuracy, loss)
		}
		for j, x := range mean {
			if math.Abs(x-trial.Model[j]) > 1e-9*(1+math.Abs(x)) {
				t.Errorf("parameter %d is %g, the mean of the nodes' own %g", j, trial.Model[j], x)
			}
		}
		if of := scorer.evaluate(trial.Model, 1); math.Abs(of.testLoss-loss) < 1e-6 {
			t.Errorf("the mean model's loss is that of the nodes' own, %g: the test tells nothing", loss)
		}
	}
}
