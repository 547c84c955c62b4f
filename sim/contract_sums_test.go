package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/sum"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// The contract for tokens that add up: sums and histograms, on a ring in any order and by a
// walk over all nodes alike.

// gathered is a random sum or histogram and what it is going to release.
type gathered struct {
	*Walk
	ring    *schedule.Ring // nil: by a walk
	answer  schedule.Answer
	classes int // of a histogram; 0: a sum
}

func (g *gathered) neighbours(v step.NodeID) (all []step.NodeID) {
	for u := range step.NodeID(g.Protocol.Nodes) {
		if u != v {
			all = append(all, u)
		}
	}
	return all
}

// planned are the releases by the schedule.
func (g *gathered) planned() []step.Release {
	if g.ring != nil {
		return slices.Collect(g.ring.Releases(g.holds))
	}
	s := g.Protocol.Schedule(nil, model.Guarantees{})
	return slices.Collect(s.Releases(schedule.Path{Start: g.Protocol.Start, Next: walk.NewSeeded(g.Choose, g.Seed).Next, Holds: g.holds}))
}

// randomGathering draws a protocol and what the nodes hold.
func randomGathering(t *rapid.T) *gathered {
	n, g := rapid.IntRange(3, 7).Draw(t, "nodes"), &gathered{}
	slab := &Slab{Features: 2, Offsets: []int{0}}
	if rapid.Bool().Draw(t, "histogram") {
		g.classes = rapid.IntRange(2, 4).Draw(t, "classes")
	}
	for range n {
		for range rapid.IntRange(0, 3).Draw(t, "rows") {
			slab.X = append(slab.X, rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 2).Draw(t, "x")...)
			y := 0.0
			if g.classes > 0 {
				y = model.LabelOf(rapid.IntRange(0, g.classes-1).Draw(t, "class"), g.classes)
			}
			slab.Y = append(slab.Y, y)
		}
		slab.Offsets = append(slab.Offsets, len(slab.Y))
	}
	seed := rapid.Uint64().Draw(t, "seed")
	local := descent.Local{
		Params: 2, Objective: model.Objective{Model: model.Mean{}}, StepSize: descent.StepSize{Base: 1}, Rows: rapid.SampledFrom([]int{0, 2}).Draw(t, "weigh rows"),
		Noise: noise.Gaussian{Clip: 0.7, Multiplier: rapid.SampledFrom([]float64{0, 1.5}).Draw(t, "sigma")},
	}
	if g.classes > 0 {
		local.Params, local.Rows = g.classes, 0
		local.Noise = noise.Gaussian{Clip: 0.5, Multiplier: rapid.SampledFrom([]float64{0, 0.4, 0.9}).Draw(t, "gamma")}
	}
	if g.classes == 0 && rapid.Bool().Draw(t, "records") {
		shares := make([]float64, n)
		for v := range shares {
			shares[v] = noise.Share(max(1, local.Rows, slab.Offsets[v+1]-slab.Offsets[v]))
		}
		local.Noise.Shares = noise.NewShares(shares)
	}
	p := &walk.Protocol{Local: local, Nodes: n, Steps: rapid.IntRange(1, 30).Draw(t, "steps"), Cap: rapid.IntRange(0, 3).Draw(t, "cap"), Start: walk.StartAt(n, seed, 0)}
	g.Walk = &Walk{Protocol: p, Holdings: slab, Choose: walk.Uniform(n), Seed: seed}
	g.answer = schedule.Answer{Values: g.classes, Gamma: local.Noise.Multiplier}
	share := sum.Everywhere
	if rapid.Bool().Draw(t, "ring") {
		g.goRound(t, n)
		share = g.ring.Share
	}
	if g.classes > 0 {
		p.Kernel, p.Box = sum.Answers{Answer: g.answer}.NewResponder(p.Steps), 100
	} else {
		p.Kernel = sum.NewAdder(share)
	}
	return g
}

// goRound makes the walk a ring.
func (g *gathered) goRound(t *rapid.T, n int) {
	p, order := g.Protocol, make([]step.NodeID, n)
	for i := range order {
		order[i] = step.NodeID(i)
	}
	order = rapid.Permutation(order).Draw(t, "order")
	g.ring = &schedule.Ring{
		Nodes: n, Rounds: rapid.IntRange(1, 5).Draw(t, "rounds"), Order: order, Spread: rapid.Bool().Draw(t, "spread"), Sealed: rapid.Bool().Draw(t, "sealed"),
		Sensitivity: p.Noise.Sensitivity(), Noise: p.Noise.Std(), Sensitivities: p.Noise.Sensitivities(), CutDown: p.Noise.CutDown(p.Params),
	}
	if g.classes > 0 {
		g.answer.Start, g.answer.End = rapid.IntRange(0, 3).Draw(t, "start"), rapid.IntRange(0, 3).Draw(t, "end")
		g.ring.Answer = g.answer
	}
	p.Steps, p.Cap, p.Start, p.Holder = n*g.ring.Rounds, 0, order[0], g.ring.Holder
	g.Choose = nextOf(order)
}

// nextOf routes round an order.
type nextOf []step.NodeID

func (o nextOf) next(u int) int { return int(o[(slices.Index(o, step.NodeID(u))+1)%len(o)]) }

// Next implements walk.Chooser.
func (o nextOf) Next(u int, _ *rand.Rand) int { return o.next(u) }

// Both drivers and machines that die give the same token and the same releases, bit for
// bit, and these are the scheduled ones.
func TestContractSumsAgreeAndKeepTheirSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGathering(t)
		want, made := bulk(rapidT(t), g.Walk)
		if planned := g.planned(); !slices.Equal(made, planned) {
			t.Fatalf("emitted\n%v\nscheduled\n%v", made, planned)
		}
		for _, net := range []Network{{}, rough(g.Seed)} {
			var got []float64
			var released []step.Release
			machines := g.Machines(g.neighbours, func(_ step.Release, token []float64) { got = slices.Clone(token) })
			traffic, err := net.Run(context.Background(), machines, func(r step.Release) { released = append(released, r) })
			if err != nil || traffic.Done != 1 || bits(got) != bits(want) || !slices.Equal(released, made) {
				t.Fatalf("virtual network ends with %v and %v (%v), bulk with %v and %v", got, released, err, want, made)
			}
		}
		var got []float64
		slices.SortFunc(made, byTurn)
		released := runReborn(t, g.Protocol.Nodes, rapid.IntRange(1, 9).Draw(t, "dies every"), g.Seed, func(v step.NodeID) step.Durable {
			return g.Machines(g.neighbours, func(_ step.Release, token []float64) { got = slices.Clone(token) })[v].(step.Durable)
		})
		if bits(got) != bits(want) || !slices.Equal(released, made) {
			t.Fatalf("reborn machines end with %v, want %v", got, want)
		}
	})
}

// Without noise the token is what was given, added up: nothing is lost and nothing comes
// to it. With it, a histogram still counts every answer once.
func TestContractSumsConserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGathering(t)
		token, made := bulk(rapidT(t), g.Walk)
		if g.classes > 0 {
			total := 0.0
			for _, x := range token {
				total += x
			}
			if total != float64(g.Protocol.Steps+g.answer.Start+g.answer.End) {
				t.Fatalf("%v counts %g answers of %d", token, total, g.Protocol.Steps)
			}
		}
		if g.Protocol.Noise.Multiplier > 0 {
			return
		}
		want := make([]float64, g.Protocol.Params)
		for _, r := range made {
			ex := g.Holdings.Examples(r.From)
			switch {
			case !r.Contributed:
			case g.classes == 0:
				for j, x := range plainValue(ex, g.Protocol.Noise.Clip, g.Protocol.ScaleOf(0, ex)) {
					want[j] += x
				}
			case ex.Len() > 1 || g.answer.Start+g.answer.End > 0:
				return // one of several rows, by chance
			default:
				want[model.ClassOf(ex.Y[0], g.classes)]++
			}
		}
		for j := range want {
			if math.Abs(token[j]-want[j]) > 1e-12 && (g.classes == 0 || g.everybodyHolds()) {
				t.Fatalf("token %v, values add up to %v", token, want)
			}
		}
	})
}

// everybodyHolds reports whether all answers are of a row: no cap, and no node without.
func (g *gathered) everybodyHolds() bool {
	for v := range step.NodeID(g.Protocol.Nodes) {
		if !g.holds(v) {
			return false
		}
	}
	return g.Protocol.Cap == 0
}

// plainValue is the mean of clipped rows, written again.
func plainValue(ex model.Examples, clip, scale float64) []float64 {
	mean := make([]float64, ex.Features)
	for i := range ex.Len() {
		x, _ := ex.Row(i)
		factor := math.Min(1, clip/math.Hypot(x[0], x[1]))
		if x[0] == 0 && x[1] == 0 {
			factor = 1
		}
		for j := range mean {
			mean[j] += x[j] * factor * scale / float64(ex.Len())
		}
	}
	return mean
}

// A token that comes out of turn on a ring is dropped, whoever sends it; one with any
// values is confined, and counted no differently.
func TestContractRingsDropWhatIsOutOfTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGathering(t)
		if g.ring == nil || g.ring.Rounds < 2 {
			return
		}
		at := rapid.IntRange(1, g.Protocol.Steps-1).Draw(t, "turn")
		holder, other := g.ring.Holder(step.Turn(at)), g.ring.Holder(step.Turn(at+1))
		machines := g.Machines(g.neighbours, nil)
		forged := step.Msg{Kind: walk.Token, From: g.ring.Holder(step.Turn(at - 1)), To: other, Turn: step.Turn(at), Body: make([]float64, g.Protocol.Params)}
		var out step.Out
		if forged.From != other {
			if machines[other].Step(forged, &out); len(out.Releases)+len(out.Msgs) != 0 {
				t.Fatalf("node %d took turn %d of node %d: %+v", other, at, holder, out)
			}
		}
		forged.To, forged.Body[0], forged.Body[1] = holder, math.NaN(), math.Inf(1)
		var seen []float64
		machines = g.Machines(g.neighbours, func(_ step.Release, token []float64) { seen = slices.Clone(token) })
		if machines[holder].Step(forged, &out); len(out.Releases) != 1 || !descent.Within(seen, g.Protocol.Bound()) {
			t.Fatalf("%d releases, token %v beyond %g", len(out.Releases), seen, g.Protocol.Bound())
		}
	})
}
