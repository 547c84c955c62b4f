package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
)

// A Side holds the energies from everybody towards one observer, or from one node towards
// everybody, each observing alone.
type Side struct {
	privacy.Claim
	Node    int       // the observer, or the node with the data; -1: the public observes
	Towards bool      // Node observes
	Values  []float64 // by the other node; NaN at Node itself
}

// A Method is a way to find plans: near the optimum for each pair, by two flows for each pair,
// or one plan for all.
type Method string

// The methods, from the most accurate to the fastest.
const (
	Optimum Method = "optimal"
	Aim     Method = "aimed"
	OneFlow Method = "cheap"
)

// MethodFor returns the most accurate method by which a side takes at most multiplications
// multiplications.
func (a *Accountant) MethodFor(multiplications float64) Method {
	switch {
	case a.TowardsCost() <= multiplications:
		return Optimum
	case a.rounds == nil && a.pairCost(flowsAimed)*float64(a.n-1) <= multiplications:
		return Aim
	}
	return OneFlow
}

// SideCost returns about the number of multiplications of a side by a method.
func (a *Accountant) SideCost(by Method, towards bool) float64 {
	one := a.pairCost(1)
	switch {
	case by == Optimum || a.rounds != nil:
		return a.TowardsCost()
	case by == Aim || towards && !a.isPlain():
		return flowsAimed * one * float64(a.n-1)
	}
	return 20 * one * float64(len(shares)) // a few flows, or return probabilities
}

// TowardsCost returns about the number of multiplications of Towards, or of SideFrom by
// Optimum.
func (a *Accountant) TowardsCost() float64 {
	if a.rounds != nil {
		return a.veiledCost(a.n-1, 1, flowsPerDescent)
	}
	return flowsPerSource * float64(a.n) * float64(a.p.Rounds) * float64(len(a.forward[0].Values)+4*a.n)
}

// SideTowards returns the energies from everybody towards v by a method. OneFlow uses one plan
// for all if weights are symmetric and do not change, and a plan for each pair elsewhere.
func (a *Accountant) SideTowards(v int, by Method, workers int) (*Side, error) {
	s := &Side{Claim: a.claim("flow"), Node: v, Towards: true}
	var err error
	switch {
	case by == OneFlow && a.isPlain():
		s.Claim = a.claim("flow, one plan for all")
		s.Values, err = a.CheapTowards(v, workers)
	case by != Optimum && a.rounds == nil:
		s.Claim = a.claim("flow, aimed plans")
		s.Values, err = a.sweep(v, workers, a.aiming, a.aim(), a.of)
	default:
		s.Values, err = a.Towards(v, workers)
	}
	if err == nil {
		s.Values[v] = math.NaN()
	}
	return s, err
}

// SideFrom returns the energies from u towards everybody by a method.
func (a *Accountant) SideFrom(u int, by Method, workers int) (*Side, error) {
	if err := a.p.checkPair(u, []int{(u + 1) % a.n}); err != nil {
		return nil, err
	}
	s := &Side{Claim: a.claim("flow"), Node: u}
	switch {
	case a.rounds != nil:
		var others [][2]int
		for v := range a.n {
			if v != u {
				others = append(others, [2]int{u, v})
			}
		}
		s.Values = make([]float64, a.n)
		for i, e := range a.SharpenSome(others, workers) {
			s.Values[others[i][1]] = e
		}
	case by == Aim:
		s.Claim, s.Values = a.claim("flow, aimed plans"), make([]float64, a.n)
		more := a.begin(a.n)
		parallel.Each(a.n, workers, func(v int) {
			if v != u {
				s.Values[v] = a.of(u, a.oneAimed(u, v))
			}
			more(1)
		})
	case by == OneFlow:
		s.Claim, s.Values = a.claim("flow, one plan for all"), a.cheapFrom(u)
	default:
		s.Values = make([]float64, a.n)
		more := a.begin(a.n)
		parallel.Each(a.n, workers, func(v int) {
			defer more(1)
			if v != u {
				part := a.reached(u, []int{v})
				s.Values[v] = a.of(u, part.upper(few).of([]int{part.source}, sight{marks: part.stops})[0])
			}
		})
	}
	s.Values[u] = math.NaN()
	return s, nil
}

// AuditSide returns the lower bounds of Audit for every pair of a side.
func (a *Accountant) AuditSide(s *Side, workers int) (*Side, error) {
	lower := &Side{Claim: a.AuditClaim(), Node: s.Node, Towards: s.Towards}
	if s.Towards {
		var err error
		if lower.Values, err = a.AuditTowards(s.Node, workers); err != nil {
			return nil, err
		}
	} else {
		lower.Values = make([]float64, a.n)
		var others [][2]int
		for v := range a.n {
			if v != s.Node {
				others = append(others, [2]int{s.Node, v})
			}
		}
		for i, attained := range a.AuditSome(others, workers) {
			lower.Values[others[i][1]] = attained
		}
	}
	lower.Values[s.Node] = math.NaN()
	return lower, nil
}

// cheapFrom returns a row of Cheap.
func (a *Accountant) cheapFrom(u int) []float64 {
	row, heard, local := make([]float64, a.n), a.heardBy(), a.localEnergies()[u]
	for v := range row {
		row[v] = local
	}
	s := a.newStream(u, u+1)
	for _, kappa := range shares {
		s.follow(kappa, heard)
		s.lowerRow(0, row)
	}
	for v, e := range row {
		row[v] = a.of(u, e)
	}
	return row
}

// direct marks the nodes whose messages Node hears, or that hear a message of Node.
func (a *Accountant) direct(s *Side) []bool {
	direct := make([]bool, a.n)
	if s.Node == noNode {
		return direct
	}
	for t := range max(len(a.p.Weights), len(a.p.Hears)) {
		if s.Towards {
			for _, u := range a.heardIn(t, s.Node) {
				direct[u] = true
			}
			continue
		}
		for v := range direct {
			direct[v] = direct[v] || slices.Contains(a.heardIn(t, v), int32(s.Node))
		}
	}
	return direct
}

// WorstOf returns the largest energies of a side: of all nodes, and of those without direct
// messages.
func (a *Accountant) WorstOf(s *Side) (largest, beyond float64) {
	direct := a.direct(s)
	for j, e := range s.Values {
		if j == s.Node {
			continue
		}
		largest = max(largest, e)
		if !direct[j] {
			beyond = max(beyond, e)
		}
	}
	return largest, beyond
}

// LossesOf returns the losses of a side at a noise multiplier, with NaN at Node itself.
func (a *Accountant) LossesOf(s *Side, sigma float64, m privacy.Metric) []float64 {
	loss := a.curveOf(s, m)
	losses := make([]float64, len(s.Values))
	for j, e := range s.Values {
		if losses[j] = math.NaN(); j != s.Node {
			losses[j] = loss(e, sigma)
		}
	}
	return losses
}

// curveOf returns the loss as a function of an energy and a noise multiplier. It uses an
// interpolated curve if there are many values.
func (a *Accountant) curveOf(s *Side, m privacy.Metric) func(energy, sigma float64) float64 {
	if a.p.Rounding != nil || len(s.Values) <= few {
		return func(energy, sigma float64) float64 { return a.Loss(energy, sigma, m) }
	}
	at := gossipview.Curve(m, s.Status)
	return func(energy, sigma float64) float64 {
		if math.IsInf(energy, 1) {
			return energy
		}
		return at(energy / (sigma * sigma))
	}
}

// SummariseSide returns a summary of the losses of a side at a noise multiplier.
func (a *Accountant) SummariseSide(s *Side, sigma float64, m privacy.Metric) Summary {
	largest, beyond := a.WorstOf(s)
	return Summary{Mean: a.meanOf(s, m)(sigma), Max: a.Loss(largest, sigma, m), Beyond: a.Loss(beyond, sigma, m)}
}

func (a *Accountant) meanOf(s *Side, m privacy.Metric) func(sigma float64) float64 {
	loss := a.curveOf(s, m)
	return func(sigma float64) float64 {
		sum := 0.0
		for j, e := range s.Values {
			if j != s.Node {
				sum += loss(e, sigma)
			}
		}
		if s.Node == noNode {
			return sum / float64(len(s.Values))
		}
		return sum / float64(len(s.Values)-1)
	}
}

// CalibrateSide returns the smallest noise multipliers for which each number of a side's
// summary is at most target.
func (a *Accountant) CalibrateSide(s *Side, target float64, m privacy.Metric) (found Sigmas, err error) {
	largest, beyond := a.WorstOf(s)
	if found.Max, err = a.Sigma(largest, target, m); err != nil {
		return found, err
	}
	if found.Beyond, err = a.Sigma(beyond, target, m); err != nil {
		return found, err
	}
	found.Mean, err = privacy.Calibrate(a.meanOf(s, m), privacy.LeastSigma, target)
	return found, err
}
