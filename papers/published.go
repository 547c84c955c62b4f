package papers

import (
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/privacy/walkpublished"
	"github.com/hearsay-dp/hearsay/report"
)

// localUnit is the unit of all published curves. At order 2 and sigma = 1 the
// local loss of one contribution is 1.
const localUnit = "local loss of one contribution"

// publishedGossip returns 002 equation 6.3 from the nodes of t towards all
// others. It charges W^t although the accelerated scheme sends a polynomial of
// W. extra is the number of messages beyond the stopping time; the papers' code
// has 1. If most is positive, losses are clipped at it.
func (t *topology) publishedGossip(extra int, most float64) (Curve, error) {
	accountant, err := gossipview.New(t.w, t.rounds()+extra)
	if err != nil {
		return Curve{}, err
	}
	sums := accountant.PublishedSum(workers())
	c := Curve{Graph: t.name, Name: "gossip, sum over messages", Unit: localUnit, Status: report.Published, Rounds: t.rounds() + extra}
	c.Points = t.fromNodes(func(u, v int) float64 { return clipped(sums.At(u, v), most) })
	return c, nil
}

// publishedWalk returns the curve of 000's code: T/n contributions, each
// charged (alpha/sigma^2) S with S in closed form, and losses clipped at the
// local one. With a known sender S is the largest over the neighbours of v.
func (t *topology) publishedWalk(known bool) (Curve, error) {
	accountant, err := walkpublished.New(t.w, t.turns(), walkpublished.ClosedForm)
	if err != nil {
		return Curve{}, err
	}
	row, from := make([]float64, t.g.Len()), -1
	c := Curve{Graph: t.name, Name: "walk, hidden sender", Unit: localUnit, Status: report.Published, Rounds: t.turns()}
	if known {
		c.Name = "walk, known sender"
	}
	c.Points = t.fromNodes(func(u, v int) float64 {
		if u != from && err == nil {
			from, err = u, accountant.Row(row, u, 1)
		}
		s := row[v]
		if known {
			s = t.largestBeside(row, v)
		}
		return clipped(2*t.contributions()*s, 1)
	})
	return c, err
}

// fromNodes collects losses from the nodes of t towards all others.
func (t *topology) fromNodes(loss func(u, v int) float64) []Point {
	found := tally{}
	for _, u := range t.nodes {
		hops := t.hops(u)
		for v := range t.g.Len() {
			if v != u {
				found.add(int(hops[v]), loss(u, v))
			}
		}
	}
	return found.points()
}

// largestBeside returns the largest entry of row at the neighbours of v.
func (t *topology) largestBeside(row []float64, v int) float64 {
	most := 0.0
	for _, w := range t.g.Neighbours(v) {
		most = max(most, row[w])
	}
	return most
}

func clipped(x, most float64) float64 {
	if most > 0 {
		return min(x, most)
	}
	return x
}
