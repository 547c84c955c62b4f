package privacy_test

import (
	"errors"
	"math"
	"testing"

	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/sums"
	"github.com/hearsay-dp/hearsay/privacy/walkpublished"
)

func TestSmallestSigmaInvertsPublishedAccountants(t *testing.T) {
	ring := func(sigma float64) (float64, error) {
		eps0, err := privacy.ClassicalEpsilon(sigma, 1e-8)
		if err != nil {
			return 0, err
		}
		g, err := sums.Ring{Nodes: 10, Rounds: 50}.Published(eps0, 1e-8, 1e-6)
		return g.Epsilon, err
	}
	spotted := func(sigma float64) (float64, error) {
		g, err := walkpublished.Spotted{Nodes: 50, Contributions: 100}.Sound(sigma, 1e-6)
		return g.Epsilon, err
	}
	for name, loss := range map[string]func(float64) (float64, error){"ring": ring, "spotted": spotted} {
		cal, err := privacy.SmallestSigma(loss, 1e-3, 0.5)
		if err != nil || !(cal.Low < cal.Sigma) {
			t.Fatal(name, cal, err)
		}
		if above, err := loss(cal.Low * (1 - 1e-9)); err == nil && above <= 0.5 {
			t.Errorf("%s: %g at the lower end", name, above)
		}
		if at, err := loss(cal.Sigma); err != nil || at > 0.5 || math.Abs(at-cal.Loss) > 0 {
			t.Errorf("%s: %g at sigma (%v)", name, at, err)
		}
	}
}

func TestSmallestSigmaPassesOnARefusal(t *testing.T) {
	no := errors.New("no")
	if _, err := privacy.SmallestSigma(func(float64) (float64, error) { return 0, no }, 1, 1); !errors.Is(err, no) {
		t.Errorf("%v", err)
	}
	if _, err := privacy.SmallestSigma(func(float64) (float64, error) { return 1, nil }, 0, 1); err == nil {
		t.Error("a floor of 0 was accepted")
	}
}

// A loss that is no number meets no target.
func TestCalibrationDoesNotTakeNaNForMet(t *testing.T) {
	loss := func(sigma float64) float64 {
		if sigma < 3 {
			return math.NaN()
		}
		return 1 / sigma
	}
	cal, err := privacy.Calibrate(loss, privacy.LeastSigma, 10)
	if err != nil || cal.Sigma < 3 {
		t.Errorf("sigma %g, %v", cal.Sigma, err)
	}
	if got := privacy.Settle(2, 10, loss); got < 3 {
		t.Errorf("settled at %g", got)
	}
}
