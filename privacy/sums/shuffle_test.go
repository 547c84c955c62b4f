package sums

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

func TestProposition36(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := rapid.Float64Range(1e-3, 8).Draw(t, "eps")
		r := Respond(rapid.IntRange(2, 1000).Draw(t, "L"), eps)
		if got := r.Epsilon(); math.Abs(got-eps) > 1e-9*(1+eps) {
			t.Fatalf("eps %g came back as %g", eps, got)
		}
		e, l := math.Exp(eps), float64(r.Values)
		if math.Abs(r.Truth()-e/(l-1+e)) > 1e-12 || math.Abs(r.Other()-1/(l-1+e)) > 1e-12 {
			t.Fatalf("%+v answers %g and %g", r, r.Truth(), r.Other())
		}
	})
}

// simpleOnes is the law of how many ones users answer of whom so many have one.
func simpleOnes(r RandomResponse, users, truths int) []float64 {
	p := []float64{1}
	for i := range users {
		chance := r.Other()
		if i < truths {
			chance = r.Truth()
		}
		next := make([]float64, len(p)+1)
		for k, x := range p {
			next[k] += x * (1 - chance)
			next[k+1] += x * chance
		}
		p = next
	}
	return p
}

// simpleShuffledDelta is the exact delta of a histogram of two values: the
// count of ones when the hidden node has 1 or 0, and ones of the others' users-1
// have 1. It is the worse of both directions.
func simpleShuffledDelta(r RandomResponse, eps float64, users, ones int) float64 {
	law := func(truths int) []float64 { return simpleOnes(r, users, truths) }
	a, b := law(ones+1), law(ones)
	up, down := 0.0, 0.0
	for k := range a {
		up += max(0, a[k]-math.Exp(eps)*b[k])
		down += max(0, b[k]-math.Exp(eps)*a[k])
	}
	return max(up, down)
}

// The blanket bound is above the truth whatever the others have, and not by
// much where the others' answers are all random.
func TestBlanketIsAboveTheExactShuffle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := RandomResponse{2, rapid.Float64Range(0.05, 1).Draw(t, "gamma")}
		users := rapid.IntRange(1, 60).Draw(t, "users")
		eps := rapid.Float64Range(0, 1).Draw(t, "fraction") * r.Epsilon()
		bound := r.ShuffledDelta(eps, users)
		for ones := range users {
			if exact := simpleShuffledDelta(r, eps, users, ones); exact > bound+1e-13 {
				t.Fatalf("%+v, %d users, eps %g: bound %g, with %d ones it is %g", r, users, eps, bound, ones, exact)
			}
		}
	})
}

// simpleDeltaGiven adds over all counts.
func simpleDeltaGiven(r RandomResponse, eps float64, random int) float64 {
	n, sum := random+1, 0.0
	for j := range n + 1 {
		like := func(hits float64) float64 { return r.Truth()*hits + r.Other()*(float64(n)-hits) }
		x := 2 / float64(n) * (like(float64(j)) - math.Exp(eps)*like(float64(n-j)))
		sum += math.Exp(privacy.LogBinomial(n, 0.5, j)) * max(0, x)
	}
	return sum
}

func TestBlanketDeltaEqualsItsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := RandomResponse{rapid.IntRange(2, 20).Draw(t, "L"), rapid.Float64Range(0.05, 1).Draw(t, "gamma")}
		random := rapid.IntRange(0, 300).Draw(t, "random")
		eps := rapid.Float64Range(0, 1).Draw(t, "fraction") * r.Epsilon()
		got, want := r.deltaGiven(eps, random), simpleDeltaGiven(r, eps, random)
		if math.Abs(got-want) > 1e-9*want+1e-14 {
			t.Fatalf("%+v with %d random answers at %g: %g, want %g", r, random, eps, got, want)
		}
	})
}

func TestBlanketLawIsALaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := blanket{rapid.IntRange(0, 100_000).Draw(t, "trials"), rapid.Float64Range(0, 1).Draw(t, "chance")}
		law, sum, last := b.law(), 0.0, -1
		for i, p := range law.weights {
			if p < -1e-13 || law.random[i] > b.trials || (i > 1 && law.random[i] <= last) {
				t.Fatalf("weight %g at %d after %d", p, law.random[i], last)
			}
			sum, last = sum+p, law.random[i]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("the weights add to %g", sum)
		}
	})
}

func TestShuffledEpsilonInvertsDeltaAndFallsWithUsers(t *testing.T) {
	r := Respond(5, 2)
	before := math.Inf(1)
	for _, users := range []int{1, 2, 10, 100, 1000, 100_000} {
		eps := r.ShuffledEpsilon(1e-6, users)
		if eps > before || eps > r.Epsilon() {
			t.Errorf("%d users: eps %g after %g", users, eps, before)
		}
		if eps < r.Epsilon() && (r.ShuffledDelta(eps, users) > 1e-6 || r.ShuffledDelta(0.999*eps, users) < 1e-6) {
			t.Errorf("%d users: delta at %g is %g", users, eps, r.ShuffledDelta(eps, users))
		}
		before = eps
	}
}

// Theorem D.3 is a bound, so the exact loss of two values stays below it, and
// so does ours.
func TestTheoremD3IsAboveTheBlanket(t *testing.T) {
	for _, eps0 := range []float64{0.1, 0.5, 1, 2} {
		for _, users := range []int{3000, 10_000, 1_000_000} {
			for _, delta := range []float64{1e-6, 1e-9} {
				feldman, err := FeldmanEpsilon(eps0, delta, users)
				if err != nil {
					t.Fatal(err)
				}
				if ours := Respond(2, eps0).ShuffledEpsilon(delta, users); ours > feldman {
					t.Errorf("eps0 %g, %d users, delta %g: %g above %g", eps0, users, delta, ours, feldman)
				}
			}
		}
	}
	if _, err := FeldmanEpsilon(1, 1e-6, 100); err == nil {
		t.Error("100 users at epsilon 1 are in the range")
	}
}

func TestTheoremB1(t *testing.T) {
	eps, err := ErlingssonEpsilon(0.4, 1e-6, 10_000)
	if want := 12 * 0.4 * math.Sqrt(math.Log(1e6)/10_000); err != nil || math.Abs(eps-want) > 1e-15 {
		t.Errorf("%g, want %g (%v)", eps, want, err)
	}
	if feldman, _ := FeldmanEpsilon(0.4, 1e-6, 10_000); feldman > eps {
		t.Errorf("Feldman et al. have %g, Erlingsson et al. %g", feldman, eps)
	}
	for what, refused := range map[string]func() (float64, error){
		"few users": func() (float64, error) { return ErlingssonEpsilon(0.4, 1e-6, 99) },
		"eps 1/2":   func() (float64, error) { return ErlingssonEpsilon(0.5, 1e-6, 1000) },
		"delta":     func() (float64, error) { return ErlingssonEpsilon(0.4, 0.01, 1000) },
	} {
		if _, err := refused(); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// The theorem's response is that of the amplified loss, the wrong way round: at
// n = 10^6 it answers more at random than its own target asks for without any
// shuffling; at n = 1001 Theorem B.1 gives twice the target.
func TestTheorem57TurnsTheAmplificationRound(t *testing.T) {
	const eps, delta = 0.3, 1e-6
	published, response, err := RingHistogramPublished(1_000_000, 10, 4, eps, delta, 1e-6)
	if err != nil || published.Status != privacy.Published {
		t.Fatal(err)
	}
	if local := response.Epsilon(); local > eps/10 {
		t.Errorf("local loss %g for a target of %g", local, eps)
	}
	if want := privacy.AdvancedComposition(10, eps, 1e-6); published.Epsilon != want || math.Abs(published.Delta-11e-6) > 1e-18 {
		t.Errorf("published %+v, want eps %g", published, want)
	}
	_, response, err = RingHistogramPublished(1001, 10, 4, eps, delta, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if amplified, err := ErlingssonEpsilon(response.Epsilon(), delta, 1001); err != nil || amplified < 1.9*eps {
		t.Errorf("shuffled loss %g (%v)", amplified, err)
	}
	if _, _, err := RingHistogramPublished(1000, 10, 4, eps, delta, 1e-6); err == nil {
		t.Error("1000 nodes were accepted")
	}
}

func TestRingHistogramSound(t *testing.T) {
	h := RingHistogram{Nodes: 2000, Rounds: 5, Response: Respond(4, 1)}
	g, err := h.Sound(1e-6)
	if err != nil || g.Status != privacy.Sound {
		t.Fatal(err)
	}
	feldman, err := h.SoundFeldman(1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if !(g.Epsilon > 0 && g.Epsilon < feldman.Epsilon && feldman.Epsilon < 5) {
		t.Errorf("blanket %g, Feldman %g, five local ones 5", g.Epsilon, feldman.Epsilon)
	}
	h.Final = true
	if shown, err := h.Sound(1e-6); err != nil || shown.Epsilon < 1 {
		t.Errorf("with the last token shown %g (%v), though the last answer is alone: 1", shown.Epsilon, err)
	}
	if want := h.Response.Gamma * 2000 * 6; math.Abs(h.RandomAnswers()-want) > 1e-9 {
		t.Errorf("%g random answers", h.RandomAnswers())
	}
	h.Response.Gamma = 0
	if _, err := h.Sound(1e-6); err == nil {
		t.Error("answers without randomness were accepted")
	}
}
