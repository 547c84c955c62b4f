package gossipview

import (
	"fmt"

	"github.com/hearsay-dp/hearsay/fault"
	"github.com/hearsay-dp/hearsay/internal/exact"
	"github.com/hearsay-dp/hearsay/internal/subspace"
)

// mostForm bounds the cost of a Form: cells times the square of the rank, in every round unless one Krylov
// space suffices.
const mostForm = 1 << 31

// A Form is the knowledge of a view in reduced row-echelon form, modulo both primes of exact.Fields (002,
// Definition 4.4).
type Form struct {
	cells  *exact.Cells
	pivots []int // cells, ascending
	rows   [2]func(pivot int) []uint64
}

// Rows returns the number of rows, which is the dimension of the view.
func (f *Form) Rows() int { return len(f.pivots) }

// Row returns row k: the nodes, ascending, with an entry that is not 0 modulo either prime, and the entries.
// The first entry is 1.
func (f *Form) Row(k int) (nodes []int, residues [2][]uint64) {
	first, second := f.rows[0](f.pivots[k]), f.rows[1](f.pivots[k])
	for u, cell := range f.cells.Of {
		if first[cell] != 0 || second[cell] != 0 {
			nodes = append(nodes, u)
			residues[0], residues[1] = append(residues[0], first[cell]), append(residues[1], second[cell])
		}
	}
	return nodes, residues
}

// Form returns the reduced form of v, which must be the view of observers. It is an error if entries of a
// matrix are not known as fractions, or if the elimination would take too long.
func (g *Accountant) Form(v *View, observers []int) (*Form, error) {
	cost := float64(len(v.cells.Size)) * float64(v.rank) * float64(v.rank)
	if !g.krylovable() {
		cost *= float64(g.steps)
	}
	switch {
	case g.steps > 0 && !g.exactThroughout():
		return nil, fault.New("the weights are not fractions with small denominators: nothing exact is known of them", "use hamilton weights")
	case v.exact && v.rank == len(v.cells.Size):
		return v.saturatedForm(), nil
	case cost > mostForm:
		return nil, fault.New(fmt.Sprintf("exact elimination of %d combinations of %d values would take too long", v.rank, v.n), "take fewer steps")
	}
	f := &Form{cells: v.cells}
	var echelons [2]*exact.Echelon
	for i := range echelons {
		echelons[i] = g.echelon(v.cells, observers, i)
		echelons[i].Units() // reduces it
		f.rows[i] = echelons[i].Row
	}
	return f, f.match(echelons, v)
}

// krylovable reports whether powers of one symmetric matrix span the view.
func (g *Accountant) krylovable() bool { return g.fixed && g.parts[0].symmetric }

// units lists the cells that have a row of their own.
func (f *Form) units() []int {
	var units []int
	for _, pivot := range f.pivots {
		single := true
		for i := range f.rows {
			for cell, x := range f.rows[i](pivot) {
				single = single && (x == 0 || cell == pivot)
			}
		}
		if single {
			units = append(units, pivot)
		}
	}
	return units
}

// match sets the pivots, on which both fields must agree.
func (f *Form) match(echelons [2]*exact.Echelon, v *View) error {
	for cell := range f.cells.Size {
		one, two := echelons[0].Row(cell) != nil, echelons[1].Row(cell) != nil
		if one != two {
			return fault.New("an entry of the knowledge matrix vanishes modulo one prime and not modulo another", "take another number of steps")
		}
		if one {
			f.pivots = append(f.pivots, cell)
		}
	}
	if len(f.pivots) != v.rank {
		return fault.New(fmt.Sprintf("exact elimination finds rank %d, floating point found %d", len(f.pivots), v.rank), "take fewer steps")
	}
	return nil
}

// saturatedForm returns the form of a view that holds the sum over every cell.
func (v *View) saturatedForm() *Form {
	f := &Form{cells: v.cells}
	row := make([]uint64, len(v.cells.Size))
	one := func(pivot int) []uint64 {
		clear(row)
		row[pivot] = 1
		return row
	}
	f.rows = [2]func(int) []uint64{one, one}
	for cell := range v.cells.Size {
		f.pivots = append(f.pivots, cell)
	}
	return f
}

// echelon returns the space of the view over one field, on the cells of the view.
func (g *Accountant) echelon(cells *exact.Cells, observers []int, field int) *exact.Echelon {
	f := exact.Fields()[field]
	e := exact.NewEchelon(len(cells.Size), f)
	switch {
	case g.steps == 0:
	case g.krylovable():
		k := g.krylov(observers)
		residues, matrix := g.parts[0].residues[field], g.parts[0].transposed
		if k.quotient != nil {
			residues, matrix = k.quotient.Residues(matrix, residues, f), k.quotient.Matrix
		}
		e, _ = exact.Krylov(matrix, residues, f, k.starts, g.steps, k.extra)
		return e
	default:
		for _, stage := range stages(g.stretches(observers, field)) {
			e = subspace.PullbackExactly(e, stage...)
		}
	}
	e.InsertUnits(observers)
	return e
}
