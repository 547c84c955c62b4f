package gamma

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hearsay-dp/hearsay/privacy"
)

func drawChannel(t *rapid.T) (c *Channel, least, most float64) {
	least = rapid.Float64Range(0.2, 3).Draw(t, "least")
	most = least * rapid.Float64Range(1.2, 10).Draw(t, "ratio")
	scale := (most - least) * rapid.Float64Range(0.02, 20).Draw(t, "scale")
	var err error
	if rapid.Bool().Draw(t, "gamma") {
		c, err = Mechanism{least, most, scale}.Channel()
	} else {
		c, err = Laplace{least, most, scale}.Channel()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, least, most
}

// No test of outputs tells two levels apart better than mu allows: of any set of outputs
// the two probabilities obey the Gaussian's trade-off.
func TestChannelIsNoBetterThanItsGaussian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _, _ := drawChannel(t)
		mu := c.Mu()
		i, j := rapid.IntRange(0, inputs-1).Draw(t, "i"), rapid.IntRange(0, inputs-1).Draw(t, "j")
		set := rapid.SliceOfN(rapid.Bool(), outputs, outputs).Draw(t, "set")
		if rapid.Bool().Draw(t, "half-line") {
			from := rapid.IntRange(1, outputs-1).Draw(t, "from")
			for k := range set {
				set[k] = k >= from
			}
		}
		power, level := uint64(0), uint64(0)
		for k, in := range set {
			if in {
				power, level = power+c.weights[i][k], level+c.weights[j][k]
			}
		}
		if level == 0 || power == 0 || level == c.totals[j] || power == c.totals[i] {
			return
		}
		if d := quantile(power, c.totals[i]) - quantile(level, c.totals[j]); d > mu+1e-9 {
			t.Fatalf("a set tells levels %d and %d apart by %g, mu is %g", i, j, d, mu)
		}
	})
}

// The channel of the Gamma mechanism is a function of what the mechanism gives, so that its
// delta is at most the mechanism's exact one, up to the rounding of its weights.
func TestChannelHidesWhatTheMechanismHides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, eps := drawGamma(t), rapid.Float64Range(0, 3).Draw(t, "eps")
		c, err := g.Channel()
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]int{{0, inputs - 1}, {inputs - 1, 0}} {
			delta := 0.0
			for k := range outputs {
				delta += max(0, float64(c.weights[pair[0]][k])/float64(c.totals[pair[0]])-math.Exp(eps)*float64(c.weights[pair[1]][k])/float64(c.totals[pair[1]]))
			}
			if delta > g.Delta(eps)+1e-9 {
				t.Fatalf("%+v at %g: the channel has delta %g, the mechanism %g", g, eps, delta, g.Delta(eps))
			}
			if gauss := math.Exp(privacy.LogDeltaGaussian(c.Mu(), eps)); delta > gauss+1e-9 {
				t.Fatalf("%+v at %g: the channel has delta %g, its Gaussian %g", g, eps, delta, gauss)
			}
		}
	})
}

// Draws have the mean of the weights, to five standard errors of 20,000 draws: a false
// alarm in two million runs, of fixed seeds none.
func TestChannelDrawsByItsWeights(t *testing.T) {
	for _, x := range []float64{0.1, 1, 1.5, 2, math.NaN(), 1e308} {
		c, err := Mechanism{1, 2, 0.3}.Channel()
		if err != nil {
			t.Fatal(err)
		}
		r, j := rand.New(rand.NewPCG(1, 2)), c.level(x)
		want, square := 0.0, 0.0
		for k, w := range c.weights[j] {
			p := float64(w) / float64(c.totals[j])
			want, square = want+p*c.outputs[k], square+p*c.outputs[k]*c.outputs[k]
		}
		const n = 20_000
		mean := 0.0
		for range n {
			y := c.Draw(x, r)
			if again, ok := c.Releases(y); !ok || again != y {
				t.Fatalf("%g is no output", y)
			}
			mean += y / n
		}
		if d := math.Abs(mean - want); d > 5*math.Sqrt((square-want*want)/n) {
			t.Errorf("value %g: mean %g of draws, %g of weights", x, mean, want)
		}
	}
	c, _ := Laplace{1, 2, 0.5}.Channel()
	for _, bad := range []float64{0.99, 2.01, 1.00001, math.NaN(), math.Inf(1), 1e308} {
		if _, ok := c.Releases(bad); ok {
			t.Errorf("%g is taken for an output", bad)
		}
	}
}

// A calibrated channel loses at most its target, and not much less.
func TestChannelOfATarget(t *testing.T) {
	m := privacy.Metric{Delta: 1e-6}
	for _, target := range []float64{0.5, 1} {
		if _, _, err := ChannelOf(func(s float64) (*Channel, error) { return Mechanism{1, 4, s}.Channel() }, 1e-2, target, m); err == nil {
			t.Errorf("gamma noise is said to hide a value at epsilon %g", target)
		}
	}
	if floor := Floor(1, 4, 1); math.Abs(floor-0.3386) > 1e-4 {
		t.Errorf("no theta has a delta at epsilon 1 below %g", floor)
	}
	for _, target := range []float64{2, 8} {
		for name, made := range map[string]func(float64) (*Channel, error){
			"gamma":   func(s float64) (*Channel, error) { return Mechanism{1, 4, s}.Channel() },
			"laplace": func(s float64) (*Channel, error) { return Laplace{1, 4, s}.Channel() },
		} {
			c, scale, err := ChannelOf(made, 1e-2, target, m)
			if name == "gamma" && target == 2 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if loss := m.GaussianView(c.Mu() * c.Mu()); loss > target || loss < 0.97*target {
				t.Errorf("%s: scale %g loses %g, allowed %g", name, scale, loss, target)
			}
		}
	}
}
