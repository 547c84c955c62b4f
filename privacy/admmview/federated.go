package admmview

import (
	"cmp"
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/digits"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// A Federated describes 002, Algorithm 8.3. In each of Rounds >= 1 rounds Sampled of
// Users update, drawn uniformly without replacement and kept secret. Only the last
// consensus variable is released. The losses are towards a third party. Towards the
// server the loss is Consensus.Local.
type Federated struct {
	Consensus
	Rounds, Sampled, Users int
}

func (f Federated) check() error {
	err := cmp.Or(f.Consensus.check(), privacy.CheckCount(f.Rounds, "rounds"), privacy.CheckCount(f.Sampled, "sampled users"))
	if err != nil {
		return err
	}
	if f.Sampled > f.Users {
		return fault.New(fmt.Sprintf("%d of %d users cannot be drawn", f.Sampled, f.Users), "draw at most all")
	}
	return nil
}

// Published returns the loss of 002, Theorem 8.9 (E.9), 16 K alpha L^2 gamma^2/(Sigma^2
// n^2). It returns an error unless m < n/5, Sigma >= 4 and the order is one of Lemma
// E.5.
//
// It is not a bound. The loss of a mean of m updates, each with its own noise, is the
// loss of one update over m, where the proof has m^2 (see Central).
func (f Federated) Published(order float64) (float64, privacy.Claim, error) {
	if err := cmp.Or(f.check(), privacy.Metric{Order: order}.Check()); err != nil {
		return 0, privacy.Claim{}, err
	}
	if err := f.lemmaE5(order); err != nil {
		return 0, privacy.Claim{}, err
	}
	n := float64(f.Users)
	return 2 * float64(f.Rounds) * f.oneRDP(order) / (n * n), f.claim("closed form of subsampling"), nil
}

// lemmaE5 returns an error if a condition of Theorem 8.9 does not hold.
func (f Federated) lemmaE5(order float64) error {
	q, square := float64(f.Sampled)/float64(f.Users), float64(f.Sigma*f.Sigma)
	m := math.Log1p(1 / (q * (order - 1)))
	most := (float64(m*m*square/2) - math.Log(5*square)) / (m + math.Log(q*order) + 1/(2*square))
	if q < 0.2 && f.Sigma >= 4 && order <= most {
		return nil
	}
	return fault.New(
		fmt.Sprintf("Theorem 8.9 for %d of %d users, sigma %g and order %g is out of its range", f.Sampled, f.Users, f.Sigma, order),
		fmt.Sprintf("it needs fewer than a fifth of the users, sigma at least 4 and an order of at most %g; use the numerical one", digits.Down(most, 4)))
}

// Subsampled composes the rounds as subsampled Gaussians, computed numerically. A sum
// of m updates has noise multiplier sqrt(m) times that of one, and a user is in it with
// probability m/n. The pair of laws is that of privacy.Central.RDP, which also
// dominates m draws without replacement, because another user takes the place of one
// left out.
//
// One round is exact. Composition of the rounds is the paper's assumption. It is not
// proved, because a user's next update depends on its own variable, which keeps unseen
// earlier data and noise, so rounds are not mechanisms of the released values. The
// sound counterparts are Consensus.Local, Participations and, for secure sums in known
// rounds, RoundsEnergy.
func (f Federated) Subsampled(m privacy.Metric) (float64, privacy.Claim, error) {
	if err := cmp.Or(f.check(), m.Check()); err != nil {
		return 0, privacy.Claim{}, err
	}
	curve := f.curve()
	claim := f.claim("subsampled Gaussian, numerically")
	if m.Order != 0 {
		return curve(m.Order), claim, nil
	}
	return curve.Minimise(m.Conversion, m.Delta), claim, nil
}

func (f Federated) curve() privacy.RDP {
	q, mu := float64(f.Sampled)/float64(f.Users), 1/(math.Sqrt(float64(f.Sampled))*f.Multiplier())
	return func(order float64) float64 {
		if mu > mostShift {
			return float64(f.Rounds) * order * mu * mu / 2
		}
		return float64(f.Rounds) * subsampledRDP(q, mu, order)
	}
}

// mostShift is the shift over noise beyond which sampling is taken to hide nothing, as
// in privacy.Central, because the integral would take minutes.
const mostShift = 30

// subsampledRDP returns the Renyi loss of one subsampled Gaussian of shift mu (see
// privacy.Central.RDP).
func subsampledRDP(q, mu, order float64) float64 {
	logExcess := privacy.SubsampledLogExcess(q, mu, order)
	if logExcess < 40 {
		logExcess = math.Log1p(math.Exp(logExcess)) // ln(1 + e^x) is x up to rounding above
	}
	return logExcess / (order - 1)
}

// Participations returns a sound loss of the released variable at delta. A user is
// drawn at most a binomial bound of times, except with probability delta/2. It is
// charged as if all these updates were public, at the other delta/2.
func (f Federated) Participations(delta float64) (privacy.Guarantee, error) {
	if err := cmp.Or(f.check(), privacy.CheckDeltas(delta)); err != nil {
		return privacy.Guarantee{}, err
	}
	drawn := privacy.BinomialUpper(f.Rounds, float64(f.Sampled)/float64(f.Users), delta/2)
	claim := f.localClaim(drawn)
	claim.Assumptions = append(claim.Assumptions, fmt.Sprintf("%d of %d users are drawn uniformly each round", f.Sampled, f.Users))
	return privacy.Guarantee{Claim: claim, Epsilon: privacy.GaussianLoss(float64(drawn), f.Multiplier(), privacy.Metric{Delta: delta / 2}), Delta: delta}, nil
}

func (f Federated) claim(how string) privacy.Claim {
	return privacy.Claim{Accountant: "federated ADMM, " + how, Status: privacy.Published, Final: true, Assumptions: []string{
		fmt.Sprintf("%d of %d users are drawn uniformly each round, and it stays secret who", f.Sampled, f.Users),
		"only the last consensus variable is released",
		"rounds compose, though users keep variables that carry earlier data and noise",
	}}
}
