package walkpath

import "github.com/hearsay-dp/hearsay/internal/math"

// tailShare is the relative step of the energies of Moments.Law. leastEnergy is the smallest energy relative to
// the cap.
const (
	tailShare   = 0.03
	leastEnergy = 1e-8
)

// Law returns a law that exceeds the law of the energy of the pair in the usual stochastic order, from P(V > x)
// <= E V^k / x^k for every k (Markov). Losses by it are above those of Loss; it is for callers that combine
// laws. If Refined has a law of the pair, Law returns that one.
func (m *Moments) Law(u, v int) *Law {
	if law := m.Refined[Pair{u, v}]; law != nil {
		return law.of(m.Walk, u)
	}
	l := &Law{Claim: m.Claim, Most: m.Walk.Most()}
	moments, most := m.of(u, v), float64(l.Most)
	left := 1.0
	for energy := most * leastEnergy; ; {
		tail := left
		for k, log := range moments {
			tail = min(tail, math.Exp(float64(log)-float64(float64(k+1)*math.Log(energy))))
		}
		if energy == most {
			l.Energies, l.Weights = append(l.Energies, energy), append(l.Weights, left)
			return l.of(m.Walk, u)
		}
		if left > tail {
			l.Energies, l.Weights = append(l.Energies, energy), append(l.Weights, left-tail)
		}
		left, energy = tail, min(most, energy*(1+tailShare))
	}
}
