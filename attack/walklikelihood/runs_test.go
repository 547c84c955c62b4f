package walklikelihood

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
	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy/audit"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sim"
	"github.com/hearsay-dp/hearsay/step"
)

// A rehearsal is a walk that the simulator runs: of means that are learnt by gradient steps, or of sums.
type rehearsal struct {
	*sim.Walk
	graph  *graph.Graph
	matrix *graph.Transition
	sums   bool
	values [][]float64 // by node: its contribution is that, or twice that for means
}

// newRehearsal gives each node of a graph one row.
func newRehearsal(t fataler, g *graph.Graph, adds bool, values [][]float64, sigma float64, turns int) *rehearsal {
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	slab := &sim.Slab{Features: len(values[0]), Offsets: []int{0}}
	for _, x := range values {
		slab.X, slab.Y = append(slab.X, x...), append(slab.Y, 0)
		slab.Offsets = append(slab.Offsets, len(slab.Y))
	}
	p := &walk.Protocol{Nodes: g.Len(), Steps: turns, Local: descent.Local{
		Params: slab.Features, Objective: model.Objective{Model: model.Mean{}}, StepSize: descent.StepSize{Base: 0.125},
		Noise: noise.Gaussian{Clip: 100, Multiplier: sigma},
	}}
	if adds {
		p.StepSize, p.Kernel = descent.StepSize{Base: 1}, sum.NewAdder(sum.Everywhere)
	}
	return &rehearsal{&sim.Walk{Protocol: p, Holdings: slab, Choose: w}, g, w, adds, values}
}

type fataler interface{ Fatal(args ...any) }

// updates are those of the run's tokens.
func (r *rehearsal) updates() Updates {
	p := r.Protocol
	u := Updates{BurnIn: p.BurnIn, Turns: p.Steps, Final: p.Final, Initial: p.Begin(), Size: p.StepSize.At,
		Keep: func(int, bool) float64 { return 1 }, Noise: func(step.Release, int) float64 { return 1 }}
	if !r.sums {
		u.Keep = func(at int, contributed bool) float64 {
			if contributed {
				return 1 - 2*p.StepSize.At(at)
			}
			return 1
		}
	}
	return u
}

// contribution returns the addition of node u, without the effect of its step on the token.
func (r *rehearsal) contribution(u int) []float64 {
	x := slices.Clone(r.values[u])
	for i := range x {
		if !r.sums {
			x[i] *= 2
		}
	}
	return x
}

// attack runs the simulator, with attackers listening.
func (r *rehearsal) attack(t fataler, seed uint64, attackers ...int) *heardRun {
	r.Seed = seed
	l := NewRecording(r.updates(), r.Protocol.Nodes, r.Protocol.AllTokens(), [][]int{attackers})
	if _, err := r.Bulk(context.Background(), l.See); err != nil {
		t.Fatal(err)
	}
	return &heardRun{l, l.Listeners[0].Receipts}
}

// A heardRun is a run as one set of attackers sees it.
type heardRun struct {
	*Recording
	Receipts []Receipt
}

// beliefs are receipts of known paths.
func (r *rehearsal) beliefs(l *heardRun) (all []Belief) {
	boards := make([]*Board, len(l.Tracks))
	for k, track := range l.Tracks {
		boards[k] = NewBoard(track, r.Protocol.Nodes)
	}
	for _, receipt := range l.Receipts {
		all = append(all, Belief{Row: boards[receipt.Lane].Row(receipt.Sight), Added: receipt.Added})
	}
	return all
}

func drawGraph(t *rapid.T, most int) *graph.Graph {
	n := rapid.IntRange(3, most).Draw(t, "nodes")
	var edges [][2]int
	for v := 1; v < n; v++ {
		edges = append(edges, [2]int{rapid.IntRange(0, v-1).Draw(t, "parent"), v})
		if w := rapid.IntRange(0, v-1).Draw(t, "friend"); !slices.Contains(edges, [2]int{w, v}) {
			edges = append(edges, [2]int{w, v})
		}
	}
	g, err := graph.FromEdges("drawn", n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Without noise attackers of a run of the simulator, who know its path, find the contributions of all whom their
// receipts single out: those whose unit vector is in the span of the rows, in exact arithmetic, to a relative
// error of 1e-6; of sums and of means whose clip never binds, of one token and of several, with caps, burn-in
// and penalties on how often a node contributes, of one attacker and of coalitions.
func TestWithoutNoiseAttackersFindContributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 7)
		n := g.Len()
		values := make([][]float64, n)
		for u := range values {
			values[u] = []float64{rapid.Float64Range(-1, 1).Draw(t, "x"), rapid.Float64Range(-1, 1).Draw(t, "y")}
		}
		r := newRehearsal(t, g, rapid.Bool().Draw(t, "sums"), values, 0, rapid.IntRange(1, 40).Draw(t, "turns"))
		p := r.Protocol
		p.Cap, p.BurnIn, p.Tokens = rapid.IntRange(0, 4).Draw(t, "cap"), rapid.IntRange(0, 3).Draw(t, "burn-in"), rapid.IntRange(1, 2).Draw(t, "tokens")
		if p.Cap > 0 {
			p.Cap = max(p.Cap, p.Tokens)
		}
		p.Final = rapid.Bool().Draw(t, "final")
		attackers, _ := drawAttack(t, n)
		l := r.attack(t, rapid.Uint64().Draw(t, "seed"), attackers...)
		beliefs := r.beliefs(l)
		for k, track := range l.Tracks {
			want := Sights(track, k, p.Final, func(v int) bool { return slices.Contains(attackers, v) })
			var got []Sight
			for _, receipt := range l.Receipts {
				if receipt.Lane == k {
					got = append(got, receipt.Sight)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("receipts of %v, the track says %v", got, want)
			}
		}
		field := exact.Fields()[0]
		echelon := exact.NewEchelon(n, field)
		for _, b := range beliefs {
			sum, row := make([]float64, 2), make([]uint64, n)
			for k, u := range b.Nodes {
				for i, x := range r.contribution(u) {
					sum[i] += b.Coefficients[k] * x
				}
				row[u] = field.Fraction(int64(b.Coefficients[k]), 1)
			}
			for i, x := range b.Added {
				if math.Abs(x-sum[i]) > 1e-12*float64(p.Steps) {
					t.Fatalf("what was added in %+v is %v, its row says %v", b.Sight, b.Added, sum)
				}
			}
			echelon.Insert(row)
		}
		e := Solve(beliefs, n)
		for u, resolved := range e.Resolved {
			if r.sums && resolved != slices.Contains(echelon.Units(), u) {
				t.Fatalf("node %d singled out: %v, in exact arithmetic %v; rows %+v", u, resolved, echelon.Units(), beliefs)
			}
			if !resolved {
				continue
			}
			for i, x := range r.contribution(u) {
				if math.Abs(e.Values[u][i]-x) > 1e-6*(1+math.Abs(x)) {
					t.Fatalf("node %d: found %v, it contributed %v", u, e.Values[u], r.contribution(u))
				}
			}
		}
	})
}

// chord is a ring with a chord.
func chord(t fataler, n int) *graph.Graph {
	var edges [][2]int
	for v := range n {
		edges = append(edges, [2]int{min(v, (v+1)%n), max(v, (v+1)%n)})
	}
	g, err := graph.FromEdges("ring with a chord", n, append(edges, [2]int{0, n / 2}))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// On private runs of the simulator the error of the best estimate grows with the noise. It is never below the floor that the sound
// accountant sets for the actual path: noise over the root of its energy. Errors of 4000 numbers are within 6 standard deviations of
// those by the attack's energy, which fails less than once in 10^8 settings. The seed is fixed.
func TestErrorsGrowAsAccountantsSay(t *testing.T) {
	const n, numbers, target = 6, 4000, 3
	g := chord(t, n)
	values := make([][]float64, n)
	for u := range values {
		values[u] = make([]float64, numbers)
	}
	for _, sigma := range []float64{1e-3, 1, 30} {
		for _, adds := range []bool{true, false} {
			multiplier := sigma
			if !adds { // so that the clip, a part of the noise, never binds
				multiplier /= 1e5
			}
			r := newRehearsal(t, g, adds, values, multiplier, 60)
			l := r.attack(t, 7, 0, 1)
			track := l.Tracks[0]
			sights := Sights(track, 0, false, func(v int) bool { return v < 2 })
			energy := NewBoard(track, n).Energies(sights)[target]
			floor := NewBoard(track, n).Sound(sights)[target]
			// weighed by coefficient over variance: the estimate of attackers who know the others' contributions, all 0
			estimate, weight := make([]float64, numbers), 0.0
			for _, b := range r.beliefs(l) {
				k := slices.Index(b.Nodes, target)
				if k < 0 {
					continue
				}
				for i, x := range b.Added {
					estimate[i] += b.Coefficients[k] / b.Variance * x
				}
				weight += b.Coefficients[k] * b.Coefficients[k] / b.Variance
			}
			square := 0.0
			for _, x := range estimate {
				square += x / weight * x / weight / numbers
			}
			std := r.Protocol.Noise.Std()
			if ratio := square / (std * std / energy); math.Abs(ratio-1) > 6*math.Sqrt(2.0/numbers) {
				t.Errorf("sigma %g, sums %v: squared error %g, the energy says %g", sigma, adds, square, std*std/energy)
			}
			if energy > floor*(1+1e-9) {
				t.Errorf("sigma %g: energy %g of the attack, the accountant's is %g", sigma, energy, floor)
			}
		}
	}
}

// A posterior's errors are as large as it says, and attackers who do not know the path are no better off in the
// mean: 2000 numbers of every node, drawn from the prior, so that a right deviation of a node is refused less than once in
// 10^8 times at 6 standard deviations; the seed is fixed.
func TestPosteriorsErrAsTheySay(t *testing.T) {
	const n, numbers = 7, 2000
	g, r := chord(t, n), rand.New(rand.NewPCG(1, 2))
	values := make([][]float64, n)
	for u := range values {
		for range numbers {
			values[u] = append(values[u], 0.5*r.NormFloat64())
		}
	}
	run := newRehearsal(t, g, true, values, 0.002, 80)
	run.Protocol.Noise.Clip = 1e3 // of 2000 numbers
	l := run.attack(t, 3, 0)
	noiseStd := run.Protocol.Noise.Std()
	known, err := Posterior(run.beliefs(l), n, noiseStd, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHidden(run.Protocol.Schedule(run.matrix.Sparse(), model.Guarantees{}), []int{0}, 3, Ends)
	if err != nil {
		t.Fatal(err)
	}
	var believed []Belief
	b := NewBoard(l.Tracks[0], n)
	for _, receipt := range l.Receipts {
		row, spread := h.Believe(b, receipt.Sight)
		believed = append(believed, Belief{row, receipt.Added, spread})
	}
	hidden, err := Posterior(believed, n, noiseStd, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	square := func(e *Estimates, u int) (sum float64) {
		for i, x := range e.Values[u] {
			sum += (x - values[u][i]) * (x - values[u][i]) / numbers
		}
		return sum
	}
	worse := 0.0
	for u := 1; u < n; u++ {
		found, std := square(known, u), known.Std[u]
		if ratio := found / (std * std); math.Abs(ratio-1) > 6*math.Sqrt(2.0/numbers) {
			t.Errorf("node %d: squared error %g, the posterior says %g", u, found, std*std)
		}
		worse += square(hidden, u) - found
	}
	if worse < 0 {
		t.Errorf("errors without the path are smaller by %g", -worse)
	}
}

// Ratios of real runs are likelihood ratios. Their reciprocals have mean 1 if contributions are longer, and they themselves if they
// are not, within 6 standard errors of 4000 runs (fixed seeds). The bound that they prove for a pair at a delta is below the sound
// number, and not 0.
func TestRatiosOfRealRuns(t *testing.T) {
	const n, target, runs, sigma = 5, 2, 4000, 1.0
	g := chord(t, n)
	worlds := [2]*rehearsal{}
	for k := range worlds { // the target adds -1/2 or 1/2, the others nothing
		values := make([][]float64, n)
		for u := range values {
			values[u] = []float64{0}
		}
		values[target][0] = float64(k) - 0.5
		worlds[k] = newRehearsal(t, g, true, values, sigma, 12)
		worlds[k].Protocol.Noise.Clip, worlds[k].Protocol.Cap = 0.5, 2
	}
	w := worlds[0].Protocol.Schedule(worlds[0].matrix.Sparse(), model.Guarantees{})
	w.Update = model.Adding(1)
	h, err := NewHidden(w, []int{0, 4}, target, Ends)
	if err != nil {
		t.Fatal(err)
	}
	ratios := [2][]float64{}
	for k, world := range worlds {
		for i := range runs {
			l := world.attack(t, uint64(2*i+k), 0, 4)
			var sights []Sight
			for _, receipt := range l.Receipts {
				sights = append(sights, receipt.Sight)
			}
			game, added := h.Game(l.Tracks[0], sights), Along(l.Receipts, []float64{1})
			ratios[k] = append(ratios[k], game.Likelihood(0.5, added, sigma)-game.Likelihood(-0.5, added, sigma))
		}
	}
	for k, sign := range []float64{1, -1} {
		mean, square := 0.0, 0.0
		for _, ratio := range ratios[k] {
			x := math.Exp(sign * ratio)
			mean += x / runs
			square += x * x / runs
		}
		if math.Abs(mean-1) > 6*math.Sqrt((square-mean*mean)/runs) {
			t.Errorf("world %d: the ratios have mean %g", k, mean)
		}
	}
	law, err := walkpath.Walk{Walk: w}.CoalitionLaw(target, []int{0, 4})
	if err != nil {
		t.Fatal(err)
	}
	const delta = 0.05
	eps := audit.Epsilon(runs, func(run int, eps float64) float64 { return Tells(ratios[1][run], eps) }, delta, 1e-6)
	if bound := law.Epsilon(delta, sigma); !(eps > 0.2*bound && eps <= bound) {
		t.Errorf("proved %g at delta %g, the sound number is %g", eps, delta, bound)
	}
}

// A guess errs as it says, whatever the path: 400 draws of value, path and noise, within 6 standard errors (fixed seed).
func TestGuessesErrAsTheySay(t *testing.T) {
	w := schedule.Walk{Nodes: 4, Start: 3, Turns: 9, Final: true, Cap: 3}
	h, err := NewHidden(w, []int{0}, 1, Ends)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	const draws, sigma, prior = 400, 0.5, 2.0
	mean, square := 0.0, 0.0
	for range draws {
		nodes := []int{3}
		for len(nodes) < w.Turns {
			nodes = append(nodes, r.IntN(4))
		}
		track := trackOf(w, nil, nodes)
		sights := Sights(track, 0, true, func(v int) bool { return v == 0 })
		value, b := prior*r.NormFloat64(), NewBoard(track, 4)
		var added []float64
		for _, s := range sights {
			row, x := b.Row(s), 0.0
			if k := slices.Index(row.Nodes, 1); k >= 0 {
				x = value * row.Coefficients[k]
			}
			added = append(added, x+sigma*math.Sqrt(row.Variance)*r.NormFloat64())
		}
		guess, std := h.Game(track, sights).Guess(added, sigma, prior)
		x := (guess - value) * (guess - value) / (std * std)
		mean += x / draws
		square += x * x / draws
	}
	if math.Abs(mean-1) > 6*math.Sqrt((square-mean*mean)/draws) {
		t.Errorf("squared errors are %g times what is said", mean)
	}
}

// On a ring, where the holder of every turn is known, the attack attains the accountant's charge exactly.
func TestAttacksOnRingsAttainTheSoundLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 8).Draw(t, "nodes")
		r := schedule.Ring{Nodes: n, Rounds: rapid.IntRange(1, 4).Draw(t, "rounds"), Spread: rapid.Bool().Draw(t, "spread"),
			Final: rapid.Bool().Draw(t, "final"), Sensitivity: 1, Noise: 1}
		r.Sealed = r.Final && rapid.Bool().Draw(t, "sealed")
		attackers, _ := drawAttack(t, n)
		var track []Turn
		for at := range int(r.Turns()) {
			track = append(track, Turn{Holder: int(r.Holder(step.Turn(at))), Contributed: true, Size: 1, Keep: 1, Noise: r.Share(at)})
		}
		got := NewBoard(track, n).Energies(Sights(track, 0, r.Final, func(v int) bool { return slices.Contains(attackers, v) }))
		want := make([]float64, n)
		if err := sums.RingOf(r).Energies(want, attackers...); err != nil {
			t.Fatal(err)
		}
		for u := range want {
			if math.Abs(got[u]-want[u]) > 1e-9*want[u] && got[u] != want[u] {
				t.Fatalf("%+v, attackers %v: energy %g of node %d, the accountant's is %g", r, attackers, got[u], u, want[u])
			}
		}
	})
}
