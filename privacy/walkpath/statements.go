package walkpath

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/privacy"
)

// Statements are bounds that a sample makes of one pair, none above the local
// loss. With probability at least Confidence over the paths drawn all of them hold.
type Statements struct {
	RDP        float64   // of the order asked for
	Delta      []float64 // at the eps asked for, with what may mislead charged
	Confidence float64
}

// Statements are the Renyi divergence of order alpha and the deltas at some eps, at
// noise multiplier sigma. failure is the probability with which any of them may be
// wrong, which they share evenly (union bound).
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

// rdpOrLocal is RDP or the local loss, whichever is less.
func (s *Sample) rdpOrLocal(alpha, sigma, failure float64) (float64, error) {
	local, _, err := privacy.LocalLoss(s.Most, sigma, privacy.Metric{Order: alpha})
	if err != nil {
		return 0, err
	}
	return min(s.RDP(alpha, sigma, failure), local), nil
}

// AllPairs are the Renyi divergences of order alpha of all ordered pairs of nodes,
// [u][v] with 0 on the diagonal, from one pass over simulated paths. failure is the
// probability with which any of them may be wrong.
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

// mostFollowed bounds the excursions that are under way at once.
const mostFollowed = 20_000_000

// Affordable is how many paths of all pairs of a walk take some ten seconds, 0 if
// too few to say anything.
func (w Walk) Affordable() int {
	if paths := int(4e8 / (float64(w.Turns) * float64(w.Nodes))); paths >= 1000 {
		return min(paths, 10_000)
	}
	return 0
}
