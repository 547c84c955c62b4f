package protocols

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/answer/form"
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gamma"
)

// A GammaQuestion holds the settings of `hearsay privacy gamma`.
type GammaQuestion struct {
	form.Asker
	Least, Most, Theta, Eps, Delta float64
}

// Answer computes the third of theta, epsilon and delta from the other two.
func (f *GammaQuestion) Answer() (*Bill, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	given := f.Given
	var b Bill
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
		return nil, err
	}
	return b.shown()
}

// mostGamma is the largest bound that is accepted, and its inverse the smallest. Useful values lie between the two.
const mostGamma = 1e100

// check refuses numbers whose ratios overflow.
func (f *GammaQuestion) check() error {
	if f.Least > 0 && f.Least < 1/mostGamma || f.Most > mostGamma {
		return fault.New(fmt.Sprintf("--least %g and --most %g are out of range", f.Least, f.Most),
			fmt.Sprintf("give bounds from %g to %g", 1/mostGamma, mostGamma))
	}
	if math.IsInf(f.Eps, 1) || math.IsNaN(f.Eps) {
		return fault.New(fmt.Sprintf("--eps %g is not a finite number", f.Eps), "give an epsilon such as 1")
	}
	return nil
}

func (f *GammaQuestion) mechanism() (gamma.Mechanism, error) {
	g := gamma.Mechanism{Least: f.Least, Most: f.Most, Theta: f.Theta}
	return g, g.Check()
}

func (f *GammaQuestion) findDelta(b *Bill) error {
	g, err := f.mechanism()
	if err != nil {
		return err
	}
	if !(f.Eps >= 0) {
		return fault.New("--eps must not be negative", "give an epsilon such as 1")
	}
	f.list(b, g)
	return nil
}

// list adds the lines of a mechanism at eps.
func (f *GammaQuestion) list(b *Bill, g gamma.Mechanism) {
	b.add(privacy.Sound, lost("sound", g.Claim(), f.Eps, privacy.Metric{Delta: g.Delta(f.Eps)}), nil)
	b.add(privacy.Published, lost("published", g.PublishedClaim(), f.Eps, privacy.Metric{Delta: g.TailDelta(f.Eps)}), nil)
	b.add(privacy.Audit, valued("delta floor", g.FloorClaim(), gamma.Floor(f.Least, f.Most, f.Eps)), nil)
}

func (f *GammaQuestion) findEpsilon(b *Bill) error {
	g, err := f.mechanism()
	if err != nil {
		return err
	}
	m := privacy.Metric{Delta: f.Delta}
	if err := m.Check(); err != nil {
		return err
	}
	b.add(privacy.Sound, lost("sound", g.Claim(), g.Epsilon(f.Delta), m), nil)
	return nil
}

func (f *GammaQuestion) findTheta(b *Bill) error {
	g, cal, err := gamma.SmallestTheta(f.Least, f.Most, f.Eps, f.Delta)
	if err != nil {
		return err
	}
	b.add(privacy.Sound, tightened("theta", g.Claim(), cal), nil)
	f.list(b, g)
	return nil
}
