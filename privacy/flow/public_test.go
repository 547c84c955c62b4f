package flow

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// No explicit attack on a random run by who sees the last messages alone leaks more than any bound
// of the public: the optimum, aimed plans, one plan for all. Participants who see them
// too are charged at least as much.
func TestNoAttackByThePublicLeaksMore(t *testing.T) {
	worst := 0.0
	for i := range *audits {
		r := rand.New(rand.NewPCG(53, uint64(i)))
		d := draw(r)
		d.Final = true
		a := accountant(t, d.Problem)
		best, err := a.Optimal(d.u)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		participant, err := a.Optimal(d.u, d.coalition...)
		if err != nil || participant.Energy < best.Floor*(1-1e-6) {
			t.Errorf("run %d: %g towards participants, the public %g at the least, error %v", i, participant.Energy, best.Floor, err)
		}
		bounds := []float64{best.Energy}
		for _, by := range []Method{Optimum, Aim, OneFlow} {
			side, err := a.Public(nil, by, 1)
			if err != nil {
				t.Fatal(err)
			}
			bounds = append(bounds, side.Values[d.u])
		}
		if math.IsInf(best.Energy, 1) {
			continue
		}
		slack := 1e-9
		if a.noiseless() { // the attack solves equations that are nearly singular
			slack = 1e-6
		}
		low := a.AuditPublic(nil, 1).Values[d.u]
		for k := range 6 {
			leaks := low
			if k > 0 {
				leaks = d.attack(r).leaks(t, d.u, nil)
			}
			if least := slices.Min(bounds); leaks > least*(1+slack)+1e-12 {
				t.Errorf("run %d: an attack leaks %.12g, the bounds are %.12g", i, leaks, bounds)
			}
			if best.Energy > 0 {
				worst = max(worst, leaks/best.Energy)
			}
		}
	}
	t.Logf("%d runs, the worst attack leaks %.9f of its bound", *audits, worst)
}

// The same with several turns of averaging on one draw of noise.
func TestNoAttackByThePublicOnAveragedRoundsLeaksMore(t *testing.T) {
	worst := 0.0
	for i := range *audits / 4 {
		r := rand.New(rand.NewPCG(59, uint64(i)))
		p := drawAveraged(t, r)
		p.Final = true
		n, u := p.n(), r.IntN(p.n())
		best, err := accountant(t, p).Optimal(u)
		if err != nil {
			t.Fatal(err)
		}
		curve, moves := make([][]float64, p.Rounds), make([]float64, p.Rounds)
		for k := range 5 {
			for round := range curve {
				curve[round], moves[round] = make([]float64, n), p.contribution(round, u)*float64(1-2*r.IntN(min(2, k+1)))
				for j := range n {
					curve[round][j] = p.Lipschitz.At(round, j) * []float64{1, float64(1 - 2*r.IntN(2)), 2*r.Float64() - 1}[k%3]
				}
			}
			leaks := averagedAttack(t, p, curve, moves, u, nil)
			if leaks > best.Energy*(1+1e-6)+1e-8 {
				t.Errorf("run %d: an attack leaks %.10g, the bound is %.10g", i, leaks, best.Energy)
			}
			if best.Energy > 0 {
				worst = max(worst, leaks/best.Energy)
			}
		}
	}
	t.Logf("%d runs, the worst attack leaks %.9f of its bound", *audits/4, worst)
}

// The loss towards the public of a node that contributed in every round, and the attained loss of flat losses.
// All messages of a node would cost as much as there are rounds.
func TestPublicNumbersAreThoseThatAreSaid(t *testing.T) {
	for _, c := range []struct {
		graph            string
		lipschitz        float64
		rounds           int
		energy, attained float64
	}{
		{"complete:4", 1, 20, 6.15, 5.75}, {"complete:4", 1, 80, 21.1, 20.8}, {"complete:4", 0.95, 80, 10.2, 10.2},
		{"complete:16", 1, 80, 6.06, 5.94}, {"hypercube:6", 1, 80, 3.18, 3.03},
	} {
		g, err := gen.Parse(c.graph, 1)
		if err != nil {
			t.Fatal(err)
		}
		a := accountant(t, Problem{Rounds: c.rounds, Weights: weightsList(t, g), Lipschitz: Table{{c.lipschitz}}, Final: true})
		best, err := a.Optimal(0)
		low, _ := a.Audit(0)
		if err != nil || math.Abs(best.Energy/c.energy-1) > 0.005 || math.Abs(low/c.attained-1) > 0.005 {
			t.Errorf("%s, L %g, %d rounds: energy %.4g, attained %.4g, error %v; want %g and %g", c.graph, c.lipschitz, c.rounds, best.Energy, low, err, c.energy, c.attained)
		}
		s, _ := g.Symmetry()
		side, err := a.Public(Movements(s.Family, s.Sides), Optimum, 2)
		if err != nil || slices.Min(side.Values) != slices.Max(side.Values) || math.Abs(side.Values[0]/best.Energy-1) > 1e-4 {
			t.Errorf("%s: of all nodes %v, of node 0 %g, error %v", c.graph, side.Values, best.Energy, err)
		}
		if !side.CoversModel() || side.Claim.Towards != privacy.Public {
			t.Errorf("%s: the claim is towards %q", c.graph, side.Claim.Towards)
		}
		if losses := a.SummariseSide(side, 4, privacy.Metric{Delta: 1e-6}); losses.Max < losses.Mean*(1-1e-9) || losses.Max != losses.Beyond {
			t.Errorf("%s: losses %+v", c.graph, losses)
		}
	}
}

// Nobody observes where nothing is published.
func TestThereIsNoPublicWithoutARelease(t *testing.T) {
	a := accountant(t, Problem{Rounds: 2, Weights: []*sparse.Matrix{starOf(t, 4)}})
	if _, err := a.Optimal(0); err == nil {
		t.Error("an optimum towards nobody")
	}
	if _, err := a.Public(nil, Optimum, 1); err == nil {
		t.Error("a public of nothing")
	}
}

// A history is all messages of a run whose losses are flat: responses to every noise, and how far u's data moves
// them. Where clean, nodes go on from a copy without noise.
type history struct {
	noise [][][]float64 // by round and node
	moved [][]float64
}

func flatHistory(p Problem, u int, clean bool) (h history) {
	n := p.n()
	state, shift := make([][]float64, n), make([]float64, n)
	for j := range state {
		state[j] = make([]float64, p.Rounds*n)
	}
	for r := range p.Rounds {
		sent, moved := make([][]float64, n), make([]float64, n)
		shift[u] += p.contribution(r, u)
		for j := range n {
			scaleRow(state[j], p.Lipschitz.At(r, j))
			sent[j] = slices.Clone(state[j])
			sent[j][r*n+j] += p.Noise.At(r, j)
			if !clean {
				state[j] = slices.Clone(sent[j])
			}
		}
		copy(moved, shift)
		h.noise, h.moved = append(h.noise, sent), append(h.moved, moved)
		state, shift = mixed(p, r, state, shift)
		for j := range shift {
			shift[j] *= p.Lipschitz.At(min(r+1, p.Rounds-1), j)
		}
	}
	return h
}

// leaks is mu^2 sigma^2 of some of it.
func (h history) leaks(t *testing.T, seen func(round, node int) bool) float64 {
	var rows, moved []float64
	for r := range h.noise {
		for j := range h.noise[r] {
			if seen(r, j) {
				rows, moved = append(rows, h.noise[r][j]...), append(moved, h.moved[r][j])
			}
		}
	}
	return quadratic(t, mat.NewDense(len(moved), len(rows)/len(moved), rows), moved)
}

// The assumptions of the number for the public, one by one: without each of them an attack attains more.
func TestThePublicsConditionsAreNeeded(t *testing.T) {
	ring := weightsOf(t, 6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}})
	p := Problem{Rounds: 8, Weights: []*sparse.Matrix{ring}, Final: true}
	bound := func(p Problem, observers ...int) float64 {
		best, err := accountant(t, p).Optimal(0, observers...)
		if err != nil {
			t.Fatal(err)
		}
		return best.Energy
	}
	public, last := bound(p), func(r, _ int) bool { return r == 7 }
	if kept := flatHistory(p, 0, false).leaks(t, last); kept > public {
		t.Fatalf("the attack attains %g with all conditions kept, the bound is %g", kept, public)
	}
	steep, quiet := p, p
	steep.Lipschitz, quiet.Noise = Table{{0.8}}, Table{{1, 0.5, 0.5, 0.5, 0.5, 0.5}}
	silent := p
	silent.Final = false
	with := func(v int) float64 {
		return flatHistory(p, 0, false).leaks(t, func(r, j int) bool { return r == 7 || ring.At(v, j) > 0 })
	}
	for what, attained := range map[string]float64{
		"nodes go on from a copy without noise": flatHistory(p, 0, true).leaks(t, last),
		"the others add half the noise":         flatHistory(quiet, 0, false).leaks(t, last),
		"the model is published twice":          flatHistory(p, 0, false).leaks(t, func(r, _ int) bool { return r >= 6 }),
		"who sees it is a participant":          with(1),
	} {
		if !(attained > public*1.001) {
			t.Errorf("%s: attained is %.5g, the public is charged %.5g", what, attained, public)
		}
	}
	if pull, attained := bound(steep), flatHistory(p, 0, false).leaks(t, last); !(attained > pull*1.001) {
		t.Errorf("steps that do not contract attain %.5g, and those by 0.8 are charged %.5g", attained, pull)
	}
	if alone := bound(silent, 3); !(with(3) > alone*1.001) || with(3) > bound(p, 3)*(1+1e-9) {
		t.Errorf("node 3 with the last messages of all attains %g; its own view is charged %g, both %g", with(1), alone, bound(p, 3))
	}
}
