package pairwise

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
	"github.com/hearsay-dp/hearsay/schedule"
)

// matrix is C, of which the noise of a world's rounds follows: its rows.
func matrix(past []float64, rounds int) [][]float64 {
	c := make([][]float64, rounds)
	for t := range c {
		c[t] = make([]float64, rounds)
		c[t][t] = 1
		for j, x := range past {
			if t-1-j >= 0 {
				c[t][t-1-j] = x
			}
		}
	}
	return c
}

// inverted is the inverse of a lower triangular matrix with 1 on its diagonal.
func inverted(c [][]float64) [][]float64 {
	inv := matrix(nil, len(c))
	for t := range c {
		for s := range t {
			form(inv[t]).add(-c[t][s], inv[s])
		}
	}
	return inv
}

// chargedInTime is what the accountant says of the world's u, whose contributions are one every so many rounds.
func (w *world) chargedInTime(t interface{ Fatal(...any) }, past []float64, period int) float64 {
	m := schedule.Memory{Past: past, Times: 1}
	a := accountant(t, Problem{Pairs: edgesOf(w.n, w.secrets), Own: w.own, Sensitivity: w.clips, Pair: w.pair, Contributions: 1, Energy: m.Energy(w.rounds, w.rounds, period), Rounds: w.rounds})
	energies, err := a.Energies(w.coalition, 1)
	if err != nil {
		t.Fatal(err)
	}
	return energies[w.u]
}

// Whoever sees all messages attains what is charged for noise in time and in space where coefficients are at least 0 and
// contributions of one direction, a period apart and the first round's first. Whoever sees some messages, or smaller
// contributions of any direction, which follow what was held, attains no more, whatever the coefficients.
func TestNoiseInTimeMultipliesWithNoiseInSpace(t *testing.T) {
	several, draws, worst := 0, 0, 0.0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.rounds = rapid.IntRange(1, 6).Draw(t, "more rounds")
		period := rapid.IntRange(1, w.rounds).Draw(t, "period")
		least := rapid.SampledFrom([]float64{0, -1}).Draw(t, "least coefficient")
		past := rapid.SliceOfN(rapid.Float64Range(least, 1), 0, w.rounds-1).Draw(t, "past")
		w.inTime = inverted(matrix(past, w.rounds))
		w.shift = make([]float64, w.rounds)
		for at := 0; at < w.rounds; at += period {
			w.shift[at] = 1
		}
		charged := w.chargedInTime(t, past, period)
		if got := attained(w.view()); got > charged*(1+1e-7) || least == 0 && got < charged*(1-1e-7) {
			t.Fatalf("attained %.12g, charged %.12g: %+v", got, charged, *w)
		}
		if draws++; period < w.rounds && len(past) > 0 {
			several++
		}
		first := rapid.IntRange(0, period-1).Draw(t, "first")
		for at := range w.shift {
			if w.shift[at] = 0; at%period == first {
				w.shift[at] = rapid.Float64Range(-1, 1).Draw(t, "shift")
			}
		}
		if len(w.coalition) > 0 && rapid.Bool().Draw(t, "sees a part") {
			w.sees = func(f, v int) bool { return w.messages[f][v] != 0 }
		}
		part := attained(w.view())
		if worst = max(worst, part/charged); part > charged*(1+1e-9) {
			t.Fatalf("attained %.12g of a part, charged %.12g: %+v", part, charged, *w)
		}
	})
	t.Logf("other contributions or a part of the messages: at most %.4f of what is charged", worst)
	drawntest.Often(t, "several contributions under noise with a memory", several, draws, 0.2)
}

// Each condition of noise in time is needed: without it an attack attains more than the formula says.
func TestConditionsOfNoiseInTimeAreNeeded(t *testing.T) {
	const rounds = 4
	root, alternates := schedule.SquareRoot(rounds), []float64{-0.9}
	plain := func(past []float64, period int) func(*world) float64 {
		return func(w *world) float64 { return w.chargedInTime(t, past, period) }
	}
	for _, c := range []struct {
		broken  string
		past    []float64
		shift   []float64
		formula func(*world) float64
		change  func(*world)
	}{
		{"a row is in one batch of a pass", root, []float64{1, 1, 1, 1}, plain(root, 4), nil},
		{"all passes have the same order: what is a period apart or more costs less than what is nearer", root, []float64{1, 1, 0, 0}, plain(root, 2), nil},
		{"coefficients below 0 count by their size: contributions of one direction are not the worst", alternates, []float64{1, -1, 1, -1}, func(w *world) float64 {
			moved := 1.0
			for range rounds - 1 {
				moved += (1 + alternates[0]) * (1 + alternates[0])
			}
			return moved * w.chargedInTime(t, nil, rounds)
		}, nil},
		{"nodes go on from what they sent", root, []float64{1, 0, 0, 0}, plain(root, rounds), func(w *world) { w.unsaid = true }},
		{"gradients are remembered with their noise", root, []float64{1, 0, 0, 0}, plain(root, rounds), func(w *world) { w.remembers = true }},
	} {
		w := &world{n: 4, rounds: rounds, turns: 1, secrets: [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, messages: path(4), own: 1, pair: 3,
			feedback: make([]float64, 4), coalition: []int{3}, inTime: inverted(matrix(c.past, rounds)), shift: c.shift}
		if c.change != nil {
			c.change(w)
		}
		if got, charged := attained(w.view()), c.formula(w); !(got > charged*1.05) {
			t.Errorf("%s: attained %g, the formula says %g: no counterexample", c.broken, got, charged)
		} else {
			t.Logf("%s: attained %g, the formula says %g", c.broken, got, charged)
		}
	}
}
