package flow

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// wide is a number of 400 bits: exact, for all that happens here.
func wide(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

func times(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(400).Mul(x, y) }
func plus(x, y *big.Float) *big.Float  { return new(big.Float).SetPrec(400).Add(x, y) }
func minus(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(400).Sub(x, y) }
func over(x, y *big.Float) *big.Float  { return new(big.Float).SetPrec(400).Quo(x, y) }

// exactEnergy is the energy of min(a, c) without rounding, from the theorem as it
// is written.
func exactEnergy(p Problem, plan Plan) *big.Float {
	n := p.n()
	energy, rest := wide(0), make([]*big.Float, n)
	for t := range p.Rounds {
		c := make([]*big.Float, n)
		for i := range c {
			c[i] = wide(0)
			if t > 0 {
				for j := range n {
					c[i] = plus(c[i], times(wide(p.weights(t-1).At(i, j)), rest[j]))
				}
				c[i] = times(c[i], wide(p.Lipschitz.At(t, i)))
				if p.Steps != nil {
					c[i] = over(times(c[i], wide(p.Steps[t-1])), wide(p.Steps[t]))
				}
			}
		}
		c[plan.U] = plus(c[plan.U], wide(p.contribution(t, plan.U)))
		a, _ := plan.Rounds[t].dense(n, t)
		for j, seen := range p.seen(t, plan.Observers) {
			take := wide(a[j])
			if seen || take.Cmp(c[j]) > 0 {
				take = c[j]
			}
			rest[j] = minus(c[j], take)
			if take.Sign() > 0 {
				each := over(take, wide(p.Noise.At(t, j)))
				energy = plus(energy, times(each, each))
			}
		}
	}
	return energy
}

// Rounding never makes an energy too small, and hardly too large.
func TestEnergyBoundsExactArithmetic(t *testing.T) {
	for i := range 300 {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		d := draw(r)
		best, err := accountant(t, d.Problem).Optimal(d.u, d.coalition...)
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(best.Energy, 1) {
			continue
		}
		exact := exactEnergy(d.Problem, best.Plan)
		if wide(best.Energy).Cmp(exact) < 0 {
			t.Errorf("run %d: energy %.17g is below the exact one, %.20g", i, best.Energy, exact)
		}
		if e, _ := exact.Float64(); best.Energy > e*(1+1e-11)+1e-290 {
			t.Errorf("run %d: energy %.17g, exactly %.17g", i, best.Energy, e)
		}
	}
}

// The bound needs rounding up: without it some sums would be too small.
func TestRaisedBoundsSums(t *testing.T) {
	below := 0
	for i := range 2000 {
		r := rand.New(rand.NewPCG(4, uint64(i)))
		exact, sum := wide(0), 0.0
		k := 1 + r.IntN(30)
		for range k {
			x, y := r.Float64(), math.Ldexp(r.Float64(), -r.IntN(60))
			exact, sum = plus(exact, times(wide(x), wide(y))), sum+float64(x*y)
		}
		if wide(sum).Cmp(exact) < 0 {
			below++
		}
		if wide(raised(sum, k)).Cmp(exact) < 0 {
			t.Fatalf("sum %d: raised to %.17g, below %.20g", i, raised(sum, k), exact)
		}
	}
	if below < 100 {
		t.Errorf("only %d of 2000 plain sums were too small: the test shows nothing", below)
	}
}

// Invalid plans are refused, and the error names the place.
func TestEnergyRefusesWhatIsNoPlan(t *testing.T) {
	line := weightsOf(t, 3, [][2]int{{0, 1}, {1, 2}})
	p := Problem{Rounds: 2, Weights: accountantWeights(line)}
	good := func() Plan {
		return Plan{U: 0, Observers: []int{2}, Rounds: []Absorption{
			{[]int32{0}, []float64{0.5}},
			{[]int32{1}, []float64{1.0 / 6}},
		}}
	}
	if e, err := Energy(p, good()); err != nil || math.Abs(e-0.25-1.0/36) > 1e-12 {
		t.Fatalf("energy %g, %v", e, err)
	}
	for want, spoil := range map[string]func(*Plan){
		"absorbs 1.1 of 1":               func(q *Plan) { q.Rounds[0].Amounts[0] = 1.1 },
		"node 1, which is seen, absorbs": func(q *Plan) { q.Rounds[1].Amounts[0] = 0.1 },
		"absorbs -1":                     func(q *Plan) { q.Rounds[0].Amounts[0] = -1 },
		"absorbs NaN":                    func(q *Plan) { q.Rounds[0].Amounts[0] = math.NaN() },
		"node 3 absorbs":                 func(q *Plan) { q.Rounds[0].Nodes[0] = 3 },
		"1 nodes with 2 amounts":         func(q *Plan) { q.Rounds[0].Amounts = []float64{0, 0} },
		"a plan of 1 rounds":             func(q *Plan) { q.Rounds = q.Rounds[:1] },
		"observes itself":                func(q *Plan) { q.Observers = []int{0} },
		"no observer":                    func(q *Plan) { q.Observers = nil },
		"not in a graph":                 func(q *Plan) { q.Observers = []int{7} },
		"observes twice":                 func(q *Plan) { q.Observers = []int{2, 2} },
	} {
		plan := good()
		spoil(&plan)
		if e, err := Energy(p, plan); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("energy %g, error %v; want %q", e, err, want)
		}
	}
	p.Noise = Table{{1, 0, 1}}
	if e, err := Energy(p, good()); err != nil || !math.IsInf(e, 1) {
		t.Errorf("a message without noise is seen: energy %g, %v", e, err)
	}
	p.Noise = Table{{0, 1, 1}}
	if _, err := Energy(p, good()); err == nil || !strings.Contains(err.Error(), "without noise") {
		t.Errorf("a node without noise absorbs: %v", err)
	}
}

// A problem that makes no sense is refused.
func TestProblemsThatMakeNoSense(t *testing.T) {
	line, other := weightsOf(t, 3, [][2]int{{0, 1}, {1, 2}}), weightsOf(t, 2, [][2]int{{0, 1}})
	for want, spoil := range map[string]func(*Problem){
		"gossip of 0 rounds":         func(p *Problem) { p.Rounds = 0 },
		"3 weights for 2 rounds":     func(p *Problem) { p.Weights = accountantWeights(line, line, line) },
		"0 weights":                  func(p *Problem) { p.Weights = nil },
		"a matrix of order 2":        func(p *Problem) { p.Hears = accountantWeights(other) },
		"contributions with 3 rows":  func(p *Problem) { p.Contributions = Table{{1}, {1}, {1}} },
		"contribution of node 0, -1": func(p *Problem) { p.Contributions = Table{{1}, {-1}} },
		"step sizes, 0":              func(p *Problem) { p.Steps = []float64{1, 0} },
		"step sizes, +Inf":           func(p *Problem) { p.Steps = []float64{1, math.Inf(1)} },
		"Lipschitz constant of node": func(p *Problem) { p.Lipschitz = Table{{1, math.NaN(), 1}} },
		"2 noises for 3 nodes":       func(p *Problem) { p.Noise = Table{{1, 1}} },
		"with 3 rows for 2 rounds":   func(p *Problem) { p.Noise = Table{{1}, {1}, {1}} },
		"weight -0.5 of node 0": func(p *Problem) {
			w := *line
			w.Values = append([]float64{-0.5}, w.Values[1:]...)
			p.Weights = accountantWeights(&w)
		},
	} {
		p := Problem{Rounds: 2, Weights: accountantWeights(line)}
		spoil(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
