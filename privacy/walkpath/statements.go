package walkpath

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Statements holds bounds from a sample of one pair, none above the local loss. All of them hold with
// probability at least Confidence over the paths drawn.
type Statements struct {
	RDP        float64   // of the requested order
	Delta      []float64 // at the requested eps, with the failure probability included
	Confidence float64
}

// Statements returns bounds of the Renyi divergence of order alpha and of the deltas at some eps, at noise
// multiplier sigma. failure is the probability that any of them is wrong, shared evenly (union bound).
func (s *Sample) Statements(alpha, sigma float64, eps []float64, failure float64) (Statements, error) {
	each := failure / float64(1+len(eps))
	rdp, err := s.rdpOrLocal(alpha, sigma, each)
	all := Statements{RDP: rdp, Confidence: 1 - failure}
	for _, eps := range eps {
		bare := math.Exp(privacy.LogDeltaGaussian(math.Sqrt(float64(s.Most))/sigma, eps))
		all.Delta = append(all.Delta, min(s.Delta(eps, sigma, each), bare))
	}
	return all, err
}

// rdpOrLocal returns the smaller of RDP and the local loss.
func (s *Sample) rdpOrLocal(alpha, sigma, failure float64) (float64, error) {
	local, _, err := privacy.LocalLoss(s.Most, sigma, privacy.Metric{Order: alpha})
	if err != nil {
		return 0, err
	}
	return min(s.RDP(alpha, sigma, failure), local), nil
}

// AllPairs returns the Renyi divergences of order alpha of all ordered pairs of nodes, [u][v] with 0 on the
// diagonal, from one pass over simulated paths. failure is the probability that any of them is wrong.
func (s Simulation) AllPairs(alpha, sigma, failure float64, workers int) ([][]float64, privacy.Claim, error) {
	n := s.Walk.Nodes
	if n*n*s.Walk.AllTokens() > mostFollowed {
		return nil, privacy.Claim{}, fault.New(
			fmt.Sprintf("%d tokens are too many to be followed for all pairs of %d nodes", s.Walk.AllTokens(), n), "ask for one pair of nodes")
	}
	var pairs []Pair
	for u := range n {
		for v := range n {
			if u != v {
				pairs = append(pairs, Pair{U: u, V: v})
			}
		}
	}
	samples, err := s.Sample(pairs, workers)
	if err != nil {
		return nil, privacy.Claim{}, err
	}
	losses := make([][]float64, n)
	for u := range losses {
		losses[u] = make([]float64, n)
	}
	for i, p := range pairs {
		if losses[p.U][p.V], err = samples[i].rdpOrLocal(alpha, sigma, failure/float64(len(pairs))); err != nil {
			return nil, privacy.Claim{}, err
		}
	}
	return losses, samples[0].Claim, nil
}

// mostFollowed is the largest number of excursions that are followed at once.
const mostFollowed = 20_000_000

// Affordable returns the number of paths of all pairs of a walk that take about ten seconds. It returns 0 if
// they are too few to be useful.
func (w Walk) Affordable() int {
	if paths := int(4e8 / (float64(w.Turns) * float64(w.Nodes))); paths >= 1000 {
		return min(paths, 10_000)
	}
	return 0
}
