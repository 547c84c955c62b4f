package rehearse

import (
	"testing"

	"github.com/hearsay-dp/hearsay/experiment"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// rare is a program that holds 400 rows to learn from and 100 for testing, one in twenty-five of which is of class 1, and whose only
// parameter says how surely every row is of class 0. tells is whether it says how many rows of each class it finds.
type rare struct{ tells bool }

func (rare) Initial() []float64       { return []float64{0} }
func (rare) Tensors() []report.Tensor { return []report.Tensor{{Name: "w", Shape: []int{1}}} }
func (rare) Rows() (train, test int)  { return 400, 100 }
func (rare) Close()                   {}
func (rare) Err() error               { return nil }
func positive(row int) bool           { return row%25 == 0 }
func (rare) slope(theta float64, row int) float64 {
	p := 1 / (1 + math.Exp(theta)) // of class 1
	if positive(row) {
		return 1 - p
	}
	return -p
}

func (r rare) Gradients(theta []float64, rows []int, begin func(), take func(model.Block)) error {
	begin()
	slopes := make([]float64, len(rows))
	for i, row := range rows {
		slopes[i] = r.slope(theta[0], row)
	}
	take(lone(slopes))
	return nil
}

// Own rows alone the program of a participant does badly at first: what is right is one in two of the rows of class 0, until theta is
// above 1.
func (r rare) Score(theta []float64, rows []int) (model.Scored, error) {
	s := model.Scored{Confusion: [][]int{{0, 0}, {0, 0}}}
	for i, row := range rows {
		truth, told := 0, 0
		if positive(row) {
			truth = 1
		}
		if theta[0] < 1 && i%2 == 0 {
			told = 1
		}
		s.Confusion[truth][told]++
	}
	s.Accuracy = float64(s.Confusion[0][0]+s.Confusion[1][1]) / float64(len(rows))
	if !r.tells {
		s.Confusion = nil
	}
	return s, nil
}

// lone are gradients of one number.
type lone []float64

func (l lone) Norms() []float64 {
	norms := make([]float64, len(l))
	for i, x := range l {
		norms[i] = math.Abs(x)
	}
	return norms
}

func (l lone) Add(dst, weight []float64) {
	for i, w := range weight {
		dst[0] += float64(w * l[i])
	}
}

const rareSpec = `
data: {source: external, train_rows: 400, test_rows: 100}
graph: complete:4
model: {kind: external, name: rare, parameters: 1, layout: "sha256:0000000000000000000000000000000000000000000000000000000000000000", task: classification}
algorithm: {kind: gossip-gd, steps: 60, step_size: 1, clip: 1}
privacy: {sigma: 0.1, accountant: local, metric: {epsilon_at_delta: 1.0e-5}}
`

// A program whose model answers the same for all rows is no gain to anybody, however right it is: where it says what it finds of each
// class the answer is no, and where it does not it is never yes.
func TestAProgramThatFindsNobodyIsNoGain(t *testing.T) {
	for _, tells := range []bool{true, false} {
		s, err := experiment.Parse([]byte(rareSpec), "rare.yaml")
		if err != nil {
			t.Fatal(err)
		}
		s.Model.Program = experiment.Trainer(rare{tells})
		r, err := Run(t.Context(), s, Options{Trials: 4})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Verdicts {
			if v.Answer == Yes || tells && v.Answer != No {
				t.Errorf("tells %v: %s: %s, %s", tells, v.Participant, v.Answer, v.Why)
			}
		}
		if want := "balanced accuracy"; tells && r.Measure.Name != want || r.Measure.Blind == tells {
			t.Errorf("tells %v: measured by %+v", tells, r.Measure)
		}
	}
}
