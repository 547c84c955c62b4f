package walkpath

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/schedule"
)

// bruteEnergy is the least sum of a_j^2/g_j^2 by trying every set of turns at
// which all that may be hidden is hidden: in between, at the optimum, the noise
// of all turns is used alike. g is the step size of every turn.
func bruteEnergy(contributed []bool, g []float64) float64 {
	l, best := len(g), math.Inf(1)
	for tight := 0; tight < 1<<(l-1); tight++ {
		if energy, ok := hiddenAt(contributed, g, tight|1<<(l-1)); ok {
			best = min(best, energy)
		}
	}
	return best
}

// hiddenAt is the energy if all is hidden after the turns in a set; it reports
// whether no more is ever hidden than there is.
func hiddenAt(contributed []bool, g []float64, tight int) (energy float64, ok bool) {
	there, hidden, first := 0.0, 0.0, 0
	sums := make([]float64, len(g)) // what there is to hide up to each turn
	for j := range g {
		if contributed[j] {
			there += g[j]
		}
		sums[j] = there
		if tight>>j&1 == 0 {
			continue
		}
		clock := 0.0
		for _, x := range g[first : j+1] {
			clock += x * x
		}
		slope := (there - hidden) / clock
		for k := first; k <= j; k++ {
			hidden += slope * g[k] * g[k]
			if hidden > sums[k]+1e-12 {
				return 0, false
			}
		}
		energy += slope * slope * clock
		first = j + 1
	}
	return energy, true
}

// stepsOf are the step sizes of some turns of a walk, relative to the first.
func stepsOf(first, count int, power float64) []float64 {
	g := make([]float64, count)
	for j := range g {
		g[j] = math.Pow(float64(first+j+1)/float64(first+1), -power)
	}
	return g
}

// excursionOver is the energy of turns first.. of a walk, both ways.
func excursionOver(c clock, contributed []bool, first int) (sound, even float64) {
	var s, audit staircase
	audit.since = c.at[first]
	for j, made := range contributed {
		if made {
			s.contribute(c.at[first+j], c.contribution(first+j))
			audit.contribute(c.at[first+j], c.contribution(first+j))
		}
	}
	end := first + len(contributed)
	return s.close(c.at[end], 0), audit.closeEven(c.at[end], 0)
}

// The minorant over the clock is the optimum of the quadratic programme, never
// below what linear losses leak, never below the energy of constant steps, never
// above the number of contributions, and less when the same comes later.
func TestEnergyOfFallingStepsIsTheQuadraticOptimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contributed := rapid.SliceOfN(rapid.Bool(), 1, 9).Draw(t, "contributed")
		power := rapid.SampledFrom([]float64{0.25, 0.5, 1, 2}).Draw(t, "power")
		first := rapid.IntRange(0, 40).Draw(t, "first")
		c := clockOf(first+len(contributed)+rapid.IntRange(0, 5).Draw(t, "later")+1, power)
		sound, even := excursionOver(c, contributed, first)
		if want := bruteEnergy(contributed, stepsOf(first, len(contributed), power)); math.Abs(sound-want) > 1e-9*(1+want) {
			t.Fatalf("energy %v, by trying all %v", sound, want)
		}
		constant, _ := excursionOver(clockOf(first+len(contributed)+1, 0), contributed, first)
		later, _ := excursionOver(clockOf(first+len(contributed)+2, power), contributed, first+1)
		made := float64(len(turns(contributed)))
		for _, pair := range [][2]float64{{even, sound}, {constant, sound}, {later, sound}, {sound, made}} {
			if pair[0] > pair[1]+1e-9 {
				t.Fatalf("%v is above %v: linear %v, constant %v, later %v, energy %v of %v", pair[0], pair[1], even, constant, later, sound, made)
			}
		}
	})
}

// The clock is fine enough where step sizes are smallest.
func TestClockKeepsLateSteps(t *testing.T) {
	const turns = 1_000_000
	for _, power := range []float64{0.1, 0.5, 1, 2} {
		c := clockOf(turns, power)
		for _, t0 := range []int{0, 10, turns / 2, turns - 3} {
			contributed := []bool{true, false, true}
			got, _ := excursionOver(c, contributed, t0)
			want := bruteEnergy(contributed, stepsOf(t0, 3, power))
			if math.Abs(got-want) > clockRounding*want {
				t.Errorf("power %v, turn %d: energy %v, want %v", power, t0, got, want)
			}
		}
	}
}

// Simulated energies of falling steps have the mean of all paths: three nodes,
// every path as likely. Eight means within five standard errors: a false alarm
// has probability 5e-6.
func TestSimulatedFallingStepsAgreeWithAllPaths(t *testing.T) {
	for _, final := range []bool{false, true} {
		for _, power := range []float64{0.5, 1} {
			for _, audit := range []bool{false, true} {
				w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: 3, Start: AnyStart, Turns: 7, Cap: 2, Final: final, Power: power}}
				s := samplePair(t, Simulation{Walk: w, Paths: 40000, Seed: 5, Audit: audit}, 0, 2)
				mean, variance := s.moments(func(v float64) float64 { return v })
				want := meanOverPaths(w, audit)
				if off := math.Abs(mean - want); off > 5*math.Sqrt(variance/40000)+1e-5 {
					t.Errorf("final %v, power %v, audit %v: mean energy %v, of all paths %v", final, power, audit, mean, want)
				}
			}
		}
	}
}

// meanOverPaths walks all paths of a walk on three nodes, from 0 towards 2.
func meanOverPaths(w Walk, audit bool) float64 {
	total, paths, g := 0.0, 1, stepsOf(0, w.Turns, w.Power)
	for range w.Turns {
		paths *= 3
	}
	for path := range paths {
		var contributed []bool
		used, first, rest := 0, 0, path
		end := func(t int) {
			if len(turns(contributed)) > 0 {
				total += energyOf(contributed, g[first:t], audit)
			}
			contributed, first = nil, t+1
		}
		for t := range w.Turns {
			at := rest % 3
			rest /= 3
			if at == 2 {
				end(t)
				continue
			}
			made := at == 0 && used < w.Cap
			if made {
				used++
			}
			contributed = append(contributed, made)
		}
		if w.Final {
			end(w.Turns)
		}
	}
	return total / float64(paths)
}

func energyOf(contributed []bool, g []float64, audit bool) float64 {
	if !audit {
		return bruteEnergy(contributed, g)
	}
	moved, clock := 0.0, 0.0
	for j, x := range g {
		clock += x * x
		if contributed[j] {
			moved += x
		}
	}
	return moved * moved / clock
}

// A cap per edge: on a line the end has one neighbour and itself, so at most
// twice the cap, of each token; and no energy grows by a cap.
func TestEdgeCapLimitsContributions(t *testing.T) {
	w, transition := walkOn(t, "line:4")
	w.Turns, w.Final, w.Tokens = 400, true, 2
	free := samplePair(t, Simulation{Walk: w, Next: hops(transition), Paths: 400, Seed: 3}, 0, 2)
	w.EdgeCap = 2
	s := Simulation{Walk: w, Next: hops(transition), Paths: 400, Seed: 3}
	capped := samplePair(t, s, 0, 2)
	if largest := slices.Max(capped.Energies); !(largest <= 8) || !(capped.Mean() < free.Mean()/2) || capped.Mean() == 0 {
		t.Errorf("energies up to %v, mean %v, without a cap %v", largest, capped.Mean(), free.Mean())
	}
	s.Audit = true
	if audit := samplePair(t, s, 0, 2); audit.Mean() > capped.Mean() {
		t.Errorf("the audit has mean %v, the bound %v", audit.Mean(), capped.Mean())
	}
}

// What only simulated paths price is charged the local loss by a law, which
// says so.
func TestLawsChargeLocallyWhatTheyCannotPrice(t *testing.T) {
	for want, change := range map[string]func(w *Walk){
		"step size changes": func(w *Walk) { w.Power = 0.5 },
		"capped by edge":    func(w *Walk) { w.EdgeCap = 1 },
	} {
		w := Walk{Walk: schedule.Walk{Update: amplified, Nodes: 5, Start: AnyStart, Turns: 50, Cap: 3}}
		change(&w)
		law, err := w.Law(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		local, _, err := privacy.LocalLoss(3, 2, privacy.Metric{Order: 2})
		if err != nil {
			t.Fatal(err)
		}
		if got := law.RDP(2, 2); math.Abs(got-local) > 1e-12 || !strings.Contains(strings.Join(law.Assumptions, " "), want) {
			t.Errorf("%s: loss %v, local %v, %q", want, got, local, law.Assumptions)
		}
		laws, err := w.Laws(CompleteClass, 1)
		if err != nil || math.Abs(laws.Law(0, 1).RDP(2, 2)-local) > 1e-12 {
			t.Errorf("%s: all laws are not local (%v)", want, err)
		}
	}
	for _, w := range []schedule.Walk{{Nodes: 3, Turns: 5, Power: -1}, {Nodes: 3, Turns: 5, Power: math.NaN()}, {Nodes: 3, Turns: 5, EdgeCap: -1},
		{Nodes: 3, Turns: 5, Tokens: -1}} {
		if err := (Walk{Walk: w}).check(0, 1); err == nil {
			t.Errorf("%+v is taken", w)
		}
	}
}
