package experiment

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/family/walkfamily"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// decisions are what nodes draw besides noise. They ask for it in the order of the turns, where nothing is lost and
// nothing is late, and get what a simulation draws.
type decisions struct {
	seed     uint64
	lanes    int
	purposes []step.Purpose // of one turn
	asked    int
}

func (d *decisions) of(v step.NodeID) *rand.Rand {
	turn, purpose := d.asked/len(d.purposes), d.purposes[d.asked%len(d.purposes)]
	d.asked++
	var s step.Stream
	return s.At(d.seed, v, step.Turn(turn/d.lanes), step.Lane(turn%d.lanes), purpose)
}

// A decider is one node that asks.
type decider struct {
	*decisions
	at step.NodeID
}

func (d decider) Rand() *rand.Rand { return d.of(d.at) }

// agreed is noise that neighbours share as a simulation draws it, with nothing to agree on.
type agreed struct{ noise.Shared }

func (agreed) Shown() []float64                  { return make([]float64, noise.ShownSize) }
func (agreed) Agree(step.NodeID, []float64) bool { return true }
func (agreed) Knows(step.NodeID) bool            { return true }
func (agreed) State() []float64                  { return nil }
func (agreed) Restore([]float64) error           { return nil }
func (agreed) Forget()                           {}
func (a agreed) Again(dst []float64, std float64, node, peer step.NodeID, t step.Turn, lane step.Lane) {
	clear(dst)
	a.AddShared(dst, std, node, peer, t, lane)
}

func (agreed) Signed(string, []float64) []float64          { return make([]float64, noise.SignedSize) }
func (agreed) Vouched(string, step.NodeID, []float64) bool { return true }
func (agreed) Digest([][]float64) []float64                { return make([]float64, noise.ShownSize) }

// drawsOf says what nodes of a kind draw in a turn, and whether the order is that of one node's turns or of everybody's.
func drawsOf(s *spec.Spec) (purposes []step.Purpose, each bool) {
	switch s.Algorithm.Kind {
	case "ring-histogram", "complete-histogram":
		return []step.Purpose{step.Route, step.Response}, false
	case "walk":
		if walkfamily.KeysOf(s).Skip > 0 {
			return []step.Purpose{step.Route, step.Absence}, false
		}
	case "gossip-sgd":
		return []step.Purpose{step.Data}, true
	}
	return []step.Purpose{step.Route}, false
}

// onTheNetwork runs an algorithm as machines on the virtual network, and returns the models that they end with.
func onTheNetwork(t *testing.T, p *Priced, seed uint64) [][]float64 {
	t.Helper()
	purposes, each := drawsOf(p.Spec)
	all := &decisions{seed: seed, lanes: max(1, p.Spec.Algorithm.Tokens), purposes: purposes}
	machines := make([]family.Machine, p.Spec.Nodes)
	run := make([]step.Machine, p.Spec.Nodes)
	for v := range machines {
		id, draws := step.NodeID(v), all
		if each {
			draws = &decisions{seed: seed, lanes: 1, purposes: purposes}
		}
		machines[v] = p.Algorithm.Machine(family.Participant{
			ID: id, Neighbours: partnersOf(p, v), Examples: p.Examples.Examples(id),
			Noise: noise.NewSimulated(seed), Shared: agreed{noise.NewSimulated(seed)}, Router: decider{draws, id},
		})
		run[v] = machines[v].Durable
	}
	if _, err := (sim.Network{MaxEvents: 1e6}).Run(t.Context(), run, func(step.Release) {}); err != nil {
		t.Fatal(err)
	}
	models := make([][]float64, len(machines))
	for v, m := range machines {
		if models[v] = m.Model(); !m.Over() {
			t.Errorf("node %d does not know the end", v)
		}
	}
	return models
}

// partnersOf are those that node v exchanges messages with: all where no graph is read.
func partnersOf(p *Priced, v int) (ids []step.NodeID) {
	for u := range p.Spec.Nodes {
		if p.Graph == nil && u != v || p.Graph != nil && slices.Contains(p.Neighbours(v), int32(u)) {
			ids = append(ids, step.NodeID(u))
		}
	}
	return ids
}

// inBulk is the same run as a simulation: what each node ends with, or one model of all.
func inBulk(t *testing.T, p *Priced, seed uint64) (models [][]float64, mean []float64) {
	t.Helper()
	unseen := func(int, []float64, float64) {}
	keeper, ok := p.Algorithm.(family.Keeper)
	if !ok || keeper.Kept() == nil {
		mean, err := p.Algorithm.Trial(t.Context(), seed, unseen)
		if err != nil {
			t.Fatal(err)
		}
		return nil, mean
	}
	d := p.Algorithm.Local().Params
	_, err := keeper.TrialKept(t.Context(), seed, unseen, func(all []float64) {
		for of := range slices.Chunk(slices.Clone(all), d) {
			models = append(models, of)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return models, nil
}

// withMachines opens the spec of an example, made smaller where it is large, with noise that need not be calibrated.
func withMachines(t *testing.T, file, change string) *Priced {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	replace := append([]string{"nodes: 1000\n", "nodes: 20\n", "nodes: 2048\n", "nodes: 16\n", "hypercube:11", "hypercube:4", "steps: 1000", "steps: 60"}, strings.Split(change, "|")...)
	s, err := Parse([]byte(strings.NewReplacer(replace...).Replace(string(text))), file)
	if err != nil {
		t.Fatal(err)
	}
	sigma := 1.5
	s.Privacy.Sigma, s.Privacy.Calibrate = &sigma, nil
	s.Algorithm.Start = spec.Start{} // uniform would be drawn by whoever signs the spec
	s.Federation = &spec.Federation{Tick: time.Second, Patience: time.Minute}
	opened, err := Open(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := opened.setNoise(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a simulation does and what machines on a network do is the same to the bit, of every kind that has machines: a
// change of one of the two alone fails here.
func TestATrialIsWhatTheMachinesDo(t *testing.T) {
	files, err := filepath.Glob("../examples/kinds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	changes := map[string][]string{ // what examples leave out
		"gossip-gd": {"average: half|average: none", "average: half|average: half, pairwise: 4|accountant: flow|accountant: pairwise",
			"average: half|average: half, pairwise: 4, secrets: regular:3|accountant: flow|accountant: pairwise", "average: half|gossip_steps: 3",
			"kind: logistic|kind: logistic, earlier: {spec: sha256:" + strings.Repeat("0", 64) + ", parameters: [1, 2, -1, 0.5, 0.25]}"},
		"walk": {"hypercube:4|complete:8\nweights: metropolis|average: half|tokens: 3|privacy: {|privacy: {release: final, ", "contributions: 24|contributions: 320|average: half|skip: 0.2"},
	}
	for _, file := range files {
		kind := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if kind == "admm-central" || kind == "fixed-point" {
			continue // a curator's, who sends nothing
		}
		for _, change := range append(changes[kind], "|") {
			t.Run(kind+" "+change, func(t *testing.T) {
				t.Parallel()
				p, seed := withMachines(t, file, change), uint64(7)
				for walk.StartAt(p.Spec.Nodes, seed, 0) != 0 { // a sum begins anywhere in a simulation, and at node 0 as a federation
					seed++
				}
				want, one := inBulk(t, p, seed)
				got := onTheNetwork(t, p, seed)
				same(t, p.Algorithm.Scoring(), got, want, one)
			})
		}
	}
}

// same compares what machines end with to the models of a simulation, to one of all, or to their mean.
func same(t *testing.T, s family.Scoring, got, want [][]float64, one []float64) {
	t.Helper()
	if want == nil && s.OwnModels && !s.Tokens {
		mean := make([]float64, len(one))
		for _, model := range got {
			for j, x := range model {
				mean[j] += x
			}
		}
		for j := range mean {
			mean[j] /= float64(len(got))
		}
		got = [][]float64{mean}
	}
	shown := 0
	for v, model := range got {
		if model == nil { // of a token that is shown to nobody but its last holder
			continue
		}
		shown++
		if want != nil {
			one = want[v]
		}
		if !slices.Equal(model, one) {
			t.Errorf("node %d ends with %v, in bulk %v", v, model, one)
		}
	}
	if shown == 0 {
		t.Error("no machine has a model")
	}
}

// muffled is a walk whose schedule says another noise than it is priced at.
type muffled struct{ family.Algorithm }

func (m muffled) WithNoise(multiplier float64) (family.Algorithm, error) {
	a, err := m.Algorithm.WithNoise(multiplier)
	return muffled{a}, err
}

func (m muffled) Schedule() schedule.Schedule {
	s := m.Algorithm.Schedule().(schedule.Walk)
	s.Noise = 0
	return s
}

// Noise is priced as the schedule says it.
func TestNoiseThatTheScheduleHasNotIsNotPriced(t *testing.T) {
	p := withMachines(t, "../examples/kinds/walk.yaml", "|")
	if _, _, err := family.SetNoise(t.Context(), p.Algorithm); err != nil {
		t.Fatal(err)
	}
	_, _, err := family.SetNoise(t.Context(), muffled{p.Algorithm})
	if err == nil || !strings.Contains(err.Error(), "releases 0 times its sensitivity as noise, and 1.5 was priced") {
		t.Error(err)
	}
}
