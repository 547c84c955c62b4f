package walkpath

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A passage starts with a law and ends at the first of some nodes that it visits after time 0.
type passage struct {
	from  []float64
	stops []int
}

// negligible is the probability below which a first passage is not followed further. It is small even against
// e^27, the factor of the tails of a run at the largest of rates().
const negligible = 1e-25

// passages returns the laws of first passages. laws[c][i][t], t up to limit, is the probability that passage c
// comes to its stop i at time t > 0, before all other stops. When the mass on its way falls below negligible,
// all of it counts as having arrived at every stop at once, which is an upper bound. rest is the mass that is
// then on its way, or after limit.
func (c *chain) passages(limit int, list []passage) (laws [][][]float64, rest []float64) {
	if c.w.N > largeChain || float64(limit)*float64(len(c.w.Values)) > longPassage {
		return firstPassages(c.w.Transpose(), limit, list)
	}
	laws, rest = make([][][]float64, len(list)), make([]float64, len(list))
	for k, one := range list {
		laws[k], rest[k] = c.firstPassage(one.from, limit, one.stops...)
	}
	return laws, rest
}

// Passages are followed together where fetching rows dominates: on chains of more than largeChain states, or if
// one passage takes more than longPassage multiplications.
const (
	largeChain  = 4096
	longPassage = 1 << 25
)

// firstPassage computes one of passages turn by turn, for short ones.
func (c *chain) firstPassage(from []float64, limit int, stops ...int) (laws [][]float64, rest float64) {
	laws = make([][]float64, len(stops))
	for i := range laws {
		laws[i] = make([]float64, 1, min(limit, 1<<12)+1)
	}
	x, y := slices.Clone(from), make([]float64, len(from))
	for range limit {
		c.move(y, x)
		for i, s := range stops {
			laws[i] = append(laws[i], y[s])
			y[s] = 0
		}
		x, y = y, x
		if rest = sum(x); rest < negligible {
			arrive(laws, rest)
			return laws, rest
		}
	}
	return laws, sum(x)
}

// arrive adds rest to the last turn of every law.
func arrive(laws [][]float64, rest float64) {
	for _, law := range laws {
		law[len(law)-1] += rest
	}
}

// blockColumns is the number of passages that the block kernel computes for little more than the cost of one.
const blockColumns = 16

// firstPassages computes passages for any number of them, in blocks. backwards is the transpose of W.
func firstPassages(backwards *sparse.Matrix, limit int, list []passage) (laws [][][]float64, rest []float64) {
	for ; len(list) > 0; list = list[min(len(list), blockColumns):] {
		f := newFollowed(backwards, list[:min(len(list), blockColumns)])
		f.run(limit)
		laws, rest = append(laws, f.laws...), append(rest, f.rest...)
	}
	return laws, rest
}

// followed holds up to blockColumns passages that are followed together.
type followed struct {
	backwards *sparse.Matrix // the transpose of W
	list      []passage
	columns   int       // of the blocks
	turn      int       // number of turns followed
	x, y      []float64 // distributions after these turns, a column each, and scratch
	laws      [][][]float64
	rest      []float64
}

func newFollowed(backwards *sparse.Matrix, list []passage) *followed {
	f := &followed{backwards: backwards, list: list, columns: blockColumns, laws: make([][][]float64, len(list)), rest: make([]float64, len(list))}
	if len(list) <= blockColumns/2 {
		f.columns = blockColumns / 2
	}
	f.x, f.y = make([]float64, backwards.N*f.columns), make([]float64, backwards.N*f.columns)
	for c, one := range list {
		for i, mass := range one.from {
			f.x[i*f.columns+c] = mass
		}
		f.laws[c] = make([][]float64, len(one.stops))
		for i := range f.laws[c] {
			f.laws[c][i] = make([]float64, 1, 1<<12)
		}
	}
	return f
}

// run follows the passages turn by turn, and all remaining turns at once (leap.go) as soon as that is exact
// enough.
func (f *followed) run(limit int) {
	for next := firstLeap; f.turn < limit; next *= leapAgain {
		f.follow(min(next, limit))
		if f.onTheWay() < negligible {
			f.arrive()
			return
		}
		if limit-f.turn > 2*f.turn && f.leap(limit, f.turn) {
			return
		}
	}
	f.onTheWay()
}

// follow advances turn by turn up to turn until.
func (f *followed) follow(until int) {
	for ; f.turn < until; f.turn++ {
		f.backwards.MulBlock(f.y, f.x, f.columns)
		for c, one := range f.list {
			for i, s := range one.stops {
				f.laws[c][i] = append(f.laws[c][i], f.y[s*f.columns+c])
			}
		}
		f.stop(f.y)
		f.x, f.y = f.y, f.x
	}
}

// stop clears the mass that has arrived.
func (f *followed) stop(block []float64) {
	for c, one := range f.list {
		for _, s := range one.stops {
			block[s*f.columns+c] = 0
		}
	}
}

// onTheWay stores the mass of each passage that is on its way, and returns the largest.
func (f *followed) onTheWay() float64 {
	clear(f.rest)
	for at := 0; at < len(f.x); at += f.columns {
		for c := range f.rest {
			f.rest[c] += f.x[at+c]
		}
	}
	return slices.Max(f.rest)
}

func (f *followed) arrive() {
	for c, laws := range f.laws {
		arrive(laws, f.rest[c])
	}
}

// reversible returns pi > 0, not normalised, with pi_i W_ij = pi_j W_ji for all i and j, up to rounding. It
// returns nil if there is none. backwards is the transpose of W.
func reversible(backwards *sparse.Matrix) []float64 {
	pi := make([]float64, backwards.N)
	var open []int
	for root := range pi {
		if pi[root] != 0 {
			continue
		}
		pi[root] = 1
		for open = append(open, root); len(open) > 0; {
			i := open[len(open)-1]
			open = open[:len(open)-1]
			into, values := backwards.Row(i)
			for k, j := range into { // W_ji = values[k]
				ratio := backwards.At(int(j), i) / values[k] // W_ij / W_ji
				switch expected := float64(pi[i] * ratio); {
				case !(expected > 0) || math.IsInf(expected, 1):
					return nil
				case pi[j] == 0:
					pi[j] = expected
					open = append(open, int(j))
				case math.Abs(expected-pi[j]) > balanced*pi[j]:
					return nil
				}
			}
		}
	}
	return pi
}

// balanced is the largest relative deviation of a flow of a walk that counts as reversible.
const balanced = 1e-12
