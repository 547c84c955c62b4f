package papers

import (
	"fmt"
	"math/rand/v2"

	"github.com/hearsay-dp/hearsay/graph"
	"github.com/hearsay-dp/hearsay/privacy/flow"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/step"
)

// A lottery estimates the loss of random matchings of all nodes before they are drawn. Nodes are
// then exchangeable, and delta of a pair is its mean over draws (flow.Revealed). Pairs that meet
// once in a run do not meet again, and the probability to meet is known. The lottery samples
// pairs that met and pairs that did not, in some draws. Their energies are bounds; their mean is
// an estimate.
type lottery struct {
	draws     int
	apart, on int // sampled pairs a draw that did not meet, and that did
}

var fullLottery = lottery{2, 2, 5}

// sigma returns the least noise for the claim, of a run in which no two nodes can meet twice.
func (l lottery) sigma(s schedule.Gossip) (float64, error) {
	meet := float64(s.Rounds) / float64(s.Nodes-1)
	if s.Nodes%2 != 0 || meet > 1 {
		return 0, fmt.Errorf("%d rounds of matchings of %d nodes: some may meet twice", s.Rounds, s.Nodes)
	}
	var law flow.Revealed
	for draw := range l.draws {
		m := graph.NewRoundRobin(s.Nodes, uint64(1000+draw))
		s.W, s.Weights = nil, m
		accountant, err := flow.Of(s)
		if err != nil {
			return 0, err
		}
		met, random := meetings(m, s.Rounds), rand.New(rand.NewPCG(uint64(draw), 7))
		for times, count := range []int{l.apart, l.on} {
			probability := []float64{1 - meet, meet}[times] / float64(count*l.draws)
			for _, pair := range pairsThatMet(met, times, count, random) {
				best, err := accountant.Optimal(pair[0], pair[1])
				if err != nil {
					return 0, err
				}
				law.Energies, law.Probabilities = append(law.Energies, best.Energy), append(law.Probabilities, probability)
			}
		}
	}
	cal, err := law.Sigma(claimed, atDelta.Delta)
	return cal.Sigma, err
}

// meetings counts how often node u meets v, as [v][u].
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

// pairsThatMet draws pairs among those that met times times.
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
