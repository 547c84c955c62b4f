package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/graph/gen"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/schedule"
)

// leaving is gossip on a graph whose steps spread models by l.
func leaving(t testing.TB, name string, l float64) schedule.Gossip {
	t.Helper()
	g, err := gen.Parse(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	return schedule.Gossip{Nodes: g.Len(), W: hamilton(t, g), Rounds: 1, TurnsPerRound: 1, NoiseAlways: true, Sensitivity: 1, Noise: 1, Update: model.Asserted(l, "test")}
}

// The loss of ten contributions, some rounds after the last, towards an observer who sees all messages from then on and none
// before, and the attained loss of flat losses. All messages would cost 10.
func TestForgottenIsWhatIsSaid(t *testing.T) {
	after := []int{0, 1, 5, 10, 70}
	for _, c := range []struct {
		graph          string
		most, attained []float64
	}{
		{"hypercube:6", []float64{1.98, 0.605, 0.160, 0.095, 0.020}, []float64{1.90, 0.537, 0.123, 0.079, 0.0195}},
		{"complete:64", []float64{1.17, 0.156, 0.111, 0.082, 0.020}, []float64{1.14, 0.142, 0.104, 0.078, 0.0195}},
		{"ring:64", []float64{4.21, 2.68, 1.25, 0.710, 0.071}, []float64{3.84, 2.41, 1.12, 0.641, 0.066}},
	} {
		for i, rounds := range after {
			a, err := Forgetting(leaving(t, c.graph, 1), 10, rounds)
			if err != nil {
				t.Fatal(err)
			}
			best, err := a.Optimal(0)
			low, _ := a.Audit(0)
			if err != nil || math.Abs(best.Energy/c.most[i]-1) > 0.02 || math.Abs(low/c.attained[i]-1) > 0.02 {
				t.Errorf("%s, %d rounds after: energy %.4g, attained %.4g, error %v; want %g and %g", c.graph, rounds, best.Energy, low, err, c.most[i], c.attained[i])
			}
		}
		for _, l := range []struct{ spreads, least, most float64 }{{0.98, 0.0031, 0.0033}, {1.1, 0.27, 0.31}} {
			a, err := Forgetting(leaving(t, c.graph, l.spreads), 10, 70)
			if err != nil {
				t.Fatal(err)
			}
			if best, err := a.Optimal(0); c.graph == "hypercube:6" && (err != nil || best.Energy < l.least || best.Energy > l.most) {
				t.Errorf("%s, L %g: energy %.4g after 70 rounds, error %v", c.graph, l.spreads, best.Energy, err)
			}
		}
	}
}

// Where noise is drawn each turn, who comes in a round sees all its turns. The number for the last turn alone, which is the public's, is
// smaller than what is attained.
func TestLatecomersSeeAllTurnsOfARound(t *testing.T) {
	s := leaving(t, "ring:8", 1)
	s.Rounds, s.TurnsPerRound, s.NoiseEachTurn = 6, 3, true
	a, err := Forgetting(s, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := OfLeft(s, 5)
	if err != nil {
		t.Fatal(err)
	}
	late, err := a.Optimal(0)
	if err != nil {
		t.Fatal(err)
	}
	public, err := shown.Optimal(0)
	if err != nil {
		t.Fatal(err)
	}
	attained := flatHistory(shown.Problem(), 0, false).leaks(t, func(r, _ int) bool { return r >= 15 })
	if !(attained <= late.Energy) || attained < 0.6*late.Energy || attained <= public.Energy {
		t.Errorf("who comes in round 5 attains %.4g, the bound is %.4g; by the final models it is %.4g", attained, late.Energy, public.Energy)
	}
}

// No late observer learns more than is charged, however the run goes on. It sees all messages from some round on, of random
// runs whose later rounds have other weights, hardly any noise, and very expansive steps.
func TestNoLatecomerLearnsMore(t *testing.T) {
	worst := 0.0
	for i := range *audits {
		r := rand.New(rand.NewPCG(61, uint64(i)))
		d := draw(r)
		d.Final, d.Hears = true, nil
		best, err := accountant(t, d.Problem).Optimal(d.u)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if math.IsInf(best.Energy, 1) {
			continue
		}
		longer, seen := d.goesOn(r), d.Rounds-1
		slack := 1e-9
		if accountant(t, d.Problem).noiseless() { // the attack solves equations that are nearly singular
			slack = 1e-6
		}
		for range 3 {
			attack := (&drawn{Problem: longer, u: d.u}).attack(r)
			leaks := attack.leaksOf(t, d.u, nil, func(round, _ int) bool { return round >= seen })
			if leaks > best.Energy*(1+slack)+1e-12 {
				t.Errorf("run %d: who comes in round %d learns %.12g, the bound is %.12g", i, seen, leaks, best.Energy)
			}
			if best.Energy > 0 {
				worst = max(worst, leaks/best.Energy)
			}
		}
	}
	t.Logf("%d runs, the worst attack leaks %.9f of its bound", *audits, worst)
}

// goesOn is the run with some rounds more, in which u contributes nothing.
func (d *drawn) goesOn(r *rand.Rand) Problem {
	p, more := d.Problem, 1+r.IntN(3)
	p.Rounds += more
	n, long := p.n(), Problem{Rounds: p.Rounds, Final: true}
	for t := range p.Rounds {
		spread, noise, gives := make([]float64, n), make([]float64, n), make([]float64, n)
		w, step := drawWeights(r, n), 0.2+r.Float64()
		for j := range n {
			spread[j], noise[j] = 3*r.Float64(), 0.05+0.1*r.Float64()
			if t < d.Rounds {
				spread[j], noise[j], gives[j] = d.Lipschitz.At(t, j), d.Noise.At(t, j), d.contribution(t, j)
			}
		}
		if t < d.Rounds-1 {
			w = d.weights(t)
		}
		if t < d.Rounds && d.Steps != nil {
			step = d.Steps[t]
		} else if d.Steps == nil {
			step = 1
		}
		long.Weights, long.Steps = append(long.Weights, w), append(long.Steps, step)
		long.Lipschitz, long.Noise, long.Contributions = append(long.Lipschitz, spread), append(long.Noise, noise), append(long.Contributions, gives)
	}
	return long
}

// The assumptions of Forgetting, one by one: without each of them an attack attains more.
func TestForgettingsConditionsAreNeeded(t *testing.T) {
	s := leaving(t, "complete:8", 1)
	a, err := Forgetting(s, 4, 6)
	if err != nil {
		t.Fatal(err)
	}
	best, err := a.Optimal(0)
	if err != nil {
		t.Fatal(err)
	}
	p, late := a.Problem(), func(r, _ int) bool { return r >= 9 }
	if kept := flatHistory(p, 0, false).leaks(t, late); kept > best.Energy {
		t.Fatalf("attained %g, the bound is %g", kept, best.Energy)
	}
	again, steep, quiet := p, p, p
	again.Contributions = ByRound([]float64{1, 1, 1, 1, 0, 0, 0, 0, 1, 0})
	steep.Lipschitz = Table{{1.5}}
	quiet.Noise = Table{{1}, {1}, {1}, {1}, {0.1}, {0.1}, {0.1}, {0.1}, {0.1}, {0.1}}
	for what, attained := range map[string]float64{
		"it contributes once more":              flatHistory(again, 0, false).leaks(t, late),
		"who comes later heard one message":     flatHistory(p, 0, false).leaks(t, func(r, j int) bool { return r >= 9 || r == 2 && j == 0 }),
		"steps spread models by 1.5":            flatHistory(steep, 0, false).leaks(t, late),
		"nodes add less noise after it left":    flatHistory(quiet, 0, false).leaks(t, late),
		"nodes go on from a copy without noise": flatHistory(p, 0, true).leaks(t, late),
	} {
		if !(attained > best.Energy*1.01) {
			t.Errorf("%s: attained is %.5g, charged %.5g", what, attained, best.Energy)
		}
	}
}

// Rounds that are not of the run are refused, and so are schedules that the accountant has no ground for.
func TestForgettingRefuses(t *testing.T) {
	falling := leaving(t, "ring:6", 1)
	falling.StepSizes = []float64{1, 0.7, 0.5}
	if _, err := Forgetting(falling, 2, 2); err == nil {
		t.Error("a round beyond the step sizes")
	}
	if a, err := Forgetting(falling, 2, 1); err != nil || len(a.Problem().Steps) != 3 {
		t.Errorf("error %v", err)
	}
	for _, rounds := range [][2]int{{0, 3}, {2, -1}} {
		if _, err := Forgetting(leaving(t, "ring:6", 1), rounds[0], rounds[1]); err == nil {
			t.Errorf("%v is accepted", rounds)
		}
	}
	carries := leaving(t, "ring:6", 1)
	carries.Momentum = 0.9
	if _, err := Forgetting(carries, 2, 1); err == nil {
		t.Error("momentum is accepted")
	}
}
