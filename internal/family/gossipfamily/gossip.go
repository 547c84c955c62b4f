// Package gossipfamily implements algorithms that average between neighbours, alone or after gradient steps.
package gossipfamily

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// An Algorithm is gossip on one graph.
type Algorithm struct {
	family.Holdings
	Protocol *gossip.Protocol
	Weights  graph.Sequence // the matrix of every turn
	keys     *Keys
	secrets  *graph.Graph // the pairs of nodes that share cancelling noise
	scales   []float64
	meet     [][]int32 // see meetings

	secretsNote string // content of a secrets file that is not used
	found       *found // cache of the accountants of this protocol

	open      bool // the theorem sets the number of turns
	everyOpen bool // report.every follows the number of turns
}

// Prepare implements family.Family.
func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	a, err := prepare(h.WithSpec(func(*spec.Spec) {}))
	if err != nil {
		return nil, err
	}
	if a.scales, err = h.Scales(ctx, a.Local()); err != nil {
		return nil, err
	}
	a.meet, err = a.meetings()
	return a, err
}

func prepare(h family.Holdings) (a *Algorithm, err error) {
	a = &Algorithm{Holdings: h, keys: KeysOf(h.Spec), found: &found{}}
	shown := h.Spec.Privacy.Release == "final"
	if shown && a.averaging() {
		return nil, fault.New("privacy.release: final: what everybody learns from the last values of averaging has no number", "use release: none, or kind: gossip-gd")
	}
	if err := cmp.Or(a.keys.checkEnough(h.Spec), a.checkEverybody()); err != nil {
		return nil, err
	}
	if a.Weights, err = a.weights(); err != nil {
		return nil, err
	}
	own, k := h.Spec.Algorithm, a.keys
	pairs, err := a.openSecrets()
	if err != nil {
		return nil, err
	}
	local, err := h.Step()
	if err != nil {
		return nil, err
	}
	switch {
	case k.Sampling == poisson:
		local.Noise.Shares, err = h.SampledShares(func(rows int) int { return max(rows, own.WeighRows) }, k.rate)
		if err != nil {
			return nil, err
		}
	case k.Epoch > 1 || k.Batch > 0:
		if local.Noise.Shares, err = h.RecordShares(func(rows int) int { return k.leastRows(rows, own.WeighRows) }); err != nil {
			return nil, err
		}
	}
	a.Protocol = &gossip.Protocol{
		Local: local, Nodes: h.Spec.Nodes, Rounds: own.Steps, TurnsPerRound: k.TurnsPerRound, Gamma: 1, Cap: own.Contributions,
		NoiseEachTurn: k.Noise == eachTurn, Pairwise: k.Pairwise, Pairs: pairs, Absent: k.Absent,
		Asynchronous: !a.averaging() && (k.Wake == "edges" || k.Dropout > 0), KeepMean: !a.averaging() && own.Average == "half",
		Final: shown,
	}
	a.Protocol.Batch, a.Protocol.Epoch = k.Batch, k.Epoch
	if err := a.remember(); err != nil {
		return nil, err
	}
	if k.Acceleration == "chebyshev" {
		if err := a.accelerate(); err != nil {
			return nil, err
		}
	}
	if a.averaging() {
		return a, a.prepareAveraging()
	}
	if own.StepSize.Theory {
		return nil, fault.New("algorithm.step_size: theory is 002 Theorem 7.6, of a walk", "give a number")
	}
	a.Protocol.MaxScale = h.MaxScale(local.StepSize)
	return a, h.CheckStepSize(local.StepSize)
}

// prepareAveraging makes averaging one round: a step of size 1 from zero onto the node's own value, then averaging only.
func (a *Algorithm) prepareAveraging() error {
	p, s := a.Protocol, a.Spec
	s.Algorithm.Fill = false
	p.Local = descent.Local{
		Params: p.Params, Objective: model.Objective{Model: model.Own{}}, Noise: p.Noise, StepSize: descent.StepSize{Base: 1},
	}
	p.Rounds, p.Cap = 1, 1
	a.open, a.everyOpen = s.Algorithm.Steps == 0, s.Report.Every == 0
	turns := s.Algorithm.Steps
	if a.open {
		if a.keys.Wake != "edges" && a.keys.changes(a.Spec) {
			return fault.New("algorithm.steps: is missing; no theorem says how many turns gossip over changing graphs needs", "give steps")
		}
		if sigma := s.Privacy.Sigma; sigma != nil && *sigma == 0 {
			return fault.New("algorithm.steps: is missing; without noise no theorem says when averaging is precise enough", "give steps")
		}
		var err error
		if turns, err = a.StoppingTime(math.Inf(1)); err != nil {
			return err
		}
	}
	a.setTurns(turns)
	return nil
}

// setTurns sets the number of turns of averaging. Where the spec gives no report.every it is scored about 200 times.
func (a *Algorithm) setTurns(turns int) {
	a.Protocol.TurnsPerRound, a.Spec.Algorithm.Steps = turns, turns
	if a.everyOpen {
		a.Spec.Report.Every = max(1, turns/200)
	}
}

func (a *Algorithm) averaging() bool { return isAveraging(a.Spec) }

// copied returns the same algorithm with a spec and a protocol of its own.
func (a *Algorithm) copied(change func(*spec.Spec)) *Algorithm {
	other, protocol := *a, *a.Protocol
	other.Holdings, other.Protocol = a.WithSpec(change), &protocol
	return &other
}

// WithNoise implements family.Algorithm.
func (a *Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	other := a.copied(func(*spec.Spec) {})
	other.Protocol.Noise.Multiplier, other.found = multiplier, &found{}
	if !a.open {
		return other, nil
	}
	turns, err := a.StoppingTime(multiplier)
	if err != nil {
		return nil, err
	}
	other.setTurns(max(turns, a.Protocol.TurnsPerRound))
	return other, nil
}

// WithPrivacy implements family.Algorithm.
func (a *Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	return a.copied(func(s *spec.Spec) { s.Privacy = p })
}

// Of implements family.Algorithm.
func (a *Algorithm) Of() *family.Holdings { return &a.Holdings }

// Local implements family.Algorithm.
func (a *Algorithm) Local() *descent.Local { return &a.Protocol.Local }

// Scales implements family.Algorithm.
func (a *Algorithm) Scales() []float64 { return a.scales }

// Contributions implements family.Algorithm.
func (a *Algorithm) Contributions() int { return a.Protocol.Contributions() }

// Turns implements family.Algorithm.
func (a *Algorithm) Turns() int64 { return int64(a.Protocol.Turns()) }

// Draws implements family.Algorithm.
func (a *Algorithm) Draws() float64 {
	draws := float64(float64(a.Turns()) * float64(a.Protocol.Nodes))
	if a.keys.Pairwise > 0 { // and the draws of every secret
		draws += float64(float64(a.Protocol.Rounds) * float64(a.secrets.Edges()))
	}
	return draws
}

// Bound implements family.Algorithm.
func (a *Algorithm) Bound() float64 { return a.Protocol.Bound() }

// Work implements family.Algorithm.
func (a *Algorithm) Work() float64 {
	rows, params, nodes := float64(a.Train.Len()), float64(a.Protocol.Params), float64(a.Protocol.Nodes)
	exchanged := float64(float64(a.Turns()) * (float64(2*float64(a.Graph.Edges())) + nodes) * params)
	switch {
	case a.keys.Rate > 0:
		rows = float64(rows * a.keys.Rate)
	case a.Protocol.Epoch > 1:
		rows /= float64(a.Protocol.Epoch)
	case a.Protocol.Batch > 0:
		rows = min(rows, float64(float64(a.Protocol.Batch)*nodes))
	}
	return exchanged + float64(float64(a.Protocol.Rounds)*rows*params)
}

// Trial implements family.Algorithm. The model is the mean of the nodes' models. Averaging is shown after every turn, learning
// after every round.
func (a *Algorithm) Trial(ctx context.Context, seed uint64, see family.Seen) ([]float64, error) {
	return a.TrialKept(ctx, seed, see, nil)
}

// Simulation returns the run of a seed. It has weights of its own, because runs may be concurrent and a sequence serves one.
func (a *Algorithm) Simulation(seed uint64) (*sim.Gossip, error) {
	weights, err := a.weights()
	if err != nil {
		return nil, err
	}
	return &sim.Gossip{Protocol: a.Protocol, Holdings: a.Examples, Weights: weights, Seed: seed, Scales: a.scales}, nil
}

// Changes reports whether the matrix changes from turn to turn.
func (a *Algorithm) Changes() bool { return a.keys.changes(a.Spec) }

// TrialKept implements family.Keeper. Where nodes keep no means, own is shown their last models.
func (a *Algorithm) TrialKept(ctx context.Context, seed uint64, see family.Seen, own func(models []float64)) ([]float64, error) {
	p := a.Protocol
	mean := make([]float64, p.Params)
	run, err := a.Simulation(seed)
	if err != nil {
		return nil, err
	}
	watch, look := sim.GossipWatcher{Means: own}, func(done int, x []float64) { see(done, mean, consensus(mean, x)) }
	if a.averaging() {
		watch.Values = func(t step.Turn, x []float64) { look(int(t), x) }
	} else {
		watch.Rounds = look
	}
	last, err := run.Bulk(ctx, watch)
	if err == nil && own != nil && !p.KeepMean {
		own(last)
	}
	return mean, err
}

// consensus sets mean to the mean of the nodes' models, which x concatenates. It returns their mean squared distance from it.
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
		apart += float64((v - mean[i%d]) * (v - mean[i%d]))
	}
	return apart / n
}

// Cost counts messages: in each turn every node sends its model to each node that it averages with.
func (a *Algorithm) Cost() family.Cost {
	p, k := a.Protocol, a.keys
	away := k.Dropout
	if k.misses() {
		away = min(away, float64(k.Absent)/float64(p.Nodes))
	}
	perTurn := 2 * float64(a.Graph.Edges()) * (1 - away) * (1 - away)
	switch k.Wake {
	case "edges":
		perTurn = 2
	case "matchings":
		perTurn = a.messages()
	default:
		if isSequence(a.Spec) {
			perTurn = a.messages()
		}
	}
	messages := int(math.Round(perTurn * float64(p.Turns())))
	return family.Cost{
		Unit: "message", Hops: messages, BytesPerHop: p.Bytes(), Bytes: messages * p.Bytes(),
		PerNode: float64(messages) / float64(p.Nodes),
	}
}

// looked is the number of turns of matchings that are counted.
const looked = 16

// messages returns the mean number of messages of a turn where turns differ. It counts some turns, or all where that is cheap.
func (a *Algorithm) messages() float64 {
	turns, sent := a.Protocol.Turns(), 0
	if !isSequence(a.Spec) || a.keys.Dropout > 0 || float64(turns)*float64(a.Protocol.Nodes) > apartWork {
		turns = min(looked, turns)
	}
	for t := range turns {
		for v := range step.NodeID(a.Protocol.Nodes) {
			row, _ := a.Weights.Row(v, t)
			sent += len(row) - 1
		}
	}
	return float64(sent) / float64(turns)
}

// apartWork is the largest number of matrix rows that are read to check whether the graphs of a run are connected.
const apartWork = 20_000_000

// apart returns a warning if the graphs are disconnected, else "".
func (a *Algorithm) apart() string {
	k, turns := a.keys, a.Protocol.Turns()
	if !k.changes(a.Spec) || float64(turns)*float64(a.Protocol.Nodes) > apartWork {
		return ""
	}
	apart, parts := graph.Together(a.Weights, turns)
	switch {
	case parts > 1:
		return fmt.Sprintf("Over all %d turns the graphs leave the nodes in %d parts that never hear of each other: take more turns, less dropout or a denser graph.", turns, parts)
	case apart > 0 && k.Wake == "all":
		return fmt.Sprintf("In %d of %d turns the nodes that were there did not hang together.", apart, turns)
	}
	return ""
}

// Notes implements family.Algorithm.
func (a *Algorithm) Notes() []string {
	k := a.keys
	seen := "which only the simulator sees"
	if a.Protocol.Final {
		seen = "which follows from the models that all nodes end with, and everybody is shown these"
	}
	notes := []string{"Every node ends with a model of its own. What is scored is their mean, " + seen + "; consensus is the mean squared distance of the nodes' models from it."}
	if kept := a.Kept(); kept != nil {
		notes = []string{fmt.Sprintf("Every node ends with a model of its own: the mean of what it had after the rounds of the second half, which it shows nobody "+
			"and which costs no privacy. Final scores are means over %s. Curves score the mean of all nodes' models on the way, and the parameters written down are the mean "+
			"of all nodes' own: both only the simulator sees. Consensus is the mean squared distance of the nodes' last models from theirs.", a.whose(kept))}
	}
	if a.averaging() {
		notes = []string{"Every node ends with a value of its own. Scores are means over the nodes; consensus is the mean " +
			"squared distance of their values from the mean of all, which only the simulator sees."}
	}
	if diameter, err := a.Graph.Diameter(0); a.averaging() && k.Wake == "all" && err == nil && diameter.Lower > a.Spec.Algorithm.Steps {
		notes = append(notes, fmt.Sprintf("%d turns are fewer than the diameter %d: some nodes hear nothing of others.", a.Spec.Algorithm.Steps, diameter.Lower))
	}
	if isSequence(a.Spec) {
		notes = append(notes, "Turn t has graph t modulo their number. Edges, degrees, hops and the spectral gap of the graph are those of all their edges together.")
	}
	if k.changes(a.Spec) && !k.misses() {
		notes = append(notes, "The graphs of all turns are those of the spec's seed, the same in every trial; the losses are for exactly these, and they are public.")
	}
	if note := a.apart(); note != "" {
		notes = append(notes, note)
	}
	if note := a.hidesLittle(); note != "" {
		notes = append(notes, note)
	}
	if note := a.travels(); note != "" {
		notes = append(notes, note)
	}
	for _, note := range []string{a.remembers(), a.missing()} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	if a.secretsNote != "" {
		notes = append(notes, "Secrets: "+a.secretsNote+".")
	}
	if !a.averaging() {
		notes = append(notes, a.composing())
	}
	return notes
}
