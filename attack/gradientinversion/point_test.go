package gradientinversion

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/model"
)

// anyModel is one whose gradients have a closed form, with the labels that it knows.
func anyModel(t *rapid.T) (m model.Model, labels []float64, constants bool) {
	signs := []float64{-1, 1}
	classes := rapid.IntRange(2, 5).Draw(t, "classes")
	for c := range classes {
		labels = append(labels, model.LabelOf(c, classes))
	}
	switch rapid.SampledFrom([]string{"logistic", "plain logistic", "hinge", "ridge", "absolute", "multinomial", "plain multinomial", "mlp", "mean"}).Draw(t, "model") {
	case "logistic":
		return model.Logistic{Intercept: true}, signs, true
	case "plain logistic":
		return model.Logistic{}, signs, false
	case "hinge":
		return model.Hinge{Intercept: true}, signs, true
	case "ridge":
		return model.Ridge{Intercept: true}, []float64{0.3, -2}, true
	case "absolute":
		return model.Absolute{Intercept: true}, []float64{0.3, -2}, true
	case "multinomial":
		return model.NewMultinomial(classes, true, nil), labels, true
	case "plain multinomial":
		return model.NewMultinomial(classes, false, nil), labels, false
	case "mlp":
		return model.NewNetwork(classes, []int{4, 3}, true, nil), labels, true
	}
	return model.Mean{}, []float64{0}, false
}

// The example behind a gradient of one example comes out to 1e-6 with its label, clipped and scaled
// where constants stand beside weights, and as it is elsewhere.
func TestTheExampleBehindAGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, labels, constants := anyModel(t)
		features := rapid.IntRange(1, 6).Draw(t, "features")
		theta, x := make([]float64, m.Params(features)), make([]float64, features)
		for j := range theta {
			theta[j] = rapid.Float64Range(-0.5, 0.5).Draw(t, "theta")
			if !constants {
				theta[j] /= 20 // where one length alone fits
			}
		}
		for j := range x {
			x[j] = rapid.Float64Range(-2, 2).Draw(t, "x")
		}
		label := rapid.SampledFrom(labels).Draw(t, "label")
		g := make([]float64, len(theta))
		m.Gradient(g, theta, x, label)
		first := g[min(len(g)-1, features*4):][:min(4, len(g)-min(len(g)-1, features*4))]
		if model.RowNorm(g, false) < 1e-3 || model.RowNorm(x, false) < 0.1 || m.Name() == "mlp" && model.RowNorm(first, false) < 1e-6 {
			t.Skip("the gradient says nothing")
		}
		if constants {
			scale(g, rapid.SampledFrom([]float64{1, 0.01, 30}).Draw(t, "factor"))
		}
		p, ok := Inversion{Model: m, Features: features, Theta: theta}.Point(g)
		if !ok || p.Exact != constants {
			t.Fatalf("found %v, %v", p, ok)
		}
		sign := 1.0
		if !constants && len(labels) == 2 && p.Label != label && m.Name() != "mean" {
			sign = -1 // at some parameters the mirror image fits as well
		}
		for j := range x {
			if math.Abs(sign*p.X[j]-x[j]) > 1e-6*(1+math.Abs(x[j])) {
				t.Fatalf("%s: found %v, true %v", m.Name(), p, x)
			}
		}
		if m.Guarantees(1).Classifies() && sign > 0 && p.Label != label {
			t.Fatalf("label %g, not %g", p.Label, label)
		}
	})
}

// A gradient that says nothing gives nothing.
func TestGradientsWithoutAnExample(t *testing.T) {
	for _, m := range []model.Model{model.Logistic{Intercept: true}, model.NewMultinomial(3, false, nil), model.NewNetwork(2, []int{2}, false, nil), model.Ridge{}, model.Histogram{Values: 2}} {
		n := m.Params(2)
		for _, x := range []float64{0, math.NaN(), math.Inf(1)} {
			g := make([]float64, n)
			for j := range g {
				g[j] = x
			}
			if p, ok := (Inversion{Model: m, Features: 2, Theta: make([]float64, n)}).Point(g); ok {
				t.Errorf("%s, %g: %v", m.Name(), x, p)
			}
		}
	}
}
