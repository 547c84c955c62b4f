package sums

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

// simpleEnergies builds the observers' view as one joint Gaussian. Every token
// they receive, minus their own additions, is a row over all the others' steps.
// The energy of u is s' C^-1 s, with s the shift by one more in each of its
// values and C the covariance of the noise. It is +Inf if a combination of the
// rows has no noise and a shift.
func simpleEnergies(t *rapid.T, r Ring, observers map[int]bool) []float64 {
	steps := r.Nodes * r.Rounds
	var seen []int // the token before this step
	for s := range steps {
		if observers[s%r.Nodes] {
			seen = append(seen, s)
		}
	}
	if r.Final {
		seen = append(seen, steps)
	}
	// Noise that the observers lack is given a variance of floor, for an
	// energy that tends to infinity.
	const floor = 1e-9
	rows := len(seen)
	energies := make([]float64, r.Nodes)
	covariance := mat.NewSymDense(rows, nil)
	for i := range rows {
		for j := i; j < rows; j++ {
			sum := 0.0
			for s := range seen[i] { // common to both
				if !observers[s%r.Nodes] {
					sum += r.variance(s) + floor
				}
			}
			covariance.SetSym(i, j, sum)
		}
	}
	// A token seen before anybody else added to it says nothing.
	first := 0
	for first < rows && covariance.At(first, first) == 0 {
		first++
	}
	if first == rows {
		return energies
	}
	shift := mat.NewVecDense(rows-first, nil)
	solved := mat.NewVecDense(rows-first, nil)
	system := mat.NewDense(rows-first, rows-first, nil)
	for i := range rows - first {
		for j := range rows - first {
			system.Set(i, j, covariance.At(i+first, j+first))
		}
	}
	for u := range r.Nodes {
		if observers[u] {
			continue
		}
		for i := range rows - first {
			count := 0.0
			for s := u; s < seen[i+first]; s += r.Nodes {
				count++
			}
			shift.SetVec(i, count)
		}
		var pseudo mat.SVD
		if !pseudo.Factorize(system, mat.SVDThin) {
			t.Fatal("no decomposition")
		}
		pseudo.SolveVecTo(solved, shift, pseudo.Rank(1e-14))
		energies[u] = mat.Dot(shift, solved)
		if energies[u] > 1e6 {
			energies[u] = math.Inf(1)
		}
	}
	return energies
}

func TestTheorem55EnergiesEqualTheJointGaussian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Ring{rapid.IntRange(3, 8).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "K"),
			rapid.Bool().Draw(t, "spread"), rapid.Bool().Draw(t, "final"), rapid.Bool().Draw(t, "sealed")}
		observers, list := map[int]bool{}, []int(nil)
		for range rapid.IntRange(1, 3).Draw(t, "observers") {
			v := rapid.IntRange(0, r.Nodes-1).Draw(t, "v")
			observers[v], list = true, append(list, v)
		}
		got := make([]float64, r.Nodes)
		if err := r.Energies(got, list...); err != nil {
			t.Fatal(err)
		}
		for u, want := range simpleEnergies(t, r, observers) {
			if got[u] != want && math.Abs(got[u]-want) > 1e-5*want {
				t.Fatalf("%+v %v learn %g about %d, the joint Gaussian has %g", r, list, got[u], u, want)
			}
		}
	})
}

func TestTheorem55WorstIsThatOfAllObservers(t *testing.T) {
	for n := 3; n < 9; n++ {
		for k := 1; k < 12; k++ {
			for variant := range 8 {
				r := Ring{n, k, variant&1 != 0, variant&2 != 0, variant&4 != 0}
				worst := 0.0
				for v := range n {
					e, err := r.Worst(v)
					if err != nil {
						t.Fatal(err)
					}
					worst = max(worst, e)
				}
				if got, _ := r.Worst(); got != worst && math.Abs(got-worst) > 1e-12*worst {
					t.Errorf("%+v: %g, over all observers %g", r, got, worst)
				}
			}
		}
	}
}

// One observer sees one noise per round: mu = sqrt(K)/sigma, below the
// published advanced composition of the same releases.
func TestTheorem55SoundIsBelowPublished(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Ring{Nodes: rapid.IntRange(3, 50).Draw(t, "n"), Rounds: rapid.IntRange(1, 200).Draw(t, "K")}
		delta0 := math.Exp(rapid.Float64Range(-25, -10).Draw(t, "ln delta0"))
		sigma := math.Sqrt(2*math.Log(1.25/delta0)) * rapid.Float64Range(1.01, 50).Draw(t, "sigma")
		eps0, err := privacy.ClassicalEpsilon(sigma, delta0)
		if err != nil {
			t.Fatal(err)
		}
		published, err := r.Published(eps0, delta0, 1e-7)
		if err != nil {
			t.Fatal(err)
		}
		sound, claim, err := r.Sound(sigma, privacy.Metric{Delta: published.Delta})
		if err != nil || claim.Status != privacy.Sound || published.Status != privacy.Published {
			t.Fatal(claim, err)
		}
		if want := privacy.EpsilonGaussian(math.Sqrt(float64(r.Rounds))/sigma, published.Delta); math.Abs(sound-want) > 1e-9*want {
			t.Fatalf("%g, composed Gaussians have %g", sound, want)
		}
		if sound > published.Epsilon {
			t.Fatalf("sound %g above published %g", sound, published.Epsilon)
		}
	})
}

func TestTheorem55NoiseTerms(t *testing.T) {
	for n := 3; n < 10; n++ {
		for k := 1; k < 30; k++ {
			sum := 0.0
			for step := range n * k {
				sum += Ring{Nodes: n, Rounds: k}.variance(step)
			}
			if got := (Ring{Nodes: n, Rounds: k}).NoiseVariance(); got != sum {
				t.Errorf("n=%d K=%d: %g terms, the algorithm makes %g", n, k, got, sum)
			}
			if printed := math.Floor(float64(k*n) / float64(n-1)); k < n-1 && printed != sum-1 {
				t.Errorf("n=%d K=%d: printed %g, made %g", n, k, printed, sum)
			}
		}
	}
}

// Releasing the total breaks the lumped noise: node n-2 subtracts the sum it
// knew and holds the last value of node n-1 without noise.
func TestTheorem55DoesNotCoverTheReleasedTotal(t *testing.T) {
	r := Ring{Nodes: 5, Rounds: 2, Final: true}
	energies := make([]float64, 5)
	if err := r.Energies(energies, 3); err != nil || !math.IsInf(energies[4], 1) {
		t.Errorf("energies %v, %v", energies, err)
	}
	if _, _, err := r.Tight(1, privacy.Metric{Delta: 1e-6}); err == nil {
		t.Error("a noise was found that hides a bare value")
	}
}

// Two colluders around one node: lumped noise is mostly elsewhere; spread noise
// leaves a share of 1/n per round, n times the energy of one observer.
func TestRemark56UnderCollusion(t *testing.T) {
	lumped, spread := Ring{Nodes: 10, Rounds: 3}, Ring{Nodes: 10, Rounds: 3, Spread: true}
	if e, err := lumped.Worst(4, 6); err != nil || !math.IsInf(e, 1) {
		t.Errorf("lumped: %g, %v", e, err)
	}
	energies := make([]float64, 10)
	if err := spread.Energies(energies, 4, 6); err != nil || math.Abs(energies[5]-30) > 1e-12 {
		t.Errorf("spread: %v, %v", energies, err)
	}
	single, err := spread.Worst()
	if want := 1 + 2*10.0/9; err != nil || math.Abs(single-want) > 1e-12 {
		t.Errorf("one observer: %g, want %g", single, want)
	}
}

func TestRingSumTightInvertsSound(t *testing.T) {
	for _, r := range []Ring{{Nodes: 3, Rounds: 1}, {Nodes: 30, Rounds: 40, Spread: true, Final: true}, {Nodes: 9, Rounds: 7, Spread: true}, {Nodes: 7, Rounds: 3, Final: true, Sealed: true}} {
		for _, m := range []privacy.Metric{{Delta: 1e-6}, {Order: 3}} {
			for _, target := range []float64{0.05, 1, 8} {
				noise, cal, err := r.Tight(target, m)
				if err != nil || cal.Low > cal.Sigma {
					t.Fatal(cal, err)
				}
				if loss, _, err := r.Sound(noise.Multiplier, m); err != nil || loss > target || loss < target*(1-1e-8) {
					t.Errorf("%+v: loss %g at the noise for %g (%v)", r, loss, target, err)
				}
			}
		}
	}
}

func TestRingSumRefusesWhatIsNoRing(t *testing.T) {
	m := privacy.Metric{Order: 2}
	refused := map[string]error{}
	_, _, refused["two nodes"] = Ring{Nodes: 2, Rounds: 1}.Sound(1, m)
	_, _, refused["no round"] = Ring{Nodes: 5}.Sound(1, m)
	_, _, refused["sigma 0"] = Ring{Nodes: 5, Rounds: 1}.Sound(0, m)
	_, _, refused["no metric"] = Ring{Nodes: 5, Rounds: 1}.Sound(1, privacy.Metric{})
	_, _, refused["a stranger"] = Ring{Nodes: 5, Rounds: 1}.Sound(1, m, 5)
	_, refused["published, eps NaN"] = Ring{Nodes: 5, Rounds: 1}.Published(math.NaN(), 1e-6, 1e-6)
	_, refused["published, delta 0"] = Ring{Nodes: 5, Rounds: 1}.Published(1, 0, 1e-6)
	_, refused["classical above 1"] = privacy.ClassicalEpsilon(1, 1e-6)
	for what, err := range refused {
		if err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
}
