package federation

import (
	"fmt"
	"strconv"

	"github.com/hearsay-dp/hearsay/dataset"
	"github.com/hearsay-dp/hearsay/internal/family"
	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/model"
	"github.com/hearsay-dp/hearsay/report"
)

// A Score holds the quality of the model on the test rows of this participant. It is a statistic of
// the participant's data, so nobody else receives it.
type Score struct {
	Rows     int            `json:"rows"`
	Loss     report.Number  `json:"loss"`
	Accuracy *report.Number `json:"accuracy,omitempty"`
	Balanced *report.Number `json:"balanced_accuracy,omitempty"` // mean of the recalls; nil if a class does not occur
	Classes  []Recall       `json:"classes,omitempty"`
	By       string         `json:"by,omitempty"`     // column of Groups
	Groups   []Group        `json:"groups,omitempty"` // in the order of the categories in the spec
	Note     string         `json:"note,omitempty"`   // why the score may be too good
}

// A Recall holds the share of a class's rows that the model assigns to that class.
type Recall struct {
	Class  string        `json:"class"`
	Rows   int           `json:"rows"`
	Recall report.Number `json:"recall"` // NaN, null in JSON, without rows
}

// score evaluates the model on the test rows. It returns nil without test rows.
func (f *Federation) score(m *Model, kept dataset.Block) *Score {
	if kept.Rows() == 0 {
		return nil
	}
	ex := examples(f.setup.Objective.Model, kept)
	loss, accuracy := f.setup.Objective.Score(m.parameters, ex)
	s := &Score{Rows: kept.Rows(), Loss: report.Number(loss), Note: family.EarlierNote(f.Spec)}
	if !math.IsNaN(accuracy) {
		share := report.Number(accuracy)
		s.Accuracy = &share
		f.recalls(s, m, ex)
	}
	return s
}

// recalls adds the recall of each class and the balanced accuracy to s, if the model classifies.
func (f *Federation) recalls(s *Score, m *Model, ex model.Examples) {
	c, told := f.setup.Objective.Classified(m.parameters, ex)
	if !told {
		return
	}
	for k, row := range c.Confusion {
		r := Recall{Class: strconv.Itoa(k), Recall: report.Number(c.Rate(k))}
		if k < len(m.Classes) {
			r.Class = m.Classes[k]
		}
		for _, n := range row {
			r.Rows += n
		}
		s.Classes = append(s.Classes, r)
	}
	if balanced := report.Number(c.Balanced()); balanced.Finite() {
		s.Balanced = &balanced
	}
}

// words returns the score as sentences, "" if s is nil.
func (s *Score) words() string {
	switch {
	case s == nil:
		return ""
	case s.Accuracy == nil:
		return s.noted(fmt.Sprintf(" On %d rows kept for testing the loss is %.4g.", s.Rows, s.Loss))
	}
	text := fmt.Sprintf(" On %d rows kept for testing %.1f %% are right.", s.Rows, 100*float64(*s.Accuracy))
	most := 0
	for k, r := range s.Classes {
		if r.Rows > s.Classes[most].Rows {
			most = k
		}
	}
	for k, r := range s.Classes {
		if k != most && r.Rows > 0 {
			text += fmt.Sprintf(" Of %d rows of class “%s” the model finds %.0f.", r.Rows, r.Class, float64(r.Recall)*float64(r.Rows))
		}
	}
	if len(s.Classes) > 0 {
		text += fmt.Sprintf(" Always answering “%s” would be right on %.1f %%.", s.Classes[most].Class, 100*float64(s.Classes[most].Rows)/float64(s.Rows))
	}
	return s.noted(text + s.groupWords())
}

// noted adds the note to a text, if there is one.
func (s *Score) noted(text string) string {
	if s.Note == "" {
		return text
	}
	return text + " " + s.Note
}
