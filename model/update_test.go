package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever a model's guarantees say of an update, no clipped step of a size up to
// the largest spreads two models further, with a penalty on every parameter, the
// intercept included, and with gradients scaled up.
func TestUpdateSpreadsNoFurtherThanItsLipschitzConstant(t *testing.T) {
	for _, m := range all() {
		rapid.Check(t, func(t *rapid.T) {
			theta, x, y := point(t, m)
			other := vector(t, "other", len(theta))
			o := Objective{Model: m, L2: rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "l2")}
			g := o.Guarantees(norm(x))
			if g.LossSmoothness() == 0 {
				t.Skip("features whose squares are 0 bound nothing")
			}
			clip, scale := rapid.Float64Range(0.01, 3).Draw(t, "clip"), rapid.Float64Range(0.2, 2).Draw(t, "scale")
			d := Descent{Step: min(1e6, 2/(max(1, scale)*g.LossSmoothness()+o.L2)), Clip: clip, Scale: scale}
			u := g.Update(d)
			if math.IsInf(g.LossSmoothness(), 1) && m.Name() != (Network{}).Name() { // only a proximal step is proved of a loss with a corner
				if u.Expansive() == "" || g.Proximal(d).Expansive() != "" || g.Proximal(d).Lipschitz(d.Step) != 1 {
					t.Fatalf("%T: a gradient step is %q, a proximal one %q", m, u.Expansive(), g.Proximal(d).Expansive())
				}
				return
			}
			safe := g.ClipSafe() || g.Lipschitz() <= clip
			if why := u.Expansive(); safe != (why == "") {
				t.Fatalf("%T: a step of %g is expansive: %q", m, d.Step, why)
			}
			gamma := rapid.Float64Range(0, 1).Draw(t, "fraction") * d.Step
			p, q := clipped(gradient(m, theta, x, y), clip), clipped(gradient(m, other, x, y), clip)
			var before, after float64
			for i := range theta {
				apart := theta[i] - other[i]
				before += apart * apart
				apart -= gamma * (scale*(p[i]-q[i]) + o.L2*apart)
				after += apart * apart
			}
			if l := u.Lipschitz(gamma); safe && l > 1 || math.Sqrt(after) > l*math.Sqrt(before)*(1+1e-9)+1e-12 {
				t.Fatalf("%T: a step of %g took two models from %g to %g apart, Lipschitz constant %g", m, gamma, math.Sqrt(before), math.Sqrt(after), l)
			}
		})
	}
}

// A step above 2/smoothness is refused, also where only the scale of gradients
// makes it one; the zero value and unbounded features guarantee nothing.
func TestUpdateSaysWhyItIsExpansive(t *testing.T) {
	g := Objective{Model: Logistic{}, L2: 0.5}.Guarantees(1)
	convex := Claims{Loss: "x", Convex: true, Smoothness: 1, Lipschitz: math.Inf(1)}
	for what, u := range map[string]Update{
		"nothing is known":       {},
		"along clipped means":    g.Update(Descent{Step: 1, Clip: 1, Together: true}),
		"above 2/smoothness":     g.Update(Descent{Step: 2.7, Clip: 1}),
		"= 2":                    g.Update(Descent{Step: 2.5, Clip: 1, Scale: 2}),
		"no bound":               Objective{Model: Logistic{}}.Guarantees(math.Inf(1)).Update(Descent{Step: 1, Clip: 1}),
		"smoothness is known":    Objective{Model: Logistic{}, L2: -1}.Guarantees(1).Update(Descent{Step: 1, Clip: 1}),
		"clipping":               Assert(convex).Update(Descent{Step: 1, Clip: 1}),
		"not convex":             Assert(Claims{Loss: "x", Smoothness: 1, Lipschitz: 1}).Update(Descent{Step: 1, Clip: 1}),
		"a factor of 1.5":        Asserted(1.5, "I say so"),
		"nothing is known of":    Guarantees{}.Update(Descent{Step: 1, Clip: 1}),
		"of the loss's smoothne": Assert(Claims{Loss: "x", Convex: true, ClipSafe: true}).Update(Descent{Step: 1, Clip: 1}),
	} {
		if why := u.Expansive(); !strings.Contains(why, what) {
			t.Errorf("%q, want %q", why, what)
		}
	}
	for _, u := range []Update{Asserted(1, "I say so"), Adding(1), g.Update(Descent{Step: 2 / 0.75, Clip: 1}),
		Assert(convex).Update(Descent{Step: 1, Clip: math.Inf(1)})} {
		if why := u.Expansive(); why != "" {
			t.Errorf("%s: %s", u.Source(), why)
		}
	}
	if l := (Update{}).Lipschitz(0); !math.IsInf(l, 1) {
		t.Errorf("an unknown update has the Lipschitz constant %g", l)
	}
	if l := Assert(convex).Update(Descent{Step: 1, Clip: 1}).Lipschitz(1); l != math.Sqrt(1.5) {
		t.Errorf("clipped: %g, want sqrt(1.5)", l)
	}
	if l := Assert(Claims{Loss: "x", Smoothness: 1, Lipschitz: 1}).Update(Descent{Step: 1, Clip: 1}).Lipschitz(0.5); l != 1.5 {
		t.Errorf("not convex: %g, want 1.5", l)
	}
}

// A step along the clipped mean of two rows of a logistic regression spreads two models, where rows that are clipped one by one
// move them together: what accountants of non-expansive steps must not be told.
func TestAStepAlongAClippedMeanIsExpansive(t *testing.T) {
	rows, labels := [][]float64{{1, 0}, {0.6, 0.8}}, []float64{1, -1}
	const clip, step = 0.02, 4 // at most 2/smoothness = 8
	apart := func(together bool) (before, after float64) {
		rng := rand.New(rand.NewPCG(1, 2))
		worst := 0.0
		for range 10_000 {
			var moved [2][]float64
			at := []float64{20 * rng.NormFloat64(), 20 * rng.NormFloat64()}
			for w := range moved {
				x := []float64{at[0] + float64(w)*0.01*rng.NormFloat64(), at[1] + float64(w)*0.01*rng.NormFloat64()}
				mean := make([]float64, 2)
				for i, row := range rows {
					g := gradient(Logistic{}, x, row, labels[i])
					if !together {
						g = clipped(g, clip)
					}
					mean[0], mean[1] = mean[0]+g[0]/2, mean[1]+g[1]/2
				}
				mean = clipped(mean, clip)
				moved[w] = []float64{x[0], x[1], x[0] - step*mean[0], x[1] - step*mean[1]}
			}
			b := math.Hypot(moved[0][0]-moved[1][0], moved[0][1]-moved[1][1])
			a := math.Hypot(moved[0][2]-moved[1][2], moved[0][3]-moved[1][3])
			if a/b > worst {
				worst, before, after = a/b, b, a
			}
		}
		return before, after
	}
	if before, after := apart(true); !(after > before*1.001) {
		t.Errorf("together no step spread two models: from %g to %g at most", before, after)
	}
	if before, after := apart(false); after > before*(1+1e-9) {
		t.Errorf("one by one two models were spread from %g to %g", before, after)
	}
}

// forged is a model that embeds one of this package, with another gradient.
type forged struct{ Logistic }

func (forged) Gradient(dst, _, _ []float64, _ float64) { clear(dst) }

// Nobody but the models of this package guarantees anything: others assert, and
// so do those that embed them.
func TestGuaranteesAreSealed(t *testing.T) {
	for _, m := range all() {
		if said := (Objective{Model: m}).Guarantees(1).Update(Descent{Step: 1, Clip: 1}).IsAsserted(); said != "" {
			t.Errorf("%T: %s", m, said)
		}
	}
	d := Descent{Step: 1, Clip: 1}
	for _, u := range []Update{
		Objective{Model: forged{}}.Guarantees(1).Update(d), Objective{Model: &Logistic{}}.Guarantees(1).Update(d),
		Assert(Claims{Loss: "x", Convex: true, ClipSafe: true, Smoothness: 1, Lipschitz: 1}).Update(d), Asserted(1, "I say so"),
	} {
		if u.IsAsserted() == "" || u.Expansive() != "" {
			t.Errorf("%q is taken for proved, or for expansive: %s", u.Source(), u.Expansive())
		}
	}
}

// The sensitivity of an update is that of a clipped mean, or less where gradients
// are shorter than the clip.
func TestUpdateSensitivity(t *testing.T) {
	g := Objective{Model: Logistic{}}.Guarantees(1)
	for clip, want := range map[float64]float64{0.25: 0.5, 1: 2, math.Inf(1): 2} {
		if got := g.Update(Descent{Step: 1, Clip: clip}).Sensitivity(); got != want {
			t.Errorf("clip %g: sensitivity %g, want %g", clip, got, want)
		}
	}
}

// Gradients that are multiplied before they are clipped may be longer than the loss
// says: clipping then binds, and is safe only of losses that say so.
func TestClippingAfterAFactorMayBind(t *testing.T) {
	g := Assert(Claims{Loss: "some", Convex: true, Smoothness: 1, Lipschitz: 1})
	for _, c := range []struct {
		d           Descent
		expansive   bool
		sensitivity float64
	}{
		{Descent{Step: 0.1, Clip: 1.5, Scale: 2}, false, 2},
		{Descent{Step: 0.1, Clip: 1.5, Scale: 2, Before: true}, true, 3},
		{Descent{Step: 0.1, Clip: 5, Scale: 2, Before: true}, false, 4},
		{Descent{Step: 0.1, Clip: 5, Scale: 0.5, Before: true}, false, 2},
	} {
		u := g.Update(c.d)
		if (u.Expansive() != "") != c.expansive || u.Sensitivity() != c.sensitivity {
			t.Errorf("%+v: %q, sensitivity %g", c.d, u.Expansive(), u.Sensitivity())
		}
	}
}
