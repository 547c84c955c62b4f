package allpairs

import (
	"math"

	"github.com/hearsay-dp/hearsay/internal/tile"
)

// A series is a power series in s, cut after s^Orders: of the law of an energy e,
// E exp(s e), whose coefficients are E e^k / k!.
type series = [order]float64

// A rule says which contributions are put together, and what that costs.
//
// Seen from the end, a gap opens a cluster of one contribution. The next gap joins it if
// it leads back to u, is near, and is so much shorter that it pays; otherwise it
// opens the next one. A cluster of m contributions that opened with a near gap g costs at
// most m^2/(g+m-1); with a far one, at most sum_i (2i-1)/d_i, where d_i is the sum of g and
// the first i-1 gaps that joined. The norm of that, the k-th root of the mean of its k-th
// power, is at most sum_i (2i-1) times that of 1/d_i (Minkowski), which is one of transforms.
type rule struct {
	cap               int
	atoms             *atoms
	joins             []int         // joins[c]: so many of the shortest atoms join a cluster opened by atom c
	costs             [][]tile.Tile // costs[c][m-1] multiplies a series by -exp(s m^2/(g+m-1)), g the atom c
	mostNear, mostFar int           // contributions in a cluster that a near or a far gap opened
	most              int           // of the latter that can be
	far               []tile.Tile   // a tile for each Width of j: minus w[j], where sum_j w[j] z_j^d >= d^-k for near < d <= turns, k > 0
}

// largest are how many contributions are put together at most, if the gap is near and if it
// is far; the gap after that opens another cluster whatever it is. On large graphs, of many
// pairs, less time is taken for each.
func largest(nodes int) (near, far int) {
	if nodes > 1000 {
		return 5, 12
	}
	return 8, 24
}

// newRule tabulates costs for gaps up to turns, by the rates x.
func newRule(nodes, capped, turns int, x []float64) *rule {
	mostNear, mostFar := largest(nodes)
	r := &rule{cap: capped, mostNear: min(capped, mostNear), mostFar: mostFar, most: min(capped, mostFar), atoms: newAtoms(1.25)}
	for _, g := range r.atoms.gaps {
		joins, most := 0, 1
		for _, a := range r.atoms.gaps {
			if float64(a) <= joinShare*float64(g-1) {
				joins++
			}
		}
		if joins > 0 {
			most = r.mostNear
		}
		var costs []tile.Tile
		for m := 1; m <= most; m++ {
			costs = append(costs, multiplier(float64(m*m)/float64(g+m-1)))
		}
		r.joins, r.costs = append(r.joins, joins), append(r.costs, costs)
	}
	powers, fits := make([][]float64, order), newScale(x, near+1, max(near+2, turns))
	for k := 1; k < order; k++ {
		powers[k] = fits.above(k)
	}
	r.far = make([]tile.Tile, (len(x)+lanes-1)/lanes)
	for k := 1; k < order; k++ {
		for j, w := range powers[k] {
			r.far[j/lanes][j%lanes*order+k] = -w
		}
	}
	return r
}

// joinShare is by how much a gap has to be shorter than the one that opened a cluster.
const joinShare = 0.7

// multiplier is minus the matrix by which a row of coefficients is multiplied by exp(s e).
func multiplier(e float64) (t tile.Tile) {
	value := -1.0
	for k := range order {
		for i := 0; i+k < order; i++ {
			t[i*order+i+k] = value
		}
		value *= e / float64(k+1) * (1 + 0x1p-50)
	}
	return t
}

// A panel holds a series for each lane.
type panel = [lanes * order]float64

// gaps are the laws of the gaps of one node and the observers: near ones by atom, far ones
// by their transforms at every rate.
type gaps struct {
	back, hit, pass          []vector
	nearBack                 []vector // transforms of what is near
	farBack, farHit, farPass []vector
}

// A clusterer follows the moments of clusters. It owns only scratch memory.
type clusterer struct {
	*rule
	queue        [][]*panel // [c][m-1]: what m contributions that atom c opened a cluster of come after, times that they join
	open         []*panel   // [c]: clusters that may grow
	full         panel      // near clusters that may not
	farFull      panel
	totals       []*panel // the last mostFar totals
	join, all    panel
	chance       []vector // by atom: that a gap joins
	moves, stops []panel  // transforms of far gaps to a visit and of far passages, lane by lane
	run          []vector // nearBack^(m-1), by rate
	again, end   []panel  // [m-1]: a far gap, then m-1 that join it
}

func newClusterer(r *rule, rates int) *clusterer {
	c := &clusterer{rule: r, chance: make([]vector, len(r.joins))}
	for _, costs := range r.costs {
		queue := make([]*panel, len(costs))
		for m := range queue {
			queue[m] = new(panel)
		}
		c.queue, c.open = append(c.queue, queue), append(c.open, new(panel))
	}
	for range r.most {
		c.totals = append(c.totals, new(panel))
	}
	c.again, c.end = make([]panel, r.most), make([]panel, r.most)
	c.moves, c.stops = make([]panel, len(r.far)), make([]panel, len(r.far))
	c.run = make([]vector, rates)
	return c
}

// moments sets to[i] to the series of the energy of cap contributions, the first at the start
// and the last followed by a passage to v.
func (c *clusterer) moments(g *gaps, to *panel) {
	c.prepare(g)
	for a := range c.queue {
		for _, q := range c.queue[a] {
			*q = panel{}
		}
		for i := range lanes {
			c.queue[a][0][i*order] = g.pass[a][i]
		}
	}
	for j := 1; ; j++ {
		c.close()
		c.closeFar(j)
		c.sum()
		if j == c.cap {
			*to = c.all
			return
		}
		c.next(g)
		last := c.totals[len(c.totals)-1]
		copy(c.totals[1:], c.totals)
		c.totals[0], *last = last, c.all
	}
}

// prepare finds how likely gaps join, and what far gaps cost.
func (c *clusterer) prepare(g *gaps) {
	sum := vector{}
	next := 0
	for a, joins := range c.joins {
		for ; next < joins; next++ {
			for i, p := range g.back[next] {
				sum[i] += p
			}
		}
		c.chance[a] = sum
	}
	c.prepareFar(g)
}

// prepareFar finds the series of clusters that far gaps open.
func (c *clusterer) prepareFar(g *gaps) {
	chance, joined := &g.nearBack[0], vector{}
	for i := range joined {
		joined[i] = 1
	}
	for j := range c.run {
		c.run[j] = joined
	}
	var again, end norms
	again.start(chance)
	end.start(chance)
	for m := range c.again {
		for j := range c.run {
			run, near := &c.run[j], &g.nearBack[j]
			moves, stops := c.moves[j/lanes][j%lanes:], c.stops[j/lanes][j%lanes:]
			for i := range run {
				moves[i*order] = (g.farBack[j][i] + g.farHit[j][i]) * run[i]
				stops[i*order] = g.farPass[j][i] * run[i]
				run[i] *= near[i]
			}
		}
		again.add(m+1, c.far, c.moves, &c.again[m])
		end.add(m+1, c.far, c.stops, &c.end[m])
		for i := range joined {
			c.again[m][i*order] = (g.farBack[0][i] + g.farHit[0][i]) * joined[i]
			c.end[m][i*order] = g.farPass[0][i] * joined[i]
			joined[i] *= chance[i]
		}
	}
}

// norms are those of the costs of clusters, by lane and k.
type norms struct {
	chance panel // the k-th root of the chance that a gap joins
	sum    panel
}

func (n *norms) start(chance *vector) {
	for i, p := range chance {
		for k := 1; k < order; k++ {
			n.chance[i*order+k] = root(p, k)
		}
	}
}

// add puts contribution m into the clusters, whose distance from the end has the transforms
// that are given, and sets to to the k-th powers of the norms over k!.
func (n *norms) add(m int, weights []tile.Tile, transforms []panel, to *panel) {
	*to = panel{}
	for b := range weights {
		tile.Minus(to[:], transforms[b][:], &weights[b])
	}
	for i := 0; i < len(to); i += order {
		factorial := 1.0
		for k := 1; k < order; k++ {
			sum := n.chance[i+k]*n.sum[i+k] + float64(2*m-1)*root(to[i+k], k)
			n.sum[i+k] = sum
			factorial *= float64(k)
			to[i+k] = power(sum, k) / factorial
		}
	}
}

// root is the k-th root, rounded up.
func root(x float64, k int) float64 {
	switch {
	case k == 1 || x == 0:
		return x
	case k == 2:
		return math.Sqrt(x) * (1 + 0x1p-50)
	}
	return math.Exp(math.Log(x)/float64(k)) * (1 + 0x1p-44)
}

func power(x float64, k int) float64 {
	y := 1.0
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}

// close ends the clusters that near gaps opened.
func (c *clusterer) close() {
	c.full = panel{}
	for a, costs := range c.costs {
		*c.open[a] = panel{}
		for m := range costs {
			to := c.open[a]
			if m > 0 && m == len(costs)-1 {
				to = &c.full
			}
			tile.Minus(to[:], c.queue[a][m][:], &costs[m])
		}
	}
}

// closeFar ends the clusters that far gaps opened, with j contributions.
func (c *clusterer) closeFar(j int) {
	c.all, c.farFull = panel{}, panel{}
	for m := range min(j, c.most) {
		to := &c.all
		if m == c.mostFar-1 {
			to = &c.farFull
		}
		if m == j-1 {
			plus(to, &c.end[m])
			continue
		}
		for i := 0; i < len(to); i += order {
			multiply((*series)(to[i:]), (*series)(c.totals[m][i:]), (*series)(c.again[m][i:]))
		}
	}
}

// multiply adds the product of two series.
func multiply(to, a, b *series) {
	for i, x := range a {
		if x == 0 {
			continue
		}
		rest := to[i:]
		for k, y := range b[:len(rest)] {
			rest[k] += x * y
		}
	}
}

// sum adds everything up in all.
func (c *clusterer) sum() {
	plus(&c.all, &c.full)
	plus(&c.all, &c.farFull)
	for _, p := range c.open {
		plus(&c.all, p)
	}
}

func plus(to, p *panel) {
	for i, x := range p {
		to[i] += x
	}
}

// next puts one more gap in front: queue[a][0] is then what a cluster that atom a opens
// comes after, and the others have one contribution more.
func (c *clusterer) next(g *gaps) {
	c.join = c.full
	plus(&c.join, &c.farFull)
	apart := 0
	for a, queue := range c.queue {
		for ; apart < len(c.joins) && c.joins[apart] <= a; apart++ {
			plus(&c.join, c.open[apart])
		}
		last := queue[len(queue)-1]
		copy(queue[1:], queue)
		for _, q := range queue[1:] {
			times(q, &c.chance[a])
		}
		queue[0] = last
		for i := range lanes {
			back, hit := g.back[a][i], g.hit[a][i]
			to, all, split := last[i*order:][:order], c.all[i*order:][:order], c.join[i*order:][:order]
			for k := range to {
				to[k] = hit*all[k] + back*split[k]
			}
		}
	}
}

func times(p *panel, by *vector) {
	for i, f := range by {
		row := p[i*order:][:order]
		for k := range row {
			row[k] *= f
		}
	}
}
