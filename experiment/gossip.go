package experiment

import (
	"context"
	"fmt"
	"math"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// gossipFamily is averaging between neighbours, alone or after gradient steps.
type gossipFamily struct{ *Setup }

func (f gossipFamily) setUp() (err error) {
	a := &f.Spec.Algorithm
	if f.Spec.Privacy.Release == "final" {
		return fault.New("privacy.release: gossip shows nobody a last value", "use release: none, or leave it out")
	}
	if f.Weights, err = f.weights(); err != nil {
		return err
	}
	f.Gossip = &gossip.Protocol{
		Local: f.local(), Nodes: f.Spec.Nodes, Rounds: a.Steps, TurnsPerRound: a.TurnsPerRound, Gamma: 1, Cap: a.Contributions, Batch: a.Batch,
		Asynchronous: !a.Averaging() && (a.Wake == "edges" || a.Dropout > 0),
	}
	if a.Acceleration == "chebyshev" {
		if err := f.accelerate(); err != nil {
			return err
		}
	}
	if a.Averaging() {
		return f.setUpAveraging()
	}
	if a.StepSize.Theory {
		return fault.New("algorithm.step_size: theory is 002 Theorem 7.6, of a walk", "give a number")
	}
	if err := f.checkStepSize(); err != nil {
		return err
	}
	f.setMaxScale()
	return nil
}

// setUpAveraging makes one round of it: a step of size 1 from zero onto the
// node's own value, then nothing but averaging.
func (f gossipFamily) setUpAveraging() error {
	p, a := f.Gossip, &f.Spec.Algorithm
	a.Fill = false
	p.Local = descent.Local{
		Params: p.Params, Objective: model.Objective{Model: model.Own{}}, Noise: p.Noise, StepSize: descent.StepSize{Base: 1},
	}
	p.Rounds, p.Cap = 1, 1
	if a.Steps == 0 && a.Wake == "all" && (a.Dropout > 0 || a.Redraw > 0) {
		return fault.New("algorithm.steps: is missing; no theorem says how many turns gossip over changing graphs needs", "give steps")
	}
	if sigma := f.Spec.Privacy.Sigma; a.Steps == 0 && sigma != nil && *sigma == 0 {
		return fault.New("algorithm.steps: is missing; without noise no theorem says when averaging is precise enough", "give steps")
	}
	f.everyLeftOpen = f.Spec.Report.Every == 0
	f.setTurns(a.Steps)
	return nil
}

// setTurns fixes how long averaging goes on. Where the spec says nothing it is
// scored about 200 times.
func (f gossipFamily) setTurns(turns int) {
	f.Gossip.TurnsPerRound, f.Spec.Algorithm.Steps = turns, turns
	if f.everyLeftOpen {
		f.Spec.Report.Every = max(1, turns/200)
	}
}

// accelerate sets the factor of 002 Algorithm 6.1, which needs the spectral gap.
func (f gossipFamily) accelerate() error {
	switch {
	case !f.Transition.Sparse().Symmetric(0):
		return fault.New(fmt.Sprintf("algorithm.acceleration: chebyshev needs symmetric weights, but %s of %s are not", f.Spec.Weights, f.Graph.Name()),
			"use weights: hamilton on an undirected graph, or acceleration: none")
	case !f.Gap.Converged || f.Gap.Value <= 0:
		return fault.New(fmt.Sprintf("algorithm.acceleration: chebyshev needs the spectral gap, and that of %s with weights %s is not positive or not known", f.Graph.Name(), f.Spec.Weights),
			"use weights: hamilton, or acceleration: none")
	}
	f.Gossip.Gamma = gossip.Acceleration(f.Gap.Value)
	return nil
}

// weights are the matrices of the spec, the same in all trials.
func (f gossipFamily) weights() (graph.Sequence, error) {
	a, w := f.Spec.Algorithm, f.Transition.Sparse()
	if f.Graph.Directed() {
		return nil, fault.New(fmt.Sprintf("graph: in gossip neighbours hear each other, but %s is directed", f.Graph.Name()), "use an undirected graph, or kind: walk")
	}
	if !doublyStochastic(w) {
		return nil, fault.New(fmt.Sprintf("weights: the rows of %s on %s sum to 1, but the columns do not, so gossip would not conserve the mean", f.Spec.Weights, f.Graph.Name()),
			"use weights: hamilton or max-degree on an undirected graph")
	}
	sequence := graph.Fixed(w)
	switch {
	case a.Wake == "edges":
		return graph.NewActivations(w, f.Spec.Seed)
	case a.Redraw > 0:
		every := a.Redraw
		if !a.Averaging() {
			every *= a.TurnsPerRound
		}
		redrawn, err := gen.Redrawn(f.Spec.Graph, f.Spec.Weights, every, f.Spec.Seed)
		if err != nil {
			return nil, fault.Wrap(err, "algorithm.redraw: "+f.Spec.Graph+" cannot be drawn anew", "use a random generator such as er:n=100,p=0.1")
		}
		sequence = redrawn
	}
	if a.Dropout > 0 {
		sequence = graph.Dropout(sequence, a.Dropout, f.Spec.Seed)
	}
	return sequence, nil
}

// doublyStochastic reports whether all columns sum to 1 as rows do.
func doublyStochastic(w *sparse.Matrix) bool {
	sums := make([]float64, w.N)
	for k, v := range w.Columns {
		sums[v] += w.Values[k]
	}
	for _, s := range sums {
		if math.Abs(s-1) > 1e-9 {
			return false
		}
	}
	return true
}

// trial runs once and scores the mean of the nodes' models. Averaging is
// looked at after every turn, learning after every round.
func (f gossipFamily) trial(ctx context.Context, seed uint64, r *recorder) ([]float64, error) {
	p := f.Gossip
	every := step.Turn(p.TurnsPerRound)
	if f.Spec.Algorithm.Averaging() {
		every = 1
	}
	mean := make([]float64, p.Params)
	run := &sim.Gossip{Protocol: p, Holdings: f.holdings, Weights: f.Weights, Seed: seed, Scales: f.scales}
	if f.Spec.Trials > 1 { // trials run side by side, and a sequence serves one
		weights, err := f.weights()
		if err != nil {
			return nil, err
		}
		run.Weights = weights
	}
	_, err := run.Bulk(ctx, sim.GossipWatcher{Values: func(t step.Turn, x []float64) {
		averaging := f.Spec.Algorithm.Averaging()
		if t%every != 0 || t == 0 && !averaging {
			return
		}
		apart := consensus(mean, x)
		if t == 0 {
			r.score(0, mean, apart)
		}
		r.see(int(t/every), mean, apart)
	}})
	return mean, err
}

// consensus sets mean to the mean of the nodes' models in x, one after the
// other, and returns their mean squared distance from it.
func consensus(mean, x []float64) float64 {
	d := len(mean)
	clear(mean)
	for i, v := range x {
		mean[i%d] += v
	}
	n := float64(len(x) / d)
	for j := range mean {
		mean[j] /= n
	}
	apart := 0.0
	for i, v := range x {
		apart += (v - mean[i%d]) * (v - mean[i%d])
	}
	return apart / n
}

// cost counts messages: each turn every node sends its model to each that it
// averages with.
func (f gossipFamily) cost() Cost {
	p, a := f.Gossip, f.Spec.Algorithm
	perTurn := 2 * float64(f.Graph.Edges()) * (1 - a.Dropout) * (1 - a.Dropout)
	if a.Wake == "edges" {
		perTurn = 2
	}
	messages := int(perTurn * float64(p.Turns()))
	return Cost{
		Unit: "message", Hops: messages, BytesPerHop: p.Bytes(), Bytes: messages * p.Bytes(),
		PerNode: float64(messages) / float64(p.Nodes),
	}
}

// apartWork is the most rows of matrices that are looked at to see whether the
// graphs of a run hold together.
const apartWork = 20_000_000

// apart warns of graphs that fall apart, "" if they do not.
func (f gossipFamily) apart() string {
	a, turns := f.Spec.Algorithm, f.Gossip.Turns()
	if a.Dropout == 0 && a.Redraw == 0 && a.Wake == "all" || float64(turns)*float64(f.Gossip.Nodes) > apartWork {
		return ""
	}
	apart, parts := graph.Together(f.Weights, turns)
	switch {
	case parts > 1:
		return fmt.Sprintf("Over all %d turns the graphs leave the nodes in %d parts that never hear of each other: take more turns, less dropout or a denser graph.", turns, parts)
	case apart > 0 && a.Wake == "all":
		return fmt.Sprintf("In %d of %d turns the nodes that were there did not hang together.", apart, turns)
	}
	return ""
}

func (f gossipFamily) notes() []string {
	a := f.Spec.Algorithm
	notes := []string{"Every node ends with a model of its own. What is scored is their mean, which only the simulator sees; consensus is the mean squared distance of the nodes' models from it."}
	if a.Averaging() {
		notes = []string{"Every node ends with a value of its own. Scores are means over the nodes; consensus is the mean " +
			"squared distance of their values from the mean of all, which only the simulator sees."}
	}
	if diameter, err := f.Graph.Diameter(0); a.Averaging() && a.Wake == "all" && err == nil && diameter.Lower > a.Steps {
		notes = append(notes, fmt.Sprintf("%d turns are fewer than the diameter %d: some nodes hear nothing of others.", a.Steps, diameter.Lower))
	}
	if a.Dropout > 0 || a.Redraw > 0 || a.Wake == "edges" {
		notes = append(notes, "The graphs of all turns are those of the spec's seed, the same in every trial; the losses are for exactly these, and they are public.")
	}
	if note := f.apart(); note != "" {
		notes = append(notes, note)
	}
	if !a.Averaging() {
		notes = append(notes, "Gradients follow what was received, so composing rounds of gossip below the local loss is not proved (docs/PAPERS.md); the local loss is charged.")
	}
	return notes
}
