package papers

import (
	"context"
	"fmt"

	"github.com/hearsay-dp/hearsay/graph/gen"
)

// figure42 reproduces 002 Figure 4.2: the share of nodes that one, two or three attackers reconstruct on Erdos-Renyi
// graphs.
func figure42() Study {
	return Study{
		ID: "002-figure-4.2", Title: "Share of nodes reconstructed on Erdos-Renyi graphs by one, two or three attackers", Source: "002 Figure 4.2",
		compute: shareOfRandom{sizes: []int{50, 100, 200}, degrees: []float64{3, 4, 5, 6}, graphs: 20}.run,
		quick:   shareOfRandom{sizes: []int{40, 60}, degrees: []float64{3, 5}, graphs: 6}.run,
	}
}

// A shareOfRandom draws graphs with a given expected degree, because 002 does not give its sizes and probabilities as
// numbers.
type shareOfRandom struct {
	sizes   []int
	degrees []float64
	graphs  int
}

func (s shareOfRandom) run(ctx context.Context, _ string, say func(string)) (*Findings, error) {
	table := Table{Name: "table", Header: []string{"nodes", "n x p", "attackers", "mean share", "std"}}
	var all []attacked
	for _, n := range s.sizes {
		for k, degree := range s.degrees {
			for attackers := 1; attackers <= 3; attackers++ {
				shares, near, err := s.shares(ctx, n, degree, attackers)
				if err != nil {
					return nil, err
				}
				share, std := overSome(shares)
				table.Rows = append(table.Rows, []string{fmt.Sprint(n), number(degree), fmt.Sprint(attackers), number(share), number(std)})
				all = append(all, attacked{k, attackers, share, near})
			}
		}
		say(fmt.Sprintf("%d nodes: done", n))
	}
	f := &Findings{Tables: []Table{table}, Charts: []Chart{{"figure", s.panels(all)}}}
	f.judge(&all, func() []Check { return s.checks(all) })
	return f, nil
}

// panels draws the shares over the expected degree, a panel for each size.
func (s shareOfRandom) panels(all []attacked) (panels []Panel) {
	each := 3 * len(s.degrees)
	for k, n := range s.sizes {
		p := Panel{Title: fmt.Sprintf("%d nodes", n), X: "n x p", Y: "share reconstructed", Linear: true}
		for attackers := 1; attackers <= 3; attackers++ {
			l := Line{Name: fmt.Sprintf("%d attackers", attackers)}
			for _, a := range all[k*each : (k+1)*each] {
				if a.attackers == attackers {
					l.X, l.Y = append(l.X, s.degrees[a.degree]), append(l.Y, a.share)
				}
			}
			p.Lines = append(p.Lines, l)
		}
		panels = append(panels, p)
	}
	return panels
}

// An attacked holds the mean share that some attackers reconstruct on graphs of one expected degree, and the mean share
// of neighbours.
type attacked struct {
	degree, attackers int // index into the degrees; number of attackers
	share, near       float64
}

func (s shareOfRandom) checks(all []attacked) []Check {
	byDegree, byAttackers, beyond, rows := make([]float64, len(s.degrees)), make([]float64, 3), 0, 0
	for _, a := range all {
		byAttackers[a.attackers-1] += a.share
		if a.attackers == 1 {
			byDegree[a.degree] += a.share
			if rows++; a.share > a.near {
				beyond++
			}
		}
	}
	return []Check{
		{"one attacker reconstructs more than its neighbours", AsPublished, beyond == rows && rows > 0,
			fmt.Sprintf("on average in %d of %d settings", beyond, rows)},
		{"more attackers reconstruct more", AsPublished, rising(byAttackers), fmt.Sprintf("sums of mean shares %.3g", byAttackers)},
		{"the share is larger on the graphs with most edges than on those with fewest", AsPublished, byDegree[len(byDegree)-1] > byDegree[0],
			fmt.Sprintf("sums of mean shares %.3g at n x p of %v", byDegree, s.degrees)},
	}
}

// shares returns the share of other nodes that is reconstructed on each graph, and the mean share of neighbours of the
// first attacker.
func (s shareOfRandom) shares(ctx context.Context, n int, degree float64, attackers int) (shares []float64, near float64, err error) {
	for seed := range s.graphs {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		g, err := gen.Parse(fmt.Sprintf("er:n=%d,p=%g,seed=%d", n, degree/float64(n), seed+1), 1)
		if err != nil {
			return nil, 0, err
		}
		found, err := reconstructedBy(g, everyone(attackers), fewRounds)
		if err != nil {
			return nil, 0, err
		}
		shares = append(shares, float64(len(found)-attackers)/float64(n-attackers))
		near += float64(len(g.Neighbours(0))) / float64(n-1) / float64(s.graphs)
	}
	return shares, near, nil
}
