package gossipview

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/parallel"
	"github.com/hearsay-dp/hearsay/privacy"
)

// MostCoalitions is the largest number of coalitions that are examined, one by one.
const MostCoalitions = 20_000

// A Pool holds the leakages towards any coalition of a size.
type Pool struct {
	privacy.Claim
	Size  int
	Worst []float64 // by node, the largest leakage to a coalition that it is not in
	To    [][]int   // by node, that coalition, the first of several in ascending order
}

// Coalitions examines every coalition of a size from 1 to n-1, on at most workers goroutines. The result does
// not depend on workers. A coalition has one joint view, so that each leakage is as exact as towards a single
// observer. It is an error if there are more than MostCoalitions.
func (g *Accountant) Coalitions(size, workers int) (*Pool, error) {
	if size < 1 || size >= g.n {
		return nil, fault.New(fmt.Sprintf("a coalition of %d of %d nodes", size, g.n), "give 1 or more, and fewer than there are nodes")
	}
	all := coalitions(g.n, size, MostCoalitions+1)
	if len(all) > MostCoalitions {
		return nil, fault.New(fmt.Sprintf("more than %d coalitions of %d of %d nodes", MostCoalitions, size, g.n), "ask about fewer together; the local loss holds towards any number of nodes")
	}
	leakages, certainties := make([][]float64, len(all)), make([]Certainty, len(all))
	parallel.Each(len(all), workers, func(i int) {
		v := g.view(all[i], allPairs)
		certainties[i], leakages[i] = v.certainty, make([]float64, g.n)
		for u := range leakages[i] {
			leakages[i][u] = v.Leakage(u)
		}
	})
	p := &Pool{Size: size, Worst: make([]float64, g.n), To: make([][]int, g.n)}
	decided := map[Certainty]int{}
	for i, coalition := range all {
		decided[certainties[i]]++
		for u, leakage := range leakages[i] {
			if !slices.Contains(coalition, u) && (p.To[u] == nil || leakage > p.Worst[u]) {
				p.Worst[u], p.To[u] = leakage, coalition
			}
		}
	}
	p.Claim = pooled(decided, fmt.Sprintf("any %d observers put together what they see, and nobody else with them", size))
	return p, nil
}

// coalitions returns the subsets of a size of n nodes, in ascending order, at most most of them.
func coalitions(n, size, most int) (all [][]int) {
	own := make([]int, size)
	for i := range own {
		own[i] = i
	}
	for len(all) < most {
		all = append(all, slices.Clone(own))
		at := size - 1
		for at >= 0 && own[at] == n-size+at {
			at--
		}
		if at < 0 {
			return all
		}
		own[at]++
		for i := at + 1; i < size; i++ {
			own[i] = own[i-1] + 1
		}
	}
	return all
}
