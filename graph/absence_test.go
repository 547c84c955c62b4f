package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/graph/gen"
)

func transitionOf(t *testing.T, expression string) *graph.Transition {
	t.Helper()
	g, err := gen.Parse(expression, 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := graph.NewTransition(g, "hamilton")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// On the complete graph, holder included, a walk is away for k turns with
// probability (1-1/n)^k.
func TestAbsenceInClosedForm(t *testing.T) {
	complete := transitionOf(t, "complete:9")
	want := int(math.Ceil(math.Log(1e-12) / math.Log(8.0/9)))
	if turns, ok := complete.Absence(3, 1e-12, 1000); !ok || turns < want || turns > want+1 {
		t.Errorf("complete graph of 9: %d, %t, want %d", turns, ok, want)
	}
	if turns, ok := complete.Absence(3, 1e-12, want-10); ok {
		t.Errorf("%d turns are within %d", turns, want-10)
	}
}

// Walks do stay away that long as often as p says, and no more. A false alarm has
// probability below 1e-9: 20,000 walks, p = 0.05, nine deviations.
func TestAbsenceIsRare(t *testing.T) {
	w := transitionOf(t, "grid:4x5")
	turns, ok := w.Absence(7, 0.05, 100000)
	if !ok {
		t.Fatal("no bound")
	}
	r, away := rand.New(rand.NewPCG(1, 2)), 0
	for range 20000 {
		at, k := 19, 0 // the far corner
		for ; k < turns && at != 7; k++ {
			at = w.Next(at, r)
		}
		if at != 7 {
			away++
		}
	}
	if away > 1000+9*31 {
		t.Errorf("%d of 20000 walks stay away for %d turns", away, turns)
	}
}
