package sum_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hearsay-dp/hearsay/algo/descent"
	"github.com/hearsay-dp/hearsay/algo/sum"
	"github.com/hearsay-dp/hearsay/algo/walk"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// moments are those of many runs: a mean that should be truth, and a standard deviation.
type moments struct{ n, mean, squares float64 }

func (m *moments) add(x float64) {
	m.n++
	delta := x - m.mean
	m.mean += delta / m.n
	m.squares += delta * (x - m.mean)
}

// check fails where mean or variance is further off than 5 standard errors: with exact
// normality that happens once in 1.7 million times each, and seeds are fixed.
func (m *moments) check(t *testing.T, what string, truth, std float64) {
	t.Helper()
	if off := math.Abs(m.mean-truth) / (std / math.Sqrt(m.n)); off > 5 {
		t.Errorf("%s: mean %g instead of %g, %.1f standard errors", what, m.mean, truth, off)
	}
	variance := m.squares / (m.n - 1)
	if off := math.Abs(variance/(std*std)-1) / math.Sqrt(2/m.n); off > 6 { // counts are no Gaussians: their kurtosis is below 4 here
		t.Errorf("%s: standard deviation %g instead of %g", what, math.Sqrt(variance), std)
	}
}

// run is the token of one run of a ring or, without one, of uniform holders.
func run(seed uint64, p *walk.Protocol, kernel walk.Kernel, holds func(step.Turn) int, rows []model.Examples) []float64 {
	token := make([]float64, p.Params)
	for t := range p.Turns() {
		v := holds(t)
		kernel.Contribute(token, &rows[v], 1, int(t), &step.Release{From: step.NodeID(v), Turn: t})
	}
	return token
}

func protocol(params, steps int, n noise.Gaussian) *walk.Protocol {
	return &walk.Protocol{Local: descent.Local{Params: params, Objective: model.Objective{Model: model.Mean{}}, Noise: n}, Steps: steps}
}

// Theorems 5.5 and 7.1, Remark 5.6: the sum is unbiased, and its standard deviation is
// that of the noise of every turn that adds some. That is floor((K n - 1)/(n-1)) + 1 turns
// of a ring, one more than the theorem counts, and T of a walk.
func TestTheorems55And71SumsAreUnbiased(t *testing.T) {
	const n, rounds, runs, std = 7, 5, 20000, 1.5
	rows, truth := make([]model.Examples, n), 0.0
	for v := range rows {
		x := float64(v)/n - 0.3
		rows[v], truth = model.Examples{Features: 1, X: []float64{x}, Y: []float64{0}}, truth+rounds*x
	}
	for _, c := range []struct {
		what string
		ring schedule.Ring
	}{
		{"lumped", schedule.Ring{Nodes: n, Rounds: rounds}}, {"spread", schedule.Ring{Nodes: n, Rounds: rounds, Spread: true}},
		{"sealed", schedule.Ring{Nodes: n, Rounds: rounds, Spread: true, Sealed: true}},
	} {
		var m moments
		p := protocol(1, n*rounds, noise.Gaussian{Clip: 1, Multiplier: std / 2})
		for seed := range uint64(runs) {
			kernel := sum.NewAdder(c.ring.Share)(&p.Local, noise.NewSimulated(seed), nil)
			m.add(run(seed, p, kernel, func(t step.Turn) int { return int(c.ring.Holder(t)) }, rows)[0])
		}
		m.check(t, c.what, truth, std*math.Sqrt(sums.RingOf(c.ring).NoiseVariance()))
	}
	const turns = 30
	var m moments
	p := protocol(1, turns, noise.Gaussian{Clip: 1, Multiplier: std / 2})
	for seed := range uint64(runs) {
		route, given := rand.New(rand.NewPCG(seed, 1)), 0.0
		kernel := sum.NewAdder(sum.Everywhere)(&p.Local, noise.NewSimulated(seed), nil)
		total := run(seed, p, kernel, func(step.Turn) int {
			v := route.IntN(n)
			given += rows[v].X[0]
			return v
		}, rows)[0]
		m.add(total - given)
	}
	m.check(t, "walk", 0, std*math.Sqrt(turns))
}

// Theorems 5.7 and D.1: what is left once (gamma T + start + end)/L is taken away, over 1 -
// gamma, is unbiased, with the variance that is stated. Taking away gamma/L once, as
// Algorithm 5.2 is printed, is off by a hundred standard errors here.
func TestTheorems57AndD1HistogramsAreUnbiased(t *testing.T) {
	const n, rounds, runs = 12, 3, 20000
	for _, a := range []sum.Answers{
		{Answer: schedule.Answer{Values: 2, Gamma: 0.3}}, {Answer: schedule.Answer{Values: 5, Gamma: 0.6, Start: 7, End: 4}}, {Answer: schedule.Answer{Values: 3}},
	} {
		rows, truly := make([]model.Examples, n), make([]int, a.Values)
		for v := range rows {
			c := min(v%4, a.Values-1)
			rows[v] = model.Examples{Features: 1, X: []float64{0}, Y: []float64{model.LabelOf(c, a.Values)}}
			truly[c] += rounds
		}
		p, all := protocol(a.Values, n*rounds, noise.Gaussian{}), make([]moments, a.Values)
		printed, estimate := moments{}, make([]float64, a.Values)
		for seed := range uint64(runs) {
			counts := run(seed, p, a.NewResponder(p.Steps)(nil, nil, walk.NewSeeded(nil, seed)), func(t step.Turn) int { return int(t) % n }, rows)
			a.Debias(estimate, counts, p.Steps)
			for l := range all {
				all[l].add(estimate[l])
			}
			printed.add((counts[0] - a.Gamma/float64(a.Values)) / (1 - a.Gamma))
		}
		for l := range all {
			if a.Gamma == 0 {
				if all[l].mean != float64(truly[l]) || all[l].squares != 0 {
					t.Errorf("without random answers value %d counts %g of %d", l, all[l].mean, truly[l])
				}
				continue
			}
			all[l].check(t, "histogram", float64(truly[l]), a.Std(p.Steps, truly[l]))
		}
		if off := math.Abs(printed.mean-float64(truly[0])) / (a.Std(p.Steps, truly[0]) / math.Sqrt(runs)); a.Gamma > 0 && off < 50 {
			t.Errorf("the printed formula is off by %.1f standard errors only", off)
		}
	}
}

// What a randomised answer says is what the accountants are told: the chances of the truth
// and of another value. 6 standard errors, false alarm 2e-9 a number.
func TestAnswersHaveTheChancesThatAreCharged(t *testing.T) {
	const runs = 100_000
	a := sum.Answers{Answer: schedule.Answer{Values: 4, Gamma: 0.4}}
	counts, ex := make([]float64, 4), model.Examples{Features: 1, X: []float64{0}, Y: []float64{2}}
	kernel := a.NewResponder(runs+1)(nil, nil, walk.NewSeeded(nil, 5))
	for i := range runs {
		kernel.Contribute(counts, &ex, 1, i, &step.Release{From: 3, Turn: step.Turn(i)})
	}
	r := sums.RandomResponse{Values: 4, Gamma: 0.4}
	for l, count := range counts {
		want := r.Other()
		if l == 2 {
			want = r.Truth()
		}
		if off := math.Abs(count/runs-want) / math.Sqrt(want*(1-want)/runs); off > 6 {
			t.Errorf("value %d has chance %g instead of %g", l, count/runs, want)
		}
	}
}
