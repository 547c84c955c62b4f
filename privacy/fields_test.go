package privacy_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// An accountantOf prices a schedule of type S: all pairs, in one list.
type accountantOf[S any] struct {
	name   string
	base   func() S
	price  func(S) ([]float64, error)
	change map[string]func(*S) // another admissible value of a field
	same   map[string]string   // fields that may change nothing, and why
}

// Every field of a schedule that an accountant takes changes its numbers, or makes it refuse, or stands here with the
// reason why it cannot matter. A field that is new fails until somebody has thought about it.
func TestAccountantsKnowEveryField(t *testing.T) {
	for _, a := range gossipAccountants(t) {
		t.Run(a.name, func(t *testing.T) { knowsEveryField(t, a) })
	}
	for _, a := range walkAccountants(t) {
		t.Run(a.name, func(t *testing.T) { knowsEveryField(t, a) })
	}
}

func knowsEveryField[S any](t *testing.T, a accountantOf[S]) {
	want, err := a.price(a.base())
	if err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[S]().NumField() {
		field := reflect.TypeFor[S]().Field(i).Name
		change := a.change[field]
		if change == nil {
			t.Errorf("%s: say how %s changes", a.name, field)
			continue
		}
		s := a.base()
		change(&s)
		if before, after := reflect.ValueOf(a.base()).Field(i), reflect.ValueOf(s).Field(i); reflect.DeepEqual(before.Interface(), after.Interface()) {
			t.Errorf("%s: %s is what it was", a.name, field)
		}
		got, err := a.price(s)
		_, may := a.same[field]
		if alike := err == nil && slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*math.Abs(y) }); alike != may {
			t.Errorf("%s: with another %s the numbers are the same: %v, and may be: %v (%v)", a.name, field, alike, may, err)
		}
	}
}

// unitsName is why energies do not depend on Records where rows do not take turns.
const unitsName = "it names the unit in the claim; what the unit moves is in Sensitivities"

// weightsOf returns the transition matrix of a graph.
func weightsOf(t *testing.T, graphs string) *sparse.Matrix {
	t.Helper()
	g, err := gen.Parse(graphs, 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	return w.Sparse()
}

// unitsOfNoise is why energies of accountants that are calibrated do not depend on two fields.
const unitsOfNoise = "energies are in units of the sensitivity over the noise, and a multiplier divides them"

// revealed is why noise that an accountant does not know cannot matter: shown to everybody it leaves the run without it.
const revealed = "more noise, independent of all data: with that shown to everybody the view is the one that is priced"

// weightsSay is why the number of nodes that may miss a round cannot matter.
const weightsSay = "it bounds how many nodes miss a round, and the weights of each turn say which do"

// oneRound and anyAveraging are why fields of rounds and of averaging cannot matter.
const (
	oneRound     = "there is one round, in which all contribute"
	anyAveraging = "observers are charged for every message, whatever is averaged, projected or learnt from it"
)

func gossipAccountants(t *testing.T) []accountantOf[schedule.Gossip] {
	w, others := weightsOf(t, "ring:6"), weightsOf(t, "line:6")
	base := func() schedule.Gossip {
		return schedule.Gossip{Nodes: 6, W: w, Rounds: 4, TurnsPerRound: 1, NoiseAlways: true, Sensitivity: 1, Noise: 1, Update: model.Asserted(1, "test")}
	}
	change := map[string]func(*schedule.Gossip){
		"Nodes": func(s *schedule.Gossip) { s.Nodes = 7 }, "W": func(s *schedule.Gossip) { s.W = others },
		"Weights": func(s *schedule.Gossip) { s.W, s.Weights = nil, still{others} },
		"Rounds":  func(s *schedule.Gossip) { s.Rounds++ }, "TurnsPerRound": func(s *schedule.Gossip) { s.TurnsPerRound++ },
		"Gamma": func(s *schedule.Gossip) { s.Gamma = 1.3 }, "Cap": func(s *schedule.Gossip) { s.Cap = 1 }, "Every": func(s *schedule.Gossip) { s.Every = 2 },
		"Final": func(s *schedule.Gossip) { s.Final = true }, "Asynchronous": func(s *schedule.Gossip) { s.Asynchronous = true },
		"NoiseAlways": func(s *schedule.Gossip) { s.NoiseAlways = !s.NoiseAlways }, "NoiseEachTurn": func(s *schedule.Gossip) { s.NoiseEachTurn = true },
		"Pairwise": func(s *schedule.Gossip) { s.Pairwise, s.Pairs = s.Pairwise+1, w }, "Pairs": func(s *schedule.Gossip) { s.Pairwise, s.Pairs = 2, others },
		"Projected": func(s *schedule.Gossip) { s.Projected = true }, "Momentum": func(s *schedule.Gossip) { s.Momentum = 0.9 },
		"Memory": func(s *schedule.Gossip) { s.Memory = &schedule.Memory{Past: []float64{0.5}, Times: 1} }, "Epoch": func(s *schedule.Gossip) { s.Epoch = 2 },
		"StepSizes":   func(s *schedule.Gossip) { s.StepSizes = []float64{1, 0.5, 0.25, 0.125}[:s.Rounds] },
		"Sensitivity": func(s *schedule.Gossip) { s.Sensitivity = 2 }, "Noise": func(s *schedule.Gossip) { s.Noise = 2 },
		"Sensitivities": func(s *schedule.Gossip) { s.Sensitivities = []float64{0.5, 0.5, 0.5, 0.5, 0.5, 1} },
		"Records":       func(s *schedule.Gossip) { s.Records = true }, "Absent": func(s *schedule.Gossip) { s.Absent = 1 },
		"Update": func(s *schedule.Gossip) { s.Update = model.Asserted(0.5, "test") },
	}
	return []accountantOf[schedule.Gossip]{
		{name: "flow", base: base, change: change, same: map[string]string{
			"Sensitivity": unitsOfNoise, "Noise": unitsOfNoise, "Records": unitsName, "Pairwise": revealed, "Pairs": revealed,
			"Asynchronous": "with one matrix all nodes take part in every turn", "NoiseEachTurn": "every turn begins a round",
			"Projected": "what is sent is projected after its noise was added"},
			price: func(s schedule.Gossip) (all []float64, err error) {
				a, err := flow.Of(s)
				if err != nil {
					return nil, err
				}
				p := a.Every(nil, 1)
				losses, err := p.Losses(1, privacy.Metric{Order: 2})
				return allPairs(6, losses.Table()), err
			}},
		{name: "gossipview", change: change, same: map[string]string{
			"Sensitivity": unitsOfNoise, "Noise": unitsOfNoise, "Records": unitsName, "Pairwise": revealed, "Pairs": revealed, "Absent": weightsSay, "NoiseEachTurn": revealed,
			"Cap": oneRound, "Every": oneRound, "NoiseAlways": oneRound, "StepSizes": oneRound + ", and its step scales noise and values alike",
			"Update": oneRound + ", and nothing follows what was received", "Gamma": "accelerated messages are other combinations of the same",
			"Momentum": oneRound + ", and no step before it", "Epoch": oneRound, "Asynchronous": "with one matrix all nodes take part in every turn"},
			base: func() schedule.Gossip { s := base(); s.Rounds, s.TurnsPerRound = 1, 2; return s },
			price: func(s schedule.Gossip) ([]float64, error) {
				a, err := gossipview.Of(s)
				if err != nil {
					return nil, err
				}
				losses, err := a.Leakage(1).Of(s.Relatives(), privacy.Record).Losses(1, privacy.Metric{Order: 2})
				if err != nil {
					return nil, err
				}
				return allPairs(6, losses.At), nil
			}},
		{name: "pairwise", change: change, same: map[string]string{"Epoch": "all of a participant's data are in every batch, of which some row is",
			"Sensitivity": unitsOfNoise, "Noise": unitsOfNoise, "Records": unitsName, "NoiseEachTurn": revealed, "W": anyAveraging, "Weights": anyAveraging, "TurnsPerRound": anyAveraging,
			"Gamma": anyAveraging, "Final": anyAveraging, "Projected": anyAveraging, "Update": anyAveraging, "StepSizes": "a step scales noise and gradients alike",
			"Momentum": "what is carried on is what observers saw: the difference of what a step began from and what was sent"},
			base: func() schedule.Gossip { s := base(); s.Pairwise, s.Pairs = 2, w; return s },
			price: func(s schedule.Gossip) ([]float64, error) {
				a, err := pairwise.Of(s, nil)
				if err != nil {
					return nil, err
				}
				return a.Energies(nil, 1)
			}},
	}
}

// still are weights that never change.
type still struct{ w *sparse.Matrix }

func (s still) Matrix(step.Turn) *sparse.Matrix                     { return s.w }
func (s still) Row(v step.NodeID, _ step.Turn) ([]int32, []float64) { return s.w.Row(int(v)) }
func (s still) Active(step.Turn) []step.NodeID                      { return nil }

// walkAccountants are those of tokens that walk.
func walkAccountants(t *testing.T) []accountantOf[schedule.Walk] {
	w := weightsOf(t, "ring:6")
	base := func() schedule.Walk {
		return schedule.Walk{Nodes: 6, W: w, Start: schedule.AnyStart, Turns: 40, Cap: 4, Tokens: 1, Sensitivity: 1, Noise: 1, Update: model.Asserted(1, "test")}
	}
	change := map[string]func(*schedule.Walk){
		"Nodes": func(s *schedule.Walk) { s.Nodes = 7 }, "W": func(s *schedule.Walk) { s.W = weightsOf(t, "line:6") }, "Start": func(s *schedule.Walk) { s.Start = 2 },
		"Turns": func(s *schedule.Walk) { s.Turns = 50 }, "BurnIn": func(s *schedule.Walk) { s.Start, s.BurnIn = 2, 3 }, "Cap": func(s *schedule.Walk) { s.Cap = 3 },
		"Final": func(s *schedule.Walk) { s.Final = true }, "EdgeCap": func(s *schedule.Walk) { s.EdgeCap = 1 }, "Tokens": func(s *schedule.Walk) { s.Tokens = 2 },
		"Starts": func(s *schedule.Walk) { s.Starts = []int{3} }, "Skip": func(s *schedule.Walk) { s.Skip = 0.25 }, "Power": func(s *schedule.Walk) { s.Power = 0.5 },
		"Forward": func(s *schedule.Walk) { s.Forward = true }, "Reroutes": func(s *schedule.Walk) { s.Reroutes = true },
		"Sensitivity": func(s *schedule.Walk) { s.Sensitivity = 2 }, "Noise": func(s *schedule.Walk) { s.Noise = 2 }, "Besides": func(s *schedule.Walk) { s.Besides = 0.1 },
		"Sensitivities": func(s *schedule.Walk) { s.Sensitivities = []float64{0.5, 0.5, 0.5, 0.5, 0.5, 1} }, "Update": func(s *schedule.Walk) { s.Update = model.Update{} },
		"Records": func(s *schedule.Walk) { s.Records = true },
	}
	return []accountantOf[schedule.Walk]{{
		name: "walkpath", base: base, change: change, same: map[string]string{"Sensitivity": unitsOfNoise, "Noise": unitsOfNoise, "Records": unitsName},
		price: func(s schedule.Walk) (all []float64, err error) {
			for _, u := range []int{0, 5} {
				for v := range 6 {
					if u == v {
						continue
					}
					law, err := walkpath.Walk{Walk: s}.Law(u, v)
					if err != nil {
						return nil, err
					}
					all = append(all, law.RDP(2, 2))
				}
			}
			return all, nil
		},
	}}
}

// allPairs lists a table row by row, without the diagonal.
func allPairs(n int, at func(u, v int) float64) (all []float64) {
	for u := range n {
		for v := range n {
			if u != v {
				all = append(all, at(u, v))
			}
		}
	}
	return all
}
