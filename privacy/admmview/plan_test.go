package admmview

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// draws is a generator whose seed is drawn.
func draws(t *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2)) }

// someAttack draws a run of affine losses: turns of a walk, or rounds with a look after each.
func someAttack(r *rand.Rand) attack {
	a := attack{nodes: 2 + r.IntN(5), step: Step{
		Lambda: []float64{0.5, 0.5, 0.3, 0.8, 1}[r.IntN(5)], Regularised: r.IntN(3) == 0, Kept: r.IntN(3) == 0}}
	if r.IntN(3) == 0 {
		a.step.Memory = 0.01 + 0.99*r.Float64()
	}
	if r.IntN(3) == 0 {
		a.step.Shrink = 0.2 + 0.8*r.Float64()
	}
	bias, rounds := r.Float64(), r.IntN(2) == 0
	for range 2 + r.IntN(16) {
		switch {
		case rounds:
			a.acts = append(a.acts, someRound(r, a.nodes, bias)...)
		case r.Float64() < 0.25:
			a.acts = append(a.acts, act{look: true})
		case r.Float64() < bias:
			a.acts = append(a.acts, act{holder: r.IntN(a.nodes), start: true})
		default:
			a.acts = append(a.acts, act{start: true})
		}
	}
	a.acts = append(a.acts, act{look: true})
	for i := range a.acts {
		if r.IntN(8) == 0 {
			a.acts[i].how = []How{Drifts, Stays}[r.IntN(2)]
		}
		a.change(i, r)
	}
	return a
}

func someRound(r *rand.Rand, nodes int, bias float64) (round []act) {
	for j := range nodes {
		if j > 0 && r.Float64() < bias || j == 0 && r.IntN(2) == 0 {
			round = append(round, act{holder: j, start: len(round) == 0})
		}
	}
	return append(round, act{look: true})
}

// change draws the loss of one turn anew.
func (a *attack) change(i int, r *rand.Rand) {
	x, m := &a.acts[i], ratio(a.step.Memory)
	switch r.IntN(4) {
	case 0:
		x.kept = 0
	case 1:
		x.kept = complex(m, 0)
	case 2:
		x.kept = complex(m*r.Float64(), 0)
	default: // the rim of the disc
		x.kept = complex(m/2, 0) * (1 + cmplx.Rect(1, 2*math.Pi*r.Float64()))
	}
	if x.prox = 1; a.step.Regularised {
		x.prox = []float64{0, 1, r.Float64()}[r.IntN(3)]
	}
	if !x.start && !x.look { // of one round
		x.prox = a.acts[i-1].prox
	}
	if x.how != Updates {
		x.kept = 0
	}
	if x.holder != a.u || x.look {
		return
	}
	if x.how != Updates {
		return
	}
	x.moved = []complex128{1, -1, cmplx.Rect(1, 2*math.Pi*r.Float64())}[r.IntN(3)]
	if !a.step.Kept {
		x.kept = 0 // only slopes that differ remain
	}
}

// worsened climbs: it keeps changes of single turns that leak more.
func (a *attack) worsened(tries int, r *rand.Rand) float64 {
	most := a.leaks()
	for range tries {
		i := r.IntN(len(a.acts))
		before := a.acts[i]
		if a.acts[i].start || !a.step.Regularised {
			a.change(i, r)
		}
		a.follow(i)
		if now := a.leaks(); now >= most {
			most = now
			continue
		}
		a.acts[i] = before
		a.follow(i)
	}
	return most
}

// follow gives the rest of a round the z of its start.
func (a *attack) follow(i int) {
	for k := i + 1; k < len(a.acts) && !a.acts[k].start && !a.acts[k].look; k++ {
		a.acts[k].prox = a.acts[k-1].prox
	}
}

// No affine losses leak more than is planned for, and some leak all of it.
func TestNoAttackIsAboveThePlan(t *testing.T) {
	nearest := 0.0
	rapid.Check(t, func(t *rapid.T) {
		r := draws(t)
		a := someAttack(r)
		leaks, planned := a.worsened(rapid.IntRange(0, 40).Draw(t, "climb"), r), a.planned()
		if leaks > planned*(1+1e-8)+1e-12 {
			t.Fatalf("leaks %g, planned %g: %+v", leaks, planned, a)
		}
		if planned > 0 {
			nearest = max(nearest, leaks/planned)
		}
	})
	if nearest < 0.8 {
		t.Errorf("the best attack is at %g of the plan", nearest)
	}
}

// A single contribution, hidden by u and three others before a look, costs about a quarter.
func TestOneContributionIsHiddenByAllHoldersAfterIt(t *testing.T) {
	a := attack{nodes: 9, step: Step{Lambda: 0.5}, acts: []act{{start: true, prox: 1, moved: 1}}}
	for j := 1; j <= 3; j++ {
		a.acts = append(a.acts, act{holder: j, start: true, prox: 1})
	}
	a.acts = append(a.acts, act{look: true})
	if leaks, planned := a.leaks(), a.planned(); leaks < 0.25 || planned < leaks || planned > 0.4 {
		t.Errorf("slopes leak %g, planned %g", leaks, planned)
	}
}

// On the complete graph the energy of twelve contributions is that of about 25/n, and all public it is 12.
func TestAWalkAmplifies(t *testing.T) {
	const nodes, contributions, runs = 300, 12, 20
	for _, s := range []Step{{Lambda: 0.5}, {Lambda: 0.5, Regularised: true}, {Lambda: 0.3}, {Lambda: 0.5, Memory: 0.5, Kept: true}} {
		mean := 0.0
		for seed := range uint64(runs) {
			mean += walked(s, nodes, contributions*nodes, rand.New(rand.NewPCG(seed, 3))).Energy() / runs
		}
		if mean > contributions/10.0 {
			t.Errorf("%+v: an energy of %g", s, mean)
		}
	}
}

// walked plans for node 0 on a walk on the complete graph that node 1 watches.
func walked(s Step, nodes, turns int, r *rand.Rand) *Plan {
	p := NewPlan(s, nodes, 0)
	var since []Turn
	for range turns {
		at := r.IntN(nodes)
		if at == 1 {
			p.Seen(since)
			since = since[:0]
			continue
		}
		since = append(since, Turn{Holder: at})
	}
	return p
}

func BenchmarkPlan(b *testing.B) {
	for i := range b.N {
		walked(Step{Lambda: 0.5}, 300, 3600, rand.New(rand.NewPCG(uint64(i), 3)))
	}
}
