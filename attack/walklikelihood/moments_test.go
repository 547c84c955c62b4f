package walklikelihood

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/walkpath"
)

// mostMoments is the longest walk of which all sights are listed.
const mostMoments = 64

// RDP returns the Renyi divergence of order alpha > 1 between the attackers' two views of a short walk without a cap
// when contributions differ by the sensitivity. Noise is sigma > 0 times that. It is exact for linear updates, and
// so a lower bound on every sound accountant's.
//
// Given their marks sights are independent, and the marks do not depend on data. Let A(t, v) be the sum, over all
// views until attacker v holds the token in turn t, of their probability times the moments of the sums added. Then A
// follows from A at earlier turns by the moment of one sight (path.MixtureMoment).
// added, A follows from A at earlier turns by the moment of one sight (path.MixtureMoment).
func (h *Hidden) RDP(alpha, sigma float64) (float64, error) {
	switch w := h.Walk; {
	case w.Cap > 0 && w.Cap < w.Turns:
		return 0, fault.New(fmt.Sprintf("a cap of %d contributions ties sights together", w.Cap), "play games, or take a walk without a cap")
	case !h.visitsTell():
		return 0, fault.New("what this walk contributes follows from more than how often nodes are visited", "attack it with the path known")
	case w.Turns > mostMoments:
		return 0, fault.New(fmt.Sprintf("%d turns are too many to list all sights", w.Turns), fmt.Sprintf("take at most %d", mostMoments))
	}
	if err := (privacy.Metric{Order: alpha}).Check(); err != nil {
		return 0, err
	}
	if err := privacy.CheckSigma(sigma); err != nil {
		return 0, err
	}
	m := moments{Hidden: h, alpha: alpha, sigma: sigma, found: make(map[mark]float64)}
	return m.run() / (alpha - 1), nil
}

type moments struct {
	*Hidden
	alpha, sigma float64
	found        map[mark]float64
}

// run is the logarithm of the moment of all that is seen.
func (m *moments) run() float64 {
	turns := m.Walk.Turns
	held := make([]map[int][]float64, turns) // logarithms of parts of A, by turn and attacker
	for t := range held {
		held[t] = make(map[int][]float64)
	}
	var ends []float64
	arrive := func(t, v int, log float64) { held[t][v] = append(held[t][v], log) }
	start := m.start()
	for _, v := range m.Attackers {
		if start[v] > 0 {
			arrive(0, v, math.Log(start[v]))
		}
	}
	m.away(Nobody, 0, 0, arrive, &ends)
	for t := range turns {
		for _, v := range m.Attackers {
			parts := held[t][v]
			if len(parts) == 0 {
				continue
			}
			here := walkpath.LogSum(parts)
			for _, to := range m.Attackers {
				if p := m.chance(v, to); p > 0 && t+1 < turns {
					arrive(t+1, to, here+math.Log(p))
				}
			}
			m.away(v, t+1, here, arrive, &ends)
			if t+1 == turns {
				ends = append(ends, here)
			}
		}
	}
	return walkpath.LogSum(ends)
}

// away adds all sights that begin in a turn after v.
func (m *moments) away(v, begin int, here float64, arrive func(t, v int, log float64), ends *[]float64) {
	turns := m.Walk.Turns
	for l := 1; begin+l <= turns; l++ {
		for _, first := range m.firsts(v) {
			if begin+l == turns {
				x := mark{from: v, to: Nobody, first: first, last: Nobody, turns: l}
				if m.Walk.Final {
					*ends = append(*ends, here+m.moment(x, begin))
				} else {
					*ends = append(*ends, here+m.mass(x, begin))
				}
				continue
			}
			for _, to := range m.Attackers {
				for _, last := range m.before(to) {
					arrive(begin+l, to, here+m.moment(mark{from: v, to: to, first: first, last: last, turns: l}, begin))
				}
			}
		}
	}
}

// firsts are the first holders that are told apart after v.
func (m *moments) firsts(v int) []int {
	if m.Knows == Hops || v == Nobody {
		return []int{Nobody}
	}
	var all []int
	m.row(v, func(y int, p float64) {
		if p > 0 && !m.attacks[y] {
			all = append(all, y)
		}
	})
	return all
}

// before are the last holders before v, each by itself.
func (m *moments) before(v int) (all []int) {
	if m.Walk.W != nil || m.Knows == Hops {
		return m.lasts(v)
	}
	for y, attacks := range m.attacks {
		if !attacks {
			all = append(all, y)
		}
	}
	return all
}

// mass is the logarithm of the probability of a mark.
func (m *moments) mass(x mark, begin int) float64 {
	x.begin = m.beginning(begin)
	sum := 0.0
	for _, o := range m.law(x, 0) {
		sum += o.p
	}
	return math.Log(sum)
}

func (m *moments) beginning(begin int) int {
	if m.Walk.Power == 0 {
		return 0
	}
	return begin
}

// moment is mass and the logarithm of the moment of the mixture.
func (m *moments) moment(x mark, begin int) float64 {
	x.begin = m.beginning(begin)
	if log, ok := m.found[x]; ok {
		return log
	}
	weights, shifts, unit := m.mixture(x, m.sigma)
	log := walkpath.MixtureMoment(weights, shifts, unit, m.alpha)
	m.found[x] = log
	return log
}

// mixture returns the law of sums of a mark, and the shift of a unit sum in standard deviations of the noise.
func (h *Hidden) mixture(x mark, sigma float64) (weights, shifts []float64, unit float64) {
	for _, o := range h.law(x, 0) {
		weights, shifts = append(weights, o.p), append(shifts, o.sum)
	}
	variance, carried := 0.0, 1.0
	for j := x.turns - 1; j >= 0; j-- {
		size, keep := h.turn(x.begin + j)
		variance += float64(size * carried * size * carried)
		carried *= keep
	}
	return weights, shifts, 1 / (sigma * math.Sqrt(variance))
}
