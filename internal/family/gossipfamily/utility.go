package gossipfamily

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/step"
)

// Utility returns a bound on the mean squared distance of the nodes' values from the mean of all, for averaging, and from the
// optimum, for learning.
func (a *Algorithm) Utility() family.Utility {
	u := family.Utility{NoisePerHop: family.NoiseNorm(a.Local())}
	if u.Why = a.noPromise(); u.Why != "" {
		return u
	}
	distance := 0.0
	if a.averaging() {
		distance, u.Why = a.averaged(float64(u.NoisePerHop * u.NoisePerHop))
	} else {
		distance, u.Why = a.learned(a.Protocol.Noise.Multiplier)
	}
	u.Distance2 = &distance
	return u
}

// noPromise says why no theorem here bounds the error of this run. It returns "" if one does.
func (a *Algorithm) noPromise() string {
	if !a.averaging() {
		return a.noLearning()
	}
	switch k := a.keys; {
	case k.Wake != "all" && k.Wake != "edges", k.Wake == "all" && k.changes(a.Spec):
		return "002 Theorem 6.2 is about a graph that stays and Theorem 6.4 about edges that wake one by one; of other graphs that change the rate of consensus (Assumption 2.13) is not known"
	case !a.Gap.Converged || a.Gap.Value <= 0:
		return "002 Theorems 6.2 and 6.4 need a positive spectral gap, and none is known"
	}
	return a.asymmetry("002 Theorems 6.2 and 6.4")
}

// asymmetry says that a given matrix is not symmetric, as a theorem needs it. It returns "" if it is.
func (a *Algorithm) asymmetry(theorem string) string {
	if !a.Transition.Own() {
		return ""
	}
	if err := a.Transition.CheckSymmetric(theorem, graph.Tolerance, ""); err != nil {
		return err.Error()
	}
	return ""
}

// averaged returns the bound of 002 Theorem C.3 for accelerated averaging, of C.4 at the rate that is true for edges that wake one
// by one, and otherwise that of powers of the matrix. noise is the mean squared norm of a node's noise.
//
// A matrix that averages two nodes is a projection, so that E norm(W y)^2 = y' E(W) y, at most 1 - gap of it where y has mean 0.
func (a *Algorithm) averaged(noise float64) (distance float64, why string) {
	p, n, spread := a.Protocol, float64(a.Protocol.Nodes), float64(a.Protocol.Noise.Clip*a.Protocol.Noise.Clip)
	turns, left := float64(p.Turns()), 0.0
	switch edges, ok := a.Weights.(*graph.Activations); {
	case ok:
		gap := edges.Gap(1 - a.Gap.Second)
		left, why = math.Pow(1-gap, turns), fmt.Sprintf("002 Theorem C.4 at half the rate that it prints, which is the true one, %.4g a turn", gap)
	case p.Gamma == 1:
		left, why = math.Pow(1-a.Gap.Value, 2*turns), fmt.Sprintf("the spectral gap (002 Definition 2.10) of %.4g, squared each turn", a.Gap.Value)
	default:
		distance = float64(2 * (float64((spread+noise)*math.Exp(-float64(turns*math.Sqrt(a.Gap.Value)))) + noise/n))
		return distance, fmt.Sprintf("002 Theorem C.3: the mean squared distance of the nodes' values from the mean of all, values of norm at most %g, %d turns at spectral gap %.4g",
			p.Noise.Clip, p.Turns(), a.Gap.Value)
	}
	distance = float64((spread+noise)*left) + noise/n
	return distance, fmt.Sprintf("%s: the mean squared distance of the nodes' values from the mean of all, values of norm at most %g, %d turns", why, p.Noise.Clip, p.Turns())
}

// noLearning says why learned does not cover this run. It returns "" if it does.
func (a *Algorithm) noLearning() string {
	const needs = "002 Theorems 2.14, 6.8 and C.7 hide constants, and the bound with constants (docs/PAPERS.md) "
	p, k := a.Protocol, a.keys
	switch mu := a.strength(); {
	case k.changes(a.Spec):
		return needs + "is for a graph that stays"
	case !a.Gap.Converged || a.Gap.Value <= 0:
		return needs + "needs a positive spectral gap"
	case p.Momentum > 0 || p.Memory != nil || p.Pairwise > 0 || p.NoiseEachTurn:
		return needs + "is for independent noise in each step and no momentum"
	case p.Noise.Together || p.LocalSteps > 1:
		return needs + "is for rows that are clipped one by one"
	case p.Noise.Sampled() || p.Epoch > 1:
		return needs + "is for all rows, or batches of a fixed size"
	case p.Fill || p.Rows > 0:
		return needs + "is for nodes that weigh alike: fill: false, and no weigh_rows"
	case p.Contributions() < p.Rounds:
		return needs + "is for nodes that contribute in every round"
	case p.Radius > 0:
		return needs + "is for models that no ball confines"
	case !a.Guarantees.Convex() || !a.Guarantees.ClipSafe() && !a.unclipped():
		return needs + "is for clipped gradients that are those of a convex function"
	case !a.everybodyHolds():
		return needs + "is for nodes that all hold rows"
	case mu <= 0:
		return needs + "needs an objective that clipping leaves strongly convex: model.l2 above 0"
	case p.StepSize.Largest() > 2/(a.Guarantees.Smoothness()+mu):
		return needs + fmt.Sprintf("is for steps of at most 2/(smoothness + strong convexity), %.4g", 2/(a.Guarantees.Smoothness()+mu))
	}
	return a.asymmetry("002 Theorems 6.8 and C.7")
}

// unclipped reports whether no gradient of the loss is ever clipped.
func (a *Algorithm) unclipped() bool { return a.Guarantees.Unclipped(a.Protocol.Noise.LeastClip()) }

// everybodyHolds reports whether every node holds rows, as far as it is known.
func (a *Algorithm) everybodyHolds() bool {
	for v := range a.Protocol.Nodes {
		if a.Examples != nil && a.Examples.Examples(step.NodeID(v)).Len() == 0 {
			return false
		}
	}
	return true
}

// strength returns the strong convexity of the objective that clipping leaves.
func (a *Algorithm) strength() float64 {
	if a.unclipped() {
		return a.Guarantees.StrongConvex()
	}
	return a.Spec.Model.L2
}

// learned bounds the mean squared distance of the nodes' last models from the optimum of their mean clipped objective. It is the
// bound of 002 Theorems 6.8 and C.7 (Koloskova et al. 2020) with constants, ours. Let m be the mean of the models and y the root
// of the mean squared distance from it, in root mean square over the noise. A step of size g is
//
//	norm(m' - x*)^2 <= ((1 - g mu) norm(m - x*) + g beta y)^2 + g^2 E/n
//	y'              <= s sqrt((y + g clip)^2 + g^2 E)
//
// since gradient descent contracts by 1 - g mu up to g = 2/(beta + mu), the mean gradient is within beta y of that at m, gradients
// are at most clip long, and averaging leaves the share s of what has mean 0. E is the energy of a node's noise, and of the choice
// of its batch.
func (a *Algorithm) learned(multiplier float64) (distance float64, why string) {
	p, mu, beta, n := a.Protocol, a.strength(), a.Guarantees.Smoothness(), float64(a.Protocol.Nodes)
	noise := p.Noise
	noise.Multiplier = multiplier
	energy := float64(float64(p.Params) * float64(noise.Std()*noise.Std()))
	if p.Batch > 0 {
		energy += float64(noise.Clip * noise.Clip)
	}
	left := a.share()
	away, apart := noise.Clip/mu+a.begins(), 0.0
	for t := range p.Rounds {
		g := p.StepSize.At(t)
		fresh := float64(float64(g*g) * energy)
		toward := float64((1-float64(g*mu))*away) + float64(float64(g*beta)*apart)
		spread := apart + float64(g*noise.Clip)
		away, apart = math.Sqrt(float64(toward*toward)+fresh/n), float64(left*math.Sqrt(float64(spread*spread)+fresh))
	}
	return float64(away*away) + float64(apart*apart), fmt.Sprintf("002 Theorems 6.8 and C.7 with constants: the mean squared distance of the nodes' models from the optimum of the clipped objective, "+
		"which is within %.4g of 0, at strong convexity %.4g, smoothness %.4g and %.4g of disagreement left by a round", noise.Clip/mu, mu, beta, left)
}

// begins returns the norm of the model that a run begins with.
func (a *Algorithm) begins() float64 {
	sum := 0.0
	for _, x := range a.Protocol.Initial {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}

// share returns the largest share of a vector of mean 0 that the averaging of a round leaves. The polynomials of a round are means
// of Chebyshev polynomials of the matrix over 1 - gap, with weights of one sign, so that the share is their value at 1 - gap.
func (a *Algorithm) share() float64 {
	before, now, rho := 0.0, 1.0, 1-a.Gap.Value
	for k := range a.Protocol.TurnsPerRound {
		next := float64(rho * now)
		if k > 0 && a.Protocol.Gamma != 1 {
			next = float64(a.Protocol.Gamma*next) + float64((1-a.Protocol.Gamma)*before)
		}
		before, now = now, next
	}
	return math.Abs(now)
}
