package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hearsay-dp/hearsay/fault"
)

// maxClasses is the largest number of distinct labels still taken for classes.
const maxClasses = 100

// A legend numbers the distinct texts of a column in the order they come.
type legend struct {
	names []string
	codes map[string]int32
}

func newLegend() *legend { return &legend{codes: make(map[string]int32)} }

// code returns the number of a text, a new one if the text is new.
func (l *legend) code(text string) int32 {
	if c, ok := l.codes[text]; ok {
		return c
	}
	c := int32(len(l.names))
	text = strings.Clone(text) // it may be part of a whole line
	l.names = append(l.names, text)
	l.codes[text] = c
	return c
}

// number returns the code of a text that is compared by value if it is a number:
// "1", "+1" and "1.0" are the same label.
func (l *legend) number(text string) int32 {
	if v, why := finite(text); why == "" {
		text = strconv.FormatFloat(v+0, 'g', -1, 64) // +0 turns -0 into 0
	}
	return l.code(text)
}

// sort renumbers codes so that the names are in order, as numbers where all
// are numbers, and returns the ordered names.
func (l *legend) sort(codes []int32) []string {
	order := make([]int32, len(l.names))
	for i := range order {
		order[i] = int32(i)
	}
	compare := l.comparison()
	slices.SortFunc(order, func(a, b int32) int { return compare(l.names[a], l.names[b]) })
	sorted, rank := make([]string, len(order)), make([]int32, len(order))
	for r, c := range order {
		sorted[r], rank[c] = l.names[c], int32(r)
	}
	for i, c := range codes {
		codes[i] = rank[c]
	}
	return sorted
}

// comparison orders names as numbers where all are numbers, else as text.
func (l *legend) comparison() func(a, b string) int {
	for _, name := range l.names {
		if _, why := finite(name); why != "" {
			return cmp.Compare[string]
		}
	}
	return func(a, b string) int {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	}
}

// labelClasses turns label codes into labels: -1 and +1 for two classes in
// order, 0..k-1 for more.
func labelClasses(t *Table, name string, l *legend, codes []int32) error {
	if k := len(l.names); k < 2 || k > maxClasses {
		return fault.New(fmt.Sprintf("%s: the target %q has %d distinct values, which are no classes", name, t.Target, k),
			"choose a target with 2 to 100 classes, or set task: regression (--task regression)")
	}
	t.Classes = l.sort(codes)
	for i, c := range codes {
		t.Y[i] = labelOf(int(c), len(t.Classes))
	}
	return nil
}

// binarise sets every label to +1 where positive holds, to -1 elsewhere.
func binarise(y []float64, positive func(float64) bool) {
	for i, v := range y {
		y[i] = -1
		if positive(v) {
			y[i] = 1
		}
	}
}
