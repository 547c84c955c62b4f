package allpairs

import "github.com/hearsay-dp/hearsay/internal/tile"

// A series is a power series in s up to s^Orders. For the law of an energy e it is E exp(s e), with
// coefficients E e^k / k!. A panel holds one series for each lane.
type (
	series = [order]float64
	panel  = tile.Tile
)

// A rule defines which contributions form a cluster, and the cost of a cluster.
//
// Seen from the end, a gap opens a cluster of one contribution. The next gap joins it if it leads back to u. If
// a near gap opened the cluster, the next gap must also be shorter by so much that joining pays. Otherwise it
// opens the next cluster. A cluster of m contributions opened by a near gap g costs at most m^2/(g+m-1). One
// opened by a far gap costs at most sum_i (2i-1)/d_i, where d_i is the sum of g and the first i-1 gaps that
// joined. The norm of that cost, the k-th root of the mean of its k-th power, is at most sum_i (2i-1) times the
// norm of 1/d_i (Minkowski), which follows from transforms.
type rule struct {
	cap               int
	atoms             *atoms
	joins             []int            // joins[c]: this number of the shortest atoms join a cluster opened by atom c
	costs             [][]tile.Factors // costs[c][m-1] is exp(s m^2/(g+m-1)), g the atom c
	mostNear, mostFar int              // most contributions in a cluster opened by a near gap, and by a far one
	most              int              // mostFar, or cap if that is smaller
	far               []float64        // [j*order+k], where sum_j far[j*order+k] z_j^d >= d^-k for near < d <= turns, k > 0
}

// clusterSizes returns the largest number of contributions in a cluster opened by a near gap, and by a far one.
// The gap after that opens another cluster in any case. Large graphs have many pairs and get smaller clusters,
// which take less time.
func clusterSizes(nodes int) (near, far int) {
	if nodes > 1000 {
		return 5, 12
	}
	return 8, 24
}

// newRule tabulates costs for gaps up to turns. x are the rates of the transforms.
func newRule(nodes, capped, turns int, x []float64) *rule {
	mostNear, mostFar := clusterSizes(nodes)
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
		var costs []tile.Factors
		for m := 1; m <= most; m++ {
			costs = append(costs, exponential(float64(m*m)/float64(g+m-1)))
		}
		r.joins, r.costs = append(r.joins, joins), append(r.costs, costs)
	}
	fits := newScale(x, near+1, max(near+2, turns))
	r.far = make([]float64, len(x)*order)
	for k := 1; k < order; k++ {
		for j, w := range fits.above(k) {
			r.far[j*order+k] = w
		}
	}
	return r
}

// joinShare is the largest ratio of a gap to the one that opened a cluster at which it joins.
const joinShare = 0.7

// exponential returns the series of exp(s e).
func exponential(e float64) tile.Factors {
	var coefficients series
	value := 1.0
	for k := range coefficients {
		coefficients[k] = value
		value *= e / float64(k+1) * (1 + 0x1p-50)
	}
	return tile.NewFactors(&coefficients)
}

// gaps holds the laws of the gaps of one node and the observers: near gaps by atom, far ones by their
// transforms at every rate.
type gaps struct {
	back, hit, pass          []vector
	nearBack                 []vector // transforms of near gaps
	farBack, farHit, farPass []vector
}

// A clusterer computes the moments of clusters. It owns only scratch memory.
type clusterer struct {
	*rule
	queue        []history // by atom: the series that precede 1, 2, .. contributions of a cluster that it opened
	open         []panel   // by atom: clusters that may grow
	full         panel     // near clusters that may not
	farOpen      panel     // far clusters that may grow
	farFull      panel
	totals       history // the last mostFar
	apart        history // those of totals that far returns do not join
	join, all    panel
	near         panel         // all but farOpen
	chance, last []vector      // by atom: the probability that a gap joins, and that as many join as may
	run          []vector      // transforms of m-1 gaps that join, by rate
	scratch      []float64     // transforms of m gaps, [j*lanes+i]
	again, back  []tile.Series // [m-1]: a far hit, and a far return that joins no cluster, then m-1 gaps that join it
	end          []panel       // likewise for a far passage
}

func newClusterer(r *rule, rates int) *clusterer {
	c := &clusterer{rule: r, chance: make([]vector, len(r.joins)), last: make([]vector, len(r.joins)), totals: newHistory(r.most), apart: newHistory(r.most)}
	for _, costs := range r.costs {
		c.queue = append(c.queue, newHistory(len(costs)))
	}
	c.open = make([]panel, len(r.costs))
	c.again, c.back, c.end = make([]tile.Series, r.most), make([]tile.Series, r.most), make([]panel, r.most)
	c.scratch = make([]float64, rates*lanes)
	c.run = make([]vector, rates)
	return c
}

// A history holds the last panels that were pushed.
type history struct {
	most  int
	first int     // index in list of the panel that was pushed last
	list  []panel // from first to most beyond it
}

const spare = 24

func newHistory(most int) history {
	return history{most: most, first: spare, list: make([]panel, spare+most)}
}

// push makes room for one more panel and returns it.
func (h *history) push() *panel {
	if h.first == 0 {
		h.first = len(h.list) - h.most + 1
		copy(h.list[h.first:], h.list[:h.most-1])
	}
	h.first--
	return &h.list[h.first]
}

// latest returns the last count panels, the last one first.
func (h *history) latest(count int) []panel { return h.list[h.first : h.first+count] }

// together is the number of contributions that are followed in one pass. Beyond it, the gap after each pass
// opens a cluster in any case, so that the series of the passes multiply.
const together = 128

// moments sets to to the series of the energy of cap contributions. The last contribution is followed by a
// passage to v.
func (c *clusterer) moments(g *gaps, to *panel) {
	c.prepare(g)
	parts := (c.cap - 1) / together
	c.follow(g, c.cap-parts*together, func(a, i int) float64 { return g.pass[a][i] }, c.end)
	*to = c.all
	if parts == 0 {
		return
	}
	for m := range c.end {
		for k := range order {
			*row(&c.end[m], k) = *c.again[m].Row(k)
			for i, p := range c.back[m].Row(k) {
				row(&c.end[m], k)[i] += p
			}
		}
	}
	c.follow(g, together, func(a, i int) float64 { return g.back[a][i] + g.hit[a][i] }, c.end)
	for power := c.all; ; {
		if parts&1 == 1 {
			product(to, to, &power)
		}
		if parts >>= 1; parts == 0 {
			return
		}
		product(&power, &power, &power)
	}
}

// product multiplies series. to may be a or b.
func product(to, a, b *panel) {
	var with tile.Series
	for k := range order {
		*with.Row(k) = *row(b, k)
	}
	var sum panel
	tile.Multiply(&sum, []panel{*a}, []tile.Series{with})
	*to = sum
}

// follow sets all to the series of so many contributions. The law of the gap after the last one is last if it
// is near, by atom and lane. far holds the clusters that it opens if it is far.
func (c *clusterer) follow(g *gaps, contributions int, last func(a, i int) float64, far []panel) {
	for a := range c.queue {
		first := c.queue[a].push()
		*first = panel{}
		for i := range lanes {
			first[i] = last(a, i)
		}
	}
	for j := 1; ; j++ {
		c.close(j)
		c.closeFar(j, far)
		c.sum()
		if j == contributions {
			return
		}
		c.next(g)
		*c.totals.push() = c.all
		*c.apart.push() = c.near
	}
}

// row returns the coefficients of order k.
func row(p *panel, k int) *vector { return (*vector)(p[k*lanes:]) }

// ones is the factor that leaves a panel unchanged.
var ones = func() (v vector) {
	for i := range v {
		v[i] = 1
	}
	return v
}()

func plus(to, p *panel) { tile.Mix(to, to, &ones, p, &ones) }

// prepare computes the probabilities that gaps join, and the costs of far gaps.
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
		for i, p := range sum {
			c.last[a][i] = tile.Power(p, len(c.costs[a])-1)
		}
	}
	c.prepareFar(g)
}

// prepareFar computes the series of clusters that far gaps open.
func (c *clusterer) prepareFar(g *gaps) {
	for j := range c.run {
		c.run[j] = ones
	}
	join := func(j int) (joins vector) {
		for i, p := range g.farBack[j] {
			joins[i] = min(1, g.nearBack[j][i]+p)
		}
		return joins
	}
	chance, joined := join(0), ones
	var again, back, end norms
	again.start(&chance)
	back.chance, end.chance = again.chance, again.chance
	var costs panel
	for m := range c.end {
		mass := func(row *vector, law func(j, i int) float64) {
			for i, p := range joined {
				row[i] = law(0, i) * p
			}
		}
		find := func(n *norms, to *tile.Series, law func(j, i int) float64) {
			n.add(m+1, c.far, c.transforms(law), &costs)
			for k := 1; k < order; k++ {
				*to.Row(k) = *row(&costs, k)
			}
			mass(to.Row(0), law)
		}
		find(&again, &c.again[m], func(j, i int) float64 { return g.farHit[j][i] })
		find(&back, &c.back[m], func(j, i int) float64 { return g.farBack[j][i] })
		stop := func(j, i int) float64 { return g.farPass[j][i] }
		end.add(m+1, c.far, c.transforms(stop), &c.end[m])
		mass(row(&c.end[m], 0), stop)
		for j := range c.run {
			run, joins := &c.run[j], join(j)
			for i := range run {
				run[i] *= joins[i]
			}
		}
		for i := range joined {
			joined[i] *= chance[i]
		}
	}
}

// transforms returns the transforms of a gap plus the gaps that joined it.
func (c *clusterer) transforms(law func(j, i int) float64) []float64 {
	for j := range c.run {
		to, run := (*vector)(c.scratch[j*lanes:]), &c.run[j]
		for i := range to {
			to[i] = law(j, i) * run[i]
		}
	}
	return c.scratch
}

// norms holds the norms of the costs of clusters, by k and lane.
type norms struct {
	chance panel // the k-th root of the probability that a gap joins
	sum    panel
}

func (n *norms) start(chance *vector) {
	for k := 1; k < order; k++ {
		tile.Roots(row(&n.chance, k), chance, k)
	}
}

// add adds contribution m to the clusters, and sets to to the k-th powers of the norms over k!. transforms are
// those of the contribution's distance from the end.
func (n *norms) add(m int, weights, transforms []float64, to *panel) {
	tile.Cross(to, weights, transforms)
	place, factorial := float64(2*m-1), 1.0
	for k := 1; k < order; k++ {
		factorial /= float64(k)
		tile.Norm(row(to, k), row(&n.sum, k), row(&n.chance, k), k, place, factorial)
	}
}

// close computes the series that end with a cluster opened by a near gap, of j contributions.
func (c *clusterer) close(j int) {
	c.full = panel{}
	for a, costs := range c.costs {
		most := len(costs)
		some := min(j, max(1, most-1))
		list := c.queue[a].latest(most)
		c.open[a] = panel{}
		tile.Fold(&c.open[a], list[:some], &c.chance[a], costs[:some])
		if most > 1 && j >= most {
			var last panel
			tile.Fold(&last, list[most-1:], &ones, costs[most-1:])
			tile.Mix(&c.full, &c.full, &ones, &last, &c.last[a])
		}
	}
}

// closeFar computes the series that end with a cluster opened by a far gap, of j contributions. end holds the
// clusters of the last gap.
func (c *clusterer) closeFar(j int, end []panel) {
	c.farOpen, c.farFull = panel{}, panel{}
	some := min(j-1, c.most)
	open := min(some, c.mostFar-1)
	list := c.totals.latest(some)
	tile.Multiply(&c.farOpen, list[:open], c.again[:open])
	tile.Multiply(&c.farFull, list[open:], c.again[open:some])
	list = c.apart.latest(some)
	tile.Multiply(&c.farOpen, list[:open], c.back[:open])
	tile.Multiply(&c.farFull, list[open:], c.back[open:some])
	switch {
	case j > c.most:
	case j == c.mostFar:
		plus(&c.farFull, &end[j-1])
	default:
		plus(&c.farOpen, &end[j-1])
	}
}

// sum adds up all series in all.
func (c *clusterer) sum() {
	c.near = c.full
	plus(&c.near, &c.farFull)
	for a := range c.open {
		plus(&c.near, &c.open[a])
	}
	c.all = c.near
	plus(&c.all, &c.farOpen)
}

// next prepends one more gap, which opens a cluster unless it joined one.
func (c *clusterer) next(g *gaps) {
	c.join = c.full
	plus(&c.join, &c.farFull)
	apart := 0
	for a := range c.queue {
		for ; apart < len(c.joins) && c.joins[apart] <= a; apart++ {
			plus(&c.join, &c.open[apart])
		}
		tile.Mix(c.queue[a].push(), &c.all, &g.hit[a], &c.join, &g.back[a])
	}
}
