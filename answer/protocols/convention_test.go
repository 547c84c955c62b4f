package protocols

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/noise"
	"github.com/hearsay-dp/hearsay/privacy"
)

func conventionOf(t *testing.T, q ConvertQuestion, given ...string) *Convention {
	t.Helper()
	q.Asker = form.Asker{Given: func(flag string) bool { return strings.Contains(" "+strings.Join(given, " ")+" ", " "+flag+" ") }}
	found, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	return found.(*Convention)
}

// deltaOf integrates what the definition of (epsilon, delta) leaves of two normal densities of one deviation.
func deltaOf(shift, deviation, epsilon float64) (delta float64) {
	const steps = 200_000
	from, to := -9*deviation, shift+9*deviation
	for k := range steps {
		x := from + (to-from)*(float64(k)+0.5)/steps
		p, q := math.Exp(-math.Pow((x-shift)/deviation, 2)/2), math.Exp(epsilon-math.Pow(x/deviation, 2)/2)
		delta += max(0, p-q) * (to - from) / steps
	}
	return delta / (deviation * math.Sqrt(2*math.Pi))
}

// Noise on a sum of clipped gradients tells by each convention what the definition says of the two neighbouring sums.
func TestConventionsFollowFromTheDefinition(t *testing.T) {
	const z, clip, rows, releases, delta = 3.0, 1.5, 4, 6, 1e-4
	q := ConvertQuestion{Delta: delta, Noise: Noise{Multiplier: z, Clip: clip, Rows: rows, Releases: releases}}
	c := conventionOf(t, q, "noise-multiplier", "clip", "rows", "releases", "delta")
	for name, of := range map[string]struct {
		told Neighbourhood
		move float64 // of one sum
	}{"one row more or less": {c.Added, clip}, "one row replaced": {c.Replaced, 2 * clip}, "all rows replaced": {*c.All, 2 * clip * rows}} {
		got := deltaOf(releases*of.move, math.Sqrt(releases)**c.Deviation, *of.told.Epsilon)
		if math.Abs(got/delta-1) > 1e-4 {
			t.Errorf("%s: delta %g at epsilon %g, not %g", name, got, *of.told.Epsilon, delta)
		}
		if rho := releases * math.Pow(of.move / *c.Deviation, 2) / 2; math.Abs(of.told.Rho/rho-1) > 1e-12 {
			t.Errorf("%s: rho %g, not %g", name, of.told.Rho, rho)
		}
	}
}

// A sigma that was translated is the one by which the mechanism adds that noise, and the local accountant charges it that epsilon.
func TestTranslatedSigmaIsThatOfTheMechanism(t *testing.T) {
	const z, clip, rows, releases, delta = 1.1, 0.7, 8, 5, 1e-6
	c := conventionOf(t, ConvertQuestion{Delta: delta, Noise: Noise{Multiplier: z, Clip: clip, Rows: rows, Releases: releases}}, "noise-multiplier", "clip", "rows", "delta", "releases")
	for name, of := range map[string]struct {
		noise noise.Gaussian
		told  Neighbourhood
	}{
		"record":      {noise.Gaussian{Clip: clip, Multiplier: c.Sigma, Shares: noise.NewShares([]float64{noise.Share(rows)})}, c.Replaced},
		"participant": {noise.Gaussian{Clip: clip, Multiplier: *c.Participant}, *c.All},
	} {
		if ofSum := rows * of.noise.Std(); math.Abs(ofSum/(z*clip)-1) > 1e-12 {
			t.Errorf("%s: noise of %g on the sum, not %g", name, ofSum, z*clip)
		}
		loss, _, err := privacy.LocalLoss(releases, of.noise.Multiplier, privacy.Metric{Delta: delta})
		if err != nil || math.Abs(loss / *of.told.Epsilon - 1) > 1e-12 {
			t.Errorf("%s: the local accountant says %g (%v), the translation %g", name, loss, err, *of.told.Epsilon)
		}
	}
	back := conventionOf(t, ConvertQuestion{Noise: Noise{Sigma: c.Sigma, Rows: 1, Releases: 1}}, "sigma")
	if back.Multiplier != z || back.Participant != nil || back.Deviation != nil || back.Replaced.Epsilon != nil {
		t.Errorf("%+v", back)
	}
	var text bytes.Buffer
	if err := c.Print(&text); err != nil || !strings.Contains(text.String(), "translates noise, not privacy") {
		t.Errorf("%v in %s", err, &text)
	}
}
