package federation

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/internal/family/gossipfamily"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/step"
)

// worlds run the participants' own machines twice, side by side, but for one: in the
// second world node u has other data, and the noise of the second world is that of
// the first, shifted as the flow accountant's plan says. If the accountant is right
// the observer, which sends what it likes, is told the same in both, to the last bit,
// and the shifts have no more energy than the plan.
type worlds struct {
	t           *testing.T
	r           *rand.Rand
	u, v        int
	f           *Federation
	a           *gossipfamily.Algorithm
	machines    [2][]*gossip.Machine // by world and node; nil: the observer
	fresh       [2][]func() *gossip.Machine
	seen        []bool               // who sends to the observer
	planned     [][]float64          // by turn and node, in units of the round
	grid        float64              // step at most, as a share of the noise
	before      map[[2]int][]float64 // the first world's update of a node and turn, rounded
	energy      float64
	queue       [][2]step.Msg // what is on its way, in both worlds
	last        []float64     // what the observer saw last
	honest      bool          // the observer answers each turn once
	turnOf      []step.Turn   // the turn for which the observer owes a neighbour a value
	told, moved int
	restarts    int
}

// source is the noise of one world.
type source struct {
	*worlds
	world int
}

func (s source) Simulated() bool { return true }

func (s source) Add(dst []float64, std float64, node step.NodeID, t step.Turn, _ step.Lane) {
	g, key := math.Exp2(math.Floor(math.Log2(s.grid*std))), [2]int{int(node), int(t)}
	draws := rand.New(rand.NewPCG(uint64(node)+1, uint64(t)+1))
	for i := range dst {
		dst[i] = g * math.RoundToEven(dst[i]/g)
	}
	if s.world == 0 {
		if s.before[key] != nil {
			s.t.Fatalf("node %d draws noise for turn %d again", node, t)
		}
		s.before[key] = slices.Clone(dst)
	} else {
		s.shift(dst, std, g, key)
	}
	for i := range dst {
		dst[i] += g * math.RoundToEven(draws.NormFloat64()*std/g)
	}
}

// shift moves the second world's update towards the first's, whole steps at a time,
// by no more than planned, and all the way where the observer is sent it.
func (s source) shift(dst []float64, std, g float64, key [2]int) {
	apart, first := 0.0, s.before[key]
	if first == nil {
		s.t.Fatalf("node %d is at turn %d in the second world only", key[0], key[1])
	}
	for i, x := range first {
		apart += (x - dst[i]) * (x - dst[i])
	}
	if apart = math.Sqrt(apart); apart == 0 {
		return
	}
	s.moved++
	unit := std / s.a.Protocol.Noise.Multiplier // step size times sensitivity
	share := 1.0
	if most := s.planned[key[1]][key[0]] * unit; !s.seen[key[0]] && apart > most {
		share = most / apart
	}
	for i, x := range first {
		by := g * math.Trunc(math.RoundToEven((x-dst[i])/g)*share)
		dst[i] += by
		s.energy += (by / unit) * (by / unit)
	}
}

// newWorlds is a run in which u holds opposite rows in the two worlds.
func newWorlds(t *testing.T, r *rand.Rand, text string, u, v int) *worlds {
	f := open(t, parse(t, text), five[v])
	w := &worlds{t: t, r: r, u: u, v: v, f: f, a: f.setup.Algorithm.(*gossipfamily.Algorithm), grid: 0x1p-9, before: map[[2]int][]float64{}}
	n := len(f.Names)
	w.seen, w.turnOf = make([]bool, n), make([]step.Turn, n)
	for world := range w.machines {
		w.machines[world] = make([]*gossip.Machine, n)
		for j := range n {
			var neighbours []step.NodeID
			for _, k := range f.setup.Neighbours(j) {
				neighbours = append(neighbours, step.NodeID(k))
				w.seen[j] = w.seen[j] || int(k) == v
			}
			if j == v {
				w.fresh[world] = append(w.fresh[world], nil)
				continue
			}
			rows := rowsOf(rand.New(rand.NewPCG(uint64(j), 9)))
			if j == u && world == 1 {
				for i := range rows.Y {
					rows.Y[i] = -rows.Y[i]
				}
			}
			fresh := func() *gossip.Machine {
				return gossip.NewMachine(w.a.Protocol, step.NodeID(j), neighbours, rows, gossip.NewKernel(w.a.Protocol, source{w, world}, nil), w.a.Weights)
			}
			w.fresh[world], w.machines[world][j] = append(w.fresh[world], fresh), fresh()
		}
	}
	w.seen[v] = true
	return w
}

// rowsOf are ten rows of norm 1 with one label.
func rowsOf(r *rand.Rand) model.Examples {
	ex := model.Examples{Features: 2}
	y := float64(2*r.IntN(2) - 1)
	for range 10 {
		angle := r.Float64() * math.Pi / 2
		ex.X, ex.Y = append(ex.X, math.Cos(angle), math.Sin(angle)), append(ex.Y, y)
	}
	return ex
}

var _ noise.Source = source{}

// plan takes the optimum for continuous noise, lifted, and returns its energy.
func (w *worlds) plan() float64 {
	p := w.a.Protocol
	accountant, err := flow.Of(p.Schedule(w.a.Weights, p.Objective.Guarantees(1)))
	if err != nil {
		w.t.Fatal(err)
	}
	best, err := accountant.Optimal(w.u, w.v)
	if err != nil {
		w.t.Fatal(err)
	}
	rounding := flow.GridRounding(w.grid*p.Noise.Std(), p.Params, p.Noise.Sensitivity())
	for _, round := range best.Plan.Rounds {
		row := slices.Repeat([]float64{2 * rounding}, p.Nodes)
		for k, j := range round.Nodes {
			row[j] += round.Amounts[k]
		}
		w.planned = append(w.planned, row)
	}
	return flow.Lifted(best.Energy, rounding, w.a.Draws())
}

// both lets the two machines of a node do the same and puts what they send on its
// way. What they do must look the same but for numbers that nobody sees.
func (w *worlds) both(j int, do func(m *gossip.Machine, out *step.Out, world int)) {
	var outs [2]step.Out
	for world := range outs {
		do(w.machines[world][j], &outs[world], world)
	}
	if len(outs[0].Msgs) != len(outs[1].Msgs) || len(outs[0].Releases) != len(outs[1].Releases) {
		w.t.Fatalf("node %d sends %d messages in one world and %d in the other", j, len(outs[0].Msgs), len(outs[1].Msgs))
	}
	for i, one := range outs[0].Msgs {
		other := outs[1].Msgs[i]
		if one.Kind != other.Kind || one.To != other.To || one.Turn != other.Turn {
			w.t.Fatalf("node %d sends %+v in one world and %+v in the other", j, one, other)
		}
		w.queue = append(w.queue, [2]step.Msg{one, other})
	}
}

// run delivers what is on its way in any order until nothing moves any more.
func (w *worlds) run() {
	for j := range w.machines[0] {
		if j != w.v {
			w.both(j, func(m *gossip.Machine, out *step.Out, _ int) { m.Start(out) })
		}
	}
	for steps := 0; len(w.queue) > 0 && steps < 20_000; steps++ {
		i := w.r.IntN(len(w.queue))
		pair := w.queue[i]
		w.queue = slices.Delete(w.queue, i, i+1)
		if int(pair[0].To) == w.v {
			w.look(pair)
			continue
		}
		if w.r.IntN(30) == 0 {
			w.restart(int(pair[0].To))
		}
		again := w.r.IntN(20) == 0 && pair[0].Kind == gossip.Value // the network says it twice
		for range 1 + map[bool]int{true: 1}[again] {
			w.both(int(pair[0].To), func(m *gossip.Machine, out *step.Out, world int) {
				msg := pair[world]
				msg.Body = slices.Clone(msg.Body)
				m.Step(msg, out)
			})
		}
	}
}

// restart ends a node and starts it again from what its ledger has of it.
func (w *worlds) restart(j int) {
	w.restarts++
	var again [2]*gossip.Machine
	for world := range again {
		again[world] = w.fresh[world][j]()
		if err := again[world].Restore(w.machines[world][j].Snapshot(nil)); err != nil {
			w.t.Fatal(err)
		}
		w.machines[world][j] = again[world]
	}
	w.both(j, func(m *gossip.Machine, out *step.Out, _ int) { m.Resume(out) })
}

// look is the observer: what it is told must be the same in both worlds; it answers
// with whatever comes to its mind.
func (w *worlds) look(pair [2]step.Msg) {
	w.told++
	if !slices.Equal(pair[0].Body, pair[1].Body) {
		w.t.Fatalf("node %d, turn %d: the observer is told %v in one world and %v in the other", pair[0].From, pair[0].Turn, pair[0].Body, pair[1].Body)
	}
	if pair[0].Kind != gossip.Value {
		return
	}
	from, t := pair[0].From, pair[0].Turn
	w.last = pair[0].Body
	if w.honest || w.r.IntN(3) > 0 {
		w.say(step.Msg{Kind: gossip.Ack, To: from, Turn: t})
	}
	for range w.r.IntN(3) {
		if !w.honest {
			w.say(step.Msg{Kind: gossip.Value, To: step.NodeID(w.r.IntN(len(w.seen))), Turn: t + step.Turn(w.r.IntN(5)) - 2, Body: w.answer()})
		}
	}
	if w.turnOf[from] == t { // else it waits for ever
		w.turnOf[from]++
		w.say(step.Msg{Kind: gossip.Value, To: from, Turn: t, Body: w.answer()})
	}
}

// answer is a function of what the observer has seen: outside of the box, no number, of
// another length, or aimed.
func (w *worlds) answer() []float64 {
	body := make([]float64, len(w.last))
	kind := w.r.IntN(6)
	for i, x := range w.last {
		switch {
		case w.honest || kind == 0:
			body[i] = x
		case kind == 1:
			body[i] = -1e3 * x
		case kind == 2:
			body[i] = math.Copysign(1e300, x)
		case kind == 3:
			body[i] = math.NaN()
		case kind == 4:
			body[i] = math.Inf(int(math.Copysign(1, x)))
		default:
			body[i] = 3 * w.r.NormFloat64()
		}
	}
	return body
}

func (w *worlds) say(msg step.Msg) {
	msg.From = step.NodeID(w.v)
	if w.machines[0][msg.To] != nil {
		w.queue = append(w.queue, [2]step.Msg{msg, msg})
	}
}

// Whatever an observer sends, it is told nothing that the plan's noise does not pay
// for: the machines themselves, in two worlds that differ in one participant's data,
// tell it the same under noise whose shift has no more energy than the plan says. An
// observer that deviates, also by sending each another value, values outside of the
// box and none at all, gets no more than one that does not; nor does one that sees
// others start again from their ledgers.
func TestNoObserverIsToldMoreThanThePlan(t *testing.T) {
	nearest := 0.0
	for i, c := range []struct {
		graph string
		u, v  int
	}{{"ring:5", 0, 2}, {"ring:5", 0, 1}, {"star:5", 1, 4}, {"star:5", 1, 0}, {"complete:5", 0, 3}, {"ring:5", 3, 0}} {
		for trial := range 4 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(trial)))
			text := strings.Replace(ringText(t, five, learning), "graph: ring:5", "graph: "+c.graph, 1)
			terms := []string{"step_size: 0.5", "step_size: 3.9", "step_size: 3.9, contributions: 5", "step_size: 3, gossip_steps: 2, noise: turn"}[trial]
			w := newWorlds(t, r, strings.Replace(text, "step_size: 0.5", terms, 1), c.u, c.v)
			w.honest = trial == 0
			energy := w.plan()
			w.run()
			if w.told < 12 || w.moved == 0 || w.restarts == 0 {
				t.Fatalf("%+v: the observer was told %d things, data moved %d, %d restarts", c, w.told, w.moved, w.restarts)
			}
			if nearest = max(nearest, w.energy/energy); w.energy > energy {
				t.Errorf("%+v, trial %d: shifts have energy %g, the plan says %g", c, trial, w.energy, energy)
			}
		}
	}
	if nearest < 0.3 {
		t.Errorf("the nearest run uses %g of its plan", nearest)
	}
}
