package sim

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/admm"
	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/step"
)

// The contract for ADMM in rounds, of a curator and federated.

// randomConsensus draws a protocol and what the nodes hold.
func randomConsensus(t *rapid.T) *Consensus {
	n := rapid.IntRange(2, 6).Draw(t, "nodes")
	slab := &Slab{Features: 2, Offsets: []int{0}}
	for range n {
		for range rapid.IntRange(0, 3).Draw(t, "rows") {
			slab.X = append(slab.X, rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 2).Draw(t, "x")...)
			slab.Y = append(slab.Y, rapid.SampledFrom([]float64{-1, 1}).Draw(t, "y"))
		}
		slab.Offsets = append(slab.Offsets, len(slab.Y))
	}
	m := rapid.SampledFrom([]model.Margined{model.Logistic{}, model.Ridge{}, model.Hinge{}, model.Ridge{Intercept: true}}).Draw(t, "loss")
	l := admm.Local{
		Local: descent.Local{
			Params: m.Params(2), Objective: model.Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "l2")},
			Noise: noise.Gaussian{Clip: 0.7, Multiplier: rapid.SampledFrom([]float64{0, 1.5}).Draw(t, "sigma")}, Rows: rapid.SampledFrom([]int{0, 2}).Draw(t, "weigh rows"),
		},
		Gamma: rapid.SampledFrom([]float64{0.1, 1}).Draw(t, "gamma"), Lambda: rapid.SampledFrom([]float64{0.3, 0.5, 1}).Draw(t, "lambda"), Tolerance: 1e-9,
		Regulariser: rapid.SampledFrom([]model.Regulariser{{}, {Kind: model.L1, Weight: 0.1}, {Kind: model.Simplex, Total: 1}}).Draw(t, "regulariser"),
	}
	if rapid.Bool().Draw(t, "records") {
		l.Noise.Shares = sharesOf(slab, allRows)
	}
	rounds, seed := rapid.IntRange(1, 8).Draw(t, "rounds"), rapid.Uint64().Draw(t, "seed")
	return &Consensus{
		Protocol: &admm.Protocol{
			Local: admm.New(l), Nodes: n, Rounds: rounds, Server: step.NodeID(rapid.IntRange(0, n-1).Draw(t, "server")),
			Rota: admm.NewRota(n, rounds, rapid.IntRange(1, n).Draw(t, "sampled"), rapid.IntRange(0, 3).Draw(t, "cap"), seed),
		},
		Holdings: slab, Seed: seed,
	}
}

func bulkConsensusRun(t testing.TB, c *Consensus) (z []float64, releases []step.Release) {
	z, err := c.Bulk(context.Background(), ConsensusWatcher{Released: func(r step.Release) { releases = append(releases, r) }})
	if err != nil {
		t.Fatal(err)
	}
	return z, releases
}

// Both drivers, machines that die, and any number of workers give everybody the same
// model and make the same releases, bit for bit, which are the scheduled ones.
func TestContractConsensusAgreesAndKeepsItsSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomConsensus(t)
		p := c.Protocol
		want, made := bulkConsensusRun(rapidT(t), c)
		c.Workers = 3
		if again, _ := bulkConsensusRun(rapidT(t), c); bits(again) != bits(want) {
			t.Fatalf("three workers come to %v, one to %v", again, want)
		}
		planned := slices.Collect(p.Schedule().Releases(func(v step.NodeID) bool { return c.Holdings.Examples(v).Len() > 0 }))
		if !slices.Equal(made, planned) {
			t.Fatalf("emitted\n%v\nscheduled\n%v", made, planned)
		}
		for _, net := range []Network{{}, rough(c.Seed)} {
			var released []step.Release
			machines := c.Machines(nil)
			traffic, err := net.Run(context.Background(), machines, func(r step.Release) { released = append(released, r) })
			if err != nil || traffic.Done != p.Nodes && net.Loss == 0 {
				t.Fatalf("%v, %d machines done", err, traffic.Done)
			}
			c.checkMachines(t, machines, want)
			slices.SortFunc(released, byTurn)
			if !slices.Equal(released, made) {
				t.Fatalf("virtual network released\n%v\nbulk\n%v", released, made)
			}
		}
		last := make([]step.Durable, p.Nodes)
		released := runReborn(t, p.Nodes, rapid.IntRange(1, 9).Draw(t, "dies every"), c.Seed, func(v step.NodeID) step.Durable {
			last[v] = c.Machine(v, nil)
			return last[v]
		})
		machines := make([]step.Machine, p.Nodes)
		for v, m := range last {
			machines[v] = m
		}
		c.checkMachines(t, machines, want)
		if !slices.Equal(released, made) {
			t.Fatalf("reborn machines released %v, want %v", released, made)
		}
	})
}

// checkMachines holds what is true of all machines at the end.
func (c *Consensus) checkMachines(t *rapid.T, machines []step.Machine, want []float64) {
	for v, m := range machines {
		machine := m.(admm.Machine)
		if !machine.Over() || bits(machine.Model()) != bits(want) {
			t.Fatalf("node %d ends with %v, bulk with %v", v, machine.Model(), want)
		}
		if cap := c.Protocol.Contributions(); machine.Contributions() > cap {
			t.Fatalf("node %d contributed %d times of %d", v, machine.Contributions(), cap)
		}
	}
}

// Without noise and with all nodes in every round, other numbers for the nodes change
// nothing but the order of sums.
func TestContractConsensusRelabelled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomConsensus(t)
		p := c.Protocol
		p.Noise.Multiplier, p.Noise.Shares, p.Rota = 0, nil, nil
		want, _ := bulkConsensusRun(rapidT(t), c)
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}[:p.Nodes]).Draw(t, "order")
		slab, other := c.Holdings.(*Slab), &Slab{Features: 2, Offsets: []int{0}}
		for _, v := range order {
			ex := slab.Examples(step.NodeID(v))
			other.X, other.Y = append(other.X, ex.X...), append(other.Y, ex.Y...)
			other.Offsets = append(other.Offsets, len(other.Y))
		}
		c.Holdings = other
		got, _ := bulkConsensusRun(rapidT(t), c)
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-6 {
				t.Fatalf("%v, with other numbers %v", want, got)
			}
		}
	})
}

// What a participant, or the one who sums, is sent by others, whatever it is: nobody
// contributes more often than its cap nor twice in a turn, the state stays numbers, and
// what one who does not follow the protocol adds to the model is bounded.
func TestConsensusMachinesAmongEnemies(t *testing.T) {
	wild := []float64{math.NaN(), math.Inf(1), 1e308, -1e308, 0, 1}
	rapid.Check(t, func(t *rapid.T) {
		c := randomConsensus(t)
		p := c.Protocol
		p.Lambda = min(p.Lambda, 0.5)
		p.Local = admm.New(p.Local)
		victim := step.NodeID(rapid.IntRange(0, p.Nodes-1).Draw(t, "victim"))
		m := c.Machine(victim, nil)
		var out step.Out
		taken := map[step.Turn]bool{}
		m.Start(&out)
		for range rapid.IntRange(1, 40).Draw(t, "messages") {
			msg := step.Msg{
				Kind: step.Kind(rapid.IntRange(0, 5).Draw(t, "kind")), From: step.NodeID(rapid.IntRange(-1, p.Nodes).Draw(t, "from")), To: victim,
				Turn: step.Turn(rapid.IntRange(-1, p.Rounds+1).Draw(t, "turn")), Lane: step.Lane(rapid.IntRange(0, 9).Draw(t, "lane") / 9),
				Epoch: uint64(rapid.IntRange(0, 9).Draw(t, "epoch") / 9), Body: make([]float64, rapid.SampledFrom([]int{p.Params, p.Params, p.Params, 0, p.Params + 1}).Draw(t, "length")),
			}
			for j := range msg.Body {
				msg.Body[j] = rapid.SampledFrom(wild).Draw(t, "number")
			}
			m.Step(msg, &out)
			m.Tick(step.Timer{Turn: msg.Turn}, &out)
			state := m.Snapshot(nil)
			if m = c.Machine(victim, nil); m.Restore(state) != nil {
				t.Fatal("its own snapshot is refused")
			}
		}
		for _, r := range out.Releases {
			if r.From != victim || taken[r.Turn] {
				t.Fatalf("released %+v", r)
			}
			taken[r.Turn] = true
		}
		for turn := range taken {
			if p.Rota != nil && !slices.Contains(p.Rota[turn], victim) {
				t.Fatalf("answers in turn %d, in which it is not drawn", turn)
			}
		}
		for _, msg := range out.Msgs {
			if !descent.Within(msg.Body, 1e6) {
				t.Fatalf("sends %v", msg)
			}
		}
	})
}

// plain minimises the mean over nodes of the mean of their losses, clipped, and penalties,
// with the l1 norm besides, by proximal gradient steps until nothing moves.
func plain(p *admm.Protocol, h Holdings) []float64 {
	z, one := p.Begin(), make([]float64, p.Params)
	rate := 1 / (p.Objective.Model.Guarantees(2).Bend() + p.Objective.L2)
	for range 200_000 {
		move := make([]float64, p.Params)
		for j := range move {
			move[j] = p.Objective.L2 * z[j]
		}
		for v := range p.Nodes {
			ex := h.Examples(step.NodeID(v))
			for i := range ex.Len() {
				x, y := ex.Row(i)
				p.Objective.Gradient(one, z, x, y)
				scale := min(1, p.LossClip()/math.Hypot(one[0], one[1])) / float64(ex.Len()*p.Nodes)
				for j := range move {
					move[j] += scale * one[j]
				}
			}
		}
		still := 0.0
		for j := range z {
			before := z[j]
			z[j] -= rate * move[j]
			z[j] = math.Copysign(max(0, math.Abs(z[j])-rate*p.Regulariser.Weight), z[j])
			still += math.Abs(z[j] - before)
		}
		if still < 1e-15 {
			break
		}
	}
	return z
}

// Without noise both variants, with all nodes in a round or some, come to the solution of a
// solver of another kind, to 1e-6.
func TestConsensusComesToTheSolution(t *testing.T) {
	slab := &Slab{Features: 2, Offsets: []int{0}}
	for v := range 6 {
		for i := range 3 {
			slab.X = append(slab.X, math.Sin(float64(3*v+i)), math.Cos(float64(v*v+2*i)))
			slab.Y = append(slab.Y, math.Copysign(1, math.Sin(float64(5*v+i*i)+0.7)))
		}
		slab.Offsets = append(slab.Offsets, len(slab.Y))
	}
	for _, m := range []model.Margined{model.Logistic{}, model.Ridge{}} {
		for _, sampled := range []int{2, 6} {
			for _, weight := range []float64{0, 0.02} {
				p := &admm.Protocol{Local: admm.New(admm.Local{
					Local: descent.Local{Params: 2, Objective: model.Objective{Model: m, L2: 0.01}, Noise: noise.Gaussian{Clip: 0.9}},
					Gamma: 3, Lambda: 0.5, Tolerance: 1e-12, Regulariser: model.Regulariser{Kind: model.L1, Weight: weight},
				}), Nodes: 6, Rounds: 2400 / sampled, Rota: admm.NewRota(6, 2400/sampled, sampled, 0, 3), Server: admm.Nobody}
				got, _ := bulkConsensusRun(t, &Consensus{Protocol: p, Holdings: slab, Seed: 3})
				want := plain(p, slab)
				if d := math.Hypot(got[0]-want[0], got[1]-want[1]); d > 1e-8 {
					t.Errorf("%s, %d of 6, l1 %g: %v, want %v", m.Name(), sampled, weight, got, want)
				}
			}
		}
	}
}
