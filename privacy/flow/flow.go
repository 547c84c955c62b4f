package flow

import (
	"slices"

	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/privacy"
	"github.com/hearsay-dp/hearsay/privacy/gossipview"
	"github.com/hearsay-dp/hearsay/schedule"
	"github.com/hearsay-dp/hearsay/sparse"
)

// An Accountant prices a Problem.
type Accountant struct {
	p         Problem
	n         int
	forward   []*sparse.Matrix         // W_t, one or one a round
	back      []*sparse.Matrix         // their transposes
	spread    []level                  // by round; factor of the differences that arrive in it
	noise     []level                  // by round
	gives     []level                  // contributions by round
	longest   int                      // entries of the longest row
	relatives schedule.Relatives       // sensitivities over the largest; nil: all nodes have the same
	records   bool                     // one record is the unit of privacy
	update    model.Update             // of the problem's schedule; the zero value: the caller of New asserts the Lipschitz constants
	rounds    []*gossipview.Accountant // of averaging, if several turns share one draw of noise; else nil

	progress func(done, total int) // may be nil
	keeper   privacy.Keeper        // nil: nothing is kept
	kept     privacy.Key           // key of the problem, if there is a keeper
}

// New checks a problem and returns an accountant that keeps references to it. The caller
// asserts the Lipschitz constants, so bounds are sound if they hold. Of is the counterpart
// for a schedule.
func New(p Problem) (*Accountant, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	a := &Accountant{p: p, n: p.n(), forward: p.Weights, longest: p.longest()}
	for t, w := range p.Weights {
		if k := slices.Index(p.Weights[:t], w); k >= 0 {
			a.back = append(a.back, a.back[k])
			continue
		}
		a.back = append(a.back, transposed(w))
	}
	for t := range p.Rounds {
		a.noise, a.gives = append(a.noise, p.Noise.level(t)), append(a.gives, p.Contributions.level(t))
		a.spread = append(a.spread, a.spreadOf(t))
	}
	if p.averages() {
		var err error
		if a.rounds, err = averagings(&a.p); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// transposed returns the transpose of w, which is w itself if it is symmetric.
func transposed(w *sparse.Matrix) *sparse.Matrix {
	if w.Symmetric(0) {
		return w
	}
	return w.Transpose()
}

// A level is one number for every node, or one for all.
type level struct {
	all  float64
	each []float64
}

func (l level) at(node int) float64 {
	if l.each != nil {
		return l.each[node]
	}
	return l.all
}

// level returns a round of a table. It shares the table's memory.
func (b Table) level(t int) level {
	if len(b) == 0 {
		return level{all: 1}
	}
	if row := b[min(t, len(b)-1)]; len(row) > 1 {
		return level{each: row}
	}
	return level{all: b.At(t, 0)}
}

// spreadOf returns the factor of the differences that arrive in round t.
func (a *Accountant) spreadOf(t int) level {
	l := a.p.Lipschitz.level(t)
	switch {
	case t == 0:
		return level{all: 1}
	case l.each == nil:
		return level{all: a.p.spread(t, 0)}
	case a.p.Steps == nil:
		return l
	}
	each := make([]float64, a.n)
	for j := range each {
		each[j] = a.p.spread(t, j)
	}
	return level{each: each}
}

// Problem returns the problem that the accountant prices. It shares its memory.
func (a *Accountant) Problem() Problem { return a.p }

// Local returns the energy of the messages of a node with the largest sensitivity if they
// are seen directly.
func (a *Accountant) Local() float64 { return a.p.Local() }

// LocalOf returns the energy of the messages of node u seen directly.
func (a *Accountant) LocalOf(u int) float64 { return a.of(u, a.p.LocalOf(u)) }

// Check checks a plan for the accountant's problem and returns its Energy.
func (a *Accountant) Check(plan Plan) (float64, error) { return Energy(a.p, plan) }

// arrive sets dst to the arrivals in round t of rest, which is left after round t-1, for a
// block of vectors.
func (a *Accountant) arrive(dst, rest []float64, t, cols int) {
	w := a.forward[min(t-1, len(a.forward)-1)]
	multiply(dst, w, rest, cols)
	scale(dst, a.spread[t], cols)
}

// weigh sets dst to the price of one unit left after round t-1, given the price of one unit
// that arrives in round t. spare is scratch.
func (a *Accountant) weigh(dst, spare, price []float64, t, cols int) {
	if !a.spread[t].isOne() {
		copy(spare, price)
		scale(spare, a.spread[t], cols)
		price = spare
	}
	multiply(dst, a.back[min(t-1, len(a.back)-1)], price, cols)
}

func (l level) isOne() bool { return l.each == nil && l.all == 1 }

// scale multiplies row j of a block by l.at(j).
func scale(x []float64, l level, cols int) {
	if l.isOne() {
		return
	}
	for j := range len(x) / cols {
		by := l.at(j)
		for k := j * cols; k < (j+1)*cols; k++ {
			x[k] *= by
		}
	}
}

// multiply is MulBlock, faster for one vector.
func multiply(dst []float64, w *sparse.Matrix, x []float64, cols int) {
	if cols > 1 {
		w.MulBlock(dst, x, cols)
		return
	}
	for i := range dst {
		columns, values := w.Row(i)
		sum := 0.0
		for k, j := range columns {
			sum += float64(values[k] * x[j])
		}
		dst[i] = sum
	}
}
