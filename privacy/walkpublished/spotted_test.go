package walkpublished

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
)

// spottedIn counts, of the first most turns of node 0, those directly before or
// after a turn of node 1.
func spottedIn(n, most int, r *rand.Rand) int {
	spotted, made, before := 0, 0, r.IntN(n)
	at := r.IntN(n)
	for made < most {
		after := r.IntN(n)
		if at == 0 {
			made++
			if before == 1 || after == 1 {
				spotted++
			}
		}
		before, at = at, after
	}
	return spotted
}

// The mean number is N_u (2/n - 1/n^2). Over 20,000 walks its standard error is
// known from the sample; 6 of them are a false alarm of 2e-9.
func TestDefinitionD13CountsTurnsBesideTheObserver(t *testing.T) {
	const n, made, walks = 10, 30, 20_000
	r := rand.New(rand.NewPCG(7, 13))
	sum, squares := 0.0, 0.0
	for range walks {
		k := float64(spottedIn(n, made, r))
		sum += k
		squares += k * k
	}
	mean := sum / walks
	want := made * (2.0/n - 1.0/n/n)
	if se := math.Sqrt((squares/walks - mean*mean) / walks); math.Abs(mean-want) > 6*se {
		t.Errorf("%g contributions are spotted on average, want %g (standard error %g)", mean, want, se)
	}
}

// Count holds: it is exceeded in at most its delta of the walks. With the true
// chance at most delta = 0.05, 5,000 walks exceed it more than 343 times with
// probability below 1e-8 (six standard deviations).
func TestPropositionD14SoundCountHolds(t *testing.T) {
	const walks, delta = 5_000, 0.05
	for _, s := range []Spotted{{5, 20}, {10, 30}, {20, 20}} {
		most, err := s.Count(delta)
		if err != nil {
			t.Fatal(err)
		}
		r, above := rand.New(rand.NewPCG(uint64(s.Nodes), 14)), 0
		for range walks {
			if spottedIn(s.Nodes, s.Contributions, r) > most {
				above++
			}
		}
		if above > 343 {
			t.Errorf("%+v: more than %d are spotted in %d of %d walks", s, most, above, walks)
		}
		if most >= s.Contributions {
			t.Errorf("%+v: the bound %d says nothing", s, most)
		}
	}
}

func TestPropositionD14RefusesChernoffOutOfRange(t *testing.T) {
	// 100 contributions among 100 nodes: the mean is 2, and a deviation of 4.6
	// times it would be needed.
	s := Spotted{100, 100}
	if _, err := s.CountPublished(1e-6); err == nil {
		t.Error("accepted")
	}
	if k, err := s.Count(1e-6); err != nil || k < 10 || k > 30 {
		t.Errorf("count %d, %v", k, err)
	}
}

// The printed advanced composition lacks a factor 2 under its root, and comes
// out below the exact loss of what it counts.
func TestPropositionD14AsPrintedIsBelowComposition(t *testing.T) {
	s := Spotted{10, 1000}
	k, err := s.CountPublished(1e-9)
	if err != nil {
		t.Fatal(err)
	}
	const eps, delta = 0.01, 1e-6
	printed, err := s.Published(eps, delta, 1e-9, false)
	if err != nil {
		t.Fatal(err)
	}
	if proved := privacy.AdvancedComposition(k, eps, delta); printed.Epsilon > 0.75*proved {
		t.Errorf("printed %g, composition gives %g", printed.Epsilon, proved)
	}
	simple, err := s.Published(eps, delta, 1e-9, true)
	if err != nil || simple.Epsilon != k*eps || simple.Status != privacy.Published {
		t.Errorf("simple composition gives %+v, %v", simple, err)
	}
	sound, err := s.Sound(100, delta)
	if err != nil || sound.Status != privacy.Sound || !(sound.Epsilon > 0) {
		t.Errorf("sound %+v, %v", sound, err)
	}
}
