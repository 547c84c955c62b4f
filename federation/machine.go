package federation

import (
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/node/secret"
	"github.com/hearsay-dp/hearsay/step"
)

// A Machine is this participant's side of the run.
type Machine struct {
	step.Durable
	// Model is what this participant has of the model at the end: nil where the
	// last token is shown to nobody but its holder.
	Model func() []float64
	// Contributions is how often its data was used so far.
	Contributions func() int
	// Over reports whether the run is over for this participant, whether or not all
	// neighbours have confirmed that they know.
	Over func() bool
	// Source is who told this participant that the run had ended, and whether
	// somebody contradicts; nil where nobody tells.
	Source func() (from step.NodeID, disputed bool)
}

// Machine makes the machine of this participant for its rows. Noise and routes
// come from the operating system's randomness and nowhere else.
func (f *Federation) Machine(shard *dataset.Shard) Machine {
	return f.machine(examples(f.setup.Objective.Model, shard.Train), secret.NewNoise(), secret.NewRouter())
}

func (f *Federation) machine(ex model.Examples, noise *secret.Noise, router *secret.Router) Machine {
	if p := f.setup.Gossip; p != nil {
		m := gossip.NewMachine(p, f.Self, f.Neighbours(), ex, gossip.NewKernel(p, noise, sampler{router}), f.setup.Weights)
		over := func() bool { return m.Turn() == p.Turns() }
		return Machine{Durable: m, Model: m.Model, Contributions: m.Contributions, Over: over}
	}
	p := f.walk()
	m := walk.NewMachine(&p, f.Self, f.Neighbours(), ex, walk.NewHopper(&p, noise, route{f.setup.Choose, router}))
	if turns, ok := f.absence(); ok {
		m.Expect(turns)
	}
	ended := func() []float64 {
		last, _ := m.Ended()
		return last
	}
	over := func() bool {
		_, known := m.Ended()
		return known
	}
	return Machine{Durable: m, Model: ended, Contributions: m.Contributions, Over: over, Source: m.Source}
}

// walk is the protocol with what only a real run has: the end is announced, and
// silent holders are dealt with as the spec says.
func (f *Federation) walk() walk.Protocol {
	p, real := *f.setup.Protocol, f.Spec.Federation
	p.Announce, p.Final = true, f.Spec.Privacy.Release == "final"
	if real.Unreachable == "around" {
		p.Handover.Around = int(real.Patience / real.Tick)
	}
	p.Handover.Lease = int(real.Lease / real.Tick)
	return p
}

// falseAlarm is the probability that a run stops because some participant takes
// the true token for a forged one: the token was away from it for so long.
const falseAlarm = 1e-9

// absence is how many turns the token is away from this participant at most.
func (f *Federation) absence() (turns int, ok bool) {
	if f.setup.Transition == nil {
		return 0, false
	}
	total := float64(f.setup.Turns())
	turns, ok = f.setup.Transition.Absence(int(f.Self), falseAlarm/(total*float64(len(f.Names))), int(total))
	return turns + 1, ok
}

// examples are rows as models take them.
func examples(m model.Model, b dataset.Block) model.Examples {
	ex := model.Examples{Features: b.Features, X: b.X, Y: b.Y}
	ex.Norms = model.Norms(m, ex)
	return ex
}

// route draws where the token goes from secret randomness.
type route struct {
	choose walk.Chooser
	secret *secret.Router
}

// Next implements walk.Router.
func (r route) Next(at step.NodeID, _ step.Turn, _ step.Lane) step.NodeID {
	return step.NodeID(r.choose.Next(int(at), r.secret.Rand()))
}

// Again implements walk.Router.
func (r route) Again(at step.NodeID, _ step.Turn, _ step.Lane, _ int, silent step.NodeID) step.NodeID {
	return walk.Elsewhere(r.choose, at, silent, r.secret.Rand())
}

// sampler draws batches from secret randomness.
type sampler struct{ secret *secret.Router }

// At implements gossip.Sampler.
func (s sampler) At(step.NodeID, step.Turn) *rand.Rand { return s.secret.Rand() }
