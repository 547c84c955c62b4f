package gradientinversion

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
)

// Whatever was peeled, parts that play the true examples come to the sums that are known, with penalties, acceleration, gradients that are
// cut and several turns for each.
func TestPartsPlayTheRun(t *testing.T) {
	drawn, played := map[bool]int{}, map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(t, "n")
		l := learnOn(t, connected(t, n), rapid.Uint64Range(1, 99).Draw(t, "seed"))
		l.protocol.Rounds, l.protocol.TurnsPerRound = rapid.IntRange(1, 6).Draw(t, "rounds"), rapid.IntRange(1, 3).Draw(t, "turns")
		l.protocol.Gamma = rapid.SampledFrom([]float64{1, 1.3}).Draw(t, "gamma")
		l.protocol.Objective.L2 = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "l2")
		l.protocol.Noise = noise.Gaussian{Clip: rapid.SampledFrom([]float64{0.6, 10}).Draw(t, "clip")}
		p, sent := l.peeled(t, rapid.IntRange(0, n-1).Draw(t, "attacker"), rapid.IntRange(0, 3).Draw(t, "sweeps"))
		for u := range n {
			if p.books[u] == nil && !p.knowledge.attacker[u] && rapid.IntRange(0, 5).Draw(t, "known") == 0 {
				p.books[u] = l.book(p, u)
			}
		}
		wide := rapid.Bool().Draw(t, "wide")
		a := &unravelling{Attack: p.attack, peeling: p, loss: model.Logistic{Intercept: true}, budget: 1e18}
		drawn[wide]++
		sums := 0
		for _, q := range p.parts(wide, rapid.IntRange(0, 40).Draw(t, "until")) {
			s := a.annealing(q)
			for i, u := range q.nodes {
				copy(s.row(i), l.book(p, u).point.X)
				s.row(i)[q.dim-1] = 1
				scale(s.row(i), l.slab.Y[u])
			}
			s.run()
			for i, want := range q.want {
				sum := q.sums[i/q.dim]
				true := 0.0
				for k, place := range sum.nodes {
					true += sum.weights[k] * sent[sum.turn][q.nodes[place]*q.dim+i%q.dim]
				}
				if math.Abs(want-true) > sum.off+1e-15 || math.Abs(s.heard[i]-true) > 1e-12 {
					t.Fatalf("sum %d of turn %d, of nodes %v of %v, is %g, known as %g up to %g, played as %g", i/q.dim, sum.turn, sum.nodes, q.nodes, true, want, sum.off, s.heard[i])
				}
			}
			sums += len(q.sums)
		}
		if sums > 0 {
			played[wide]++
		}
	})
	drawntest.Often(t, "wide parts play sums", played[true], drawn[true], 0.3)
	drawntest.Often(t, "narrow parts play sums", played[false], drawn[false], 0.3)
}
