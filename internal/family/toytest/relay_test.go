// Package toytest adds an algorithm to the house as docs/ADDING.md says, without
// touching any other room: a relay, whose token visits all nodes in turn.
package toytest

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/state"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/report"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/spec"
	"github.com/hearsay-dp/hearsay/step"
)

// Step 1: the family, its kinds and its own keys.

// Family is the relay.
type Family struct{}

// Keys is what only a relay has in a spec's algorithm.
type Keys struct {
	Laps int `yaml:"laps,omitempty"` // how often the token visits each node
}

func (f Family) Kinds() []spec.Kind {
	return []spec.Kind{{Name: "relay", Family: f, Accountants: []string{"local"}, Story: "a token goes round, and every node improves it"}}
}

func (Family) Keys() any { return &Keys{Laps: 1} }

func (Family) Check(s *spec.Spec) error {
	k := s.Algorithm.Own.(*Keys)
	if s.Algorithm.Contributions != 0 && s.Algorithm.Contributions != k.Laps {
		return fault.New("algorithm.contributions: a relay visits each node once a lap", "leave it out, and give laps")
	}
	s.Algorithm.Contributions = k.Laps
	return spec.CheckAll(spec.Number{Key: "algorithm.laps", Value: float64(k.Laps), Low: 1, High: 1e6})
}

func (Family) CheckReal(*spec.Spec) error  { return nil }
func (Family) OnlyLocal(*spec.Spec) string { return "" }

// Step 2: what each key does to each accountant.

func (Family) Uses() family.Uses {
	uses := family.Uses{Columns: []string{"local"}, Rows: map[string][]family.Use{"laps": {family.Priced}, "burn_in": {family.Absent}}}
	for _, key := range []string{"kind", "contributions", "tokens", "unit", "sigma", "calibrate", "accountant", "metric"} {
		uses.Rows[key] = family.All(1, family.Priced)
	}
	for _, key := range []string{"steps", "step_size", "clip", "average", "fill", "weigh_rows", "clip_each", "local_steps", "record_name", "momentum", "radius", "start", "release", "sender",
		"condition", "conversion", "coalition", "limits"} {
		uses.Rows[key] = family.All(1, family.Free)
	}
	return uses
}

// Step 3: the algorithm on one graph with one set of holdings.

// Algorithm is a relay made concrete.
type Algorithm struct {
	family.Holdings
	local  descent.Local
	laps   int
	scales []float64
}

func (Family) Prepare(ctx context.Context, h family.Holdings) (family.Algorithm, error) {
	laps, n := h.Spec.Algorithm.Own.(*Keys).Laps, h.Spec.Nodes
	for u := range n {
		if !h.Graph.HasEdge(u, (u+1)%n) {
			return nil, fault.New(fmt.Sprintf("graph: a relay needs an edge from node %d to the next", u), "use a ring")
		}
	}
	local, err := h.Step()
	if err != nil {
		return nil, err
	}
	a := &Algorithm{Holdings: h.WithSpec(func(s *spec.Spec) { s.Algorithm.Steps = laps * n }), local: local, laps: laps}
	a.local.MaxScale = h.MaxScale(a.local.StepSize)
	if err := h.CheckStepSize(a.local.StepSize); err != nil {
		return nil, err
	}
	a.scales, err = h.Scales(ctx, &a.local)
	return a, err
}

func (a *Algorithm) Of() *family.Holdings  { return &a.Holdings }
func (a *Algorithm) Local() *descent.Local { return &a.local }
func (a *Algorithm) Scales() []float64     { return a.scales }
func (a *Algorithm) Contributions() int    { return a.laps }
func (a *Algorithm) Turns() int64          { return int64(a.laps * a.Spec.Nodes) }
func (a *Algorithm) Draws() float64        { return float64(a.Turns()) }
func (a *Algorithm) Bound() float64        { return a.local.Bound(int(a.Turns())) }
func (a *Algorithm) Work() float64         { return float64(a.laps*a.Train.Len()) * float64(a.local.Params) }

func (a *Algorithm) WithNoise(multiplier float64) (family.Algorithm, error) {
	other := *a
	other.local.Noise.Multiplier = multiplier
	return &other, nil
}

func (a *Algorithm) WithPrivacy(p spec.Privacy) family.Algorithm {
	other := *a
	other.Holdings = a.WithSpec(func(s *spec.Spec) { s.Privacy = p })
	return &other
}

// Step 4: what it releases, and what that costs.

func (a *Algorithm) Schedule() schedule.Schedule { return laps(a.laps) }

// laps is a schedule that says no more than what the local accountant takes.
type laps int

func (n laps) Most() int { return int(n) }

func (a *Algorithm) Accountants(m privacy.Metric) []family.Accountant {
	return []family.Accountant{family.Local(&a.Holdings, a.laps, a.Local().Noise, m, nil)}
}

func (a *Algorithm) Towards(_ context.Context, u int) ([]*walkpath.Law, error) {
	return family.LocalLaws(a.laps, a.Local().Noise, a.Spec.Nodes, u), nil
}

func (a *Algorithm) OnGrid(energy, slack float64) float64 {
	return family.HopsOnGrid(energy, a.laps, a.Turns(), slack)
}

func (a *Algorithm) Active() bool { return false }

func (a *Algorithm) Together(context.Context, int, int, []*walkpath.Law) ([]walkpath.Coalition, error) {
	return nil, nil
}

func (a *Algorithm) Coalition(context.Context, family.Accounting) (*report.Coalition, error) {
	return nil, nil
}

func (a *Algorithm) Explain(about, observer int, priced family.Accounting) (*family.Explanation, error) {
	e := family.NewExplanation(a, about, observer, priced.Sigma)
	e.Accountant, e.Assumptions = report.LocalAccountant, []string{privacy.Participant.Adjacency(), "all that a node sends is public"}
	e.Why.Steps, e.Why.Visits, e.Why.Charged = int(a.Turns()), float64(a.laps), "nothing smaller is proved of a relay"
	e.Charge(e.EpsilonOf(float64(a.laps), priced.Sigma))
	return e, nil
}

func (a *Algorithm) Pairs() error { return nil }

func (a *Algorithm) Audit() (family.Audit, error) {
	return nil, fault.New("algorithm.kind: nobody attacks a relay", "audit a walk")
}

// Step 5: running it, in bulk and as machines; both call hop.

func (a *Algorithm) hop(k *descent.Kernel, x []float64, own family.Participant, scale float64, t step.Turn) step.Release {
	r := step.Release{From: own.ID, To: step.NodeID((int(t) + 1) % a.Spec.Nodes), Turn: t}
	k.Contribute(x, &own.Examples, scale, int(t), &r)
	return r
}

func (a *Algorithm) Trial(ctx context.Context, seed uint64, see family.Seen) ([]float64, error) {
	x, kernel := make([]float64, a.local.Params), descent.NewKernel(&a.local, noise.NewSimulated(seed))
	for t := range step.Turn(a.Turns()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := step.NodeID(int(t) % a.Spec.Nodes)
		a.hop(kernel, x, family.Participant{ID: v, Examples: a.Examples.Examples(v)}, a.scales[v], t)
		see(int(t)+1, x, 0)
	}
	return x, nil
}

func (a *Algorithm) Machine(own family.Participant) family.Machine {
	m := &machine{a: a, own: own, kernel: descent.NewKernel(&a.local, own.Noise), scale: a.local.ScaleOf(own.ID, own.Examples)}
	return family.Machine{
		Durable: m, Model: func() []float64 { return m.last }, Contributions: func() int { return m.laps }, Over: m.over,
	}
}

// machine is one node of a relay.
type machine struct {
	a      *Algorithm
	own    family.Participant
	kernel *descent.Kernel
	scale  float64
	laps   int       // done
	last   []float64 // what it sent last
}

// token is the only kind of message.
const token step.Kind = 1

func (m *machine) over() bool { return m.laps == m.a.laps }

// turn is that of the node's next visit.
func (m *machine) turn() step.Turn { return step.Turn(m.laps*m.a.Spec.Nodes) + step.Turn(m.own.ID) }

func (m *machine) visit(x []float64, out *step.Out) {
	t := m.turn()
	out.Releases = append(out.Releases, m.a.hop(m.kernel, x, m.own, m.scale, t))
	m.laps, m.last = m.laps+1, x
	m.send(t, out)
}

// send hands the token on; the last turn's stays.
func (m *machine) send(t step.Turn, out *step.Out) {
	out.Done = m.over()
	if int64(t)+1 < m.a.Turns() {
		next := step.NodeID((int(t) + 1) % m.a.Spec.Nodes)
		out.Msgs = append(out.Msgs, step.Msg{Kind: token, From: m.own.ID, To: next, Turn: t + 1, Body: append([]float64(nil), m.last...)})
	}
}

func (m *machine) Start(out *step.Out) {
	if m.own.ID == 0 {
		m.visit(make([]float64, m.a.local.Params), out)
	}
}

func (m *machine) Step(msg step.Msg, out *step.Out) {
	if msg.Kind == token && !m.over() && msg.Turn == m.turn() && len(msg.Body) == m.a.local.Params {
		m.visit(msg.Body, out)
	}
}

func (m *machine) Tick(step.Timer, *step.Out) {}

func (m *machine) Snapshot(dst []byte) []byte {
	return state.AppendFloats(binary.AppendUvarint(dst, uint64(m.laps)), m.last)
}

func (m *machine) Restore(data []byte) error {
	r := state.NewReader(data, m.a.local.Params)
	m.laps, m.last = int(r.Uint(uint64(m.a.laps))), r.Floats()
	return r.Err()
}

func (m *machine) Resume(out *step.Out) {
	if m.laps > 0 {
		m.send(m.turn()-step.Turn(m.a.Spec.Nodes), out)
	} else {
		m.Start(out)
	}
}

// Step 6: what a report says of it.

func (a *Algorithm) Scoring() family.Scoring { return family.Scoring{} }
func (a *Algorithm) Utility() family.Utility {
	return family.Utility{Why: "no theorem is known", NoisePerHop: family.NoiseNorm(&a.local)}
}

func (a *Algorithm) Cost() family.Cost {
	hops, size := int(a.Turns())-1, 8*a.local.Params
	return family.Cost{Unit: "hop", Hops: hops, BytesPerHop: size, Bytes: hops * size, PerNode: float64(hops) / float64(a.Spec.Nodes)}
}

func (a *Algorithm) Notes() []string      { return []string{"The order of the nodes is public."} }
func (a *Algorithm) Conditions() []string { return nil }
