package admmview

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hearsay-dp/hearsay/internal/draws"
	"github.com/hearsay-dp/hearsay/privacy"
)

var someADMM = Consensus{Lipschitz: 0.7, Gamma: 0.3, Sigma: 5}

func TestTheoremE8IsTheLocalLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Consensus{rapid.Float64Range(0.1, 5).Draw(t, "L"), rapid.Float64Range(0.1, 5).Draw(t, "gamma"), rapid.Float64Range(0.1, 50).Draw(t, "sigma")}
		k, order := rapid.IntRange(1, 100).Draw(t, "K"), rapid.Float64Range(1.1, 50).Draw(t, "alpha")
		want := 8 * float64(k) * order * a.Lipschitz * a.Lipschitz * a.Gamma * a.Gamma / (a.Sigma * a.Sigma)
		got, claim, err := a.Local(k, privacy.Metric{Order: order})
		if err != nil || math.Abs(got/want-1) > 1e-12 || claim.Status != privacy.SoundIf {
			t.Fatalf("%g, want %g (%v)", got, want, err)
		}
	})
}

// One update of a linear objective <g, x>: prox is a step of -gamma g, so the
// shift by g -> -g, over the noise, is exactly the charged one.
func TestSectionE31SensitivityIsAttained(t *testing.T) {
	a, lambda := someADMM, 0.4
	update := func(g float64) float64 { // of u = 0.1 at z = 0.9, without noise
		u, z := 0.1, 0.9
		x := 2*z - u - a.Gamma*g
		return u + 2*lambda*(x-z)
	}
	shift := math.Abs(update(a.Lipschitz) - update(-a.Lipschitz))
	if got, want := shift/(lambda*a.Sigma), 1/a.Multiplier(); math.Abs(got-want) > 1e-12 {
		t.Errorf("shift over noise %g, charged %g", got, want)
	}
}

// linearRun runs centralised ADMM (002, Algorithm 8.2) on linear objectives
// without noise, and returns the released variable.
func linearRun(a Consensus, lambda float64, iterations int, gradients []float64) float64 {
	n, u, z := len(gradients), make([]float64, len(gradients)), 0.0
	for range iterations {
		z = 0
		for _, x := range u {
			z += x / float64(n)
		}
		for i := range u {
			x := 2*z - u[i] - a.Gamma*gradients[i]
			u[i] += 2 * lambda * (x - z)
		}
	}
	return z
}

// Two iterations release the mean of n noisy blocks: a Gaussian of standard
// deviation lambda Sigma/sqrt(n).
func TestTheorem87IsNotABound(t *testing.T) {
	const n, lambda, order = 10, 0.4, 2.0
	gradients := make([]float64, n)
	gradients[3] = someADMM.Lipschitz
	before := linearRun(someADMM, lambda, 2, gradients)
	gradients[3] = -someADMM.Lipschitz
	mu := (linearRun(someADMM, lambda, 2, gradients) - before) / (lambda * someADMM.Sigma / math.Sqrt(n))
	truth := order * mu * mu / 2
	claimed, claim, err := someADMM.Central(2, n, order)
	if err != nil || claim.Status != privacy.Published {
		t.Fatal(err)
	}
	if ratio := truth / claimed; math.Abs(ratio-n/2) > 1e-9 {
		t.Errorf("the loss is %g times what is claimed, want n/2", ratio)
	}
	if sound, _, err := someADMM.Local(2, privacy.Metric{Order: order}); err != nil || truth > sound {
		t.Errorf("truth %g above the sound %g (%v)", truth, sound, err)
	}
}

// x minimises g x + (A x - b)^2/(2 gamma): at A = 1/2 it moves by 2 L gamma/A^2
// and A x by 2 L gamma/A, where the theorem's condition number 1 gives 2 L gamma.
func TestTheoremE6TakesTheWrongPower(t *testing.T) {
	const least = 0.5
	a := Consensus{1, 1, 10}
	x := func(g float64) float64 { return (1 - a.Gamma*g/least) / least } // b = 1
	shift := least * (x(-1) - x(1))                                       // of A x
	charged := 2 * a.Lipschitz * a.Gamma * least / least                  // 2 L gamma |A|/omega
	if math.Abs(shift-charged/least) > 1e-12 {
		t.Errorf("A x moves by %g, charged %g", shift, charged)
	}
	general, _, err := a.CentralGeneral(3, 7, least, least, 2)
	if consensus, _, _ := a.Central(3, 7, 2); err != nil || general != consensus {
		t.Errorf("scaling A changes %g to %g (%v)", consensus, general, err)
	}
	if _, _, err := a.CentralGeneral(3, 7, 1, 0, 2); err == nil {
		t.Error("a singular matrix was accepted")
	}
}

func TestTheoremE9(t *testing.T) {
	f := Federated{Consensus{1, 0.1, 4}, 20, 10, 1000}
	got, claim, err := f.Published(2)
	if want := 16 * 20 * 2 * 0.01 / (16 * 1e6); err != nil || math.Abs(got/want-1) > 1e-12 || claim.Status != privacy.Published {
		t.Errorf("%g, want %g (%v)", got, want, err)
	}
	// A mean of m updates has m noises: the numerical loss is some m times the
	// closed form.
	numerical, _, err := f.Subsampled(privacy.Metric{Order: 2})
	if err != nil || numerical < 4*got || numerical > 30*got {
		t.Errorf("numerically %g, in closed form %g (%v)", numerical, got, err)
	}
	f.Sampled = 300
	if _, _, err := f.Published(2); err == nil {
		t.Error("30 % of the users were accepted")
	}
}

// All users in one round are a plain Gaussian; one in n is Central.
func TestSubsampledADMMAtItsEnds(t *testing.T) {
	a := Consensus{1, 0.25, 2}
	all := Federated{a, 1, 5, 5}
	got, _, err := all.Subsampled(privacy.Metric{Order: 3})
	if want := 3 / (2 * 5 * a.Multiplier() * a.Multiplier()); err != nil || math.Abs(got/want-1) > 1e-3 && got < want {
		t.Errorf("%g, want at least %g (%v)", got, want, err)
	}
	one := Federated{a, 7, 1, 50}
	got, _, err = one.Subsampled(privacy.Metric{Order: 3})
	want, _, errCentral := privacy.Central{Nodes: 50, Steps: 7}.Loss(a.Multiplier(), privacy.Metric{Order: 3})
	if err != nil || errCentral != nil || math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%g, central SGD has %g (%v, %v)", got, want, err, errCentral)
	}
	sound, err := one.Participations(1e-6)
	if err != nil || sound.Status != privacy.SoundIf || !(sound.Epsilon > 0) {
		t.Errorf("%+v, %v", sound, err)
	}
	if everything := privacy.EpsilonGaussian(math.Sqrt(7)/a.Multiplier(), 1e-6); sound.Epsilon > 1.1*everything {
		t.Errorf("%g, in all rounds at once %g", sound.Epsilon, everything)
	}
}

func TestTheorem812(t *testing.T) {
	a := Consensus{1, 0.1, 3}
	got, claim, err := a.Decentralised(4, 100, 2)
	if want := 8 * 2 * 4 * 0.01 * math.Log(100) / (9 * 100); err != nil || math.Abs(got/want-1) > 1e-12 || claim.Status != privacy.Published {
		t.Errorf("%g, want %g (%v)", got, want, err)
	}
	a.Sigma = 0.28
	if _, _, err := a.Decentralised(4, 100, 2); err == nil {
		t.Error("sigma below 2 L gamma sqrt(2) was accepted")
	}
}

// The proof charges a contribution 1/m of the local loss when m steps of others
// follow, as if steps were non-expansive in z. With linear objectives and nodes
// that have not been visited, z goes to (1 + 2 lambda/n) z + ..: the shift grows
// as it goes, and the energy falls to about 4 lambda/n, not to 0.
func TestTheorem812StepsAreExpansive(t *testing.T) {
	const n, lambda = 10, 1.0
	step := func(z, u, g float64) float64 {
		x := 2*z - u - someADMM.Gamma*g
		return z + 2*lambda*(x-z)/n
	}
	growth := step(1, 0, 0.3) - step(0, 0, 0.3)
	if math.Abs(growth-1.2) > 1e-12 {
		t.Fatalf("a step grows distances by %g", growth)
	}
	shift, noise := 1.0, 1.0 // in units of those of one step
	for m := 2; m <= n; m++ {
		shift, noise = shift*growth, noise*growth*growth+1
		if energy := shift * shift / noise; energy <= 1/float64(m) {
			t.Errorf("after %d steps the energy is %g", m, energy)
		}
	}
	if energy := shift * shift / noise; energy < 3/float64(n) {
		t.Errorf("after %d steps the energy is %g, claimed %g", n, energy, 1.0/n)
	}
}

func TestADMMTightInvertsLocal(t *testing.T) {
	m := privacy.Metric{Delta: 1e-6}
	noise, _, err := someADMM.LocalTight(12, 0.8, m)
	if err != nil {
		t.Fatal(err)
	}
	loss, _, err := someADMM.WithMultiplier(noise.Multiplier).Local(12, m)
	if err != nil || loss > 0.8 || loss < 0.8-1e-8 {
		t.Errorf("%g (%v)", loss, err)
	}
}

func TestADMMRefusesNonsense(t *testing.T) {
	refused := map[string]error{}
	m := privacy.Metric{Order: 2}
	_, _, refused["L 0"] = Consensus{0, 1, 1}.Local(1, m)
	_, _, refused["gamma NaN"] = Consensus{1, math.NaN(), 1}.Local(1, m)
	_, _, refused["sigma infinite"] = Consensus{1, 1, math.Inf(1)}.Local(1, m)
	_, _, refused["no participation"] = someADMM.Local(0, m)
	_, _, refused["order 1"] = someADMM.Central(1, 10, 1)
	_, _, refused["two nodes"] = someADMM.Decentralised(1, 2, 2)
	_, _, refused["more drawn than there are"] = Federated{someADMM, 1, 6, 5}.Subsampled(m)
	_, refused["delta 0"] = Federated{someADMM, 1, 4, 5}.Participations(0)
	for what, err := range refused {
		if err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
}
