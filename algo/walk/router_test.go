package walk

import (
	"math/rand/v2"
	"testing"
)

// Every decision asks for a generator of its own, so that its source can mix in what no copy
// of memory holds.
func TestEveryDecisionAsksForItsChance(t *testing.T) {
	asked := 0
	d := Drawn{Choose: Uniform(5), Rand: func() *rand.Rand {
		asked++
		return rand.New(rand.NewPCG(uint64(asked), 1))
	}}
	for i, decide := range []func(){
		func() { d.Next(0, 0, 0) }, func() { d.Away(0, 0, 0, 0.5) }, func() { d.Again(0, 0, 0, 1, 2) }, func() { d.Chance(0, 0, 0) },
	} {
		if decide(); asked != i+1 {
			t.Errorf("decision %d: asked %d times", i, asked)
		}
	}
}
