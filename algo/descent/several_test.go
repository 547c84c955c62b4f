package descent

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/sparse"
	"github.com/hearsay-dp/hearsay/step"
)

// A mirror is an outside program that computes a logistic regression on rows that it holds.
type mirror struct {
	of   model.Logistic
	held model.Examples
}

type mirrorBlock [][]float64

func (m mirror) Gradients(theta []float64, rows []int, _ func(), take func(model.Block)) error {
	var block mirrorBlock
	for _, i := range rows {
		one := make([]float64, len(theta))
		x, y := m.held.Row(i)
		m.of.Gradient(one, theta, x, y)
		block = append(block, one)
	}
	take(block)
	return nil
}

func (mirror) Score([]float64, []int) (model.Scored, error) { return model.Scored{}, nil }
func (mirror) Err() error                                   { return nil }

func (b mirrorBlock) Norms() (norms []float64) {
	for _, x := range b {
		norms = append(norms, sparse.Norm(x))
	}
	return norms
}

func (b mirrorBlock) Add(dst, weight []float64) {
	for i, x := range b {
		sparse.Axpy(dst, weight[i], x)
	}
}

// Several local steps move a model by the clipped sum of the gradients of plain descent (FedAvg, 002 Algorithm 2.1), so by at most
// the sensitivity whatever the data are, and an outside program that is asked for them comes to the same, in the kernel and for a
// machine.
func TestAlgorithm21SumsOfLocalStepsAreClipped(t *testing.T) {
	clipped := 0
	rapid.Check(t, func(t *rapid.T) {
		const features, rows = 3, 4
		number := rapid.Float64Range(-3, 3)
		held := model.Examples{Features: features, X: rapid.SliceOfN(number, features*rows, features*rows).Draw(t, "x"), Y: []float64{1, -1, -1, 1}}
		l := &Local{Params: features, Objective: model.Objective{Model: model.Logistic{}, L2: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "l2")},
			StepSize: StepSize{Base: rapid.Float64Range(0.1, 1).Draw(t, "rate")}, LocalSteps: rapid.IntRange(2, 5).Draw(t, "steps"),
			Noise: noise.Gaussian{Clip: rapid.SampledFrom([]float64{0.2, 100, math.Inf(1)}).Draw(t, "clip"), Together: true}}
		start := rapid.SliceOfN(number, features, features).Draw(t, "start")
		x, y := append([]float64(nil), start...), append([]float64(nil), start...)
		NewKernel(l, noise.NewSimulated(1)).Contribute(x, &held, 1, 0, &step.Release{})
		rate, penalised := l.StepSize.At(0), l.Objective.L2
		sum := make([]float64, features)
		for range l.LocalSteps {
			gradient := make([]float64, features)
			for i := range rows {
				one := make([]float64, features)
				row, label := held.Row(i)
				l.Objective.Gradient(one, y, row, label)
				sparse.Axpy(gradient, 1.0/rows, one)
			}
			sparse.Axpy(gradient, l.Objective.L2, y)
			sparse.Axpy(sum, 1, gradient)
			sparse.Axpy(y, -rate, gradient)
		}
		sparse.Axpy(sum, -l.Objective.L2, start) // the penalty of the first step is no data
		if size := sparse.Norm(sum); size > l.Noise.Clip {
			sparse.Scale(sum, l.Noise.Clip/size)
			clipped++
		}
		for j := range x {
			if want := start[j] - rate*(sum[j]+penalised*start[j]); !(math.Abs(x[j]-want) <= 1e-9*(1+math.Abs(want))) {
				t.Fatalf("parameter %d becomes %g, by plain steps %g", j, x[j], want)
			}
		}
		moved := append([]float64(nil), x...)
		sparse.Axpy(moved, -(1 - rate*penalised), start)
		if most := rate * l.Noise.Clip; sparse.Norm(moved) > most*(1+1e-12)+1e-12 {
			t.Fatalf("data moved the model by %g, more than %g", sparse.Norm(moved), most)
		}

		outside := *l
		outside.Objective.Model = model.External{Parameters: features, Program: mirror{model.Logistic{}, held}}
		numbered := model.Examples{Features: 1, X: []float64{0, 1, 2, 3}, Y: make([]float64, rows)}
		asked := append([]float64(nil), start...)
		k := NewKernel(&outside, noise.NewSimulated(1))
		k.Contribute(asked, &numbered, 1, 0, &step.Release{})
		question := &step.Ask{Theta: start, Rows: []int{0, 1, 2, 3}, Scale: 1}
		mean, err := outside.Answer(0, question)
		if err != nil {
			t.Fatal(err)
		}
		answered := append([]float64(nil), start...)
		k.Take(answered, mean, question, &step.Release{})
		for j := range x {
			if math.Abs(asked[j]-x[j]) > 1e-9*(1+math.Abs(x[j])) || answered[j] != asked[j] {
				t.Fatalf("parameter %d: ours %g, outside %g, for a machine %g", j, x[j], asked[j], answered[j])
			}
		}
	})
	if clipped == 0 {
		t.Error("no sum was clipped")
	}
}
