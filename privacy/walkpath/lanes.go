package walkpath

import "slices"

// A law is bounded at several rates (renewal.rates), which differ in the weights of their gaps only. The grid
// of energies and the costs of spreading are the same. Following several lanes together therefore computes each
// target on the grid only once, and the sums of different lanes are independent instructions. Each lane has the
// bits that it has alone.

// A quad holds one number for each lane.
type quad [lanes]float64

const lanes = 4

func (q *quad) zero() bool { return q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0 }

// A lane is one law to follow, given the transitions between distances and the law of the first distance.
type lane struct {
	table *gapTable
	first []float64
}

// followTogether returns excursionModel.follow of every lane. Their tables must be over the same gaps.
func followTogether(energies grid, list []lane, most int, enough float64) [][][]float64 {
	var laws [][][]float64
	for lo := 0; lo < len(list); lo += lanes {
		laws = append(laws, newQuads(energies, list[lo:min(lo+lanes, len(list))]).follow(most, enough)...)
	}
	return laws
}

// quads holds the state of excursionModel.follow for up to lanes laws.
type quads struct {
	energies    grid
	gaps        grid
	list        []lane
	step        [][]quad // step[i][t]: a return from distance gaps[i] to gaps[t]; 0 in lanes that have stopped
	state, next [][]quad // laws of energies for each distance
}

func newQuads(energies grid, list []lane) *quads {
	q := &quads{energies: energies, gaps: list[0].table.gaps, list: list}
	q.step, q.state, q.next = quadField(len(q.gaps), len(q.gaps)), quadField(len(q.gaps), len(energies)), quadField(len(q.gaps), len(energies))
	row := make([]float64, len(energies))
	for l, one := range list {
		for i, p := range one.first {
			clear(row)
			energies.put(row, spreadCost(1, 0, q.gaps[i]), p)
			for k, mass := range row {
				q.state[i][k][l] = mass
			}
			for t, mass := range one.table.step[i] {
				q.step[i][t][l] = mass
			}
		}
	}
	return q
}

func quadField(rows, columns int) [][]quad {
	f := make([][]quad, rows)
	for i := range f {
		f[i] = make([]quad, columns)
	}
	return f
}

func (q *quads) follow(most int, enough float64) [][][]float64 {
	laws, stopped := make([][][]float64, len(q.list)), make([]bool, len(q.list))
	for l := range laws {
		laws[l] = [][]float64{nil, q.energy(l)}
	}
	for m := 2; m <= most; m++ {
		for l, law := range laws {
			if !stopped[l] && !(q.energies.mass(law[m-1]) > enough) {
				stopped[l] = true
				q.stop(l)
			}
		}
		if !slices.Contains(stopped, false) {
			break
		}
		q.advance(m)
		for l := range laws {
			if !stopped[l] {
				laws[l] = append(laws[l], q.energy(l))
			}
		}
	}
	return laws
}

// stop clears the transitions of a lane.
func (q *quads) stop(l int) {
	for i := range q.step {
		for t := range q.step[i] {
			q.step[i][t][l] = 0
		}
	}
}

// energy returns the law of the energy in one lane, summed over distances.
func (q *quads) energy(l int) []float64 {
	law := make([]float64, len(q.energies))
	for _, row := range q.state {
		for k := range row {
			law[k] += row[k][l]
		}
	}
	return law
}

// advance does as excursionModel.advance in every lane.
func (q *quads) advance(j int) {
	for _, row := range q.next {
		clear(row)
	}
	for i, row := range q.state {
		lo, hi := held(row)
		for t := i; t < len(q.gaps); t++ {
			if w := &q.step[i][t]; !w.zero() {
				q.energies.shiftQuads(q.next[t], row[:hi], lo, spreadCost(j, q.gaps[i], q.gaps[t]), w)
			}
		}
	}
	q.state, q.next = q.next, q.state
}

// held returns the bounds of the part of row that is not 0.
func held(row []quad) (lo, hi int) {
	hi = len(row)
	for hi > 0 && row[hi-1].zero() {
		hi--
	}
	for lo < hi && row[lo].zero() {
		lo++
	}
	return lo, hi
}

// shiftQuads does as shift in every lane, for src from lo on.
func (g grid) shiftQuads(dst, src []quad, lo int, by float64, mass *quad) {
	to := 0
	m0, m1, m2, m3 := mass[0], mass[1], mass[2], mass[3]
	for from := lo; from < len(src); from++ {
		x := g[from] + by
		for to+2 < len(g) && g[to+1] <= x {
			to++
		}
		share := min(1, (x-g[to])/(g[to+1]-g[to]))
		p, low, high := &src[from], &dst[to], &dst[to+1]
		p0, p1, p2, p3 := float64(p[0]*m0), float64(p[1]*m1), float64(p[2]*m2), float64(p[3]*m3)
		up0, up1, up2, up3 := float64(p0*share), float64(p1*share), float64(p2*share), float64(p3*share)
		low[0] += p0 - up0
		low[1] += p1 - up1
		low[2] += p2 - up2
		low[3] += p3 - up3
		high[0] += up0
		high[1] += up1
		high[2] += up2
		high[3] += up3
	}
}
