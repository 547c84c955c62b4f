package dataset

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hearsay-dp/hearsay/fault"
)

// withCategories returns t with every column of numbers that has public categories replaced by
// a feature for each category: 1 where the column is that number, else 0. Values are compared as numbers:
// "1" is 1.0. It returns an error if there is no such column, or if a row has another value.
func (t *Table) withCategories(categories map[string][]string) (*Table, error) {
	if len(categories) == 0 {
		return t, nil
	}
	values := make(map[int][]float64, len(categories))
	for _, column := range slices.Sorted(maps.Keys(categories)) {
		j := t.column(column)
		if j < 0 {
			return nil, fault.New(fmt.Sprintf("%s has no column %q to have categories", t.Source, column), "its columns are: "+list(t.Features))
		}
		numbers, err := numbersOf(column, categories[column])
		if err != nil {
			return nil, err
		}
		values[j] = numbers
	}
	wide := *t
	wide.Features, wide.X = nil, nil
	for _, name := range t.Features {
		wide.Features = append(wide.Features, featuresOf(name, categories)...)
	}
	for i := range t.Rows() {
		for j, x := range t.Row(i) {
			if values[j] == nil {
				wide.X = append(wide.X, x)
				continue
			}
			if !slices.Contains(values[j], x) {
				return nil, fault.New(fmt.Sprintf("%s: %s is %v in a row, which is none of its categories", t.Source, t.Features[j], x),
					"list all values that the column can have; now "+list(categories[t.Features[j]]))
			}
			for _, v := range values[j] {
				wide.X = append(wide.X, float64(ifs(x == v)))
			}
		}
	}
	return &wide, nil
}

// numbersOf reads the categories of a column of numbers, each once.
func numbersOf(column string, texts []string) (numbers []float64, err error) {
	if err := checkCategories(column, texts); err != nil {
		return nil, err
	}
	for _, text := range texts {
		v, why := finite(text)
		if why == "" && slices.Contains(numbers, v) {
			why = "there twice"
		}
		if why != "" {
			return nil, fault.New(fmt.Sprintf("categories of %q: %s is %s", column, text, why), "the column has numbers: list each once, as in [1, 2, 3, 4]")
		}
		numbers = append(numbers, v)
	}
	return numbers, nil
}
