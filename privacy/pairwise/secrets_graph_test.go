package pairwise

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/internal/drawntest"
)

// A world is a run in one coordinate whose every number is linear in its noise and in the shift of u's data: nodes hold
// sums of both. Who exchanges messages and who shares secrets are two graphs.
type world struct {
	n, rounds, turns int
	messages         [][]float64 // doubly stochastic weights
	secrets          [][2]int
	own, pair        float64
	feedback         []float64 // how much of what a node holds is in its gradient
	u                int
	shift            []float64 // of u's contributions
	coalition        []int
	sees             func(f, v int) bool // nil: F sees all messages
	clips            []float64           // of nodes, over the largest; nil: all clip alike
	away             [][]int             // by round: who misses it; nil: nobody does
	inTime           [][]float64         // how much of the fresh noise of each round a round has, the inverse of C; nil: its own

	// Conditions that a run may break.
	reuse     bool // the shared noise of round 0 serves all rounds
	unsaid    bool // nodes go on from a copy without noise
	tardy     bool // messages of nodes that missed their round are seen after all
	late      bool // nodes clip after the noise
	remembers bool // a gradient without noise is in the next round's message too
}

// A form is a number's coefficients of all noise, each of variance 1, and at the end of the shift.
type form []float64

func (w *world) size() int { return (w.n+len(w.secrets))*w.rounds + 1 }

func (f form) add(by float64, g form) {
	for i, x := range g {
		f[i] += by * x
	}
}

// view returns what F sees and knows.
func (w *world) view() (rows []form) {
	zero := func() form { return make(form, w.size()) }
	unit := func(at int, by float64) form {
		f := zero()
		f[at] = by
		return f
	}
	x, last := make([]form, w.n), make([]form, w.n)
	for v := range x {
		x[v], last[v] = zero(), zero()
	}
	knows := func(f int) bool { return slices.Contains(w.coalition, f) }
	for t := range w.rounds {
		fresh := func(k int, by float64) form { // what the draws of a node or secret make in this round
			f := zero()
			for s, share := range w.ofRound(t) {
				f[s*(w.n+len(w.secrets))+k] = by * share
			}
			return f
		}
		for v := range x {
			if w.misses(v, t) && !w.tardy {
				continue
			}
			gradient := zero()
			gradient.add(w.feedback[v], x[v])
			if v == w.u {
				gradient[w.size()-1] += w.shift[t]
			}
			x[v].add(-w.clip(v), gradient)
			if w.remembers {
				x[v].add(-w.clip(v), last[v])
			}
			last[v] = gradient
		}
		sent := make([]form, w.n)
		for v := range x {
			sent[v] = slices.Clone(x[v])
			if w.misses(v, t) && !w.tardy { // it is what it was before, and known
				continue
			}
			sent[v].add(w.noisy(v), fresh(v, w.own))
			if knows(v) {
				rows = append(rows, fresh(v, w.own))
			}
		}
		for k, e := range w.secrets {
			r := fresh(w.n+k, w.pair)
			if w.reuse {
				r = unit(w.n+k, w.pair)
			}
			for i, v := range e {
				if !w.misses(v, t) || w.tardy {
					sent[v].add(float64(1-2*i)*w.noisy(v), r)
				}
			}
			if knows(e[0]) || knows(e[1]) || w.misses(e[0], t) || w.misses(e[1], t) {
				rows = append(rows, r)
			}
		}
		for range w.turns {
			for v := range sent {
				if w.sees == nil || knows(v) || slices.ContainsFunc(w.coalition, func(f int) bool { return w.sees(f, v) }) {
					rows = append(rows, slices.Clone(sent[v]))
				}
			}
			next := make([]form, w.n)
			for v := range next {
				next[v] = zero()
				for s, weight := range w.messages[v] {
					next[v].add(weight, sent[s])
				}
			}
			sent = next
		}
		if !w.unsaid {
			x = sent
		}
	}
	return rows
}

// misses reports whether a node misses a round.
func (w *world) misses(v, t int) bool { return w.away != nil && slices.Contains(w.away[t], v) }

// clip is how much of its gradient a node adds.
func (w *world) clip(v int) float64 {
	if w.clips == nil {
		return 1
	}
	return w.clips[v]
}

// noisy is how much of its noise a node adds.
func (w *world) noisy(v int) float64 {
	if w.late {
		return w.clip(v)
	}
	return 1
}

// ofRound is how much of the fresh noise of each round round t has.
func (w *world) ofRound(t int) []float64 {
	if w.inTime == nil {
		own := make([]float64, w.rounds)
		own[t] = 1
		return own
	}
	return w.inTime[t]
}

// attained is the energy of the best attack on rows, infinite if something shows the shift bare: each
// row in turn is freed of what the rows before it say (Gram and Schmidt, twice).
func attained(rows []form) (energy float64) {
	var basis []form
	for _, row := range rows {
		row = slices.Clone(row)
		noise := len(row) - 1
		before := math.Sqrt(square(row[:noise]))
		for range 2 {
			for _, b := range basis {
				row.add(-dot(row[:noise], b[:noise]), b)
			}
		}
		norm := math.Sqrt(square(row[:noise]))
		switch {
		case norm > 1e-7*(1+before):
			for i := range row {
				row[i] /= norm
			}
			basis = append(basis, row)
			energy += row[noise] * row[noise]
		case math.Abs(row[noise]) > 1e-6:
			return math.Inf(1)
		}
	}
	return energy
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func square(x []float64) float64 { return dot(x, x) }

// charged is what the accountant says of the world's u, of sensitivity 1 or with the clip of its own.
func (w *world) charged(t interface{ Fatal(...any) }, secrets [][2]int) float64 {
	a := accountant(t, Problem{Pairs: edgesOf(w.n, secrets), Own: w.own, Pair: w.pair, Contributions: w.rounds, Sensitivity: w.clips})
	energies, err := a.Energies(w.coalition, 1)
	if err != nil {
		t.Fatal(err)
	}
	return energies[w.u]
}

// path is the weights of messages along a path.
func path(n int) [][]float64 {
	w := make([][]float64, n)
	for v := range w {
		w[v] = make([]float64, n)
		w[v][v] = 1
	}
	for v := range n - 1 {
		weigh(w, v, v+1, 1./3)
	}
	return w
}

// weigh gives the edge of two nodes a weight, which their own lose.
func weigh(w [][]float64, u, v int, by float64) {
	w[u][v], w[v][u] = w[u][v]+by, w[v][u]+by
	w[u][u], w[v][v] = w[u][u]-by, w[v][v]-by
}

// drawWorld draws messages along a random tree and some more edges, and any other graph of secrets.
func drawWorld(t *rapid.T) *world {
	n := rapid.IntRange(2, 5).Draw(t, "n")
	w := &world{
		n: n, rounds: rapid.IntRange(1, 3).Draw(t, "rounds"), turns: rapid.IntRange(1, 3).Draw(t, "turns"),
		own: rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "own"), messages: make([][]float64, n),
	}
	w.pair = w.own * rapid.SampledFrom([]float64{0.3, 1, 3, 10}).Draw(t, "ratio")
	for v := range n {
		w.messages[v] = make([]float64, n)
		w.messages[v][v] = 1
		w.feedback = append(w.feedback, rapid.Float64Range(-1, 1).Draw(t, "feedback"))
	}
	for v := 1; v < n; v++ {
		weigh(w.messages, v, rapid.IntRange(0, v-1).Draw(t, "edge"), 1/float64(n))
	}
	for v := range n {
		for u := range v {
			if rapid.Bool().Draw(t, "secret") {
				w.secrets = append(w.secrets, [2]int{u, v})
			}
		}
	}
	w.u = rapid.IntRange(0, n-1).Draw(t, "u")
	for v := range n {
		if v != w.u && rapid.IntRange(0, 2).Draw(t, "colludes") == 0 {
			w.coalition = append(w.coalition, v)
		}
	}
	if rapid.Bool().Draw(t, "own clips") {
		w.clips = rapid.SliceOfN(rapid.Float64Range(0.05, 1), n, n).Draw(t, "clips")
	}
	for range w.rounds {
		w.shift = append(w.shift, rapid.SampledFrom([]float64{1, -1}).Draw(t, "shift"))
	}
	return w
}

// Whoever sees all messages attains what the theorem charges, whatever graph the secrets run along and whatever clips nodes have, and
// whoever sees some of them, or learns of smaller shifts, no more.
func TestSecretsRunAlongAnyGraph(t *testing.T) {
	apart, draws, worst := 0, 0, 0.0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		charged := w.charged(t, w.secrets)
		if got := attained(w.view()); math.Abs(got/charged-1) > 1e-7 {
			t.Fatalf("attained %.12g, charged %.12g: %+v", got, charged, *w)
		}
		if draws++; slices.ContainsFunc(w.secrets, func(e [2]int) bool { return w.messages[e[0]][e[1]] == 0 }) {
			apart++
		}
		for i := range w.shift {
			w.shift[i] *= rapid.Float64Range(0, 1).Draw(t, "smaller")
		}
		if len(w.coalition) > 0 { // an outsider's partial view is somebody else's
			w.sees = func(f, v int) bool { return w.messages[f][v] != 0 }
		}
		part := attained(w.view())
		if worst = max(worst, part/charged); part > charged*(1+1e-9) {
			t.Fatalf("attained %.12g of a part, charged %.12g: %+v", part, charged, *w)
		}
	})
	t.Logf("smaller shifts or a part of the messages: at most %.4f of what is charged", worst)
	drawntest.Often(t, "some secret runs between nodes that exchange no messages", apart, draws, 0.5)
}

// Each condition of the theorem is needed: without it an attack attains more than the formula says.
func TestConditionsOfSecretsAreNeeded(t *testing.T) {
	ring := [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}
	for _, c := range []struct {
		broken  string
		w       world
		formula func(w *world) float64 // nil: the theorem's
	}{
		{"F knows the secrets that it shares, wherever messages go: edges of the message graph are not those",
			world{n: 4, rounds: 2, turns: 1, secrets: [][2]int{{0, 3}, {1, 2}}, coalition: []int{3}},
			func(w *world) float64 {
				return accountant(t, Problem{Pairs: edgesOf(4, w.secrets), Own: 1, Pair: 3, Contributions: 2}).resistances(nil, 1)[0] * 2 // 3 shares no message with 0
			}},
		{"keys are authenticated, or F sits on a secret of others",
			world{n: 4, rounds: 1, turns: 1, secrets: ring, coalition: []int{2, 1, 3}}, // 1 and 3 as if F had their keys with 0
			func(w *world) float64 {
				return accountant(t, Problem{Pairs: edgesOf(4, ring), Own: 1, Pair: 3, Contributions: 1}).resistances([]int{2}, 1)[0]
			}},
		{"F sees all messages: what its neighbours send in the round of a contribution is no bound of a part",
			world{n: 4, rounds: 3, turns: 1, secrets: ring, coalition: []int{3}, sees: func(f, v int) bool { return v == f-1 }},
			func(w *world) float64 { return 0 }}, // 0 sends nothing to 3, and nobody's message of a round has anything of 0's of that round but its own
		{"no noise is used twice", world{n: 4, rounds: 2, turns: 1, secrets: ring, reuse: true, coalition: []int{3}}, nil},
		{"nodes clip before the noise", world{n: 4, rounds: 2, turns: 1, secrets: ring, clips: []float64{0.3, 1, 1, 1}, late: true, coalition: []int{3}}, nil},
		{"a smaller clip is for who has it", world{n: 4, rounds: 2, turns: 1, secrets: ring, clips: []float64{1, 0.3, 1, 1}, coalition: []int{3}},
			func(w *world) float64 {
				return accountant(t, Problem{Pairs: edgesOf(4, ring), Own: 1, Pair: 3, Contributions: 2}).resistances([]int{3}, 1)[0] * 2 * 0.3 * 0.3
			}},
		{"nodes go on from what they sent", world{n: 4, rounds: 3, turns: 1, secrets: ring, unsaid: true, coalition: []int{3}}, nil},
		{"no memory of gradients without noise", world{n: 4, rounds: 3, turns: 1, secrets: ring, remembers: true, coalition: []int{3}}, nil},
	} {
		w := c.w
		w.messages, w.own, w.pair, w.feedback = path(4), 1, 3, make([]float64, 4)
		w.shift = []float64{1, 1, 1}[:w.rounds]
		if w.reuse {
			w.shift = []float64{1, -1} // their difference has none of the shared noise
		}
		charged := 0.0
		if c.formula == nil {
			charged = w.charged(t, w.secrets)
		} else {
			charged = c.formula(&w)
		}
		if got := attained(w.view()); !(got > charged*1.1) || got == 0 {
			t.Errorf("%s: attained %g, the formula says %g: no counterexample", c.broken, got, charged)
		} else {
			t.Logf("%s: attained %g, the formula says %g", c.broken, got, charged)
		}
	}
}
