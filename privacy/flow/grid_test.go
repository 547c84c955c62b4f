package flow

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A tinyRun is a path u - w - v whose messages are whole numbers, written out: the
// messages of w that v may see, with their probabilities in each of two worlds.
// Observers may deviate: v answers its view in a round, before w averages.
type tinyRun struct {
	rounds int
	noise  float64                           // scale of the discrete Gaussian, in steps
	phi    [2]func(t int, x float64) float64 // of u and w, Lipschitz 1
	moves  []float64                         // by how many steps u's data moves its update
	sends  func(t int, seen float64) float64
	final  bool
	last   int // noise and messages are -last..last: others are left out
}

// each calls visit with the probabilities, in the two worlds, of all views.
func (r *tinyRun) each(visit func(p, q float64)) {
	size := 2*r.last + 1
	const far = 400 // further than any message is from its centre
	table, sum := make([]float64, 2*far+1), 0.0
	for k := range table {
		off := float64(k - far)
		table[k] = math.Exp(-off * off / (2 * r.noise * r.noise))
		sum += table[k]
	}
	for k := range table {
		table[k] /= sum
	}
	law := func(at float64) []float64 {
		first := far - r.last - int(math.Floor(at+0.5))
		return table[first : first+size]
	}
	// belief is the joint probability of v's view so far and of u's last message.
	var follow func(t int, w float64, belief [2][]float64)
	follow = func(t int, w float64, belief [2][]float64) {
		if t == r.rounds {
			var total [2]float64
			for k := range belief[0] {
				total[0], total[1] = total[0]+belief[0][k], total[1]+belief[1][k]
				if r.final {
					visit(belief[0][k], belief[1][k])
				}
			}
			if r.final {
				return
			}
			visit(total[0], total[1])
			return
		}
		next := make([][2][]float64, size) // by w's message
		for k := range next {
			next[k] = [2][]float64{make([]float64, size), make([]float64, size)}
		}
		for world := range belief {
			for k, p := range belief[world] {
				if p == 0 {
					continue
				}
				u, xu, xw := float64(k-r.last), 0.0, 0.0
				if t > 0 {
					xu, xw = (2*u+w)/3, (u+w+r.sends(t-1, w))/3
				}
				ofW, ofU := law(r.phi[1](t, xw)), law(r.phi[0](t, xu)+float64(world)*r.moves[t])
				for a, pa := range ofW {
					to, pa := next[a][world], p*pa
					for b, pb := range ofU {
						to[b] += pa * pb
					}
				}
			}
		}
		for a := range next {
			follow(t+1, float64(a-r.last), next[a])
		}
	}
	start := make([]float64, size)
	start[r.last] = 1
	follow(0, 0, [2][]float64{start, start})
}

// drawTiny draws maps that are whole, flat, reflecting or bent somewhere.
func drawTiny(r *rand.Rand) *tinyRun {
	t := &tinyRun{rounds: 2, noise: 1 + 2*r.Float64(), last: 24, final: r.IntN(2) == 0}
	if r.IntN(16) == 0 {
		t.rounds, t.noise, t.last = 3, 1+r.Float64(), 9
	}
	for j := range t.phi {
		slope, at, turns := []float64{1, -1, 0.5, r.Float64()}[r.IntN(4)], 2*r.Float64()-1, r.IntN(3) == 0
		t.phi[j] = func(_ int, x float64) float64 {
			if turns && x < at {
				return slope * (2*at - x)
			}
			return slope * x
		}
	}
	for range t.rounds {
		t.moves = append(t.moves, []float64{-1, 1}[r.IntN(2)]*4*r.Float64())
	}
	t.sends = drawAnswers(r)
	return t
}

// drawAnswers draws v's messages: a constant, an echo, or a jump as far as its box
// allows if its view is above some value, different ones in different rounds.
func drawAnswers(r *rand.Rand) func(t int, seen float64) float64 {
	kind, at, far := r.IntN(3), 4*r.Float64()-2, []float64{6*r.Float64() - 3, 12, -12}[r.IntN(3)]
	gain := []float64{1, -1, 3, -3}[r.IntN(4)]
	return func(t int, seen float64) float64 {
		switch {
		case kind == 0:
			return far
		case kind == 1:
			return gain * seen
		case (seen > at) == (t%2 == 0):
			return far
		}
		return -far
	}
}

// problem is the run as the accountant has it, in units of the largest move, of
// which noise is the multiplier.
func (r *tinyRun) problem(t *testing.T) (p Problem, sigma float64) {
	unit := 0.0
	for _, m := range r.moves {
		unit = max(unit, math.Abs(m))
	}
	p = Problem{Rounds: r.rounds, Final: r.final, Weights: pathWeights(t, 3)}
	for _, m := range r.moves {
		p.Contributions = append(p.Contributions, []float64{math.Abs(m) / unit})
		p.Rounding = append(p.Rounding, GridRounding(1, 1, unit))
	}
	return p, r.noise / unit
}

// pathWeights are hamilton weights on a path of n nodes.
func pathWeights(t testing.TB, n int) []*sparse.Matrix {
	var edges [][2]int
	for j := range n - 1 {
		edges = append(edges, [2]int{j, j + 1})
	}
	return []*sparse.Matrix{weightsOf(t, n, edges)}
}

// Renyi divergences of v's view, computed exactly on a grid as coarse as the noise,
// are never above the bound in either direction, nor is delta. Some come near it.
func TestNoDivergenceOnAGridIsAboveTheBound(t *testing.T) {
	runs := 32
	if testing.Short() {
		runs = 10
	}
	nearest := 0.0
	for i := range runs {
		r := rand.New(rand.NewPCG(31, uint64(i)))
		run := drawTiny(r)
		p, sigma := run.problem(t)
		best, err := accountant(t, p).Optimal(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		orders, factors := []float64{1.25, 2, 4}, []float64{1, 1.1, 1.6, 2.7} // factors: e^eps
		renyi, delta := make([][2]float64, len(orders)), make([][2]float64, len(factors))
		run.each(func(a, b float64) {
			if a == 0 || b == 0 {
				return
			}
			ratio := math.Log(a / b)
			for way, pq := range [2][2]float64{{a, b}, {b, a}} {
				for k, order := range orders {
					renyi[k][way] += pq[0] * math.Exp((order-1)*ratio)
				}
				for k, e := range factors {
					delta[k][way] += max(0, pq[0]-e*pq[1])
				}
				ratio = -ratio
			}
		})
		for k, order := range orders {
			bound := order * best.Energy / (2 * sigma * sigma)
			for way, x := range renyi[k] {
				got := math.Log(x) / (order - 1)
				if nearest = max(nearest, got/bound); got > bound*(1+1e-9)+1e-9 {
					t.Errorf("run %d, order %g, way %d: divergence %g, bound %g", i, order, way, got, bound)
				}
			}
		}
		// The Gaussian with part of the variance, and the rest as delta.
		part := 1.0 // w^2 of noise/discrete
		h := 2 * math.Exp(-2*math.Pi*math.Pi*part) * 1.001
		extra := 2 * math.Expm1(float64(2*run.rounds)*math.Log((1+h)/(1-h)))
		mu := math.Sqrt(best.Energy) / (sigma * math.Sqrt(1-part/(run.noise*run.noise)))
		for k, factor := range factors {
			for way, got := range delta[k] {
				if run.noise > 1 && got > math.Exp(privacy.LogDeltaGaussian(mu, math.Log(factor)))+extra {
					t.Errorf("run %d, eps %g, way %d: delta %g, mu %g", i, math.Log(factor), way, got, mu)
				}
			}
		}
	}
	if nearest < 0.5 {
		t.Errorf("the worst run attains only %g of its bound", nearest)
	}
}

// Without the rounding term the bound is false: half a step of data moves a
// message by a whole one.
func TestRoundingMovesMessagesFurtherThanData(t *testing.T) {
	run := &tinyRun{rounds: 1, noise: 2, moves: []float64{0.5}, sends: func(int, float64) float64 { return 0 }, last: 30}
	p, sigma := run.problem(t)
	p.Final = true // u is seen
	energy := func(p Problem) float64 {
		best, err := accountant(t, p).Optimal(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		return best.Energy
	}
	const shift = 1.0 // from round(0.25) = 0 to round(0.25+0.5) = 1
	true2 := 2 * shift * shift / (2 * run.noise * run.noise)
	on := energy(p) / (sigma * sigma)
	p.Rounding = nil
	if off := energy(p) / (sigma * sigma); off >= true2 || on < true2 {
		t.Errorf("divergence %g, bound %g, without rounding %g", true2, on, off)
	}
}

// Every number on a grid is at least the continuous one, which it tends to, and
// plans of the solver pass the checker; one plan for all is one too.
func TestAGridCostsLittleAndNeverNothing(t *testing.T) {
	for i := range 200 {
		r := rand.New(rand.NewPCG(37, uint64(i)))
		d := draw(r)
		smooth, err := accountant(t, d.Problem).Optimal(d.u, d.coalition...)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{1e-9, 1e-2, 1} {
			for range d.Rounds {
				d.Rounding = append(d.Rounding, size*r.Float64())
			}
			a := accountant(t, d.Problem)
			best, err := a.Optimal(d.u, d.coalition...)
			if err != nil {
				t.Fatal(err)
			}
			again, err := a.Check(best.Plan)
			if err != nil || math.Abs(again-best.Energy) > 1e-9*best.Energy && !math.IsInf(again, 1) {
				t.Errorf("run %d: energy %g, its plan has %g, %v", i, best.Energy, again, err)
			}
			if best.Energy < smooth.Floor*(1-1e-9) || size == 1e-9 && best.Energy > smooth.Energy*(1+1e-4)+1e-12 {
				t.Errorf("run %d: energy %g on a grid of %g, %g without", i, best.Energy, size, smooth.Energy)
			}
			if len(d.coalition) == 1 {
				cheap := a.Cheap(1).At(d.u, d.coalition[0])
				if cheap < smooth.Floor*(1-1e-9) || cheap > a.localEnergies()[d.u] {
					t.Errorf("run %d: one plan for all has %g, the least without a grid is %g", i, cheap, smooth.Floor)
				}
			}
			d.Rounding = nil
		}
	}
}

// Concentrated privacy costs a few percent of noise at usual targets.
func TestSigmaOnAGridIsAFewPercentMore(t *testing.T) {
	p := Problem{Rounds: 20, Weights: pathWeights(t, 5)}
	m := privacy.Metric{Delta: 1e-6}
	off := accountant(t, p)
	on, err := off.OnGrid(slices.Repeat([]float64{1e-7}, p.Rounds))
	if err != nil {
		t.Fatal(err)
	}
	best, err := on.Optimal(0, 4)
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := on.Sigma(best.Energy, 1, m)
	b, err2 := off.Sigma(best.Energy, 1, m)
	if more := a.Sigma / b.Sigma; err1 != nil || err2 != nil || more < 1.05 || more > 1.09 {
		t.Errorf("sigma %g on a grid, %g without: %v %v", a.Sigma, b.Sigma, err1, err2)
	}
	pairs := on.Cheap(1)
	s, err := on.Summarise(pairs, a.Sigma, m)
	cal, err2 := on.Calibrate(pairs, s.Mean, m)
	if err != nil || err2 != nil || s.Max < s.Beyond || s.Mean > s.Max || math.Abs(cal.Mean.Sigma/a.Sigma-1) > 1e-3 {
		t.Errorf("%+v, %+v, %v %v", s, cal, err, err2)
	}
}
