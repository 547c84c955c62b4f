package protocols

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A ConvertQuestion holds the settings of `hearsay privacy convert`.
type ConvertQuestion struct {
	form.Asker
	Alpha, Rdp, Mu, Eps, Delta float64
	Noise                      Noise
}

// Answer converts one kind of privacy loss to others, or noise from one convention to others.
func (f *ConvertQuestion) Answer() (form.Printer, error) {
	given := f.Given
	if slices.ContainsFunc(noiseFlags, given) {
		return f.convention()
	}
	if err := f.check(given); err != nil {
		return nil, err
	}
	var b Bill
	if given("alpha") {
		for _, c := range []privacy.Conversion{privacy.Mironov, privacy.CanonneKamathSteinke, privacy.Tightest} {
			f.renyi(&b, c, given)
		}
	} else {
		f.gaussian(&b, given)
	}
	return b.shown()
}

func (f *ConvertQuestion) check(given func(flag string) bool) error {
	first, count := "mu", 0
	if given("alpha") {
		first = "rdp"
	}
	for _, flag := range []string{first, "eps", "delta"} {
		if given(flag) {
			count++
		}
	}
	switch {
	case count != 2 || given("alpha") && given("mu") || !given("alpha") && given("rdp"):
		return fault.New("convert needs two values to find the third",
			"give --alpha and two of --rdp, --eps and --delta, or two of --mu, --eps and --delta; noise is converted by --sigma or --noise-multiplier")
	case given("alpha") && !(f.Alpha > 1 && !math.IsInf(f.Alpha, 1)):
		return fault.New(fmt.Sprintf("Renyi order %g is not above 1", f.Alpha), "give an order such as 2")
	case !(f.Eps >= 0) || !(f.Rdp >= 0) || !(f.Mu >= 0) || math.IsInf(f.Eps+f.Rdp+f.Mu, 1):
		return fault.New("a loss is negative or infinite", "give losses of 0 or more")
	}
	return f.checkDelta()
}

func (f *ConvertQuestion) checkDelta() error {
	if f.Given("delta") && !(f.Delta > 0 && f.Delta < 1) {
		return fault.New(fmt.Sprintf("delta %g is not between 0 and 1", f.Delta), "give a delta such as 1e-6")
	}
	return nil
}

func conversionClaim(how string) privacy.Claim {
	return privacy.Claim{Accountant: how, Status: privacy.Sound, Unit: privacy.AsGiven,
		Assumptions: []string{"the loss that was given is one"}}
}

func (f *ConvertQuestion) renyi(b *Bill, c privacy.Conversion, given func(flag string) bool) {
	name, claim := c.String(), conversionClaim(c.String()+" conversion")
	switch {
	case !given("eps"):
		b.add(privacy.Sound, lost(name, claim, c.Epsilon(f.Alpha, f.Rdp, f.Delta), privacy.Metric{Delta: f.Delta}), nil)
	case !given("delta"):
		b.add(privacy.Sound, lost(name, claim, f.Eps, privacy.Metric{Delta: math.Exp(c.LogDelta(f.Alpha, f.Rdp, f.Eps))}), nil)
	default:
		rdp := c.RDP(f.Alpha, f.Eps, f.Delta)
		if rdp < 0 {
			b.add(privacy.Sound, Price{Name: name}, fault.New(
				fmt.Sprintf("no Renyi loss of order %g gives epsilon %g at delta %g", f.Alpha, f.Eps, f.Delta), "take a higher order"))
			return
		}
		b.add(privacy.Sound, lost(name, claim, rdp, privacy.Metric{Order: f.Alpha}), nil)
	}
}

func (f *ConvertQuestion) gaussian(b *Bill, given func(flag string) bool) {
	claim := conversionClaim("Gaussian, exact")
	switch {
	case !given("eps"):
		b.add(privacy.Sound, lost("gaussian", claim, privacy.EpsilonGaussian(f.Mu, f.Delta), privacy.Metric{Delta: f.Delta}), nil)
	case !given("delta"):
		log := privacy.LogDeltaGaussian(f.Mu, f.Eps)
		b.add(privacy.Sound, lost("gaussian", claim, f.Eps, privacy.Metric{Delta: math.Exp(log)}), nil)
		b.add(privacy.Sound, valued("log10 of delta", claim, log/math.Ln10), nil)
	default:
		b.add(privacy.Sound, valued("mu", claim, privacy.MuGaussian(f.Eps, f.Delta)), nil)
	}
}
