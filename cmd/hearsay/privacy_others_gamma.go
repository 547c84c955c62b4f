package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gamma"
)

// gammaFlags are what `privacy gamma` is asked.
type gammaFlags struct {
	least, most, theta, eps, delta float64
}

func newPrivacyGammaCommand() *cobra.Command {
	var f gammaFlags
	cmd := &cobra.Command{
		Use:   "gamma --least A --most B, and two of --theta, --eps and --delta",
		Short: "What the Gamma mechanism tells about a positive number",
		Long: `Gamma prices the release of a number from a known range as a Gamma draw of that mean
(004, Definition 2): delta from theta and eps, eps from theta and delta, or the
smallest theta from eps and delta. Delta is exact; the tail bound of 004, Lemma 3 is
beside it, and the delta that no theta gets below.`,
		Example: "  hearsay privacy gamma --least 1 --most 2 --theta 2 --eps 1\n  hearsay privacy gamma --least 1 --most 2 --eps 3 --delta 0.03",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.least, "least", 0, "smallest possible value, above 0")
	flags.Float64Var(&f.most, "most", 0, "largest possible value")
	flags.Float64Var(&f.theta, "theta", 0, "scale of the draw")
	flags.Float64Var(&f.eps, "eps", 0, "epsilon")
	flags.Float64Var(&f.delta, "delta", 0, "delta")
	required(cmd, "least", "most")
	return cmd
}

func (f *gammaFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	given := cmd.Flags().Changed
	var b bill
	var err error
	switch theta, eps, delta := given("theta"), given("eps"), given("delta"); {
	case theta && eps && !delta:
		err = f.findDelta(&b)
	case theta && delta && !eps:
		err = f.findEpsilon(&b)
	case eps && delta && !theta:
		err = f.findTheta(&b)
	default:
		err = fault.New("gamma needs two of --theta, --eps and --delta", "leave out the one to be found")
	}
	if err != nil {
		return err
	}
	return b.show(cmd)
}

// mostGamma is, like its inverse, beyond any value of use.
const mostGamma = 1e100

// check refuses numbers whose ratios are none any more.
func (f *gammaFlags) check() error {
	if f.least > 0 && f.least < 1/mostGamma || f.most > mostGamma {
		return fault.New(fmt.Sprintf("--least %g and --most %g are out of range", f.least, f.most),
			fmt.Sprintf("give bounds from %g to %g", 1/mostGamma, mostGamma))
	}
	if math.IsInf(f.eps, 1) || math.IsNaN(f.eps) {
		return fault.New(fmt.Sprintf("--eps %g is not a finite number", f.eps), "give an epsilon such as 1")
	}
	return nil
}

func (f *gammaFlags) mechanism() (gamma.Mechanism, error) {
	g := gamma.Mechanism{Least: f.least, Most: f.most, Theta: f.theta}
	return g, g.Check()
}

func (f *gammaFlags) findDelta(b *bill) error {
	g, err := f.mechanism()
	if err != nil {
		return err
	}
	if !(f.eps >= 0) {
		return fault.New("--eps must not be negative", "give an epsilon such as 1")
	}
	f.list(b, g)
	return nil
}

// list prices a mechanism at eps.
func (f *gammaFlags) list(b *bill, g gamma.Mechanism) {
	b.add(privacy.Sound, lost("sound", g.Claim(), f.eps, privacy.Metric{Delta: g.Delta(f.eps)}), nil)
	b.add(privacy.Published, lost("published", g.PublishedClaim(), f.eps, privacy.Metric{Delta: g.TailDelta(f.eps)}), nil)
	b.add(privacy.Audit, valued("delta floor", g.FloorClaim(), gamma.Floor(f.least, f.most, f.eps)), nil)
}

func (f *gammaFlags) findEpsilon(b *bill) error {
	g, err := f.mechanism()
	if err != nil {
		return err
	}
	m := privacy.Metric{Delta: f.delta}
	if err := m.Check(); err != nil {
		return err
	}
	b.add(privacy.Sound, lost("sound", g.Claim(), g.Epsilon(f.delta), m), nil)
	return nil
}

func (f *gammaFlags) findTheta(b *bill) error {
	g, cal, err := gamma.SmallestTheta(f.least, f.most, f.eps, f.delta)
	if err != nil {
		return err
	}
	b.add(privacy.Sound, tightened("theta", g.Claim(), cal), nil)
	f.list(b, g)
	return nil
}
