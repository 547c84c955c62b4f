package trained

import (
	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
)

// Predictions holds the predictions for the complete rows of a sheet, in their order.
type Predictions struct {
	Class         []int     // of classifiers
	Probabilities []float64 // of classifiers, every class, row by row
	Values        []float64 // of regressions, in the unit of the label
}

// Predict predicts the rows that Layout reads.
func (m *Model) Predict(sheet *dataset.Sheet) *Predictions {
	ex := m.prepare(sheet.X)
	p, classes := &Predictions{}, len(m.File.Classes)
	model.EachOutputs(m.predictor, m.Theta, ex, func(_ int, z []float64) {
		if classes == 0 {
			p.Values = append(p.Values, m.unscaled(z[0]))
			return
		}
		p.Class = append(p.Class, model.Predicts(z))
		p.Probabilities = append(p.Probabilities, model.Probabilities(z)...)
	})
	return p
}

// prepare returns a copy of rows, scaled as the training rows were.
func (m *Model) prepare(rows []float64) model.Examples {
	x := dataset.Transform(rows, m.columns, m.chain, m.File.RowNorm != nil, m.width)
	return model.Examples{Features: m.width, X: x, Y: make([]float64, len(x)/m.width)}
}

// unscaled returns a label in its own unit.
func (m *Model) unscaled(z float64) float64 {
	if m.label == nil {
		return z
	}
	return z/m.label.Factor + m.label.Shift
}

// A Score measures the agreement of predictions with the labels of a table.
type Score struct {
	Rows     int      `json:"rows"`                        // rows with a label and a prediction
	Unknown  int      `json:"unknown_labels"`              // rows whose label is no class or no number; they are not scored
	Loss     float64  `json:"loss"`                        // mean plain loss, as a run reports it; 0 without rows
	Accuracy *float64 `json:"accuracy,omitempty"`          // of classifiers
	Balanced *float64 `json:"balanced_accuracy,omitempty"` // if every class occurs
	RMSE     *float64 `json:"rmse,omitempty"`              // of regressions, in the unit of the label
	MAE      *float64 `json:"mae,omitempty"`
}

// Score compares predictions with the labels of the sheet. It returns nil if the sheet has none.
func (m *Model) Score(sheet *dataset.Sheet) *Score {
	if sheet.Labels == nil {
		return nil
	}
	ex, _, unknown := m.labelled(sheet)
	s := &Score{Rows: ex.Len(), Unknown: len(unknown)}
	if s.Rows > 0 {
		m.fill(s, ex)
	}
	return s
}

// labelled returns the complete rows of a sheet that have a label. unlabelled counts the complete rows without one.
// unknown lists labels that are no class or no number.
func (m *Model) labelled(sheet *dataset.Sheet) (ex model.Examples, unlabelled int, unknown []string) {
	var rows, labels []float64
	d, known := len(m.File.Features), map[string]float64{} // labels by text, NaN for invalid ones
	for i, text := range sheet.Labels {
		at := sheet.Place[i]
		if at < 0 {
			continue
		}
		if text == "" {
			unlabelled++
			continue
		}
		y, seen := known[text]
		if !seen {
			y = m.labelOf(text)
			known[text] = y
		}
		if math.IsNaN(y) {
			unknown = append(unknown, text)
			continue
		}
		rows, labels = append(rows, sheet.X[at*d:(at+1)*d]...), append(labels, y)
	}
	if len(labels) > 0 {
		ex = m.prepare(rows)
	}
	ex.Y = labels
	return ex, unlabelled, unknown
}

// fill sets the scores over ex.
func (m *Model) fill(s *Score, ex model.Examples) {
	loss, accuracy := m.objective.Score(m.Theta, ex)
	s.Loss = loss
	if len(m.File.Classes) > 0 {
		s.Accuracy = &accuracy
		if balanced := model.Classify(m.predictor, m.Theta, ex).Balanced(); !math.IsNaN(balanced) {
			s.Balanced = &balanced
		}
		return
	}
	off := model.Residuals(m.predictor, m.Theta, ex)
	root, mean := m.unit()*off.RMSE, m.unit()*off.MAE
	s.RMSE, s.MAE = &root, &mean
}

// unit returns the size of one unit of the model's label in the unit of the table.
func (m *Model) unit() float64 {
	if m.label == nil {
		return 1
	}
	return 1 / math.Abs(m.label.Factor)
}

// labelOf returns the label of a text of the target column. It returns NaN if the text is no label.
func (m *Model) labelOf(text string) float64 {
	if k := len(m.File.Classes); k > 0 {
		c := dataset.ClassIndex(m.File.Classes, text)
		if c < 0 {
			return math.NaN()
		}
		return model.LabelOf(c, k)
	}
	y, known := dataset.Numeric(text)
	switch {
	case !known:
		return math.NaN()
	case m.label != nil:
		return m.label.Apply(y)
	}
	return y
}
