package privacy

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// localAssumptions returns the assumptions of every accountant in which all
// messages of a node are public.
func localAssumptions(contributions int) []string {
	return []string{
		fmt.Sprintf("noisy releases hold what is protected: at most %d, all public", contributions),
		"each contribution is clipped before the noise, whatever the value is that it is computed at",
	}
}

// MemoryAssumption is what a loss takes for granted of noise that remembers earlier rounds.
const MemoryAssumption = "noise of a round follows from fresh noise, drawn once, and that of earlier rounds, own and shared alike, by public coefficients; the loss is of all rounds together"

// LocalLoss returns the exact loss of a node whose noisy contributions are all
// public. k Gaussians of shift 1/sigma compose, adaptively too, to one of shift
// sqrt(k)/sigma (Dong, Roth and Su 2022, Corollary 3.3). It bounds the loss
// towards any observer of any algorithm that releases only these.
func LocalLoss(contributions int, sigma float64, m Metric) (float64, Claim, error) {
	err := cmp.Or(m.Check(), CheckSigma(sigma), CheckCount(contributions, "contributions of a node"))
	if err != nil {
		return 0, Claim{}, err
	}
	return m.GaussianView(float64(contributions) / (sigma * sigma)), LocalClaim(contributions), nil
}

// LocalClaim returns the claim of LocalLoss, and of every accountant that falls
// back on LocalLoss.
func LocalClaim(contributions int) Claim {
	return Claim{Accountant: "local, composed Gaussians", Status: Sound, Towards: Everybody, Gaussian: true, Assumptions: localAssumptions(contributions)}
}

// LocalTight returns the smallest noise with LocalLoss at most target.
func LocalTight(contributions int, target float64, m Metric) (Noise, error) {
	err := cmp.Or(m.Check(), CheckCount(contributions, "contributions of a node"), checkReach(target))
	if err != nil {
		return Noise{}, err
	}
	k := float64(contributions)
	sigma := math.Sqrt(m.Order * k / (2 * target))
	if m.Delta != 0 {
		sigma = math.Sqrt(k) / MuGaussian(target, m.Delta)
	}
	sigma = Settle(max(sigma, LeastSigma), target, func(sigma float64) float64 { return m.GaussianView(k / (sigma * sigma)) })
	return Noise{LocalClaim(contributions), sigma}, CheckSigma(sigma)
}

// LocalPublished returns the calibration of the papers' local baseline. Each of
// k contributions is (e0, delta/k)-DP by the Gaussian mechanism with
// sensitivity L. Advanced composition (Dwork and Roth 2014, Theorem 3.20) with
// the same delta/k gives
//
//	sqrt(2 k ln(k/delta)) e0 + k e0 (exp(e0)-1) = eps,
//	std = L sqrt(2 ln(1.25 k/delta)) / e0.
//
// Replacing all of a node's data moves its gradient by up to 2L, not L, and
// the Gaussian mechanism's formula holds for e0 < 1 only.
func LocalPublished(contributions int, eps, delta float64) (Noise, error) {
	if err := cmp.Or(CheckTarget(eps, delta), CheckCount(contributions, "contributions of a node")); err != nil {
		return Noise{}, err
	}
	k := float64(contributions)
	each := Bisect(0, eps, func(e float64) bool {
		return float64(math.Sqrt(2*k*math.Log(k/delta))*e)+float64(k*e*math.Expm1(e)) >= eps
	})
	perLipschitz := math.Sqrt(2*math.Log(1.25*k/delta)) / each
	return Noise{
		Claim{Accountant: "local, advanced composition", Status: Published, Towards: Everybody, Assumptions: append(localAssumptions(contributions),
			"sensitivity L is charged, half of the 2L of replacing a node's data")},
		perLipschitz / 2,
	}, nil
}
