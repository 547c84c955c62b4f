package model

import (
	"math/rand/v2"
	"slices"

	"github.com/hearsay-dp/hearsay/internal/math"
)

// External is a model that another program computes. Its examples have one feature, the number of a row that only the
// program holds, and no label.
type External struct {
	Title      string    // the program's name of it
	Parameters int       // how many numbers it has
	Classifies bool      // the program says how many rows are classified right
	Begin      []float64 // initial parameters of a run
	Program    Program   // nil: none answers, and nothing can be computed
}

// A Program answers for an External model. It is safe for concurrent use.
type Program interface {
	// Gradients passes take the gradients of the loss at theta of all rows, block by block, each row once and in order.
	// If it has to start again it calls begin first, and earlier blocks do not count. An error means that the
	// blocks were not complete, and they must not be used.
	Gradients(theta []float64, rows []int, begin func(), take func(Block)) error
	// Score returns the scores of a model on rows.
	Score(theta []float64, rows []int) (Scored, error)
	// Err returns the first error that was returned, nil if there was none. The runner must ask, and must use nothing that was
	// computed since.
	Err() error
}

// Scored holds a Program's scores of a model on some rows.
type Scored struct {
	Loss      float64 // mean; NaN: it does not say
	Accuracy  float64 // share of rows that are classified right; NaN: it does not say
	Confusion [][]int // rows by true class, then by predicted class; nil: it does not say
}

// A Block holds the gradients of some rows.
type Block interface {
	// Norms returns the norms of the gradients, borrowed. The caller may write over them.
	Norms() []float64
	// Add adds the sum of weight[i] x gradient i to dst. A gradient of weight 0 adds nothing, whatever its value.
	Add(dst, weight []float64)
}

// RowNumbers returns the row numbers that the examples of an External model hold.
func RowNumbers(ex Examples) []int {
	rows := make([]int, ex.Len())
	for i := range rows {
		rows[i] = int(ex.X[i])
	}
	return rows
}

// Name implements Model.
func (External) Name() string { return "external" }

// Params implements Model.
func (e External) Params(int) int { return e.Parameters }

// Guarantees implements Model: nothing is known of the loss.
func (e External) Guarantees(float64) Guarantees {
	return Guarantees{loss: e.Name(), bound: math.Inf(1), smoothness: math.Inf(1), lipschitz: math.Inf(1), classifies: e.Classifies}
}

// Start implements Starter.
func (e External) Start(int, float64, *rand.Rand) []float64 {
	if e.Begin == nil {
		return make([]float64, e.Parameters)
	}
	return e.Begin
}

// Loss implements Model. Rows are asked for many at once, not one by one.
func (e External) Loss([]float64, []float64, float64) float64 { panic("model: " + lone) }

// Gradient implements Model, see Loss.
func (e External) Gradient([]float64, []float64, []float64, float64) { panic("model: " + lone) }

// Clipped implements Model, see Loss.
func (e External) Clipped([]float64, []float64, float64, float64) float64 { panic("model: " + lone) }

// Correct implements Model, see Loss.
func (e External) Correct([]float64, []float64, float64) bool { panic("model: " + lone) }

const lone = "an external model is asked about many rows at once"

// score asks the program. Where it does not answer nothing is known; its Err says why.
func (e External) score(theta []float64, ex Examples) Scored {
	unknown := Scored{Loss: math.NaN(), Accuracy: math.NaN()}
	if ex.Len() == 0 || e.Program == nil {
		return unknown
	}
	s, err := e.Program.Score(theta, RowNumbers(ex))
	if err != nil {
		return unknown
	}
	return s
}

// classified returns the classification of some rows. It returns false if the program only counts the right ones.
func (e External) classified(theta []float64, ex Examples) (Classified, bool) {
	s := e.score(theta, ex)
	return Classified{Confusion: s.Confusion, AUC: math.NaN()}, s.Confusion != nil
}

// slopeAt adds the mean gradient over ex to sum, as far as the program answers.
func (e External) slopeAt(sum, theta []float64, ex Examples) {
	if e.Program == nil {
		return
	}
	before := slices.Clone(sum)
	var weight []float64
	_ = e.Program.Gradients(theta, RowNumbers(ex), func() { copy(sum, before) }, func(b Block) {
		weight = weight[:0]
		for _, norm := range b.Norms() {
			w := 0.0
			if !math.IsNaN(norm) && !math.IsInf(norm, 0) {
				w = 1 / float64(ex.Len())
			}
			weight = append(weight, w)
		}
		b.Add(sum, weight)
	}) // its Err has the reason
}
