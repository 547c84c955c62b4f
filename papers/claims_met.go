package papers

import (
	"math"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// A lottery asks what random matchings cost before they are drawn: then nodes are
// alike, and delta of a pair is its mean over draws (flow.Revealed). What counts most is
// how often the two meet, whose law is known; given that, some pairs of some draws stand
// for all. Their energies are bounds, their mean is an estimate.
type lottery struct {
	draws  int
	sample []int // pairs that met so often: 0, 1, 2, .. times; more often counts as the local loss
}

var fullLottery = lottery{2, []int{2, 8, 6, 4, 2}}

// sigma is the least noise for the claim.
func (l lottery) sigma(s schedule.Gossip) (float64, error) {
	turns, meet := s.Rounds, 1/float64(s.Nodes-1)
	law, rest := flow.Revealed{}, 1.0
	found := make([][]float64, len(l.sample))
	for draw := range l.draws {
		if err := l.look(s, draw, found); err != nil {
			return 0, err
		}
	}
	for times, energies := range found {
		if len(energies) == 0 {
			continue // no draw has such a pair: it stays in the rest
		}
		p := binomial(turns, times, meet)
		for _, v := range energies {
			law.Energies = append(law.Energies, v)
			law.Probabilities = append(law.Probabilities, p/float64(len(energies)))
		}
		rest -= p
	}
	law.Energies, law.Probabilities = append(law.Energies, float64(turns)), append(law.Probabilities, max(0, rest)) // the local loss
	cal, err := law.Sigma(claimed, atDelta.Delta)
	return cal.Sigma, err
}

// look adds the least energies of one draw's share of the sample.
func (l lottery) look(s schedule.Gossip, draw int, found [][]float64) error {
	m := graph.NewMatchings(s.Nodes, uint64(1000+draw))
	random := rand.New(rand.NewPCG(uint64(draw), 7))
	met := meetings(m, s.Rounds)
	s.W, s.Weights = nil, m
	accountant, err := flow.Of(s)
	if err != nil {
		return err
	}
	for times, count := range l.sample {
		for _, pair := range pairsThatMet(met, times, (count+l.draws-1)/l.draws, random) {
			best, err := accountant.Optimal(pair[0], pair[1])
			if err != nil {
				return err
			}
			found[times] = append(found[times], best.Energy)
		}
	}
	return nil
}

// meetings counts how often node u meets v: [v][u].
func meetings(m *graph.Matchings, rounds int) [][]int {
	met := make([][]int, m.Len())
	for v := range met {
		met[v] = make([]int, m.Len())
	}
	for t := range step.Turn(rounds) {
		for v := range met {
			met[v][m.Partner(step.NodeID(v), t)]++
		}
	}
	return met
}

// pairsThatMet draws pairs among those that met so often.
func pairsThatMet(met [][]int, times, count int, random *rand.Rand) (drawn [][2]int) {
	var all [][2]int
	for v, row := range met {
		for u, k := range row {
			if u != v && k == times {
				all = append(all, [2]int{u, v})
			}
		}
	}
	for range min(count, len(all)) {
		k := random.IntN(len(all))
		drawn = append(drawn, all[k])
		all[k] = all[len(all)-1]
		all = all[:len(all)-1]
	}
	return drawn
}

// binomial is the probability of k among n.
func binomial(n, k int, p float64) float64 {
	choose, _ := math.Lgamma(float64(n + 1))
	a, _ := math.Lgamma(float64(k + 1))
	b, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(choose - a - b + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}
