package walkpath

// spreadCost returns an upper bound of the energy that contribution j of an excursion adds.
//
// An excursion is the part of a run between two receipts by v. Seen backwards from the receipt, the
// contributions of u lie d_1 < d_2 < .. < d_m turns before it. Each may be spread over the turns after it
// (privacy amplification by iteration). Here contribution j goes to its own gap g = now - before. If that is
// cheaper it goes evenly over all now turns, of which the later contributions use d_(j-1) = before as well. As
// they are spread evenly, only their mass j-1 matters:
//
//	1/g                              if j g >= now
//	j^2/now - (j-1)^2/before         otherwise.
//
// The sum is the energy of an admissible spread, hence not below the least
// one; it is the least one when gaps grow and when all merge into one slope.
func spreadCost(j int, before, now float64) float64 {
	if j == 1 {
		return 1 / now
	}
	n := float64(j)
	if n*(now-before) >= now {
		return 1 / (now - before)
	}
	return n*n/now - (n-1)*(n-1)/before
}

// A gapLaw is the law of the turns that follow a visit to u. The probability that the next visit to u or v is
// to u, g turns later, is back[g]. The probability that it is to v, k turns later, is hit[k]. The field rest is
// the probability that neither is visited within the turns that the laws list.
type gapLaw struct {
	back, hit []float64
	rest      float64
}

// A gapTable holds the transitions of excursions on a grid of distances, with the weight z for every turn.
type gapTable struct {
	gaps   grid
	step   [][]float64 // step[i][t]: a return from distance gaps[i] to gaps[t]
	direct []float64   // law of d_1 if v follows the last contribution directly
	anyhow []float64   // law of d_1 if u may be visited in between
	alone  []float64   // law of one gap, not rounded
}

func newGapTable(l gapLaw, gaps grid, z float64, turns int) *gapTable {
	g := &gapTable{gaps: gaps, step: make([][]float64, len(gaps)), alone: tilt(l.back, z)}
	for i, from := range gaps {
		g.step[i] = make([]float64, len(gaps))
		gaps.spread(g.step[i], from, g.alone)
	}
	g.direct = make([]float64, len(gaps))
	gaps.spread(g.direct, 0, tilt(l.hit, z))
	g.anyhow = g.resolve(g.direct, turns)
	return g
}

// tilt weights a law on 0, 1, 2.. by z^t.
func tilt(law []float64, z float64) []float64 {
	tilted := make([]float64, len(law))
	power := 1.0
	for t, p := range law {
		tilted[t] = p * power
		power *= z
	}
	return tilted
}

// spread adds the law of from plus a gap to dst, split over the grid.
func (g grid) spread(dst []float64, from float64, law []float64) {
	i := 0
	for gap := 1; gap < len(law); gap++ {
		x := from + float64(gap)
		for i+1 < len(g) && g[i+1] <= x {
			i++
		}
		if i+1 == len(g) {
			dst[i] += law[gap]
			continue
		}
		up := float64(law[gap] * (x - g[i]) / (g[i+1] - g[i]))
		dst[i] += law[gap] - up
		dst[i+1] += up
	}
}

// resolve returns the law of first plus any number of returns, which solves law = first + law step. A return
// never leads to a smaller distance. The number of returns is bounded by turns, which matters where the token
// hardly ever leaves u.
func (g *gapTable) resolve(first []float64, turns int) []float64 {
	law := append([]float64(nil), first...)
	most := float64(turns+1) * (1 + 1e-6) // a sum of powers of 1, rounded up
	for i := range law {
		if leaves := 1 - g.step[i][i]; leaves*most >= 1 {
			law[i] /= leaves
		} else {
			law[i] *= most
		}
		for t := i + 1; t < len(law); t++ {
			law[t] += float64(law[i] * g.step[i][t])
		}
	}
	return law
}

// An excursionModel computes laws of the energy of excursions, backwards from the receipt.
type excursionModel struct {
	*gapTable
	energies energySpace
}

// follow returns laws[m], m = 1, 2, .., the law of the energy of exactly m contributions. first is the law of
// the distance of the last contribution. It stops at most contributions, or when the mass of a law is at most
// enough. laws[0] is nil.
func (e excursionModel) follow(first []float64, most int, enough float64) [][]float64 {
	state, next := e.field(), e.field()
	for i, p := range first {
		e.energies.put(state[i], spreadCost(1, 0, e.gaps[i]), p)
	}
	laws := [][]float64{nil, e.energy(state)}
	for m := 2; m <= most && e.energies.mass(laws[m-1]) > enough; m++ {
		e.advance(next, state, m)
		state, next = next, state
		laws = append(laws, e.energy(state))
	}
	return laws
}

// Contributions of one excursion after the first manyEnough, or once their mass is at most fewEnough, are
// spread over their own gaps only.
const (
	manyEnough = 1000
	fewEnough  = 1e-12
)

// anyNumber returns the law of the energy of an excursion with 1 to most contributions. first is the law of the
// distance of the last one.
func (e excursionModel) anyNumber(first []float64, most int) []float64 {
	return e.ofAnyNumber(e.follow(first, min(most, manyEnough), fewEnough), most)
}

// ofAnyNumber returns anyNumber, given the laws that follow returned.
func (e excursionModel) ofAnyNumber(laws [][]float64, most int) []float64 {
	last, total := len(laws)-1, make([]float64, e.energies.size())
	for _, law := range laws[1:last] {
		accumulate(total, law, 1)
	}
	if last == most {
		accumulate(total, laws[last], 1)
		return total
	}
	one := make([]float64, e.energies.size())
	for gap, p := range e.alone[1:] {
		e.energies.put(one, 1/float64(gap+1), p)
	}
	e.energies.convolve(total, e.energies.repeat(one, 1), laws[last], 1)
	return total
}

// field returns one empty law of energies for each distance.
func (e excursionModel) field() [][]float64 {
	f := make([][]float64, len(e.gaps))
	for i := range f {
		f[i] = make([]float64, e.energies.size())
	}
	return f
}

// energy returns the law of the energy, summed over distances.
func (e excursionModel) energy(state [][]float64) []float64 {
	law := make([]float64, e.energies.size())
	for _, row := range state {
		accumulate(law, row, 1)
	}
	return law
}

// advance sets next to the laws in state with contribution j added before the others.
func (e excursionModel) advance(next, state [][]float64, j int) {
	for _, row := range next {
		clear(row)
	}
	for i, row := range state {
		for t := i; t < len(e.gaps); t++ {
			if w := e.step[i][t]; w != 0 {
				e.energies.shift(next[t], row, spreadCost(j, e.gaps[i], e.gaps[t]), w)
			}
		}
	}
}
