package sim

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/gossip"
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy/pairwise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A draw is one number of the noise of a round: a node's own, or what two partners share, the lower one first.
type draw struct {
	node, peer step.NodeID
	round      int
}

// small is the part of a standard deviation that a draw is, so that no gradient is clipped.
const small = 0x1p-12

// one is noise that is zero but for one draw, which is small.
type one struct {
	noise.Source
	turns int
	drawn *draw
	seen  map[draw]bool
}

func (o one) Add(dst []float64, std float64, node step.NodeID, t step.Turn, _ step.Lane) {
	o.add(dst, std, draw{node, node, int(t) / o.turns})
}

func (o one) AddShared(dst []float64, std float64, node, peer step.NodeID, t step.Turn, _ step.Lane) {
	if node > peer {
		std = -std
	}
	o.add(dst, std, draw{min(node, peer), max(node, peer), int(t) / o.turns})
}

func (o one) add(dst []float64, std float64, d draw) {
	if o.seen[d] = true; o.drawn != nil && *o.drawn == d {
		dst[0] += small * std
	}
}

// A missed run is a run of machines in one coordinate where nodes miss rounds. Its messages are linear in its noise.
type missedRun struct {
	*Gossip
	u       step.NodeID
	missing [][]int // by round
}

// messages returns what those who do not miss a round begin it with, round by round, for one draw of the noise (nil: none), and u's
// other data or its own.
func (r *missedRun) messages(drawn *draw, other bool) (sent []float64, seen map[draw]bool) {
	p, seen := r.Protocol, map[draw]bool{}
	values := make([][]float64, p.Rounds*p.Nodes)
	var machines []step.Machine
	for id := range step.NodeID(p.Nodes) {
		ex := model.Examples{Features: 1, X: []float64{float64(id)}, Y: []float64{0}}
		if other && id == r.u {
			ex.X[0]++
		}
		m := gossip.NewMachine(p, id, r.everybody(id), ex, gossip.NewKernel(p, one{turns: p.TurnsPerRound, drawn: drawn, seen: seen}, nil), r.weights())
		m.Watch = func(t step.Turn, x []float64) {
			if round := int(t) / p.TurnsPerRound; t < p.Turns() && int(t)%p.TurnsPerRound == 0 {
				values[round*p.Nodes+int(id)] = slices.Clone(x)
			}
		}
		machines = append(machines, m)
	}
	carry(machines, nil, func(step.Msg) bool { return true })
	for at, x := range values {
		if !slices.Contains(r.missing[at/p.Nodes], at%p.Nodes) {
			sent = append(sent, x...)
		}
	}
	return sent, seen
}

// weights returns the matrices of the run; a sequence serves one machine.
func (r *missedRun) weights() graph.Sequence {
	return graph.Missing(graph.Fixed(r.Protocol.Pairs), 0.4, r.Protocol.Absent, r.Protocol.TurnsPerRound, r.Seed)
}

// The exact account of runs in which nodes miss rounds, of the machines themselves: whoever sees all messages, and knows the noise of
// some, attains the sum over rounds of what it would learn together with who misses them, and no more than is charged. What partners
// who are there share cancels, and nothing is drawn with or by anybody else.
func TestRunsWithMissingNodesAreWithinTheirCharge(t *testing.T) {
	missed, draws := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "nodes")
		dense := make([]float64, n*n)
		for u := range n {
			for v := range u {
				if v == u-1 || rapid.Bool().Draw(t, "edge") {
					dense[u*n+v], dense[v*n+u] = 1.0/16, 1.0/16
				}
			}
		}
		for u := range n { // 1/16 for each neighbour, the rest for itself
			dense[u*n+u] = 1
			for v := range n {
				if v != u {
					dense[u*n+u] -= dense[u*n+v]
				}
			}
		}
		p := &gossip.Protocol{
			Local: descent.Local{Params: 1, Objective: model.Objective{Model: model.Mean{}}, StepSize: descent.StepSize{Base: 0.25},
				Noise: noise.Gaussian{Clip: 1000, Multiplier: rapid.Float64Range(0.5, 3).Draw(t, "sigma")}},
			Nodes: n, Rounds: rapid.IntRange(1, 3).Draw(t, "rounds"), TurnsPerRound: rapid.IntRange(1, 2).Draw(t, "turns"), Gamma: 1, Asynchronous: true,
			Pairwise: rapid.Float64Range(0.5, 5).Draw(t, "pairwise"), Pairs: sparse.FromDense(n, dense), Absent: rapid.IntRange(1, n-1).Draw(t, "absent"),
			Cap: rapid.IntRange(0, 3).Draw(t, "cap"),
		}
		r := &missedRun{Gossip: &Gossip{Protocol: p, Seed: rapid.Uint64().Draw(t, "seed")}, u: step.NodeID(rapid.IntRange(0, n-1).Draw(t, "u"))}
		var coalition []int
		if f := rapid.IntRange(0, n-1).Draw(t, "observer"); f != int(r.u) {
			coalition = []int{f}
		}
		weights := r.weights()
		for round := range p.Rounds {
			var missing []int
			for v := range n {
				active := weights.Active(step.Turn(round * p.TurnsPerRound))
				if _, there := slices.BinarySearch(active, step.NodeID(v)); active != nil && !there {
					missing = append(missing, v)
				}
			}
			r.missing = append(r.missing, missing)
			if draws++; len(missing) > 0 {
				missed++
			}
		}
		got := r.attained(t, coalition)
		one, err := pairwise.New(pairwise.Problem{Pairs: p.Pairs, Own: 1, Pair: p.Pairwise, Contributions: 1})
		if err != nil {
			t.Fatal(err)
		}
		want, used := 0.0, 0
		for _, missing := range r.missing {
			if slices.Contains(missing, int(r.u)) || p.Cap > 0 && used == p.Cap {
				continue
			}
			energies, err := one.Energies(slices.Concat(coalition, missing), 1)
			if err != nil {
				t.Fatal(err)
			}
			want, used = want+energies[r.u], used+1
		}
		if math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("attained %.12g, the theorem says %.12g", got, want)
		}
		a, err := pairwise.Of(p.Schedule(r.weights(), model.Guarantees{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		charged, err := a.Energies(coalition, 1)
		if err != nil || got > charged[r.u]*(1+1e-6) {
			t.Fatalf("attained %.12g, charged %.12g (%v)", got, charged[r.u], err)
		}
	})
	drawntest.Often(t, "somebody misses a round", missed, draws, 0.3)
}

// attained returns what an optimal attack on u of a coalition attains that sees all messages: the energy of the shift of u's data,
// for a noise multiplier and a sensitivity of 1.
func (r *missedRun) attained(t *rapid.T, coalition []int) float64 {
	p := r.Protocol
	base, seen := r.messages(nil, false)
	var honest []int // the messages that the coalition has not sent itself
	var sender []draw
	at := 0
	for round, missing := range r.missing {
		for v := range p.Nodes {
			if slices.Contains(missing, v) {
				continue
			}
			if !slices.Contains(coalition, v) {
				honest, sender = append(honest, at), append(sender, draw{step.NodeID(v), step.NodeID(v), round})
			}
			at++
		}
	}
	effect := func(drawn *draw, other bool) []float64 {
		sent, _ := r.messages(drawn, other)
		for i := range sent {
			sent[i] -= base[i]
		}
		return sent
	}
	covariance := mat.NewSymDense(len(honest)+1, nil)
	covariance.SetSym(len(honest), len(honest), 1) // so that no matrix is empty
	for d := range seen {
		for _, v := range []step.NodeID{d.node, d.peer} {
			if slices.Contains(r.missing[d.round], int(v)) {
				t.Fatalf("%+v is drawn, and node %d misses the round", d, v)
			}
		}
		column, sum := effect(&d, false), 0.0
		for i := range column {
			column[i] /= small
		}
		for i, of := range sender {
			if of.round == d.round {
				sum += column[honest[i]]
			}
		}
		if slices.Contains(coalition, int(d.node)) || slices.Contains(coalition, int(d.peer)) {
			continue
		}
		if std := p.StepSize.Base * p.Noise.Std(); d.node != d.peer && math.Abs(sum) > 1e-9*std {
			t.Fatalf("what %+v draw does not cancel: %g", d, sum)
		}
		for i, at := range honest {
			for j, other := range honest[:i+1] {
				covariance.SetSym(i, j, covariance.At(i, j)+column[at]*column[other])
			}
		}
	}
	shift, moved := mat.NewVecDense(len(honest)+1, nil), effect(nil, true)
	for i, at := range honest {
		shift.SetVec(i, moved[at])
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(covariance) {
		t.Fatal("messages without noise")
	}
	var solved mat.VecDense
	if err := cholesky.SolveVecTo(&solved, shift); err != nil {
		t.Fatal(err)
	}
	gradient := 2.0 / p.Noise.Sensitivity() // data moves by 1, and the gradient by 2
	return mat.Dot(shift, &solved) * math.Pow(p.Noise.Multiplier/gradient, 2)
}
