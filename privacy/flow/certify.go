package flow

import "github.com/hearsay-dp/hearsay/internal/math"

// certify brings the plan within its bounds and absorbs everything where roles
// or stops say so. It returns the energies of that plan, one a source, rounded
// upwards as in Energy. They are infinite if a stop has no noise. c is set to
// the differences.
func (b *block) certify(c [][]float64) []float64 {
	energies, spent := make([]float64, b.cols), make([]float64, b.cols)
	for t := range c {
		b.arrived(c[t], t)
		if t > 0 {
			for k, x := range c[t] {
				c[t][k] = raised(x, b.longest+4)
			}
		}
		for k, u := range b.sources {
			at := u*b.cols + k
			c[t][at] = raised(c[t][at]+b.gives[t].at(u), 1)
		}
		b.p.round(c[t], t)
		clear(spent)
		for j := range b.n {
			lo, hi := j*b.cols, (j+1)*b.cols
			b.absorb(t, c[t][lo:hi], b.plan[t][lo:hi], b.scratch[lo:hi], b.roles[t][lo:hi], spent, b.noise[t].at(j), b.stops[t][j])
		}
		for k, s := range spent {
			energies[k] = raised(energies[k]+raised(s, b.n+4), 1)
		}
	}
	for k, e := range energies {
		if e > 0 {
			energies[k] += underflow
		}
		if math.IsNaN(e) {
			energies[k] = math.Inf(1)
		}
	}
	return energies
}

// absorb does one node and round of certify.
func (b *block) absorb(t int, c, plan, rest []float64, roles []role, spent []float64, std float64, stop bool) {
	for k, x := range c {
		take := min(max(plan[k], 0), x)
		switch {
		case std == 0 && stop && x > 0:
			take, spent[k] = 0, math.Inf(1)
		case std == 0:
			take = 0
		case stop || roles[k] == whole || math.IsNaN(take):
			take = x
		}
		take = b.p.settle(take, x, std)
		if take > 0 {
			spent[k] += float64((take / std) * (take / std))
		}
		plan[k], rest[k] = take, b.p.kept(x, take, t)
	}
}
