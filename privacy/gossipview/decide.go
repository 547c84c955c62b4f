package gossipview

import (
	"fmt"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/subspace"
	"github.com/hearsay-dp/hearsay/sparse"
)

// A floating-point view is clear if every direction taken for new was longer than clearlyNew and every
// direction dropped was shorter than clearlyOld. A direction of length 1e-5 is known to about 1e-11.
const (
	clearlyNew = 1e-5
	clearlyOld = 1e-13
	preciseNew = 1e-55 // clearlyNew for 72 digits
	nearOne    = 1e-9  // without confirmation, a value closer to 1 counts as 1
	recurring  = 11    // cost of a multiplication of a recurrence relative to one of elimination, times the width of its blocks
)

// effort bounds the cost of deciding one view exactly, in multiplications: cells times the square of the rank.
type effort struct {
	always  float64 // up to this cost every view is confirmed
	exact   float64 // up to this cost a view that is not clear is confirmed
	precise float64 // up to this cost it is computed again in 72 digits
}

// A single view may take about ten seconds, each one of all pairs one or two.
var (
	oneView  = effort{1 << 30, 1 << 31, 1 << 29}
	allPairs = effort{1 << 21, 1 << 27, 1 << 26}
)

// View returns the joint view of observers, who must be distinct nodes, at least one.
func (g *Accountant) View(observers []int) (*View, error) {
	if err := g.checkNodes(observers, "observer"); err != nil {
		return nil, err
	}
	return g.view(observers, oneView), nil
}

// view returns the view, and spends at most work on confirming it.
func (g *Accountant) view(observers []int, work effort) *View {
	if g.steps == 0 {
		return g.ownValues(observers)
	}
	if !g.fixed {
		return g.changingView(observers, work)
	}
	k := g.krylov(observers)
	if g.shared.saturates(k, observers) || k.saturated() {
		return k.whole()
	}
	k.grow()
	space := measure(k.span)
	v := &View{n: g.n, cells: k.cells, rank: k.span.Rank(), space: space}
	cost := k.cost()
	always := k.exact() && cost <= work.always
	clear := isClear(k.span) && (always || g.complete(observers, observers, k.matrix.N, space.Rank()) && k.steady(space))
	switch {
	case always || k.exact() && !clear && cost <= work.exact:
		k.confirm(v, space, clear, cost <= work.precise)
	case clear:
		v.certainty, v.units = Clear, space.near()
	case k.span.Full():
		v.certainty, v.units = Saturated, space.near()
	default:
		v.certainty, v.units = Open, space.near()
	}
	if v.certainty == Open {
		v.reached = g.reached(observers)
	}
	return v
}

// isClear reports whether every decision in a span was clear.
func isClear(span *subspace.Span) bool {
	margin := span.Margin()
	return margin.Faintest > clearlyNew && margin.Brightest < clearlyOld
}

// ownValues returns the view before anything is sent.
func (g *Accountant) ownValues(observers []int) *View {
	span := subspace.NewSpan(g.n)
	span.InsertUnits(observers)
	space := measure(span)
	return &View{
		n: g.n, rank: span.Rank(), certainty: Confirmed, exact: true,
		cells: exact.Discrete(g.n), space: space, units: space.near(),
	}
}

// krylov holds the space of a view of fixed gossip, on the cells of the coarsest equitable partition in which
// observers and their senders are single.
type krylov struct {
	g             *Accountant
	observers     []int
	cells         *exact.Cells
	quotient      *exact.Quotient // nil if all cells are single nodes
	matrix        *sparse.Matrix  // of the cells, once grown
	alone         []int           // senders and observers
	starts, extra []int           // the cells of senders and of observers
	span          *subspace.Span
}

func (g *Accountant) krylov(observers []int) *krylov {
	p := g.parts[0]
	senders := g.heard(observers, 0)
	k := &krylov{g: g, observers: observers, cells: exact.Discrete(g.n), matrix: p.transposed,
		alone: append(append([]int(nil), senders...), observers...)}
	if k.exact() {
		k.fold(k.alone)
	}
	for _, w := range senders {
		k.starts = append(k.starts, int(k.cells.Of[w]))
	}
	for _, v := range observers {
		k.extra = append(k.extra, int(k.cells.Of[v]))
	}
	return k
}

// exact reports whether ranks can be confirmed.
func (k *krylov) exact() bool { return k.g.parts[0].fractions != nil && k.g.parts[0].symmetric }

// fold replaces the matrix by the quotient on cells, if that is smaller.
func (k *krylov) fold(alone []int) {
	p, f := k.g.parts[0], exact.Fields()[1]
	cells := exact.Equitable(p.transposed, p.residues[1], f, alone)
	if len(cells.Size) == k.g.n {
		return
	}
	quotient := exact.NewQuotient(p.transposed, cells)
	if quotient.Check(p.transposed, p.residues[1], f) {
		k.cells, k.quotient = cells, quotient
	}
}

func (k *krylov) grow() {
	if k.quotient != nil {
		k.matrix = k.quotient.Balanced()
	}
	k.span = k.grown(1)
}

// grown returns the space, with rounding errors that depend on scale.
func (k *krylov) grown(scale float64) *subspace.Span {
	space := subspace.NewKrylov(k.matrix, k.g.parts[0].symmetric, k.starts)
	if scale != 1 {
		space.Check(scale)
	}
	space.Grow(k.g.steps)
	space.Span.InsertUnits(k.extra)
	return space.Span
}

// confirm decides the rank exactly, and computes a space that was not clear again in 72 digits.
func (k *krylov) confirm(v *View, space measured, clear, affordable bool) {
	profile, units := k.modular()
	rank, cells := profile.Rank(), k.matrix.N
	v.certainty, v.exact, v.units = Confirmed, true, units
	switch {
	case rank == cells:
		v.space = everything{}
	case clear && rank == k.span.Rank() && k.steady(space):
	case affordable:
		precise := k.precise(profile, 1)
		v.space = weighted{precise, k.cells.Size}
		if precise.Faintest() < preciseNew || !alike(v.space, weighted{k.precise(profile, otherScale), k.cells.Size}, cells) {
			v.certainty = Open
		}
	default:
		v.certainty = Open
	}
	v.rank = rank
}

// narrow reports whether a recurrence over all nodes takes less time than elimination over cells.
func (k *krylov) narrow() bool {
	rank := float64(k.span.Rank())
	return recurring*float64(len(k.starts))*float64(k.g.n) < rank*float64(k.matrix.N)
}

// cost returns about the cost of computing the profile, in multiplications.
func (k *krylov) cost() float64 {
	cells, rank := float64(k.matrix.N), float64(k.span.Rank())
	if k.narrow() {
		return recurring * float64(len(k.starts)) * float64(k.g.n) * rank
	}
	return cells * rank * rank
}

// modular computes the profile in both fields, by a recurrence if that is faster, else by elimination. If
// elimination gives two ranks the larger one is right.
func (k *krylov) modular() (best exact.Profile, units []int) {
	p := k.g.parts[0]
	if k.narrow() {
		if profile, units, ok := k.g.recurrence(k.observers, k.cells); ok {
			return profile, units
		}
	}
	for i, f := range exact.Fields() {
		residues, matrix := p.residues[i], k.g.parts[0].transposed
		if k.quotient != nil {
			residues, matrix = k.quotient.Residues(p.transposed, residues, f), k.quotient.Matrix
		}
		e, profile := exact.Krylov(matrix, residues, f, k.starts, k.g.steps, k.extra)
		if i == 0 || profile.Rank() >= best.Rank() {
			best, units = profile, e.Units()
		}
	}
	return best, units
}

// precise returns the space in 72 digits, with rounding errors that depend on scale.
func (k *krylov) precise(profile exact.Profile, scale float64) *subspace.PreciseSpan {
	p := k.g.parts[0]
	matrix, entries := p.transposed, p.long
	if k.quotient != nil {
		matrix, entries = k.quotient.Matrix, k.quotient.Fixed(p.transposed, entries)
	}
	if scale != 1 {
		entries = slices.Clone(entries)
		for i, e := range entries {
			entries[i] = e.Mul(exact.FixedOf(1 / scale))
		}
	}
	weights := make([]float64, matrix.N)
	for i, size := range k.cells.Size {
		weights[i] = float64(size)
	}
	return subspace.PreciseKrylov(matrix, entries, weights, k.starts, k.extra, profile)
}

// weighted converts the values of a function that is constant on cells into coefficients of the unit vectors of
// cells.
type weighted struct {
	space *subspace.PreciseSpan
	size  []int
}

func (w weighted) Product(i, j int) float64 {
	return w.space.Product(i, j) * math.Sqrt(float64(w.size[i])*float64(w.size[j]))
}

// String describes the view in one line.
func (v *View) String() string {
	return fmt.Sprintf("a view of dimension %d of %d (%s)", v.rank, v.n, v.certainty)
}
