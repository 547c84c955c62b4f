package trainer

import (
	"encoding/binary"
	"strconv"

	"github.com/hearsay-dp/hearsay/internal/math"
	"github.com/hearsay-dp/hearsay/internal/safetensors"
	"github.com/hearsay-dp/hearsay/model"
)

// mostClasses is the largest number of classes.
const mostClasses = 1000

// Score implements model.Program.
func (t *Trainer) Score(theta []float64, rows []int) (scored model.Scored, err error) {
	err = t.question(func(l *link) error {
		if err := t.tell(l, t.of("score", theta, rows)); err != nil {
			return err
		}
		m, err := t.hear(l, 8*mostClasses*mostClasses)
		if err != nil {
			return err
		}
		if scored, err = scoreOf(m, len(rows)); err != nil {
			return err
		}
		return t.sameClasses(len(scored.Confusion))
	})
	return scored, err
}

// sameClasses refuses a program whose number of classes changes. classes is 0 if the program does not give it. The
// caller must hold asking.
func (t *Trainer) sameClasses(classes int) error {
	if t.classes == 0 {
		t.classes = classes
	}
	if classes != 0 && classes != t.classes {
		return safetensors.Malformed("a score of %d classes after one of %d", classes, t.classes)
	}
	return nil
}

// scoreOf decodes a score over rows rows.
func scoreOf(m *safetensors.Message, rows int) (s model.Scored, err error) {
	if m.Says["answer"] != "score" {
		return s, safetensors.Malformed("%.40q instead of a score", m.Says["answer"])
	}
	if s.Loss, err = number(m.Says, "loss"); err != nil {
		return s, err
	}
	if s.Accuracy, err = number(m.Says, "accuracy"); err != nil {
		return s, err
	}
	t := m.Tensors["confusion"]
	switch {
	case t == nil && len(m.Tensors) == 0:
		return s, nil
	case t == nil || len(m.Tensors) > 1 || t.DType != "I64" || len(t.Shape) != 2 || t.Shape[0] != t.Shape[1] || t.Shape[0] < 2 || t.Shape[0] > mostClasses:
		return s, safetensors.Malformed("a score with other tensors than \"confusion\" of I64, classes x classes, 2 to %d of them", mostClasses)
	}
	right := 0
	if s.Confusion, right, err = confusionOf(t.Data, t.Shape[0], rows); err != nil {
		return s, err
	}
	s.Accuracy = float64(right) / float64(rows)
	return s, nil
}

// confusionOf decodes a confusion matrix of rows rows, and returns how many of them are right.
func confusionOf(data []byte, classes, rows int) (confusion [][]int, right int, err error) {
	left := rows
	confusion = make([][]int, classes)
	for i := range confusion {
		confusion[i] = make([]int, classes)
		for j := range confusion[i] {
			n := binary.LittleEndian.Uint64(data[8*(classes*i+j):])
			if n > uint64(left) {
				return nil, 0, safetensors.Malformed("a confusion of more than the %d rows", rows)
			}
			confusion[i][j] = int(n)
			left -= int(n)
		}
		right += confusion[i][i]
	}
	if left > 0 {
		return nil, 0, safetensors.Malformed("a confusion of %d rows less than the %d", left, rows)
	}
	return confusion, right, nil
}

// number returns a named number of a message. It returns NaN if the message does not have it.
func number(says map[string]string, name string) (float64, error) {
	text, named := says[name]
	if !named {
		return math.NaN(), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, safetensors.Malformed("%s %.40q is no number", name, text)
	}
	return x, nil
}
