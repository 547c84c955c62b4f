package walkpath

import (
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/sparse"
)

// The distribution of a token on its way spreads over the graph and then hardly changes its shape from one turn
// to the next. Let Q be the walk without the mass that has arrived, and x the distribution of a passage after
// some turns. Let V be an orthonormal basis of the span of x, Qx, .., Q^(k-1)x by Lanczos's recurrence: Q V = V
// R + b v e_k', with R tridiagonal. Then Q^t x = |x| V R^t e_1 + error. The mass that arrives at a stop is a
// fixed linear function of it, so that a turn costs k operations on the tridiagonal matrix and no product with
// W.
//
// By the recurrence alone, even if rounding has destroyed the orthonormality of V, the error of the next turn
// is Q times the error of this one plus b v times the last entry of R^t e_1. A reversible walk has a norm that
// Q shrinks, |x|^2 = sum x_i^2/pi_i, in which v has length 1. So the error after t turns is at most
//
//	|x| b (sum over s < t of |last entry of R^s e_1|).
//
// This bound is computed along the way and added to the mass that arrives, so that the result is an upper
// bound. A leap is made only if the bound is less than leapTolerance of every result.

const (
	firstLeap     = 128   // turns before the first attempt
	leapAgain     = 4     // factor between the turns of two attempts
	leapCheck     = 16    // number of basis vectors between two checks of the error
	leapTolerance = 1e-14 // the largest relative error of each probability
	leapDigits    = 1e4   // the largest ratio of the product of lengths to a result, which limits cancellation
)

// leap computes all turns up to limit from a basis of at most so many vectors. It reports false, and changes
// nothing, if that is not exact enough.
func (f *followed) leap(limit, most int) bool {
	pi := reversible(f.backwards)
	if pi == nil {
		return false
	}
	l := newLeaper(f, pi)
	for next := leapCheck; len(l.bases[0].diagonal) < most; {
		l.extend()
		if len(l.bases[0].diagonal) < next {
			continue
		}
		if found, ok := l.evaluate(limit - f.turn); ok {
			f.take(found)
			f.turn = limit
			return true
		}
		next += max(leapCheck, next/4)
	}
	return false
}

// take appends the results of a leap.
func (f *followed) take(found []landing) {
	for c, one := range found {
		for i := range f.laws[c] {
			f.laws[c][i] = append(f.laws[c][i], one.laws[i]...)
		}
		f.rest[c] = one.rest
	}
}

// A basis is the basis of one passage: the matrix R, and the mass of each vector that arrives at stops in the
// next turn and its total mass.
type basis struct {
	length         float64 // |x|
	diagonal, next []float64
	stops          [][]float64
	all            []float64
	lengths        []float64 // norms of the linear functions for each stop, then for the total
}

// leaper computes the bases of all passages together.
type leaper struct {
	f                 *followed
	weight            []float64 // 1/pi
	now, before, room []float64 // blocks: the last vectors of the bases, the vectors before them, scratch
	bases             []*basis
}

func newLeaper(f *followed, pi []float64) *leaper {
	l := &leaper{f: f, weight: make([]float64, len(pi))}
	l.now, l.before, l.room = slices.Clone(f.x), make([]float64, len(f.x)), make([]float64, len(f.x))
	for i, x := range pi {
		l.weight[i] = 1 / x
	}
	for c, length := range l.normalise(l.now)[:len(f.list)] {
		b := &basis{length: length, stops: make([][]float64, len(f.list[c].stops))}
		for _, s := range f.list[c].stops {
			from, values := f.backwards.Row(s)
			square := 0.0
			for k, i := range from {
				square += float64(pi[i] * values[k] * values[k])
			}
			b.lengths = append(b.lengths, math.Sqrt(square))
		}
		b.lengths = append(b.lengths, math.Sqrt(sum(pi)))
		l.bases = append(l.bases, b)
	}
	return l
}

// products returns the inner product of each column of a with that of b.
func (l *leaper) products(a, b []float64) []float64 {
	columns := l.f.columns
	sums := make([]float64, columns)
	for i, w := range l.weight {
		x, y := a[i*columns:(i+1)*columns], b[i*columns:(i+1)*columns]
		for c := range sums {
			sums[c] += float64(float64(x[c]*y[c]) * w)
		}
	}
	return sums
}

// normalise scales the columns of a block to length 1 and returns their lengths before. Columns of length 0
// become 0.
func (l *leaper) normalise(block []float64) []float64 {
	lengths, columns := l.products(block, block), l.f.columns
	scale := make([]float64, columns)
	for c, square := range lengths {
		lengths[c] = math.Sqrt(square)
		if lengths[c] > 0 && !math.IsInf(1/lengths[c], 1) {
			scale[c] = 1 / lengths[c]
		} else {
			lengths[c] = 0
		}
	}
	for at := 0; at < len(block); at += columns {
		row := block[at : at+columns]
		for c, s := range scale {
			row[c] *= s
		}
	}
	return lengths
}

// extend adds one vector to every basis.
func (l *leaper) extend() {
	columns := l.f.columns
	l.f.backwards.MulBlock(l.room, l.now, columns)
	for c, b := range l.bases {
		for i, s := range l.f.list[c].stops {
			b.stops[i] = append(b.stops[i], l.room[s*columns+c])
		}
	}
	l.f.stop(l.room)
	all, diagonal := make([]float64, columns), l.products(l.room, l.now)
	back := make([]float64, columns)
	for c, b := range l.bases {
		if k := len(b.next); k > 0 {
			back[c] = b.next[k-1]
		}
	}
	for at := 0; at < len(l.now); at += columns {
		to, now, before := l.room[at:at+columns], l.now[at:at+columns], l.before[at:at+columns]
		for c, x := range now {
			all[c] += x
			to[c] -= float64(diagonal[c]*x) + float64(back[c]*before[c])
		}
	}
	next := l.normalise(l.room)
	for c, b := range l.bases {
		b.diagonal, b.next, b.all = append(b.diagonal, diagonal[c]), append(b.next, next[c]), append(b.all, all[c])
	}
	l.before, l.now, l.room = l.now, l.room, l.before
}

// A landing holds the mass that arrives in each of some turns, and the mass that is on its way after them.
type landing struct {
	laws [][]float64
	rest float64
}

// evaluate computes the landing of every passage for so many turns. It reports false if one is not exact
// enough.
func (l *leaper) evaluate(turns int) ([]landing, bool) {
	var found []landing
	for _, b := range l.bases {
		one, ok := b.land(turns)
		if !ok {
			return nil, false
		}
		found = append(found, one)
	}
	return found, true
}

// land applies powers of R until the mass on its way is negligible, or for turns turns.
func (b *basis) land(turns int) (found landing, ok bool) {
	k, all := len(b.diagonal), len(b.stops)
	now, then := make([]float64, k), make([]float64, k)
	now[0] = b.length
	left := 0.0 // bounds the error
	found.laws = make([][]float64, len(b.stops))
	for t := 1; ; t++ {
		for i, stop := range b.stops {
			arrives, ok := b.value(stop, now, left, b.lengths[i])
			if !ok {
				return landing{}, false
			}
			found.laws[i] = append(found.laws[i], arrives)
		}
		left += float64(b.next[k-1] * math.Abs(now[k-1]))
		b.turn(then, now)
		now, then = then, now
		if t < turns && t%leapCheck != 0 {
			continue
		}
		found.rest, ok = b.value(b.all, now, left, b.lengths[all])
		if ok && found.rest < negligible {
			arrive(found.laws, found.rest)
			return found, true
		}
		if !ok || t == turns {
			return found, ok
		}
	}
}

// value returns an upper bound of a linear function of the distribution of a passage, and reports whether it is
// exact enough.
func (b *basis) value(of, now []float64, left, length float64) (float64, bool) {
	value, off := sparse.Dot(of, now), float64(left*length)
	if off > leapTolerance*value {
		return 0, false
	}
	return value + off, length*sparse.Norm(now) <= leapDigits*value
}

// turn sets then = R now.
func (b *basis) turn(then, now []float64) {
	before, k := 0.0, len(now)
	for j, x := range now[:k-1] {
		then[j] = float64(b.diagonal[j]*x) + float64(b.next[j]*now[j+1]) + before
		before = b.next[j] * x
	}
	then[k-1] = float64(b.diagonal[k-1]*now[k-1]) + before
}
