package trainer

import (
	"encoding/binary"
	"testing"

	"github.com/hearsay-dp/hearsay/internal/safetensors"
)

// confused is a score with such counts.
func confused(shape []int, counts ...uint64) *safetensors.Message {
	m := safetensors.New(map[string]string{"answer": "score", "loss": "0.25", "accuracy": "1"})
	var data []byte
	for _, n := range counts {
		data = binary.LittleEndian.AppendUint64(data, n)
	}
	m.Put("confusion", "I64", shape, data)
	return m
}

// What is right follows from the confusion, whatever the program calls its accuracy; counts that are not those of the rows are no answer.
func TestAScoreCountsEveryRowOnce(t *testing.T) {
	s, err := scoreOf(confused([]int{2, 2}, 5, 1, 3, 1), 10)
	if err != nil || s.Loss != 0.25 || s.Accuracy != 0.6 || s.Confusion[1][0] != 3 {
		t.Errorf("%v, %v", s, err)
	}
	for name, m := range map[string]*safetensors.Message{
		"too few": confused([]int{2, 2}, 5, 1, 2, 1), "too many": confused([]int{2, 2}, 5, 1, 3, 2), "negative": confused([]int{2, 2}, 11, 0, 1<<64-1, 0),
		"all at once": confused([]int{2, 2}, 1<<63, 1<<63, 5, 5), "no square": confused([]int{1, 4}, 5, 1, 3, 1), "one class": confused([]int{1, 1}, 10), "a row": confused([]int{4}, 5, 1, 3, 1),
	} {
		if s, err := scoreOf(m, 10); err == nil {
			t.Errorf("%s: %v", name, s)
		}
	}
	many := confused([]int{2, 2}, 5, 1, 3, 1)
	many.Put("other", "I64", []int{0}, nil)
	if s, err := scoreOf(many, 10); err == nil {
		t.Errorf("another tensor: %v", s)
	}
}
