package gossip

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/algo/descent"
	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// C times what a node adds in all rounds is its fresh noise, of its own and of its secrets, Times as large as without a memory; and
// once all noise is drawn nothing of it is kept.
func TestNoiseWithAMemoryIsTheInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rounds := rapid.IntRange(1, 9).Draw(t, "rounds")
		memory, err := schedule.NewMemory(rapid.SliceOfN(rapid.Float64Range(-0.5, 0.9), 0, 5).Draw(t, "past"), rounds, rounds, 1)
		if err != nil {
			t.Fatal(err)
		}
		p := &Protocol{
			Local: descent.Local{Params: 2, Objective: model.Objective{Model: model.Mean{}}, Noise: noise.Gaussian{Clip: 0.5, Multiplier: 3}, StepSize: descent.StepSize{Base: 0.25}},
			Nodes: 2, Rounds: rounds, TurnsPerRound: rapid.IntRange(1, 2).Draw(t, "turns"), Gamma: 1, Memory: memory,
			Pairwise: rapid.SampledFrom([]float64{0, 4}).Draw(t, "pairwise"), Pairs: &sparse.Matrix{N: 2, Offsets: []int{0, 1, 2}, Columns: []int32{1, 0}, Values: []float64{1, 1}},
		}
		var added [][]float64
		k, node := NewKernel(p, noise.NewSimulated(7), nil), Node{Past: p.Past()}
		for round := range rounds {
			x := []float64{0, 0}
			turn := step.Turn(round * p.TurnsPerRound)
			k.Begin(x, model.Examples{Features: 2}, &node, 1, turn)
			added = append(added, x)
			want := []float64{0, 0}
			std := memory.Times * 0.25 * p.Noise.Std()
			noise.NewSimulated(7).Add(want, std, 1, turn, 0)
			if p.Pairwise > 0 {
				noise.NewSimulated(7).AddShared(want, 4*std, 1, 0, turn, 0)
			}
			for i := range want {
				fresh := added[round][i]
				for j, c := range memory.Past[:min(len(memory.Past), round)] {
					fresh += c * added[round-1-j][i]
				}
				if math.Abs(fresh-want[i]) > 1e-9*(1+math.Abs(want[i])) {
					t.Fatalf("round %d: fresh noise %g, drawn %g", round, fresh, want[i])
				}
			}
		}
		if slices.ContainsFunc(node.Past, func(z float64) bool { return z != 0 }) {
			t.Fatalf("after the last round %v is kept", node.Past)
		}
	})
}

// Every row is in one batch of a pass, and batches differ by one row at most.
func TestBatchesTakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, epoch := rapid.IntRange(1, 30).Draw(t, "rows"), rapid.IntRange(2, 9).Draw(t, "epoch")
		ex := model.Examples{Features: 1, X: make([]float64, n), Y: make([]float64, n)}
		for i := range ex.X {
			ex.X[i] = float64(i)
		}
		k := NewKernel(&Protocol{Local: descent.Local{Params: 1, Objective: model.Objective{Model: model.Mean{}}, Epoch: epoch}, TurnsPerRound: 3, Gamma: 1}, noise.NewSimulated(1), nil)
		var seen []float64
		for round := range epoch {
			of, _ := k.drawn(ex, step.Release{Turn: step.Turn(3 * (round + epoch))})
			if size := of.Len(); size < n/epoch || size > (n+epoch-1)/epoch {
				t.Fatalf("a batch of %d of %d rows, %d a pass", size, n, epoch)
			}
			seen = append(seen, of.X...)
		}
		if slices.Sort(seen); !slices.Equal(seen, ex.X) {
			t.Fatalf("a pass over %v has %v", ex.X, seen)
		}
	})
}

// A gridded source is noise on a grid of one of two worlds. What the first sends the second sends: its noise is shifted by what that takes.
type gridded struct {
	step    float64
	rounded []float64 // what the first world's noise was added to, of this round
	sent    []float64
	second  bool
	energy  float64 // of shifts
}

func (g *gridded) Simulated() bool { return true }

func (g *gridded) Add(dst []float64, std float64, node step.NodeID, t step.Turn, lane step.Lane) {
	for i := range dst {
		dst[i] = g.step * math.RoundToEven(dst[i]/g.step)
	}
	if g.second {
		for i, x := range g.rounded {
			g.energy += (x - dst[i]) * (x - dst[i]) / (std * std)
		}
		copy(dst, g.sent)
		return
	}
	g.rounded = slices.Clone(dst)
	fresh := make([]float64, len(dst))
	noise.NewSimulated(3).Add(fresh, std, node, t, lane)
	for i, z := range fresh {
		dst[i] += g.step * math.RoundToEven(z/g.step)
	}
	g.sent = slices.Clone(dst)
}

// Two runs of the kernel that differ in one row send the same where the noise of one is shifted, and the shifts have no
// more energy than is charged and a grid adds (schedule.Gossip.Rounding): rows follow what is held, and gradients are as far apart as clips allow.
func TestShiftsOfNoiseWithAMemoryAreCharged(t *testing.T) {
	most := 0.0
	rapid.Check(t, func(t *rapid.T) {
		rounds, rows := rapid.IntRange(1, 12).Draw(t, "rounds"), rapid.IntRange(1, 6).Draw(t, "rows")
		p := &Protocol{
			Local: descent.Local{
				Params: 2, Objective: model.Objective{Model: model.Mean{}}, Noise: noise.Gaussian{Clip: 0.5, Multiplier: 2, Shares: noise.NewShares([]float64{1})},
				StepSize: descent.StepSize{Base: 0.25}, Epoch: rapid.IntRange(1, rows).Draw(t, "epoch"), Momentum: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "momentum"),
			},
			Nodes: 1, Rounds: rounds, TurnsPerRound: 1, Gamma: 1, Cap: rapid.IntRange(0, rounds).Draw(t, "cap"),
		}
		p.Noise.Shares = noise.NewShares([]float64{1 / float64(rows/p.Epoch)})
		var err error
		if p.Memory, err = schedule.NewMemory(rapid.SliceOfN(rapid.Float64Range(-0.5, 0.9), 0, 5).Draw(t, "past"), rounds, p.Contributions(), p.Epoch); err != nil {
			t.Fatal(err)
		}
		ex := model.Examples{Features: 2, X: make([]float64, 2*rows), Y: make([]float64, rows)}
		for i := range ex.X {
			ex.X[i] = rapid.Float64Range(-9, 9).Draw(t, "x")
		}
		other := ex
		other.X = slices.Clone(ex.X)
		differs := rapid.IntRange(0, rows-1).Draw(t, "row")
		other.X[2*differs], other.X[2*differs+1] = -ex.X[2*differs], rapid.Float64Range(-9, 9).Draw(t, "other")
		source := &gridded{step: 0.25 * p.Noise.Std() / 1024}
		fresh := func() *Node {
			node := &Node{Scale: 1, Past: p.Past()}
			if p.Momentum > 0 {
				node.Velocity = make([]float64, 2)
			}
			return node
		}
		k, nodes, x := NewKernel(p, source, nil), [2]*Node{fresh(), fresh()}, [2][]float64{{0, 0}, {0, 0}}
		for turn := range step.Turn(rounds) {
			for world, rows := range []model.Examples{ex, other} {
				source.second = world == 1
				k.Begin(x[world], rows, nodes[world], 0, turn)
			}
			if !slices.Equal(x[0], x[1]) {
				t.Fatalf("round %d: %v and %v are sent", turn, x[0], x[1])
			}
		}
		s := schedule.Gossip{Nodes: 1, Rounds: rounds, Cap: p.Cap, Epoch: p.Epoch, Memory: p.Memory, Sensitivities: p.Noise.Sensitivities(), Records: p.Noise.Records()}
		grid := source.step / (0.25 * p.Noise.Std()) / p.Memory.Times * math.Sqrt(2*float64(rounds))
		charged := math.Sqrt(s.EnergyOfUnit())/p.Noise.Multiplier + grid
		if got := math.Sqrt(source.energy); got > charged*(1+1e-12) {
			t.Fatalf("shifts of %g, charged %g", got, charged)
		} else {
			most = max(most, got/charged)
		}
	})
	t.Logf("at most %.3f of what is charged", most)
}
