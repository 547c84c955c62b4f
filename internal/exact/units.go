package exact

import (
	"slices"

	"github.com/hearsay-dp/hearsay/sparse"
)

// Units holds exact results about a Krylov space of a symmetric matrix.
type Units struct {
	Profile
	Share []uint64 // of every index i: entry (i, i) of the projector, in the field
}

// KrylovUnits returns the rank of
//
//	span{ m^t e_w : w in starts, t < steps } + span{ e_v : v in extra }
//
// over a field, and the diagonal of the projector on it. m must be symmetric and given by its Residues. It reports false if it
// would take more multiplications than work, or if the prime is unlucky: a nonzero vector has the square 0.
//
// It is the block Lanczos recurrence. Blocks V_i have V_i'V_j = 0, so that no
// more than two of them are needed at a time, and the projector is the sum of
// V_i (V_i'V_i)^-1 V_i'. For blocks that get narrow it is far cheaper than
// elimination.
func KrylovUnits(m *sparse.Matrix, residues []uint64, f Field, starts []int, steps int, extra []int, work float64) (Units, bool) {
	l := &exactLanczos{m: m, residues: residues, f: f, work: work, share: make([]uint64, m.N), started: make([]bool, m.N)}
	for _, v := range extra {
		l.extra = append(l.extra, unitResidue(m.N, v))
	}
	if steps > 0 {
		l.start(starts)
	}
	for t := 1; t < steps && len(l.last.columns) > 0; t++ {
		if !l.next() {
			return Units{}, false
		}
	}
	ok := l.finish()
	return Units{l.profile, l.share}, ok
}

// exactLanczos is the state of KrylovUnits.
type exactLanczos struct {
	m              *sparse.Matrix
	residues       []uint64
	f              Field
	work           float64
	profile        Profile
	share          []uint64
	started        []bool     // the indices of the first block
	extra          [][]uint64 // without their parts along all blocks so far
	last, previous exactBlock
}

// exactBlock holds V and V (V'V)^-1.
type exactBlock struct{ columns, dual [][]uint64 }

// start takes the unit vectors, which are orthogonal to each other. Every vector orthogonal to them is 0 at their indices, so
// that their block need not be kept.
func (l *exactLanczos) start(starts []int) {
	for _, w := range starts {
		if l.started[w] {
			continue
		}
		unit := unitResidue(l.m.N, w)
		l.started[w], l.share[w] = true, 1
		l.last.columns, l.last.dual = append(l.last.columns, unit), append(l.last.dual, unit)
		for _, x := range l.extra {
			x[w] = 0
		}
	}
	if len(starts) > 0 {
		l.profile.Powers = []int{len(l.last.columns)}
	}
}

// next makes the next block from m times the last.
func (l *exactLanczos) next() bool {
	first := len(l.profile.Powers) == 1
	independent := NewEchelon(l.m.N, l.f)
	var columns [][]uint64
	for _, x := range l.last.columns {
		image := make([]uint64, l.m.N)
		TimesResidues(image, l.m, x, l.residues, l.f)
		for i, started := range l.started {
			if started {
				image[i] = 0
			}
		}
		if !first {
			l.clear(image, l.last)
			l.clear(image, l.previous)
		}
		l.work -= float64(float64(l.m.N) * float64(independent.Rank()))
		if l.work < 0 {
			return false
		}
		if independent.Insert(image) {
			columns = append(columns, image)
		}
	}
	dual, ok := l.invert(columns)
	if !ok {
		return false
	}
	l.previous, l.last = l.last, exactBlock{columns, dual}
	if first {
		l.previous = exactBlock{}
	}
	if len(columns) > 0 {
		l.profile.Powers = append(l.profile.Powers, len(columns))
	}
	l.take(l.last)
	return true
}

// clear removes from x its part V (V'V)^-1 V'x along a block.
func (l *exactLanczos) clear(x []uint64, b exactBlock) {
	factors := make([]uint64, len(b.columns))
	for k, v := range b.columns {
		factors[k] = l.f.Neg(l.f.dot(v, x))
	}
	for k, d := range b.dual {
		l.f.axpy(x, factors[k], d)
	}
	l.work -= float64(2 * float64(len(b.columns)*l.m.N))
}

// invert returns V (V'V)^-1 for the columns V.
func (l *exactLanczos) invert(columns [][]uint64) (dual [][]uint64, ok bool) {
	width := len(columns)
	l.work -= float64(float64(width) * float64(width) * (float64(1.5*float64(l.m.N)) + float64(2*float64(width))))
	if l.work < 0 {
		return nil, false
	}
	// (V'V | 1) is reduced to (1 | its inverse).
	both, gram := NewEchelon(2*width, l.f), make([][]uint64, width)
	for a, x := range columns {
		gram[a] = unitResidue(2*width, width+a)
		for b, y := range columns[:a+1] {
			gram[a][b] = l.f.dot(x, y)
			gram[b][a] = gram[a][b]
		}
	}
	for _, row := range gram {
		both.Insert(row)
	}
	both.Units()
	for a := range columns {
		row := both.Row(a)
		if row == nil {
			return nil, false
		}
		sum := make([]uint64, l.m.N)
		for b, factor := range row[width:] {
			l.f.axpy(sum, factor, columns[b])
		}
		dual = append(dual, sum)
	}
	return dual, true
}

// take adds a block to the projector.
func (l *exactLanczos) take(b exactBlock) {
	for k, v := range b.columns {
		for i, x := range v {
			l.share[i] = l.f.Add(l.share[i], l.f.Mul(x, b.dual[k][i]))
		}
	}
	for _, x := range l.extra {
		l.clear(x, b)
	}
}

// finish adds the extra vectors, whose parts along all blocks have been removed.
func (l *exactLanczos) finish() bool {
	for k, x := range l.extra {
		if !slices.ContainsFunc(x, func(v uint64) bool { return v != 0 }) {
			continue
		}
		square := l.f.dot(x, x)
		if square == 0 {
			return false
		}
		dual := make([]uint64, len(x))
		l.f.axpy(dual, l.f.Inverse(square), x)
		later := l.extra[k+1:]
		l.extra = later
		l.take(exactBlock{[][]uint64{x}, [][]uint64{dual}})
		l.profile.Extra++
		return l.finish()
	}
	return true
}
