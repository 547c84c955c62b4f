package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// convertFlags are what `privacy convert` is asked.
type convertFlags struct {
	alpha, rdp, mu, eps, delta float64
}

func newPrivacyConvertCommand() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert --alpha A, and two of --rdp, --eps and --delta; or two of --mu, --eps and --delta",
		Short: "Turn one kind of privacy loss into another",
		Long: `Convert finds the third of a Renyi loss at order --alpha, an epsilon and a delta, by
Mironov's conversion, by the tighter one of Canonne, Kamath and Steinke, and by the
tightest, which knows besides that delta is at most sqrt(1 - exp(-rdp)); or of mu, the
shift of a Gaussian view over its noise, an epsilon and a delta, exactly.`,
		Example: "  hearsay privacy convert --alpha 8 --rdp 0.5 --delta 1e-6\n  hearsay privacy convert --mu 0.3 --delta 1e-9\n" +
			"  hearsay privacy convert --eps 1 --delta 1e-6",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.alpha, "alpha", 0, "Renyi order, above 1")
	flags.Float64Var(&f.rdp, "rdp", 0, "Renyi loss at that order")
	flags.Float64Var(&f.mu, "mu", 0, "shift over noise of a Gaussian view")
	flags.Float64Var(&f.eps, "eps", 0, "epsilon")
	flags.Float64Var(&f.delta, "delta", 0, "delta")
	return cmd
}

func (f *convertFlags) run(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if err := f.check(given); err != nil {
		return err
	}
	var b bill
	if given("alpha") {
		for _, c := range []privacy.Conversion{privacy.Mironov, privacy.CanonneKamathSteinke, privacy.Tightest} {
			f.renyi(&b, c, given)
		}
	} else {
		f.gaussian(&b, given)
	}
	return b.show(cmd)
}

func (f *convertFlags) check(given func(flag string) bool) error {
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
			"give --alpha and two of --rdp, --eps and --delta, or two of --mu, --eps and --delta")
	case given("alpha") && !(f.alpha > 1 && !math.IsInf(f.alpha, 1)):
		return fault.New(fmt.Sprintf("Renyi order %g is not above 1", f.alpha), "give an order such as 2")
	case given("delta") && !(f.delta > 0 && f.delta < 1):
		return fault.New(fmt.Sprintf("delta %g is not between 0 and 1", f.delta), "give a delta such as 1e-6")
	case !(f.eps >= 0) || !(f.rdp >= 0) || !(f.mu >= 0) || math.IsInf(f.eps+f.rdp+f.mu, 1):
		return fault.New("a loss is negative or infinite", "give losses of 0 or more")
	}
	return nil
}

func conversionClaim(how string) privacy.Claim {
	return privacy.Claim{Accountant: how, Status: privacy.Sound, Unit: privacy.AsGiven,
		Assumptions: []string{"the loss that was given is one"}}
}

func (f *convertFlags) renyi(b *bill, c privacy.Conversion, given func(flag string) bool) {
	name, claim := c.String(), conversionClaim(c.String()+" conversion")
	switch {
	case !given("eps"):
		b.add(privacy.Sound, lost(name, claim, c.Epsilon(f.alpha, f.rdp, f.delta), privacy.Metric{Delta: f.delta}), nil)
	case !given("delta"):
		b.add(privacy.Sound, lost(name, claim, f.eps, privacy.Metric{Delta: math.Exp(c.LogDelta(f.alpha, f.rdp, f.eps))}), nil)
	default:
		rdp := c.RDP(f.alpha, f.eps, f.delta)
		if rdp < 0 {
			b.add(privacy.Sound, priced{Name: name}, fault.New(
				fmt.Sprintf("no Renyi loss of order %g gives epsilon %g at delta %g", f.alpha, f.eps, f.delta), "take a higher order"))
			return
		}
		b.add(privacy.Sound, lost(name, claim, rdp, privacy.Metric{Order: f.alpha}), nil)
	}
}

func (f *convertFlags) gaussian(b *bill, given func(flag string) bool) {
	claim := conversionClaim("Gaussian, exact")
	switch {
	case !given("eps"):
		b.add(privacy.Sound, lost("gaussian", claim, privacy.EpsilonGaussian(f.mu, f.delta), privacy.Metric{Delta: f.delta}), nil)
	case !given("delta"):
		log := privacy.LogDeltaGaussian(f.mu, f.eps)
		b.add(privacy.Sound, lost("gaussian", claim, f.eps, privacy.Metric{Delta: math.Exp(log)}), nil)
		b.add(privacy.Sound, valued("log10 of delta", claim, log/math.Ln10), nil)
	default:
		b.add(privacy.Sound, valued("mu", claim, privacy.MuGaussian(f.eps, f.delta)), nil)
	}
}
