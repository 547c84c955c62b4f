package flow

import (
	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/math"
)

// A trace holds a plan round by round, for derivatives: the differences c, the absorbed
// parts a, and at least |P| times each.
type trace struct{ c, a, pc, pa [][]float64 }

func newTrace(rounds, n int) *trace {
	tr := &trace{}
	for _, x := range []*[][]float64{&tr.c, &tr.a, &tr.pc, &tr.pa} {
		*x = make([][]float64, rounds)
		for t := range *x {
			(*x)[t] = make([]float64, n)
		}
	}
	return tr
}

// follow evaluates a plan behind veils and returns its energy, rounded upwards. absorb sets
// a to the absorbed part of c, between 0 and c. see may be nil, and ends the rounds by
// returning false. A NaN becomes +Inf.
func (a *Accountant) follow(veils []*veil, u int, tr *trace, absorb func(t int, c, a []float64) error, see func(t int, r Round) bool) (float64, error) {
	n, energy := a.n, 0.0
	rest, cost := make([]float64, n), make([]float64, n)
	for t, v := range veils {
		c, take := tr.c[t], tr.a[t]
		clear(c)
		if before := t - 1; t > 0 {
			veils[before].upper(c, &veils[before].leaves, rest, veils[before].slack)
			for j, x := range c {
				c[j] = raised(a.spread[t].at(j)*x, 2)
			}
		}
		c[u] = raised(c[u]+a.gives[t].at(u), 1)
		if err := absorb(t, c, take); err != nil {
			return 0, err
		}
		spent, public := 0.0, a.p.Final && t == a.p.Rounds-1
		if public {
			copy(take, c)
		} else {
			v.see(tr.pc[t], c)
			v.see(tr.pa[t], take)
		}
		for j, x := range c {
			y := take[j]
			if cost[j] = float64(y * y); !public {
				cost[j] += max(0, raised(x*tr.pc[t][j], n+6)-float64(y*tr.pa[t][j]*(1-float64(float64(n+8)*0x1p-52))))
			}
			rest[j] = left(x, y)
			spent += cost[j]
		}
		energy = raised(energy+raised(spent, n+8), 1)
		if see != nil && !see(t, Round{Arrived: c, Absorbed: take, Cost: cost, Left: rest, Seen: a.p.seen(t, v.observes)}) {
			break
		}
	}
	if energy > 0 {
		energy += underflow
	}
	if math.IsNaN(energy) {
		energy = math.Inf(1)
	}
	return energy, nil
}

// share returns the energy of absorbing a fixed part of all arrivals, in every round but the
// last, after which nothing is seen.
func (a *Accountant) share(veils []*veil, u int, part float64, tr *trace) float64 {
	energy, _ := a.follow(veils, u, tr, func(t int, c, take []float64) error {
		for j, x := range c {
			take[j] = part * x
			if t == len(veils)-1 {
				take[j] = 0
			}
		}
		return nil
	}, nil)
	return energy
}

// parts lists the shares that are tried.
var parts = []float64{1, 0.35, 0.2, 0.1, 0.05, 0.02, 0}

// fewParts lists the shares that are tried if there are many pairs.
var fewParts = []float64{1, 0.2, 0.05}

// bestShare returns the least energy over shares, and its share.
func (a *Accountant) bestShare(veils []*veil, u int, parts []float64, tr *trace) (energy, best float64) {
	energy = math.Inf(1)
	for _, part := range parts {
		if e := a.share(veils, u, part, tr); e < energy {
			energy, best = e, part
		}
	}
	return energy, best
}

// descent improves the shares of nodes and rounds by gradients. With g the derivative of the
// energy by the amount a node absorbs, the node's share moves by -step g/(2c). That is a
// Newton step if P and later rounds are 0. Every point that it tries is a plan.
type descent struct {
	*Accountant
	veils  []*veil
	u      int
	shares [][]float64 // by round and node
	tried  [][]float64
	now    *trace
	next   *trace
	energy float64
	step   float64
}

func (a *Accountant) newDescent(veils []*veil, u int, parts []float64) *descent {
	d := &descent{Accountant: a, veils: veils, u: u, now: newTrace(len(veils), a.n), next: newTrace(len(veils), a.n), step: 0.5}
	energy, part := a.bestShare(veils, u, parts, d.now)
	d.shares, d.tried = newTrace(len(veils), a.n).c, newTrace(len(veils), a.n).c
	for t := range len(veils) - 1 {
		for j := range d.shares[t] {
			d.shares[t][j] = part
		}
	}
	d.energy = energy
	d.share(veils, u, part, d.now)
	return d
}

// at returns the energy of shares.
func (d *descent) at(shares [][]float64, tr *trace) float64 {
	energy, _ := d.follow(d.veils, d.u, tr, func(t int, c, take []float64) error {
		for j, x := range c {
			take[j] = shares[t][j] * x
		}
		return nil
	}, nil)
	return energy
}

// run takes at most steps steps. It stops after a step that lowers the energy by less than
// gain times itself.
func (d *descent) run(steps int, gain float64) {
	for range steps {
		before := d.energy
		if !d.better() || d.energy > before*(1-gain) {
			return
		}
	}
}

// better takes a step, or shorter ones if it raises the energy. It reports whether a step
// lowered the energy.
func (d *descent) better() bool {
	slopes := d.slopes()
	for range 12 {
		for t, shares := range d.shares {
			for j, share := range shares {
				d.tried[t][j] = share
				if c := d.now.c[t][j]; c > 0 && t+1 < len(d.veils) {
					d.tried[t][j] = min(1, max(0, share-d.step*slopes[t][j]/(2*c)))
				}
			}
		}
		if e := d.at(d.tried, d.next); e < d.energy {
			d.energy, d.shares, d.tried, d.now, d.next = e, d.tried, d.shares, d.next, d.now
			d.step = min(2, 1.5*d.step)
			return true
		}
		d.step /= 2
	}
	return false
}

// slopes returns the derivatives of the energy by the absorbed amounts, with the shares of
// later rounds fixed.
func (d *descent) slopes() [][]float64 {
	n, slopes := d.n, make([][]float64, len(d.veils))
	arrives, passed := make([]float64, n), make([]float64, n) // cost of a unit that arrives, or is passed on
	for t := len(d.veils) - 1; t >= 0; t-- {
		slopes[t] = make([]float64, n)
		public := d.p.Final && t == d.p.Rounds-1
		for j := range n {
			c, a := d.now.c[t][j], d.now.a[t][j]
			if public {
				arrives[j] = 2 * c
				continue
			}
			slopes[t][j] = float64(2*(a-d.now.pa[t][j])) - passed[j]
			arrives[j] = float64(2*d.now.pc[t][j]) + passed[j] + float64(d.shares[t][j]*slopes[t][j])
		}
		if t > 0 {
			scale(arrives, d.spread[t], 1)
			d.veils[t-1].worth(passed, arrives)
		}
	}
	return slopes
}

// worth sets dst to |M_K (I-P)|' x.
func (v *veil) worth(dst, x []float64) {
	clear(dst)
	from := 0
	for i, end := range v.leaves.ends {
		for k := from; k < end && x[i] != 0; k++ {
			dst[v.leaves.columns[k]] += float64(v.leaves.values[k] * x[i])
		}
		from = end
	}
}

// plan returns the plan of the shares.
func (d *descent) plan(observers []int) Plan {
	plan := Plan{U: d.u, Observers: append([]int{}, observers...)}
	for t := range d.veils {
		var b Absorption
		for j, x := range d.now.a[t] {
			if x > 0 {
				b.Nodes, b.Amounts = append(b.Nodes, int32(j)), append(b.Amounts, x)
			}
		}
		plan.Rounds = append(plan.Rounds, b)
	}
	return plan
}

// onePairSteps is the largest number of gradients for one pair, manyPairSteps that for one
// of many.
const onePairSteps, manyPairSteps = 60, 8

// optimalAveraged is Optimal for several turns on one draw of noise. It returns the best
// plan found, which need not have the least energy. Floor is unknown, 0.
func (a *Accountant) optimalAveraged(u int, observers []int) (Best, error) {
	veils, err := a.veils(observers)
	if err != nil {
		return Best{}, err
	}
	d := a.newDescent(veils, u, parts)
	d.run(onePairSteps, 1e-4)
	plan := d.plan(observers)
	energy, err := a.Check(plan)
	if err != nil {
		return Best{}, fault.Wrap(err, "the flow accountant made a plan that is none", "report this with the command that led here")
	}
	return Best{Energy: a.of(u, energy), Plan: plan}, nil
}

// nearAveraged returns a solver's upper bound from u, close to the best known.
func (a *Accountant) nearAveraged(veils []*veil, u int) float64 {
	d := a.newDescent(veils, u, fewParts)
	d.run(manyPairSteps, 1e-3)
	return d.energy
}
