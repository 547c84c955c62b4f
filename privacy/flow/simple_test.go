package flow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// simpleOptimum brackets the optimum as slowly as it can be done: from any plan,
// go some way towards the plan that is best for the derivative there, as far
// as is good (Frank and Wolfe 1956). Dense arrays, no conjugate gradients.
func simpleOptimum(p Problem, u int, coalition []int, steps int) (low, high float64) {
	s := newSimple(p, u, coalition)
	a := s.follow(func(t, j int, c float64) float64 { return c }) // the local plan
	for range steps {
		cost := s.costs(a)
		b := s.follow(func(t, j int, c float64) float64 {
			if s.seen[t][j] || s.here(a, t, j) <= s.onward(cost, t, j) {
				return c
			}
			return 0
		})
		f, fa, fb := s.dot(a, a), 0.0, s.dot(b, b)
		fa = s.dot(a, b)
		low, high = max(low, 2*fa-f), f
		// |a + x(b-a)|^2 is least at x = (f-fa)/(f-2fa+fb).
		x := 1.0
		if curve := f - 2*fa + fb; curve > 0 {
			x = min(1, (f-fa)/curve)
		}
		for t := range a {
			for j := range a[t] {
				a[t][j] += x * (b[t][j] - a[t][j])
			}
		}
	}
	return low, high
}

type simple struct {
	p    Problem
	u    int
	seen [][]bool
}

func newSimple(p Problem, u int, coalition []int) *simple {
	s := &simple{p: p, u: u}
	for t := range p.Rounds {
		s.seen = append(s.seen, p.seen(t, coalition))
	}
	return s
}

// follow returns the plan that absorbs the amounts of take.
func (s *simple) follow(take func(t, j int, c float64) float64) [][]float64 {
	n := s.p.n()
	plan, rest := make([][]float64, s.p.Rounds), make([]float64, n)
	for t := range plan {
		plan[t] = make([]float64, n)
		next := make([]float64, n)
		for i := range n {
			c := 0.0
			if t > 0 {
				for j := range n {
					c += s.p.weights(t-1).At(i, j) * rest[j] * s.p.spread(t, i)
				}
			}
			if i == s.u {
				c += s.p.contribution(t, s.u)
			}
			plan[t][i] = take(t, i, c)
			next[i] = c - plan[t][i]
		}
		rest = next
	}
	return plan
}

// costs returns the derivative, or the cost of a unit on its way if that is
// less.
func (s *simple) costs(a [][]float64) [][]float64 {
	cost := make([][]float64, len(a))
	for t := len(a) - 1; t >= 0; t-- {
		cost[t] = make([]float64, s.p.n())
		for j := range cost[t] {
			cost[t][j] = s.here(a, t, j)
			if !s.seen[t][j] {
				cost[t][j] = min(cost[t][j], s.onward(cost, t, j))
			}
		}
	}
	return cost
}

// here returns the cost of absorbing one unit more, if all nodes have noise.
func (s *simple) here(a [][]float64, t, j int) float64 {
	std := s.p.Noise.At(t, j)
	return 2 * a[t][j] / (std * std)
}

// onward returns the cost of a unit left after round t.
func (s *simple) onward(cost [][]float64, t, j int) float64 {
	sum := 0.0
	if t+1 < len(cost) {
		for i := range cost[t] {
			sum += s.p.weights(t).At(i, j) * s.p.spread(t+1, i) * cost[t+1][i]
		}
	}
	return sum
}

func (s *simple) dot(a, b [][]float64) float64 {
	sum := 0.0
	for t := range a {
		for j := range a[t] {
			if a[t][j] != 0 && b[t][j] != 0 {
				std := s.p.Noise.At(t, j)
				sum += a[t][j] / std * b[t][j] / std
			}
		}
	}
	return sum
}

// The solver's plan is between the bounds of a solver that shares nothing with
// it, and between its own.
func TestOptimumBeatsEveryOtherPlan(t *testing.T) {
	for i := range 200 {
		d := draw(rand.New(rand.NewPCG(17, uint64(i))))
		for _, row := range d.Noise {
			for j, std := range row {
				row[j] = max(std, 0.3) // where a plan must hold back the simple one does not know
			}
		}
		best, err := accountant(t, d.Problem).Optimal(d.u, d.coalition...)
		if err != nil {
			t.Fatal(err)
		}
		low, high := simpleOptimum(d.Problem, d.u, d.coalition, 400)
		if best.Energy > high*(1+1e-9)+1e-12 || best.Energy < low*(1-1e-9)-1e-12 {
			t.Errorf("run %d: energy %.10g, the optimum is between %.10g and %.10g", i, best.Energy, low, high)
		}
		if best.Floor < best.Energy*(1-1e-6)-1e-12 || math.IsNaN(best.Floor) {
			t.Errorf("run %d: energy %.10g, floor %.10g", i, best.Energy, best.Floor)
		}
	}
}
